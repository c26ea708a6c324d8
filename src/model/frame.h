/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns and schemas: how outputs, the screen and recordings see the rows of a topic. A frame: all tables of
 * one tick, its clocks and notices, and their memory. And where frames come from.
 */
#ifndef PANETOP_MODEL_FRAME_H
#define PANETOP_MODEL_FRAME_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/arena.h"
#include "core/buffer.h"
#include "core/span.h"
#include "core/unknown.h"

/* A field that does not apply to this row, such as the caches of the swap row: drawn as nothing. */
#define U64_BLANK (UINT64_MAX - 1)

/* Name of a row of all that have none of their own. */
#define ROW_OF_OTHERS "(others)"

/* A sum; unknown if a part is unknown or blank, or if it overflows. */
static inline uint64_t u64_sum(uint64_t one, uint64_t other)
{
	return one >= U64_BLANK || other >= U64_BLANK || one > U64_BLANK - 1 - other ? U64_UNKNOWN
										     : one + other;
}

/* NaN where it is unknown or blank. */
static inline double u64_number(uint64_t value)
{
	return value >= U64_BLANK ? NAN : (double)value;
}

/* The sum of what is known of the two. */
static inline uint64_t u64_sum_known(uint64_t one, uint64_t other)
{
	return one == U64_UNKNOWN ? other : other == U64_UNKNOWN ? one : u64_sum(one, other);
}

/* A difference; unknown if a part is unknown, or if it would be negative. */
static inline uint64_t u64_less(uint64_t from, uint64_t less)
{
	return from >= U64_BLANK || less >= U64_BLANK || less > from ? U64_UNKNOWN : from - less;
}

enum value_type {
	VALUE_U64,  /* uint64_t */
	VALUE_F64,  /* double */
	VALUE_TEXT, /* const char *, UTF-8 as found, lives in the frame's arena or in the program */
};

enum column_kind {
	COLUMN_KEY,     /* identifies a row; rows are joined on it; a label in OpenMetrics */
	COLUMN_LABEL,   /* describes the row */
	COLUMN_GAUGE,   /* a current value */
	COLUMN_COUNTER, /* only increases, until a reset */
	COLUMN_RATE,    /* derived from a counter of the same row; never sampled, never recorded. Of a gauge
			 * it is the change, which may be negative */
	COLUMN_BOUND,   /* upper bound of a histogram bucket */
};

/* Base units; the number in a row is always in the base unit. */
enum unit {
	UNIT_NONE, /* a name, a pid, a state */
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_SECONDS,
	UNIT_TIME,  /* a u64 of ns since 1970; people see the time of day, programs RFC 3339 */
	UNIT_RATIO, /* 1.0 is the whole, or one CPU; people see percent */
	UNIT_PER_SECOND,
	UNIT_BYTES_PER_SECOND,
	UNIT_BITS, /* of a link: in a second */
	UNIT_BITS_PER_SECOND,
	UNIT_HERTZ,
	UNIT_ADDRESS, /* in the memory of a process; people see it in hexadecimal */
	UNIT_WATTS,
	UNIT_JOULES,
	UNIT_CELSIUS,
	UNIT_VOLTS,
	UNIT_RPM, /* revolutions per minute */
	N_UNITS,
};

/* What a text is, for its look on the screen. */
enum column_text {
	TEXT_PLAIN,
	TEXT_COMMAND, /* a command line; [name] is a kernel thread */
	TEXT_STATE,   /* the letter of a process's state */
};

struct intern;

struct column {
	const char *key;    /* stable: CSV heading, JSON key, metric name; ends in its unit */
	const char *title;  /* N_(): heading on the screen and in text */
	const char *help;   /* N_(): one line: what it is */
	const char *mark;   /* N_(): explains a mark in the title to people; may be NULL */
	const char *source; /* where it comes from: "/proc/meminfo MemFree", or the formula */
	enum value_type type;
	enum column_kind kind;
	enum unit unit;
	const struct intern *packed; /* of event_log.h: the field is packed in 32 bits; NULL: it is not */
	uint16_t offset;             /* of the field in the row, or APART_OFFSET + that in its block */
	uint16_t apart;     /* offset in the row of the pointer to a block that has the field; 0: the row
			     * has it. Without a block the field is unknown */
	uint16_t rate_of;   /* RATE: offset of the counter (u64 or f64) it grows from */
	uint16_t rate_over; /* RATE: offset of the counter that is the divisor; 0: the time (so this
			     * counter cannot be the first field) */
	uint16_t aged_by;   /* offset of the f64 with the seconds since it was read; 0: at the sample */
	double scale;       /* RATE: factor; 0 means 1 */
	double ceiling;     /* RATE over the time, of seconds: it cannot be higher, as a disk is not busy
			     * for longer than it takes; 0: none. See pipeline.h */
	int width;          /* minimum width in cells */
	unsigned rank;      /* columns of a higher rank are omitted first; 0 stays longest */
	bool hidden;        /* shown only on request */
	bool optional;      /* people see it only if some row has a value */
	bool prose;         /* a sentence: where lines are wrapped it is printed below the row */
	bool words;         /* its texts are N_(): people see them translated, programs do not */
	bool of_cpu;        /* a share of one CPU; --per-machine shows it to people as one of all */
	bool of_interval;   /* of the interval, not of the row: the screen shows equal ones once */
	bool whole;         /* of seconds people see no fractions: "5min" */
	bool tiny;          /* without a unit: people see digits of values below 0.01, too */
	enum column_text text;
	bool trend;               /* its change is worth a small graph in each row */
	double high, alarming;    /* numbers from which it stands out, and needs a look; 0: none does */
	unsigned char on_request; /* 1 to 31: read only where it is shown, along with the others of its
				   * number; 0: always read */
	bool personal;            /* an argument, a user or an address, which a page for others leaves out */
	bool slow;                /* read only of rows on the screen, or where the user names it in batch */
	bool disturbs;            /* reading it takes something from the kernel: only where it is named */
	bool difference;          /* of two samples: people see the sign of a growth */
	bool fleeting;            /* LABEL: changes from sample to sample; KEY: of what comes and goes, as a
				   * process. Neither is part of a series: metrics have sums of such rows */
	const char *grouping;     /* such rows are summed by its text, with this label; NULL: not by this */
	bool additive;            /* sums of it make sense, and metrics have them */
};

#define VALUE_TYPE(field)                                                                                    \
	_Generic((field), uint64_t : VALUE_U64, double : VALUE_F64, const char * : VALUE_TEXT)

#define COLUMN(row, field, ...) COLUMN_AS(row, field, #field, __VA_ARGS__)

/* What most columns say first of themselves; unit: without UNIT_. */
#define A_KEY(title_, width_) .kind = COLUMN_KEY, .title = (title_), .width = (width_)
#define A_LABEL(title_, width_) .kind = COLUMN_LABEL, .title = (title_), .width = (width_)
#define A_NUMBER(kind_, unit_, title_, width_)                                                               \
	.kind = COLUMN_##kind_, .unit = UNIT_##unit_, .title = (title_), .width = (width_)
#define A_GAUGE(unit, title, width) A_NUMBER(GAUGE, unit, title, width)
#define A_COUNTER(unit, title, width) A_NUMBER(COUNTER, unit, title, width)
#define A_RATE(unit, title, width) A_NUMBER(RATE, unit, title, width)

/* With what every column has: kind, unit, title, width, help, source. More may follow. */
#define COLUMN_OF(row, field, of_kind, of_unit, heading, cells, what, ...)                                   \
	COLUMN(row, field, .kind = COLUMN_##of_kind, .unit = UNIT_##of_unit, .title = heading,               \
	       .width = cells, .help = what, .source = __VA_ARGS__)

/*
 * A field that is read on request, and that a large table does without until then: block is the member of the
 * row that points to those.
 */
#define APART_OFFSET 0x8000 /* so that a column is known by its offset */
#define APART_OFFSETOF(type, field) (APART_OFFSET + offsetof(type, field))
#define COLUMN_APART(row, block, type_, field, ...)                                                          \
	{                                                                                                    \
		.key = #field, .type = VALUE_TYPE(((type_ *)0)->field), .apart = offsetof(row, block),       \
		.offset = APART_OFFSETOF(type_, field), __VA_ARGS__                                          \
	}

/* For tables that share a row but name a field differently. */
#define COLUMN_AS(row, field, name, ...)                                                                     \
	{                                                                                                    \
		.key = (name), .type = VALUE_TYPE(((row *)0)->field), .offset = offsetof(row, field),        \
		__VA_ARGS__                                                                                  \
	}

enum shape {
	SHAPE_TABLE,     /* rows are the state of things */
	SHAPE_EVENTS,    /* rows are events */
	SHAPE_HISTOGRAM, /* rows are buckets: a BOUND column and one COUNTER of samples */
};

struct schema {
	const char *name; /* of the topic */
	const char *help; /* N_(): one line */
	const char *none; /* N_(): why a machine may have no row; may be NULL */
	enum shape shape;
	bool goes_on;       /* a counter that is unknown in one sample goes on after it: the next rate is over
				both intervals. Else it may have another beginning then */
	bool from_zero;     /* every table has all existing rows: the counters of a new row were 0 at the
			     * previous frame */
	bool over_interval; /* its gauges cover an observed interval: the first sample has none */
	bool of_run;        /* its counters begin with panetop's own run: those of another run start again */
	bool derived;       /* from other tables of the frame, also in a replay: recordings leave it out */
	bool disturbs;      /* sampling it takes something from the kernel: only where the user names it */
	bool has_secrets;   /* it reads command lines or environments itself: see no_arguments of a request */
	bool is_public;     /* --listen shows all its rows to other users: none has a process, a peer, a
			     * function or a file. Listed in table_listing_test.c */
	bool of_stacks;     /* rows are stacks of functions, and their samples */
	bool sparse;        /* HISTOGRAM: only buckets with samples are rows */
	const char *histogram; /* HISTOGRAM: in the name of its metric, where its own leads to that of another
				* topic; may be NULL */
	const char *sum_row;   /* a text key of rows that are the sum of the others; may be NULL */
	const char *twice_row; /* a text key of a row that other rows hold, too; may be NULL */
	bool (*is_over)(const void *row); /* its fact has ended: no rule, metric or count has it; NULL: no row
					   * is so */
	bool one_unit;         /* sizes of all rows share one unit, as in free(1) */
	size_t row_size;
	size_t apart_size; /* of a block of fields apart, see COLUMN_APART; 0: there are none */
	uint16_t apart;    /* offset of the pointer to it in the row */
	const struct column *columns;
	unsigned n_columns;
	double (*percent_base)(const void *row); /* what 100 % of a row's sizes is, in bytes; may be NULL */
	unsigned percent_column; /* index of the column that stays a size with --unit=percent */
};

static inline bool schema_row_is_over(const struct schema *schema, const void *row)
{
	return schema->is_over && schema->is_over(row);
}

/* Of a row with its block. */
static inline size_t schema_row_bytes(const struct schema *schema)
{
	return schema->row_size + schema->apart_size;
}

#define SCHEMA_COLUMNS(list) .columns = (list), .n_columns = sizeof(list) / sizeof((list)[0])
#define SCHEMA_ROWS(row, list) .row_size = sizeof(row), SCHEMA_COLUMNS(list)

/* Index of the column with this key, or -1. */
int schema_column(const struct schema *schema, const char *key);
int schema_column_span(const struct schema *schema, struct span key);

/*
 * As typed by a user: the index of the column whose key or heading it is, in any case and without the sign
 * before a heading (%, ~), or the only one that begins with it. Where columns that are shown and hidden ones
 * match, those that are shown count. Or COLUMN_UNKNOWN, or COLUMN_AMBIGUOUS.
 */
#define COLUMN_UNKNOWN (-1)
#define COLUMN_AMBIGUOUS (-2)
int schema_match(const struct schema *schema, struct span typed);

/* How well it fits this column; of several columns the best ones count. 0: not at all. */
unsigned column_match(const struct column *column, struct span typed);

/* The index of the topic with this name; -1: there is none. */
int schema_index(const struct schema *const *schemas, unsigned n_schemas, const char *topic);

/* Marks it by its index, if there is one; NULL: none. */
void schema_want(const struct schema *const *schemas, unsigned n_schemas, const char *topic, bool *wanted);

/* The column with this key; NULL when there is none. */
const struct column *schema_find(const struct schema *schema, const char *key);
const struct column *schema_find_span(const struct schema *schema, struct span key);

/* The same for a key in the program's source: an unknown one fails an assertion. NULL with NDEBUG. */
const struct column *schema_known_column(const struct schema *schema, const char *key);

/* The first KEY column of texts, or of numbers; NULL: there is none. */
const struct column *schema_first_key(const struct schema *schema, bool is_text);

const char *column_title(const struct column *column); /* translated; may be empty */
const char *column_name(const struct column *column);  /* its title, or its key if it has none */

/* A text of this column for people; NULL stays NULL. */
const char *column_words(const struct column *column, const char *text);

static inline bool column_is_left(const struct column *column) /* texts are, numbers are not */
{
	return column->type == VALUE_TEXT;
}

/* The last word of a column's key must be its unit ("bytes"); NULL: none required. */
const char *unit_suffix(enum unit unit);
const char *unit_name(enum unit unit);
const char *kind_name(enum column_kind kind);
const char *type_name(enum value_type type);
const char *shape_name(enum shape shape);

/* Access to the fields of a row; inline, since it runs for every field of every process. */
static inline void *row_block(const void *row, uint16_t apart)
{
	void *block;

	memcpy(&block, (const char *)row + apart, sizeof(block));
	return block;
}

const void *row_field_apart(const void *row, const struct column *column);

static inline const void *row_field(const void *row, const struct column *column)
{
	if (__builtin_expect(column->apart != 0, 0))
		return row_field_apart(row, column);
	return (const char *)row + column->offset;
}

uint64_t packed_u64(const void *row, const struct column *column);
const char *packed_text(const void *row, const struct column *column);

static inline uint64_t row_u64(const void *row, const struct column *column)
{
	uint64_t value;

	if (__builtin_expect(column->packed != NULL, 0))
		return packed_u64(row, column);
	memcpy(&value, row_field(row, column), sizeof(value));
	return value;
}

static inline double row_f64(const void *row, const struct column *column)
{
	double value;

	memcpy(&value, row_field(row, column), sizeof(value));
	return value;
}

static inline const char *row_text(const void *row, const struct column *column)
{
	const char *value;

	if (__builtin_expect(column->packed != NULL, 0))
		return packed_text(row, column);
	memcpy(&value, row_field(row, column), sizeof(value));
	return value;
}

/* Neither unknown nor blank. */
static inline bool row_is_known(const void *row, const struct column *column)
{
	switch (column->type) {
	case VALUE_U64:
		return row_u64(row, column) < U64_BLANK;
	case VALUE_F64:
		return isfinite(row_f64(row, column));
	case VALUE_TEXT:
		return row_text(row, column) != NULL;
	}
	return false;
}

/* Is there anything to show? */
static inline bool column_has_value(const struct column *column, const void *row)
{
	return row_is_known(row, column) && (column->type != VALUE_TEXT || *row_text(row, column) != '\0');
}

/* As a number whatever its type; NaN for unknown, blank and text. */
double row_number(const void *row, const struct column *column);
bool row_is_blank(const void *row, const struct column *column);

/* Sets every field with a column to unknown, the rest to zero; it has no block. */
void row_clear(void *row, const struct schema *schema);

/* The same of a block of apart_size bytes. */
void row_clear_block(void *block, const struct schema *schema);

/* A row with a block if the schema has one, all zero; the caller frees it with free(). */
void *row_new(const struct schema *schema);

/* With the fields apart, if to has a block. */
void row_copy(void *to, const void *from, const struct schema *schema);

/* A field apart of a row without a block stays unknown. */
void row_set_u64(void *row, const struct column *column, uint64_t value);
void row_set_f64(void *row, const struct column *column, double value);
void row_set_text(void *row, const struct column *column, const char *value);

/* Have the rows the same value in a column, which is one of two schemas? */
static inline bool rows_same_value(const struct column *column, const void *row,
				   const struct column *other_column, const void *other)
{
	const char *one_text, *other_text;

	if (column->type != VALUE_TEXT)
		return row_u64(row, column) == row_u64(other, other_column); /* also the bytes of a double */
	one_text = row_text(row, column);
	other_text = row_text(other, other_column);
	return one_text == other_text || (one_text && other_text && strcmp(one_text, other_text) == 0);
}

static inline bool row_same_value(const struct column *column, const void *one, const void *other)
{
	return rows_same_value(column, one, column, other);
}

/* Do both rows have the same values in all KEY columns? */
bool row_same_key(const struct schema *schema, const void *one, const void *other);

/*
 * Iterates over the bytes of the row's KEY columns: start with *next = 0; false after the last. Texts include
 * their NUL, so equal bytes mean equal keys.
 */
bool row_next_key(const struct schema *schema, const void *row, unsigned *next, struct span *bytes);
uint64_t row_hash_key(const struct schema *schema, const void *row);

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
	bool is_split;    /* rows are those of a scope, and the following all that were sampled */
	char *whole;      /* for rates of the next frame; owned */
	size_t n_whole, whole_capacity;
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

/* A copy of text that lives as long as what is in the frame; NULL of NULL. */
static inline const char *frame_text(struct frame *frame, const char *text)
{
	return text ? arena_copy(&frame->arena, text, strlen(text)) : NULL;
}

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
bool schema_row_is_sum(const struct schema *schema, const void *row);

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

/* The live machine, or a recording. */
struct source {
	/*
	 * Fills a cleared frame: 1. 0 at the end; -EAGAIN when there is none yet (see wait_fd); -EINTR when a
	 * signal waits that ends the run; or -errno. A topic that fails is a notice, not an error.
	 */
	int (*next)(void *state, struct frame *frame);

	bool judged; /* its frames have their rates and findings: they are of several machines */

	/* From now on only the topics whose flag is set, by index of the schema, are sampled. May be NULL. */
	void (*want)(void *state, const bool *topics);

	/*
	 * See struct topic. Without done it only checks whether it is possible. On failure *remedy, if not
	 * NULL, is what to do about it, or NULL. -ENOTSUP without a live machine. May be NULL.
	 */
	int (*act)(void *state, const char *topic, const char *action, void (*done)(void *context, int error),
		   void *context, const char **remedy);

	/*
	 * Of a live source with events (rows of SHAPE_EVENTS): a descriptor that becomes readable when there
	 * are some, at most ten times a second; -1 if no wanted topic has one. next_events fills a cleared
	 * frame with those tables only, which makes it unreadable: 1 or -errno. Both may be NULL.
	 */
	int (*event_fd)(void *state);
	int (*next_events)(void *state, struct frame *frame);

	/* Is the requested measurement complete, so that next() returned the last frame? May be NULL. */
	bool (*has_finished)(void *state);
	/* Resets what this topic (NULL: every topic) accumulates over the run: minima, means. May be NULL. */
	void (*restart)(void *state, const char *topic);

	/* Call it whenever poll_fd is readable, also between samples. May be NULL. See struct topic. */
	void (*poll)(void *state, uint32_t events);
	int poll_fd;
	size_t files_before; /* see struct env; 0: unknown */

	/* These are for recordings; NULL: it is live. */
	int (*seek)(void *state, size_t index); /* next() then returns this frame, or the last; 0 or
						 * -errno */
	/* Before a seek: no frame before this one is shown; they are for what leads to it. May be NULL. */
	void (*aim)(void *state, size_t index);
	size_t (*position)(void *state);               /* of the frame that next() returned last */
	size_t (*find)(void *state, uint64_t wall_ns); /* index of the last frame at or before wall_ns */
	size_t near_frames; /* each costs: no more than these and the shown one are read where no user
			     * chose one; 0: any */

	/* Frames found so far, reading on for a moment, and the clocks of the first and the last one; true:
	 * these are all. */
	bool (*extent)(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns);

	/* Of a pipe that was opened to go back in: from now on only its newest bytes are kept. NULL: live. */
	void (*keep_back)(void *state, uint64_t bytes);

	/* Of a recording that comes through a pipe; NULL or -1: next() never waits. */
	int (*wait_fd)(void *state); /* readable when there may be more */
	bool (*pull)(void *state);   /* reads what is available, for next(); false: no more will come */

	/* What was wrong with the end of the recording, such as a torn line; NULL: nothing. */
	const char *(*remark)(void *state);

	void (*close)(void *state);
	void *state;
};

static inline bool source_is_recording(const struct source *source)
{
	return source->seek != NULL;
}

/* As want() of one that has it. */
static inline void source_want(const struct source *source, const bool *topics)
{
	if (source->want)
		source->want(source->state, topics);
}

/* The frame of a recording at this index, or the last one: as next(). */
static inline int source_read(const struct source *source, size_t index, struct frame *frame)
{
	int error = source->seek(source->state, index);

	frame_clear(frame);
	return error ? error : source->next(source->state, frame);
}

/* Frames of a recording and the clocks of the first and the last one, as far as it can be read now. */
static inline size_t source_extent(const struct source *source, uint64_t *first_ns, uint64_t *last_ns)
{
	size_t n_frames, last_count = SIZE_MAX;

	while (!source->extent(source->state, &n_frames, first_ns, last_ns) && n_frames != last_count)
		last_count = n_frames;
	return n_frames;
}

#endif
