/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How values are formatted for people: units, scaling, rounding. */
#ifndef PANETOP_MODEL_UNITS_H
#define PANETOP_MODEL_UNITS_H

#include "core/buffer.h"
#include "core/clock.h"
#include "model/frame.h"

#define VALUE_TEXT_MAX 32 /* bytes of a formatted number with its NUL */

/*
 * Choices of --unit. In a fixed unit sizes are integers, rounded down as in free(1); a size below one unit
 * has two significant digits, so that only zero is shown as 0.
 */
enum size_unit { SIZE_AUTO, SIZE_B, SIZE_KIB, SIZE_MIB, SIZE_GIB, SIZE_PERCENT, N_SIZE_UNITS };

extern const char *const size_unit_names[]; /* ended by NULL */

/*
 * The unit for the sizes of this table: the chosen one, but percent only if a row has a base for it; for a
 * table of one unit (see struct schema) "auto" becomes the largest unit in which its largest size has four
 * digits.
 */
enum size_unit size_unit_of_table(const struct table *table, enum size_unit chosen);

/* The unit beside the headings of a table: "MiB", "%", or nothing. */
const char *size_unit_heading(const struct schema *schema, enum size_unit unit);

/* The same beside the title of one column, where the table has none for all. */
const char *size_unit_of_column(const struct schema *schema, const struct column *column,
				enum size_unit unit);

struct value_format {
	enum size_unit unit;
	bool ascii;
	double cpus; /* 100 % of a column of_cpu is this many CPUs; 0: one; NaN: unknown */
};

/*
 * The value for people: a number without blanks or the local time of day in number, which has VALUE_TEXT_MAX
 * bytes; or a text of the row, not cleaned. "-" when unknown, "" when blank.
 */
const char *value_text(char *number, const struct schema *schema, const struct column *column,
		       const void *row, const struct value_format *format);

/* The known key of a row in a sentence: a text, a plain number such as a PID, or a number with its unit. */
const char *key_text(char *number, const struct column *column, const void *row);

/* A number of this column as value_text() formats it, but with fractions of counts; "-" for NaN. */
char *number_text(char *out, const struct column *column, double number, bool ascii);

/*
 * For sentences a blank stands before the unit: "14.2 GiB", "6.778 s", "720 s", "2.60 GHz", "7.97 W",
 * "62 °C"; bytes, bits, rates and times of tables, bars and graphs are one word: "14.2G", "6.778s", "1.2k".
 * "-" when unknown. Each returns out, which has VALUE_TEXT_MAX bytes.
 */
char *size_text(char *out, double bytes);
char *size_short(char *out, double bytes);
char *duration_text(char *out, double seconds, bool ascii);
char *duration_short(char *out, double seconds, bool ascii);
char *rate_text(char *out, double per_second);
char *rate_short(char *out, double per_second); /* "3.1k" from 1000 on */
char *bits_text(char *out, double bits_per_second); /* "94.1 Mb/s" */
char *hertz_text(char *out, double hertz);
char *watts_text(char *out, double watts);
char *celsius_text(char *out, double celsius, bool ascii);
char *fixed_text(char *out, double value, int places); /* "214", "0.42": this many decimal places */

/* A duration in whole units, rounded down: "45 s", "12 min", "3.5 h", "2.1 days"; translated. */
char *stretch_text(char *out, double seconds);

/*
 * For every number of a sentence, in two or three digits: "3.1 %", "14.2 MiB/s", "94.1 Mb/s", "62 C",
 * "214/s", "1.4 s", "11 min"; "0.42" without a unit. Counts are exact below 10000, then "12.3k", "8.97M"; a
 * ratio below 1 is at most "99.9 %". All in ASCII, but for a translation of stretch_text().
 */
char *amount_text(char *out, enum unit unit, double number);

#endif
