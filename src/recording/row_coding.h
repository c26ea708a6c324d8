/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of one topic, sample by sample, as differences to the rows with the same keys before. Both sides
 * keep the rows of the last sample as cells: a number, the bits of a double, or the code of a text (0: none,
 * else its number + 1 in the list of all texts since the start of the chain).
 */
#ifndef PANETOP_RECORDING_ROW_CODING_H
#define PANETOP_RECORDING_ROW_CODING_H

#include "core/arena.h"
#include "core/bytes.h"
#include "model/frame.h"

struct cell_rows {
	uint64_t *cells; /* row by row */
	size_t n_rows, capacity;
};

/* The clock of a table; it is expected to advance as it did before. */
struct table_clock {
	uint64_t mono_ns, step_ns;
};

struct row_encoder {
	const struct column **columns; /* those that are recorded */
	unsigned n_columns;
	unsigned *keys; /* indexes of the KEY columns among them */
	unsigned n_keys;
	unsigned char *exponents; /* of each column: the decimal one that fitted last */
	bool joins;               /* rows are looked for in the sample before */
	struct cell_rows before;  /* in any order; each is replaced when it is encoded */
	uint32_t *places, *other; /* of each row before, or now: where its cells are; behind: unused ones */
	size_t n_placed;          /* used and unused */
	size_t n_places, n_other; /* capacities */
	uint32_t *matches;        /* of each row now: the index of the one before, or HASH_NONE */
	size_t n_matches;         /* capacity */
	bool *matched;            /* of each row before */
	size_t n_matched;         /* capacity */
	uint64_t *cells;          /* of the row that is encoded */
	struct hash by_key;       /* of the rows before; filled on demand */
	struct intern texts;    /* since the start of the chain, without those that were forgotten */
	uint64_t n_told;        /* texts that the decoder knows */
	uint64_t n_forgotten;   /* the first ones of them */
	size_t forgotten_bytes; /* as n_bytes of texts */
	struct table_clock clock;
};

void row_encoder_open(struct row_encoder *encoder, const struct schema *schema);
void row_encoder_close(struct row_encoder *encoder);
void row_encoder_restart(struct row_encoder *encoder); /* at the start of a chain: nothing is known */
void rows_encode(struct row_encoder *encoder, const struct table *table, struct buffer *out);

/* Of all texts since the start of the chain: what a decoder needs for them, about. */
size_t row_encoder_text_bytes(const struct row_encoder *encoder);

/* For a sample without this table. */
static inline void rows_encode_none(struct buffer *out)
{
	put_varint(out, 0);
}

struct known_text {
	const char *text;
	uint32_t length;
	uint64_t serial;  /* of the frame that has … */
	const char *copy; /* … this copy */
};

/* What all decoders of a recording share. */
struct decoding {
	size_t text_bytes, text_bytes_max; /* of all texts since the start of the chain */
	bool too_large;                    /* set when decoding failed since it needs more than that */
	bool (*interrupted)(void);         /* NULL: never; else asked now and then: decoding fails then */
};

struct row_decoder {
	struct decoding *shared;      /* borrowed */
	const enum value_type *types; /* of the columns; borrowed */
	unsigned n_columns;
	size_t n_rows_max; /* set before each sample */
	bool present, failed; /* in the sample decoded last, as are rows */
	struct cell_rows rows, other;
	struct table_clock clock;
	struct arena arena; /* of the texts */
	struct known_text *texts;
	size_t n_texts, capacity;
	unsigned n_steps; /* since it last asked whether it is interrupted */
};

void row_decoder_close(struct row_decoder *decoder);
void row_decoder_restart(struct row_decoder *decoder);

/*
 * Decodes one sample. False: the bytes are damaged, need more than is allowed, or it was interrupted; nothing
 * can be decoded until the next restart.
 */
bool rows_decode(struct row_decoder *decoder, struct span *in);
bool text_decode(struct row_decoder *decoder, struct span *in, uint64_t *code);

#endif
