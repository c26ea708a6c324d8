/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A frame: all tables of one tick, its clocks and notices, and their memory. */
#ifndef PANETOP_MODEL_FRAME_H
#define PANETOP_MODEL_FRAME_H

#include "core/arena.h"
#include "core/buffer.h"
#include "model/column.h"

/*
 * Where a number on the screen comes from, collected while it is drawn, for the key i: a column of a row; or,
 * without a column, a number that a pane made.
 */
struct origin {
	const struct schema *schema;
	const void *row; /* may be gone when it was drawn */
	const struct column *column;
	const char *name, *from; /* of a made number, and what it is made of */
	double number;
	enum unit unit;
};

/* Writes each origin when it is drawn. */
struct origins {
	/* False: it is there. */
	bool (*add)(const struct origins *origins, const struct origin *origin);
	struct buffer *out;
	const void *context; /* of add */
};

/* From now on origins of this thread go there; NULL: nowhere. */
void origins_collect(const struct origins *origins);

/* The end of what was written; and drops what was written since, as it is not drawn after all. */
size_t origins_end(void);
void origins_drop(size_t end);

/* False: it is there already, or none are collected. */
bool origin_add(const struct origin *origin);

#define FRAME_NOTICES_MAX 32

/*
 * A counter that fell or was unknown in this sample: the next one shows whether that was for a moment, or
 * whether it began again.
 */
struct doubt {
	size_t row;
	const char *key;        /* of the column */
	uint64_t value, fallen; /* as the row before had it, and as this one had */
	bool has_fallen;
	double seconds; /* CLOCK_MONOTONIC of value */
};

struct table {
	const struct schema *schema;
	bool present;     /* sampled in this frame, even if it has no rows */
	bool failed;      /* … which failed: a notice explains it, and rates start again */
	bool partial;     /* of findings: derived from what is there, though not sampled */
	uint64_t mono_ns; /* CLOCK_MONOTONIC just before it was sampled: the base of rates */
	uint64_t interval_ns; /* of its rates: since it was sampled for the previous frame; 0: no rates */
	char *rows;
	size_t n_rows, capacity;
	bool joined;      /* with the table of the previous frame: then fresh is known */
	bool *fresh;      /* of each row: that table had none with its key */
	size_t n_fresh;   /* capacity */
	struct doubt *doubts; /* by row */
	size_t n_doubts, doubts_capacity;
	struct recent_use recent;
	void *blank;      /* a row of unknowns, copied into every new row */
	void *blank_block;   /* the same of what the rows have apart; NULL: they have nothing */
	struct arena *arena; /* of the frame, for such blocks */
	bool is_log; /* rows do not move while it grows; the following are for a log (event_log.h) only: */
	uint64_t n_dropped; /* rows removed before the first one; the others moved down */
	unsigned epoch;     /* increases with any other change */
	bool frozen;        /* it shows no new rows … */
	uint64_t n_pending; /* … but this many came since */
};

/* The topic of the notice about processes whose reads and writes may not be read. */
#define NOTICE_STORAGE "storage"
#define NOTICE_SOCKETS "sockets"

/* A sentence for the user about a source: what is missing and why, and the remedy (may be NULL). */
struct notice {
	const char *topic, *text, *remedy;
};

struct frame {
	uint64_t mono_ns;     /* CLOCK_MONOTONIC at the start of the tick */
	uint64_t wall_ns;     /* CLOCK_REALTIME then */
	uint64_t interval_ns; /* since the previous frame; 0: there is none */
	uint64_t since_ns;    /* of a difference: CLOCK_REALTIME of the earlier sample; 0: none */
	unsigned boot;        /* boots since then, as far as its source goes: each has a mono_ns of its own */
	const char *host;     /* in the arena */
	bool cut;             /* a signal broke it off: it is incomplete */
	bool only_events;     /* taken between two ticks: only tables of events were sampled */
	struct arena arena;   /* owns all texts of rows and notices */
	struct table *tables; /* one for each schema, in the order of frame_open() */
	unsigned n_tables;
	struct notice notices[FRAME_NOTICES_MAX];
	unsigned n_notices;
	bool named_there, named_absent; /* some of the processes and groups named by options */
};

void frame_open(struct frame *frame, const struct schema *const *schemas, unsigned n_schemas);
void frame_close(struct frame *frame);

/* For the next tick: no rows, no notices. Keeps its memory, but for what an earlier peak took. */
void frame_clear(struct frame *frame);

/* With its texts; tables of events stay empty. Both are of the same schemas. */
void frame_copy(struct frame *to, const struct frame *from);

/* The same to a frame that was cleared, and may have events of its own. */
void frame_add(struct frame *to, const struct frame *from);

/* The table of this topic if it was sampled in this frame, else NULL. */
struct table *frame_table(const struct frame *frame, const char *topic);

/* The newest notice of this topic; NULL: there is none. */
const struct notice *frame_newest_notice(const struct frame *frame, const char *topic);

/* The table of this topic, sampled or not; NULL: unknown topic. */
struct table *frame_slot(const struct frame *frame, const char *topic);

/* A new last row, all unknown; valid until the next one is added. */
void *table_add(struct table *table);

/* The same without a block: what would be apart stays unknown. */
void *table_add_bare(struct table *table);

/* Makes room for this many rows, those that it has included; rows may move. */
void table_reserve(struct table *table, size_t n_rows);

/*
 * Appends the rows of a table with the same fields, with their texts; rows of table, which is of the frame
 * to, may have more fields behind these. The index of the first.
 */
size_t table_append(struct frame *to, struct table *table, const struct table *from);

static inline void *table_row(const struct table *table, size_t index)
{
	return table->rows + index * table->schema->row_size;
}

/* Is row of this table one that the previous frame did not have? */
bool table_is_fresh(const struct table *table, const void *row);

/*
 * Of no table, which is NULL where a frame does not have one, the following find no row and no value, so that
 * what is drawn of it is unknown.
 *
 * The first row with these texts in its KEY columns, in their order; other may be NULL if one is enough.
 * NULL: none.
 */
const void *table_find(const struct table *table, const char *key, const char *other);

/* Is its first KEY column of text this? */
bool table_row_is(const struct table *table, const void *row, const char *key);

/* Is it the sum of the others? */
bool table_row_is_sum(const struct table *table, const void *row);

/* Is one of its KEY columns of text this? */
bool table_row_has_key(const struct table *table, const void *row, const char *key);

/* The number in this column of a row; NaN when row is NULL or the number is unknown. */
double table_number(const struct table *table, const void *row, const char *column);

/* The first row with the most in this column, and at least this (NaN: any number); sums do not count. */
const void *table_most(const struct table *table, const char *column, double least);

/* The same for a column of integers; U64_UNKNOWN. */
uint64_t table_u64(const struct table *table, const void *row, const char *column);

/* The text in this column of a row, "" when row is NULL or the text is unknown. */
const char *table_text(const struct table *table, const void *row, const char *column);

/*
 * The number at (topic, row named by its first key, column), of the first row when row is NULL; NaN when the
 * topic was not sampled, and when there is no such row or the number is unknown. While a screen is drawn for
 * the key i, that explains this number.
 */
double frame_number(const struct frame *frame, const char *topic, const char *row, const char *column);

/* Copies the texts into the arena. A repeated text about the same topic is stored once. */
void frame_notice(struct frame *frame, const char *topic, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
