/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a value looks to a person: units, scaling, rounding. */
#ifndef PANETOP_MODEL_UNITS_H
#define PANETOP_MODEL_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"

#define VALUE_TEXT_MAX 32 /* bytes of a formatted number, with its NUL */

/*
 * What --unit chooses. In a fixed unit sizes are whole numbers, rounded down as free(1) does; what is less
 * than one is a fraction of two digits, so that only nothing is 0.
 */
enum size_unit { SIZE_AUTO, SIZE_B, SIZE_KIB, SIZE_MIB, SIZE_GIB, SIZE_PERCENT, N_SIZE_UNITS };

bool size_unit_parse(const char *name, enum size_unit *unit);
const char *size_unit_name(enum size_unit unit);

/*
 * The unit in which this table's sizes are shown: what was chosen, but percent only where a row has a
 * whole, and for a table of one unit (see struct schema) "auto" becomes the largest unit that leaves its
 * greatest size four digits.
 */
enum size_unit size_unit_of_table(const struct table *table, enum size_unit chosen);

/* What stands beside the headings of a table in this unit: "MiB", "%", or nothing. */
const char *size_unit_heading(const struct schema *schema, enum size_unit unit);

struct value_format {
	enum size_unit unit;
	bool ascii;
	double cpus; /* 100 % of a column of_cpu is this many CPUs; 0: one; NaN: an unknown number */
};

/*
 * The value as a person sees it: a number without blanks, the local time of day, in number, which has
 * VALUE_TEXT_MAX bytes; a text as it was found, hostile as it may be. "-" when unknown, "" when blank.
 */
const char *value_text(char *number, const struct schema *schema, const struct column *column,
		       const void *row, const struct value_format *format);

/* A number of this column as value_text() would show it, but fractions of counts, too; "-" when it is NaN. */
char *number_text(char *out, const struct column *column, double number, bool ascii);

/*
 * For sentences and labels: "14.2 GiB", short "14.2G", "6.778s", "1.2k", "2.60GHz", "7.97 W", "62 °C";
 * "-" when not known. Each returns out, which has VALUE_TEXT_MAX bytes.
 */
char *size_text(char *out, double bytes);
char *size_short(char *out, double bytes);
char *duration_text(char *out, double seconds, bool ascii);
char *rate_text(char *out, double per_second);
char *rate_short(char *out, double per_second); /* "3.1k" from 1000 on */
char *hertz_text(char *out, double hertz);
char *watts_text(char *out, double watts);
char *celsius_text(char *out, double celsius, bool ascii);
char *fixed_text(char *out, double value, int places); /* "214", "0.42": so many digits behind the point */

#endif
