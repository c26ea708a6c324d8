/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns and schemas: how outputs, the screen and recordings see the rows of a topic. */
#ifndef PANETOP_MODEL_COLUMN_H
#define PANETOP_MODEL_COLUMN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

#endif
