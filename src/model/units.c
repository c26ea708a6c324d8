/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values are formatted, and sentences read each time that they are needed: a pane has a few dozen of them. */
#include <config.h>

#include "model/units.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "model/rule.h"

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

/* "123 us", "6.8 ms", "45 ms", "1.4 s", then as stretch_text(). */
static char *sentence_seconds(char *out, double seconds)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
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

/* Sentences and conditions are read each time that they are needed: a pane has a few dozen of them. */

static struct fact find_column(const struct table *table, const void *row, struct span name)
{
	const struct column *column = row ? schema_find_span(table->schema, name) : NULL;
	struct fact fact = FACT_UNKNOWN;

	if (!column)
		return fact;
	fact.origin = (struct origin){ .schema = table->schema, .row = row, .column = column };
	fact.words = column->words;
	if (column->type == VALUE_TEXT)
		fact.text = table_text(table, row, column->key);
	else
		fact.number = row_number(row, column);
	fact.unit = column->unit;
	return fact;
}

struct fact column_fact(const struct table *table, const void *row, const char *column)
{
	return find_column(table, row, span_text(column));
}

/* path is TOPIC.COLUMN, TOPIC.KEY.COLUMN or TOPIC.KEY/OTHER.COLUMN. */
static struct fact frame_fact(const struct frame *frame, struct span path)
{
	char names[128], *key, *column, *other = NULL;
	const struct table *table;

	snprintf(names, sizeof(names), "%.*s", (int)span_length(path), path.at);
	column = strrchr(names, '.');
	*column++ = '\0';
	key = strchr(names, '.');
	if (key) {
		*key++ = '\0';
		other = strchr(key, '/');
	}
	if (other)
		*other++ = '\0';
	table = frame_table(frame, names);
	if (!table || table->n_rows == 0)
		return FACT_UNKNOWN;
	return find_column(table, key ? table_find(table, key, other) : table_row(table, 0),
			   span_text(column));
}

struct fact made_fact_of(const struct made_fact *made)
{
	struct fact fact = made->fact;

	if (made->from)
		fact.origin = (struct origin){ .name = made->name, .from = made->from, .number = fact.number,
					       .unit = fact.unit };
	return fact;
}

struct fact row_fact(const struct facts *facts, struct span name)
{
	const struct row_facts *of = (const struct row_facts *)facts;

	for (size_t i = 0; i < of->n_made; i++)
		if (span_is(name, of->made[i].name))
			return made_fact_of(&of->made[i]);
	if (of->frame && memchr(name.at, '.', span_length(name)))
		return frame_fact(of->frame, name);
	return find_column(of->table, of->row, name);
}

void fact_drawn(const struct facts *facts, const struct fact *fact)
{
	const struct origin *origin = &fact->origin;

	if (origin->column && !fact->text && origin->column->kind != COLUMN_KEY)
		origin_add(origin);
	else if (origin->from && (fact->text || origin_add(origin)))
		facts_drawn(facts, origin->from);
}

void facts_drawn(const struct facts *facts, const char *names)
{
	while (*names) {
		size_t length = strcspn(names, " ,()");
		struct fact fact = length > 0 ? facts->find(facts, span_of(names, length)) : FACT_UNKNOWN;

		if (fact_is_known(&fact))
			fact_drawn(facts, &fact);
		names += length + (names[length] != '\0');
	}
}

/* Writes facts for people, in the formats of sentences. */

static char *short_text(char *out, double number, enum unit unit)
{
	switch (unit) {
	case UNIT_SECONDS:
		return duration_short(out, number, false);
	case UNIT_WATTS:
		return strcat(fixed_text(out, number, number < 99.95 ? 1 : 0), " W");
	case UNIT_PER_SECOND:
		return strcat(rate_short(out, number), "/s");
	case UNIT_BYTES_PER_SECOND:
		return strcat(size_short(out, number), "/s");
	default:
		return size_short(out, number);
	}
}

/* ".2", "0.2", "100.2", ".2%", "%" */
static char *places_text(char *out, double number, struct span format)
{
	const char *point = memchr(format.at, '.', span_length(format));
	int places = point ? point[1] - '0' : 0;
	bool percents = format.end[-1] == '%';

	if (span_starts(format, "0.") && number == floor(number))
		places = 0;
	if (percents || span_starts(format, "100."))
		number *= 100;
	return strcat(fixed_text(out, number, places), percents ? " %" : "");
}

const char *fact_text(char *out, const struct fact *fact, struct span format)
{
	double number = fact->number;

	if (!fact_is_known(fact))
		return "-";
	if (fact->text)
		return fact->words ? _(fact->text) : fact->text;
	if (span_is(format, "rate"))
		return rate_short(out, number);
	if (span_is(format, "cpus"))
		return fixed_text(out, number, number < 0.1 ? 2 : 1);
	if (span_is(format, "time"))
		return duration_text(out, number, false);
	if (span_is(format, "C"))
		return celsius_text(out, number, false);
	if (span_is(format, "clock"))
		return clock_local(out, (uint64_t)number, "%H:%M:%S");
	if (span_is(format, "date"))
		return clock_local(out, (uint64_t)number, "%Y-%m-%d %H:%M:%S");
	if (span_is(format, "short"))
		return short_text(out, number, fact->unit);
	if (span_length(format) > 0)
		return places_text(out, number, format);
	return fact->unit == UNIT_NONE ? fixed_text(out, number, 0)
				       : amount_text(out, fact->unit, number);
}

/* Adds what stands for NAME or NAME:FORMAT; false: it is not known. */
static bool add_fact(struct buffer *out, struct span format, const struct facts *facts)
{
	char number[FACT_TEXT_MAX];
	struct span name;
	struct fact fact;

	if (!span_until(&format, ':', &name)) {
		name = format;
		format.at = format.end;
	}
	fact = facts->find(facts, name);
	buffer_text(out, fact_text(number, &fact, format));
	fact_drawn(facts, &fact); /* "-", too: why it is not known */
	return fact_is_known(&fact);
}

void sentence_add(struct buffer *out, const char *text, const struct facts *facts)
{
	size_t begun = out->length, origins = origins_end();
	bool known = true;

	while (*text) {
		size_t plain = strcspn(text, "{[]"), length;

		buffer_add(out, text, plain);
		text += plain;
		if (*text == '{') {
			length = strcspn(++text, "}");
			known &= add_fact(out, span_of(text, length), facts);
			text += length;
		} else if (*text == '[') {
			begun = out->length;
			origins = origins_end();
			known = true;
		} else if (*text == ']' && !known) {
			out->length = begun;
			origins_drop(origins);
		}
		text += *text != '\0';
	}
}

char *sentence_text(char *out, const char *text, const struct facts *facts)
{
	struct buffer made = BUFFER_HERE;

	sentence_add(&made, text, facts);
	snprintf(out, TEXT_MAX, "%.*s", (int)made.length, made.length > 0 ? made.bytes : "");
	buffer_free(&made);
	return out;
}

/* Up to a blank or a comparison. */
static struct span take_name(struct span *rest)
{
	struct span name = *rest;

	while (rest->at < rest->end && !strchr(" =!<>", *rest->at))
		rest->at++;
	name.end = rest->at;
	return name;
}

/* NUMBER, NAME, or NUMBER * NAME; or a name less a number. */
static double right_side(struct span rest, const struct facts *facts)
{
	double number = 1, less = 0;
	bool counted = span_real(&rest, &number);
	struct span name;

	rest = span_trimmed(rest);
	if (counted && span_length(rest) == 0)
		return number;
	if (counted && span_char(&rest, '*'))
		rest = span_trimmed(rest);
	name = take_name(&rest);
	rest = span_trimmed(rest);
	if (span_char(&rest, '-')) {
		rest = span_trimmed(rest);
		span_real(&rest, &less);
	}
	return number * facts->find(facts, name).number - less;
}

bool text_is_one_of(const char *text, struct span words)
{
	struct span word;

	while (span_until(&words, '|', &word))
		if (span_is(word, text))
			return true;
	return span_is(words, text);
}

static bool term_holds(struct span term, const struct facts *facts)
{
	bool negated = span_starts(term, "not ");
	enum relation relation;
	struct span name;
	struct fact left;
	bool holds;

	term.at += negated ? strlen("not ") : 0;
	name = take_name(&term);
	left = facts->find(facts, name);
	term = span_trimmed(term);
	if (!relation_parse(&term, &relation))
		holds = fact_is_known(&left);
	else if (left.text)
		holds = fact_is_known(&left) &&
			relation == (text_is_one_of(left.text, span_trimmed(term)) ? RELATION_EQUAL
										   : RELATION_NOT_EQUAL);
	else
		holds = relation_holds(left.number, relation, right_side(span_trimmed(term), facts));
	return holds != negated;
}

bool sentence_holds(const char *condition, const struct facts *facts)
{
	struct span rest = span_text(condition ? condition : ""), term;

	while (span_item(&rest, &term))
		if (!term_holds(span_trimmed(term), facts))
			return false;
	return true;
}

static const char *text_of(const struct remark *remark, const struct facts *facts)
{
	double count = remark->many ? facts->find(facts, span_text(remark->count)).number : 1;
	bool whole = count >= 0 && count < (double)ULONG_MAX && count == floor(count);

	/* of "1.50 CPUs" it is the plural */
	return remark->many ? P_(remark->text, remark->many, whole ? (unsigned long)count : 2)
			    : _(remark->text);
}

bool remark_say(struct buffer *out, const struct remark *remark, const struct facts *facts)
{
	if (!sentence_holds(remark->when, facts))
		return false;
	sentence_add(out, text_of(remark, facts), facts);
	return true;
}

const char *remarks_first(const struct remark *remarks, size_t n_remarks, const struct facts *facts)
{
	for (size_t i = 0; i < n_remarks; i++)
		if (sentence_holds(remarks[i].when, facts))
			return _(remarks[i].text);
	return "";
}

size_t remarks_find(const struct remark *remarks, size_t n_remarks, const struct facts *facts, size_t held)
{
	size_t i = 0;

	while (i < n_remarks &&
	       (remarks[i].more ||
		!sentence_holds(i == held && remarks[i].stays ? remarks[i].stays : remarks[i].when, facts)))
		i++;
	return i;
}

int remarks_say_at(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		   const struct facts *facts, size_t index)
{
	if (index >= n_remarks)
		return -1;
	sentence_add(out, text_of(&remarks[index], facts), facts);
	for (size_t i = index + 1; i < n_remarks && remarks[i].more; i++)
		if (sentence_holds(remarks[i].when, facts)) {
			buffer_char(out, ' ');
			sentence_add(out, text_of(&remarks[i], facts), facts);
		}
	return remarks[index].level;
}

int remarks_say(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		const struct facts *facts)
{
	return remarks_say_at(out, remarks, n_remarks, facts,
			      remarks_find(remarks, n_remarks, facts, n_remarks));
}

void remarks_say_rows(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		      struct row_facts *facts, size_t first)
{
	for (const struct remark *remark = remarks; remark < remarks + n_remarks; remark++)
		for (size_t i = first; facts->table && i < facts->table->n_rows; i++) {
			facts->row = table_row(facts->table, i);
			if (remark_say(out, remark, &facts->facts))
				buffer_char(out, '\n');
		}
}
