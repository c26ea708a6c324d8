/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats values for people. */
#include <config.h>

#include "model/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"

const char *const size_unit_names[] = {
	[SIZE_AUTO] = "auto", [SIZE_B] = "B",     [SIZE_KIB] = "KiB",
	[SIZE_MIB] = "MiB",   [SIZE_GIB] = "GiB", [SIZE_PERCENT] = "percent",
	[N_SIZE_UNITS] = NULL,
};

static const double size_unit_bytes[N_SIZE_UNITS] = {
	[SIZE_B] = 1,
	[SIZE_KIB] = 1024,
	[SIZE_MIB] = 1048576,
	[SIZE_GIB] = 1073741824.0,
};

enum size_unit size_unit_of_table(const struct table *table, enum size_unit chosen)
{
	double largest = 0;

	if (chosen == SIZE_PERCENT && !table->schema->percent_base)
		chosen = SIZE_AUTO;
	if (chosen != SIZE_AUTO || !table->schema->one_unit)
		return chosen;
	for (unsigned c = 0; c < table->schema->n_columns; c++) {
		const struct column *column = &table->schema->columns[c];

		for (size_t i = 0; column->unit == UNIT_BYTES && i < table->n_rows; i++)
			largest = fmax(largest, row_number(table_row(table, i), column));
	}
	for (enum size_unit unit = SIZE_GIB; unit > SIZE_B; unit--)
		if (largest >= 1000 * size_unit_bytes[unit])
			return unit;
	return SIZE_B;
}

const char *size_unit_heading(const struct schema *schema, enum size_unit unit)
{
	if (!schema->one_unit || unit == SIZE_AUTO)
		return "";
	return unit == SIZE_PERCENT ? "%" : size_unit_names[unit];
}

const char *size_unit_of_column(const struct schema *schema, const struct column *column,
				enum size_unit unit)
{
	if (column->unit != UNIT_BYTES || schema->one_unit || unit == SIZE_AUTO)
		return "";
	if (unit != SIZE_PERCENT)
		return size_unit_names[unit];
	return schema->percent_base && column != &schema->columns[schema->percent_column] ? "%" : "";
}

/* printf into a cell, with room for a sign; longer text is truncated: broken files contain absurd numbers. */
static char *__attribute__((format(printf, 2, 3))) cell(char *out, const char *format, ...)
{
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(out, VALUE_TEXT_MAX - 1, format, list);
	va_end(list);
	/* nothing is less than 0 by 0 */
	if (length > 1 && *out == '-' && strchr(out, '0') && !strpbrk(out, "123456789"))
		memmove(out, out + 1, (size_t)length);
	return out;
}

static char *scaled(char *out, double value, double step, const char *const *suffixes, unsigned n_suffixes)
{
	unsigned i = 0;

	if (isnan(value))
		return cell(out, "-");
	if (value < 0) {
		*out = '-';
		scaled(out + 1, -value, step, suffixes, n_suffixes);
		return out;
	}
	while (value >= step && i + 1 < n_suffixes) {
		value /= step;
		i++;
	}
	if (i == 0)
		return cell(out, "%.0f%s", floor(value), suffixes[0]);
	/* three digits, never rounded up: 1.99 stays below 2 */
	return cell(out, "%.*f%s", value < 100 ? 1 : 0, value < 100 ? floor(value * 10) / 10 : floor(value),
		    suffixes[i]);
}

char *size_text(char *out, double bytes)
{
	static const char *const suffixes[] = { " B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB" };

	return scaled(out, bytes, 1024, suffixes, 7);
}

char *size_short(char *out, double bytes)
{
	static const char *const suffixes[] = { "B", "K", "M", "G", "T", "P", "E" };

	return scaled(out, bytes, 1024, suffixes, 7);
}

static const char *const rate_suffixes[] = { "", "k", "M", "G", "T" };
#define N_RATE_SUFFIXES (sizeof(rate_suffixes) / sizeof(rate_suffixes[0]))

char *rate_text(char *out, double per_second)
{
	if (isnan(per_second))
		return cell(out, "-");
	if (per_second > 0 && per_second < 10)
		return cell(out, "%.1f", per_second);
	if (per_second < 100000)
		return cell(out, "%.0f", per_second);
	return scaled(out, per_second, 1000, rate_suffixes, N_RATE_SUFFIXES);
}

char *rate_short(char *out, double per_second)
{
	return per_second >= 1000 ? scaled(out, per_second, 1000, rate_suffixes, N_RATE_SUFFIXES)
				  : rate_text(out, per_second);
}

static char *format_hertz(char *out, double hertz, const char *gap)
{
	if (isnan(hertz))
		return cell(out, "-");
	return hertz < 1e9 ? cell(out, "%.0f%sMHz", hertz / 1e6, gap)
			   : cell(out, "%.2f%sGHz", hertz / 1e9, gap);
}

char *hertz_text(char *out, double hertz)
{
	return format_hertz(out, hertz, " ");
}

static char *format_watts(char *out, double watts, const char *suffix)
{
	if (isnan(watts))
		return cell(out, "-");
	return cell(out, "%.*f%s", fabs(watts) < 999.995 ? 2 : 0, watts, suffix);
}

char *watts_text(char *out, double watts)
{
	return format_watts(out, watts, " W");
}

char *celsius_text(char *out, double celsius, bool ascii)
{
	return isnan(celsius) ? cell(out, "-") : cell(out, ascii ? "%.0f C" : "%.0f °C", celsius);
}

char *fixed_text(char *out, double value, int places)
{
	return isnan(value) ? cell(out, "-") : cell(out, "%.*f", places, value);
}

static char *format_seconds(char *out, double seconds, bool ascii, const char *gap)
{
	unsigned long long whole;

	if (isnan(seconds))
		return cell(out, "-");
	if (seconds < 0 && seconds > -1e15) {
		*out = '-';
		format_seconds(out + 1, -seconds, ascii, gap);
		return out;
	}
	if (!(seconds > 0) || seconds > 1e15)
		return cell(out, "%.3g%ss", seconds, gap);
	if (seconds < 1e-6)
		return cell(out, "%.0f%sns", seconds * 1e9, gap);
	if (seconds < 1e-3)
		return cell(out, "%.1f%s%s", seconds * 1e6, gap, ascii ? "us" : "µs");
	if (seconds < 1)
		return cell(out, "%.1f%sms", seconds * 1e3, gap);
	if (seconds < 1000)
		return cell(out, "%.*f%ss", *gap && seconds >= 100 ? 0 : *gap && seconds >= 10 ? 1 : 3,
			    seconds, gap);
	whole = (unsigned long long)seconds;
	if (whole < 86400)
		return cell(out, "%02llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
	return cell(out, "%llud%02llu:%02llu", whole / 86400, whole / 3600 % 24, whole / 60 % 60);
}

char *duration_text(char *out, double seconds, bool ascii)
{
	return format_seconds(out, seconds, ascii, " ");
}

char *stretch_text(char *out, double seconds)
{
	if (isnan(seconds))
		return cell(out, "-");
	if (seconds < 120)
		return cell(out, _("%.0f s"), seconds);
	if (seconds < 7200)
		return cell(out, _("%.0f min"), floor(seconds / 60));
	return seconds < 172800 ? cell(out, _("%.1f h"), floor(seconds / 360) / 10)
				: cell(out, _("%.1f days"), floor(seconds / 8640) / 10);
}

/* "123 µs", "6.8 ms", "45 ms", "1.4 s", then as stretch_text(). */
static char *sentence_seconds(char *out, double seconds)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" }, { 1e-9, "ns" } };
	double value;
	unsigned i = 0;

	if (seconds < 0) {
		*out = '-';
		sentence_seconds(out + 1, -seconds);
		return out;
	}
	if (seconds >= 9.95 || seconds == floor(seconds))
		return stretch_text(out, seconds);
	while (i < 3 && seconds < 0.9995 * units[i].seconds)
		i++;
	value = seconds / units[i].seconds;
	return cell(out, "%.*f %s", value < 9.95 ? 1 : 0, value, units[i].name);
}

char *duration_short(char *out, double seconds, bool ascii)
{
	return format_seconds(out, seconds, ascii, "");
}

/* "90s", "5min", then hours as format_seconds(). */
static char *format_long_seconds(char *out, double seconds)
{
	if (!(seconds >= 0 && seconds < 7200))
		return format_seconds(out, seconds, false, "");
	return seconds < 120 ? cell(out, "%.0fs", seconds) : cell(out, "%.0fmin", floor(seconds / 60));
}

/* Accumulated time: tenths, below a second hundredths, so that slow growth does not flicker. */
static char *format_total_seconds(char *out, double seconds, bool ascii)
{
	int places = seconds < 1 ? 2 : 1;
	double step = seconds < 1 ? 100 : 10;

	if (!(seconds >= 0.1 && seconds < 1000))
		return format_seconds(out, seconds, ascii, "");
	return cell(out, "%.*fs", places, floor(seconds * step + 1e-6) / step);
}

/* The edge of a bucket in five digits: neighbours differ. */
static char *format_edge(char *out, double seconds, bool ascii)
{
	static const struct {
		double seconds;
		const char *name, *plain;
	} units[] = { { 1, "s", "s" }, { 1e-3, "ms", "ms" }, { 1e-6, "µs", "us" }, { 1e-9, "ns", "ns" } };
	unsigned i = 0;
	double value;
	int places;

	if (isnan(seconds) || !(seconds >= 1e-9 && seconds < 1000))
		return format_seconds(out, seconds, ascii, "");
	while (i < 3 && seconds < units[i].seconds * (1 - 1e-9))
		i++;
	value = seconds / units[i].seconds;
	places = i == 3 || fabs(value - round(value)) < 1e-9 ? 0 : value < 10 ? 4 : value < 100 ? 3 : 2;
	return cell(out, "%.*f%s", places, value, ascii ? units[i].plain : units[i].name);
}

/* Local time of day in complete milliseconds. */
static char *format_time(char *out, uint64_t wall_ns)
{
	char time[CLOCK_TEXT_MAX];

	return cell(out, "%s.%03u", clock_local(time, wall_ns, "%H:%M:%S"),
		    (unsigned)(wall_ns / 1000000 % 1000));
}

#define FRACTION_MIN 1e-12 /* only broken files have less than a byte, in the largest unit */

/* For 0 < |value| < 1: two digits, rounded down. */
static char *format_fraction(char *out, double value)
{
	int places = 1 - (int)floor(log10(fmax(fabs(value), FRACTION_MIN)));
	double scale = pow(10, places);

	return cell(out, "%.*f", places, trunc(value * scale) / scale);
}

static char *format_bytes(char *out, const struct schema *schema, const struct column *column,
			   const void *row, enum size_unit unit)
{
	double bytes = row_number(row, column);

	if (unit == SIZE_PERCENT && schema->percent_base &&
	    column != &schema->columns[schema->percent_column]) {
		double whole = schema->percent_base(row);

		return whole > 0 ? cell(out, "%.1f", 100 * bytes / whole) : cell(out, "-");
	}
	if (unit == SIZE_AUTO || unit == SIZE_PERCENT)
		return size_short(out, bytes);
	if (bytes != 0 && fabs(bytes) < size_unit_bytes[unit])
		return format_fraction(out, bytes / size_unit_bytes[unit]);
	if (column->type == VALUE_U64)
		return cell(out, "%" PRIu64, row_u64(row, column) / (uint64_t)size_unit_bytes[unit]);
	return cell(out, "%.0f", trunc(bytes / size_unit_bytes[unit]) + 0.0);
}

/* In thousands, as networks count: "812b", "1.2kb", "940Mb". */
static char *format_bits(char *out, double bits, const char *gap, const char *name)
{
	static const char prefixes[] = " kMGT";
	unsigned i = 0;
	double value = bits;

	while (fabs(value) >= 999.5 && i + 2 < sizeof(prefixes)) {
		value /= 1000;
		i++;
	}
	return cell(out, "%.*f%s%.*s%s", i == 0 || fabs(value) >= 99.95 ? 0 : 1, value, gap, i > 0,
		    prefixes + i, name);
}

char *bits_text(char *out, double bits_per_second)
{
	return isnan(bits_per_second) ? cell(out, "-") : format_bits(out, bits_per_second, " ", "b/s");
}

/* "14.2 MiB/s" from "14.2 MiB". */
static char *by_second(char *out)
{
	size_t length = strlen(out);

	snprintf(out + length, VALUE_TEXT_MAX - length, "/s");
	return out;
}

/* A part is never "100 %". */
static char *percent_text(char *out, double ratio)
{
	return ratio >= 0.995 && ratio < 1
		       ? cell(out, "%.1f %%", floor(1000 * ratio) / 10)
		       : cell(out, "%.*f %%", fabs(ratio) < 0.0995 ? 1 : 0, 100 * ratio);
}

#define EXACT_COUNT_MAX 10000

static char *count_text(char *out, double number)
{
	unsigned i = 0;
	int places;

	if (!(fabs(number) >= EXACT_COUNT_MAX))
		return fixed_text(out, number, number != floor(number) && fabs(number) < 9.95);
	for (; fabs(number) >= 1000 && i + 1 < N_RATE_SUFFIXES; i++)
		number /= 1000;
	places = fabs(number) < 10 ? 2 : fabs(number) < 100 ? 1 : 0;
	return cell(out, "%.*f%s", places, trunc(number * pow(10, places)) / pow(10, places),
		    rate_suffixes[i]);
}

char *amount_text(char *out, enum unit unit, double number)
{
	if (isnan(number))
		return fixed_text(out, number, 0);
	switch (unit) {
	case UNIT_RATIO:
		return percent_text(out, number);
	case UNIT_BYTES:
		return size_text(out, number);
	case UNIT_BYTES_PER_SECOND:
		return by_second(size_text(out, number));
	case UNIT_BITS:
	case UNIT_BITS_PER_SECOND:
		return bits_text(out, number);
	case UNIT_SECONDS:
		return sentence_seconds(out, number);
	case UNIT_PER_SECOND:
		return by_second(number > 0 && number < 9.95 ? fixed_text(out, number, 1)
							     : count_text(out, number));
	case UNIT_CELSIUS:
		return celsius_text(out, number, true);
	case UNIT_HERTZ:
		return hertz_text(out, number);
	case UNIT_WATTS:
		return watts_text(out, number);
	case UNIT_COUNT:
		return count_text(out, number);
	default:
		return fixed_text(out, number, 2);
	}
}

static char *format_plain(char *out, const struct column *column, double number, bool ascii)
{
	switch (column->unit) {
	case UNIT_BYTES:
	case UNIT_BYTES_PER_SECOND:
		return size_short(out, number);
	case UNIT_BITS:
	case UNIT_BITS_PER_SECOND:
		return format_bits(out, number, "", "b");
	case UNIT_SECONDS:
		return column->kind == COLUMN_COUNTER ? format_total_seconds(out, number, ascii)
		       : column->whole                ? format_long_seconds(out, number)
						      : format_seconds(out, number, ascii, "");
	case UNIT_RATIO:
	case UNIT_CELSIUS:
		return cell(out, "%.1f", column->unit == UNIT_RATIO ? 100 * number : number);
	case UNIT_PER_SECOND:
		return rate_text(out, number);
	case UNIT_HERTZ:
		return format_hertz(out, number, "");
	case UNIT_WATTS:
		return format_watts(out, number, "");
	case UNIT_JOULES:
		return fabs(number) < 10000 ? cell(out, "%.1f", number)
					    : scaled(out, number, 1000, rate_suffixes, N_RATE_SUFFIXES);
	case UNIT_VOLTS:
		return cell(out, "%.3f", number);
	case UNIT_RPM:
	case UNIT_COUNT:
		return cell(out, "%.0f", number);
	default: /* only 0 is shown as 0.00 */
		if (number > 0 && number < 0.005 && !column->difference && !column->tiny)
			return cell(out, "<0.01");
		return cell(out, number != 0 && fabs(number) < 0.005 ? "%.3g" : "%.2f", number);
	}
}

static char *format_number(char *out, const struct schema *schema, const struct column *column,
			    const void *row, const struct value_format *format)
{
	if (column->unit == UNIT_BYTES)
		return format_bytes(out, schema, column, row, format->unit);
	if (column->of_cpu && format->cpus != 0)
		return fixed_text(out, 100 * (row_number(row, column) / format->cpus), 1);
	if (column->unit == UNIT_ADDRESS && column->type == VALUE_U64)
		return cell(out, "%012" PRIx64, row_u64(row, column));
	if (column->unit == UNIT_TIME)
		return format_time(out, row_u64(row, column));
	if (column->unit == UNIT_SECONDS && schema->shape == SHAPE_HISTOGRAM)
		return format_edge(out, row_number(row, column), format->ascii);
	if (column->type == VALUE_U64 && (column->unit == UNIT_COUNT || column->unit == UNIT_NONE))
		return cell(out, "%" PRIu64, row_u64(row, column));
	return format_plain(out, column, row_number(row, column), format->ascii);
}

const char *key_text(char *number, const struct column *column, const void *row)
{
	if (column->type == VALUE_TEXT)
		return row_text(row, column);
	if (column->type == VALUE_F64 || column->unit != UNIT_NONE)
		return number_text(number, column, row_number(row, column), true);
	snprintf(number, VALUE_TEXT_MAX, "%" PRIu64, row_u64(row, column));
	return number;
}

char *number_text(char *out, const struct column *column, double number, bool ascii)
{
	if (isnan(number))
		return cell(out, "-");
	return column->unit == UNIT_COUNT && number != floor(number)
		       ? cell(out, "%.1f", number)
		       : format_plain(out, column, number, ascii);
}

const char *value_text(char *number, const struct schema *schema, const struct column *column,
		       const void *row, const struct value_format *format)
{
	bool grew = column->difference && row_number(row, column) > 0;

	if (row_is_blank(row, column))
		return "";
	if (!row_is_known(row, column))
		return "-";
	if (column->type == VALUE_TEXT)
		return column_words(column, row_text(row, column));
	*number = '+';
	format_number(number + grew, schema, column, row, format);
	return number;
}
