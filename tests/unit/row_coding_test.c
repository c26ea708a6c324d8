/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a recording as bytes: what each change is written as, and what is refused at its bound. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/row_coding.h"
#include "suite.h"

struct part_row {
	double count_per_second;
	uint64_t id;
	const char *name;
	uint64_t count;
	double ratio;
};

/* The rate is not recorded: the others are bits 0 to 3. */
static const struct column part_columns[] = {
	COLUMN(struct part_row, count_per_second, .kind = COLUMN_RATE,
	       .rate_of = offsetof(struct part_row, count)),
	COLUMN(struct part_row, id, .kind = COLUMN_KEY),
	COLUMN(struct part_row, name, .kind = COLUMN_LABEL),
	COLUMN(struct part_row, count, .kind = COLUMN_COUNTER),
	COLUMN(struct part_row, ratio, .kind = COLUMN_GAUGE),
};

static const struct schema part_schema = {
	.name = "part",
	.row_size = sizeof(struct part_row),
	SCHEMA_COLUMNS(part_columns),
};

static const struct column named_columns[] = {
	COLUMN(struct part_row, name, .kind = COLUMN_KEY),
	COLUMN(struct part_row, count, .kind = COLUMN_COUNTER),
};

static const struct schema named_schema = {
	.name = "named",
	.row_size = sizeof(struct part_row),
	SCHEMA_COLUMNS(named_columns),
};

static const struct column event_columns[] = {
	COLUMN(struct part_row, name, .kind = COLUMN_LABEL),
};

static const struct schema event_schema = {
	.name = "event",
	.shape = SHAPE_EVENTS,
	.row_size = sizeof(struct part_row),
	SCHEMA_COLUMNS(event_columns),
};

/* Both sides, and the sample between them. */
struct coding {
	struct frame frame;
	struct table *table;
	struct row_encoder encoder;
	struct row_decoder decoder;
	struct decoding shared;
	enum value_type types[32];
	struct buffer bytes;
};

static void open_coding(struct coding *coding, const struct schema *schema)
{
	*coding = (struct coding){ .shared = { .text_bytes_max = 4 << 20 } };
	frame_open(&coding->frame, &schema, 1);
	coding->table = &coding->frame.tables[0];
	row_encoder_open(&coding->encoder, schema);
	coding->decoder = (struct row_decoder){
		.shared = &coding->shared,
		.types = coding->types,
		.n_columns = coding->encoder.n_columns,
		.n_rows_max = 100000,
	};
	for (unsigned i = 0; i < coding->encoder.n_columns; i++)
		coding->types[i] = coding->encoder.columns[i]->type;
}

static void close_coding(struct coding *coding)
{
	row_encoder_close(&coding->encoder);
	row_decoder_close(&coding->decoder);
	frame_close(&coding->frame);
	buffer_free(&coding->bytes);
}

static void begin(struct coding *coding, uint64_t mono_ns)
{
	frame_clear(&coding->frame);
	coding->table->present = true;
	coding->table->mono_ns = mono_ns;
}

static void add(struct coding *coding, uint64_t id, const char *name, uint64_t count)
{
	*(struct part_row *)table_add(coding->table) =
		(struct part_row){ .id = id, .name = name, .count = count };
}

static const char *text_of_code(const struct row_decoder *decoder, uint64_t code)
{
	ck_assert_uint_le(code, decoder->n_texts);
	return code ? decoder->texts[code - 1].text : NULL;
}

static void check_cell(const struct coding *coding, size_t row, unsigned c)
{
	const struct column *column = coding->encoder.columns[c];
	const void *cells = table_row(coding->table, row);
	uint64_t cell = coding->decoder.rows.cells[row * coding->decoder.n_columns + c];

	if (column->type == VALUE_TEXT && row_text(cells, column))
		ck_assert_str_eq(text_of_code(&coding->decoder, cell), row_text(cells, column));
	else
		ck_assert_uint_eq(cell, column->type == VALUE_TEXT ? 0 : row_u64(cells, column));
}

/* What the encoder made of the sample is the sample for the decoder. */
static void decode(struct coding *coding)
{
	struct span in = span_of(coding->bytes.bytes, coding->bytes.length);

	ck_assert(rows_decode(&coding->decoder, &in));
	ck_assert_ptr_eq(in.at, in.end);
	ck_assert(coding->decoder.present);
	ck_assert_int_eq(coding->decoder.failed, coding->table->failed);
	ck_assert_uint_eq(coding->decoder.clock.mono_ns, coding->table->mono_ns);
	ck_assert_uint_eq(coding->decoder.rows.n_rows, coding->table->n_rows);
	for (size_t i = 0; i < coding->table->n_rows; i++)
		for (unsigned c = 0; c < coding->decoder.n_columns; c++)
			check_cell(coding, i, c);
}

static void code(struct coding *coding)
{
	buffer_empty(&coding->bytes);
	rows_encode(&coding->encoder, coding->table, &coding->bytes);
	decode(coding);
}

static void check_bytes(struct coding *coding, const char *expected)
{
	struct buffer text = { 0 };

	code(coding);
	for (size_t i = 0; i < coding->bytes.length; i++)
		buffer_print(&text, "%s%02x", i > 0 ? " " : "", (unsigned char)coding->bytes.bytes[i]);
	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, expected);
	buffer_free(&text);
}

#define FIRST_SAMPLE "01 14 02 02 07 0e 01 01 61 0a 02 01 02"

static void add_first_sample(struct coding *coding)
{
	begin(coding, 10);
	add(coding, 7, "a", 5);
	add(coding, 8, "a", 5);
}

START_TEST(each_operation_has_its_bytes)
{
	struct coding coding;

	open_coding(&coding, &part_schema);
	add_first_sample(&coding);
	check_bytes(&coding, FIRST_SAMPLE);
	begin(&coding, 20); /* the second one has changed, and the clock goes on as before */
	add(&coding, 7, "a", 5);
	add(&coding, 8, "a", 6);
	check_bytes(&coding, "05 00 02 04 02 00");
	begin(&coding, 31); /* the other way round */
	add(&coding, 8, "a", 6);
	add(&coding, 7, "a", 5);
	check_bytes(&coding, "01 02 02 0b 00 0f 00");
	begin(&coding, 42); /* both, and a new one */
	add(&coding, 8, "a", 6);
	add(&coding, 7, "a", 5);
	add(&coding, 9, "b", 0);
	check_bytes(&coding, "01 00 03 04 02 07 04 02 01 62 09");
	begin(&coding, 53); /* the first one is gone, the next one has changed */
	add(&coding, 7, "a", 4);
	add(&coding, 9, "b", 0);
	check_bytes(&coding, "01 00 02 05 04 01 00");
	begin(&coding, 64);
	coding.table->failed = true;
	check_bytes(&coding, "03 00 00");
	begin(&coding, 75);
	coding.table->failed = false;
	check_bytes(&coding, "05 00 00");
	ck_assert_uint_gt(row_encoder_text_bytes(&coding.encoder), 0);
	row_encoder_restart(&coding.encoder);
	row_decoder_restart(&coding.decoder);
	ck_assert(!coding.decoder.present);
	ck_assert_uint_eq(row_encoder_text_bytes(&coding.encoder), 0);
	add_first_sample(&coding);
	check_bytes(&coding, FIRST_SAMPLE);
	close_coding(&coding);
}

START_TEST(a_row_that_moves_may_change)
{
	struct coding coding;

	open_coding(&coding, &part_schema);
	begin(&coding, 0);
	for (unsigned id = 1; id <= 3; id++)
		add(&coding, id, NULL, 0);
	check_bytes(&coding, "01 00 03 02 01 02 02 01 02 02 01 02");
	begin(&coding, 0);
	add(&coding, 3, NULL, 0);
	add(&coding, 1, NULL, 1);
	add(&coding, 2, NULL, 0);
	check_bytes(&coding, "01 00 03 13 00 17 01 04 02 00");
	close_coding(&coding);
}

/* One that was never seen, one that is likely, and none. */
START_TEST(keys_may_be_texts)
{
	struct coding coding;

	open_coding(&coding, &named_schema);
	begin(&coding, 10);
	add(&coding, 0, "a", 1);
	add(&coding, 0, "b", 1);
	add(&coding, 0, NULL, 1);
	check_bytes(&coding, "01 14 03 02 03 01 01 61 02 02 01 02 01 62 02 01 00");
	begin(&coding, 20);
	add(&coding, 0, "b", 1);
	add(&coding, 0, NULL, 1);
	add(&coding, 0, "c", 1);
	add(&coding, 0, "a", 1);
	check_bytes(&coding, "01 00 04 0b 04 02 01 03 01 63 17 00");
	begin(&coding, 30);
	add(&coding, 0, "b", 1);
	add(&coding, 0, NULL, 1);
	add(&coding, 0, "c", 2);
	add(&coding, 0, "a", 1);
	check_bytes(&coding, "05 00 03 02 02 00");
	close_coding(&coding);
}

/* It is not taken for the row that was read last. */
START_TEST(a_row_whose_text_was_never_seen_is_new)
{
	struct coding coding;

	open_coding(&coding, &named_schema);
	begin(&coding, 0);
	add(&coding, 0, "a", 1);
	check_bytes(&coding, "01 00 01 02 03 01 01 61 02");
	begin(&coding, 0);
	add(&coding, 0, "c", 1);
	check_bytes(&coding, "01 00 01 02 03 02 01 63 02");
	close_coding(&coding);
}

START_TEST(of_equal_keys_the_first_is_found)
{
	static const unsigned ids[] = { 1, 1, 2, 3, 4, 5, 6 };
	struct coding coding;

	open_coding(&coding, &part_schema);
	for (unsigned sample = 0; sample < 2; sample++) {
		begin(&coding, 0);
		for (unsigned i = 0; i < 7; i++)
			add(&coding, ids[i], NULL, 0);
		code(&coding);
	}
	ck_assert_uint_eq(coding.bytes.length, 3); /* none has changed */
	begin(&coding, 0);
	add(&coding, 6, NULL, 0);
	add(&coding, 1, NULL, 0);
	check_bytes(&coding, "01 00 02 33 00 37 00");
	close_coding(&coding);
}

/* A row that was gone is new, and takes no more memory than it had. */
START_TEST(places_of_rows_that_are_gone_are_used_again)
{
	struct coding coding;

	open_coding(&coding, &part_schema);
	begin(&coding, 0);
	add(&coding, 7, NULL, 0);
	add(&coding, 8, NULL, 0);
	code(&coding);
	begin(&coding, 0);
	add(&coding, 7, NULL, 0);
	check_bytes(&coding, "01 00 01 00");
	begin(&coding, 0);
	add(&coding, 7, NULL, 0);
	add(&coding, 8, NULL, 0);
	check_bytes(&coding, "01 00 02 00 02 01 02");
	ck_assert_uint_eq(coding.encoder.n_placed, 2);
	for (unsigned i = 0; i < 10; i++) {
		begin(&coding, 0);
		add(&coding, 10 + i, NULL, 0);
		add(&coding, 20 + i, NULL, 0);
		code(&coding);
		ck_assert_uint_eq(coding.encoder.n_placed, 2);
	}
	begin(&coding, 0);
	add(&coding, 1, NULL, 0);
	add(&coding, 29, NULL, 0);
	add(&coding, 2, NULL, 0);
	code(&coding);
	ck_assert_uint_eq(coding.encoder.n_placed, 3);
	close_coding(&coding);
}

static void check_double(struct coding *coding, double ratio, const char *expected)
{
	begin(coding, 0);
	*(struct part_row *)table_add(coding->table) = (struct part_row){ .ratio = ratio };
	check_bytes(coding, textf("05 00 01 08 %s 00", expected));
}

/* A single row, whose number is 0 at first. */
static void open_doubles(struct coding *coding)
{
	open_coding(coding, &part_schema);
	begin(coding, 0);
	*(struct part_row *)table_add(coding->table) = (struct part_row){ .ratio = 0 };
	check_bytes(coding, "01 00 01 02 00");
}

START_TEST(numbers_are_what_is_shorter)
{
	struct coding coding;

	open_doubles(&coding);
	check_double(&coding, 0.5, "01 0a");
	check_double(&coding, 0.75, "70 08");
	check_double(&coding, 1, "70 18");
	check_double(&coding, 0, "71 f0 3f");
	check_double(&coding, -0.1, "02 13"); /* with the digits that fitted last */
	check_double(&coding, 0.1, "78 80");
	check_double(&coding, 0.2, "70 70");
	check_double(&coding, 0.3, "02 14");
	check_double(&coding, INFINITY, "47 33 33 33 33 33 33 23 40");
	close_coding(&coding);
}

START_TEST(numbers_have_up_to_nine_decimals)
{
	static const double numbers[] = { 3e0, 3e-1, 3e-2, 3e-3, 3e-4, 3e-5, 3e-6, 3e-7, 3e-8, 3e-9 };
	static const char *const bytes[] = { "00 06", "01 06", "02 06", "03 06", "04 06",
					     "05 06", "06 06", "07 06", "08 06", "09 06" };
	struct coding coding;

	for (unsigned i = 0; i < 10; i++) {
		open_doubles(&coding);
		check_double(&coding, numbers[i], bytes[i]);
		close_coding(&coding);
	}
	open_doubles(&coding);
	check_double(&coding, 3e-10, "47 4c ce 61 e3 a7 9d f4 3d");
	close_coding(&coding);
}

START_TEST(odd_numbers_are_their_bits)
{
	static const struct {
		double number;
		const char *bytes;
	} cases[] = {
		{ INFINITY, "71 f0 7f" },
		{ -0.0, "78 80" },
		{ 1e300, "47 9c 75 00 88 3c e4 37 7e" },
		{ 8999999999999999.0, "47 ff 7f fa ca 73 f9 3f 43" },
	};
	struct coding coding;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_doubles(&coding);
		check_double(&coding, cases[i].number, cases[i].bytes);
		close_coding(&coding);
	}
	open_doubles(&coding);
	check_double(&coding, 8999999999999999.0, "47 ff 7f fa ca 73 f9 3f 43");
	check_double(&coding, 9e15, "41 ff ff"); /* from here on there are no digits behind the point */
	close_coding(&coding);
}

struct wide_row {
	uint64_t cells[17];
};

#define WIDE(i) COLUMN_AS(struct wide_row, cells[i], "cell", .kind = COLUMN_GAUGE)

static const struct column wide_columns[] = {
	WIDE(0), WIDE(1),  WIDE(2),  WIDE(3),  WIDE(4),  WIDE(5),  WIDE(6),  WIDE(7),  WIDE(8),
	WIDE(9), WIDE(10), WIDE(11), WIDE(12), WIDE(13), WIDE(14), WIDE(15), WIDE(16),
};

static struct schema wide_schema(unsigned n_columns)
{
	return (struct schema){
		.name = "wide",
		.row_size = sizeof(struct wide_row),
		.columns = wide_columns,
		.n_columns = n_columns,
	};
}

START_TEST(a_mask_has_a_bit_for_each_column)
{
	static const struct {
		unsigned n_columns;
		const char *bytes; /* of a new row in which the last one is 1 */
	} cases[] = {
		{ 1, "01 00 01 02 01 02" },     { 7, "01 00 01 02 40 02" },
		{ 8, "01 00 01 02 80 02" },     { 9, "01 00 01 02 00 01 02" },
		{ 16, "01 00 01 02 00 80 02" }, { 17, "01 00 01 02 00 00 01 02" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct schema schema = wide_schema(cases[i].n_columns);
		struct wide_row *row;
		struct coding coding;

		open_coding(&coding, &schema);
		begin(&coding, 0);
		row = table_add(coding.table);
		memset(row, 0, sizeof(*row));
		row->cells[cases[i].n_columns - 1] = 1;
		check_bytes(&coding, cases[i].bytes);
		begin(&coding, 0);
		row = table_add(coding.table);
		for (unsigned c = 0; c < 17; c++)
			row->cells[c] = c + 5;
		code(&coding);
		close_coding(&coding);
	}
}

/* Once they take more than 256 KiB, all are forgotten, and told again. */
START_TEST(texts_of_events_are_forgotten_at_once)
{
	for (unsigned more = 0; more < 2; more++) {
		struct coding coding;
		size_t own, length, held;
		char *text;

		open_coding(&coding, &event_schema);
		begin(&coding, 0);
		add(&coding, 0, "", 0);
		code(&coding);
		own = row_encoder_text_bytes(&coding.encoder);
		length = (256 << 10) - 2 * own + more;
		text = malloc(length + 1);
		memset(text, 'x', length);
		text[length] = '\0';
		begin(&coding, 0);
		add(&coding, 0, NULL, 0);
		add(&coding, 0, text, 0);
		code(&coding);
		held = row_encoder_text_bytes(&coding.encoder);
		ck_assert_uint_eq(held, (256 << 10) + more);
		begin(&coding, 0);
		add(&coding, 0, text, 0);
		code(&coding);
		ck_assert_uint_eq(coding.encoder.n_forgotten, more ? 2 : 0);
		ck_assert_uint_eq(coding.decoder.n_texts, more ? 3 : 2);
		ck_assert_uint_eq(row_encoder_text_bytes(&coding.encoder), more ? held + own + length : held);
		close_coding(&coding);
		free(text);
	}
}

/* Those of what has a state are not, however many they are. */
START_TEST(texts_of_states_stay_known)
{
	struct coding coding;
	char *text = malloc(300 << 10);

	memset(text, 'x', (300 << 10) - 1);
	text[(300 << 10) - 1] = '\0';
	open_coding(&coding, &part_schema);
	begin(&coding, 0);
	add(&coding, 1, text, 0);
	code(&coding);
	begin(&coding, 0);
	add(&coding, 1, text, 0);
	check_bytes(&coding, "05 00 00");
	ck_assert_uint_eq(coding.encoder.n_forgotten, 0);
	close_coding(&coding);
	free(text);
}

/* Bytes as text, parted by blanks. */
static void add_bytes(struct buffer *bytes, const char *text)
{
	while (*text) {
		char *end;

		buffer_char(bytes, (char)strtoul(text, &end, 16));
		text = end + (*end == ' ');
	}
}

static bool take(struct coding *coding)
{
	struct span in = span_of(coding->bytes.bytes, coding->bytes.length);
	bool good = rows_decode(&coding->decoder, &in);

	ck_assert(!good || in.at == in.end);
	buffer_empty(&coding->bytes);
	return good;
}

/* Is this a sample behind the first one, which has two rows and one text? */
static bool is_sample(const char *bytes)
{
	struct coding coding;
	bool good;

	open_coding(&coding, &part_schema);
	add_bytes(&coding.bytes, FIRST_SAMPLE);
	ck_assert(take(&coding));
	add_bytes(&coding.bytes, bytes);
	good = take(&coding);
	ck_assert(!coding.shared.too_large);
	close_coding(&coding);
	return good;
}

START_TEST(samples_keep_to_the_rows_that_there_are)
{
	static const char *const good[] = {
		"00",                      /* not sampled */
		"05 00 00",                /* unchanged */
		"07 00 00",                /* failed */
		"05 00 02 00 00",          /* the second one */
		"05 00 01 00 01 00 00",    /* both */
		"01 00 02 04",             /* a run of both */
		"01 00 01 00",             /* … of the first */
		"01 00 02 00 00",          /* … of each */
		"01 00 01 05 00",          /* the second one changed */
		"01 00 01 0b 00",          /* moved to the second */
		"01 00 01 0b 07 00",       /* … and back */
		"01 00 01 13 02 00",       /* moved to the end, and a new one */
		"01 00 03 04 02 00",       /* both, and a new one */
		"01 00 01 02 02 00",       /* without a text */
		"01 00 01 02 02 01",       /* with the first text */
		"01 00 01 02 02 02 01 62", /* … a new one */
		"01 00 01 02 02 02 00",    /* … an empty one */
		"01 00 01 02 08 00 02",    /* a number without decimals */
		"01 00 01 02 08 09 02",    /* … with nine */
		"01 00 01 02 08 40 ff",    /* … a byte of bits, the lowest … */
		"01 00 01 02 08 78 ff",    /* … the highest */
		"01 00 01 02 08 47 ff ff ff ff ff ff ff ff",
		"01 00 01 02 08 4e ff ff ff ff ff ff ff",
		"01 00 01 02 10", /* bits of no column */
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(is_sample(good[i]), "%s", good[i]);
}

START_TEST(what_lies_behind_the_rows_is_damage)
{
	static const char *const bad[] = {
		"",
		"02 00 00", /* flags that do not go together */
		"04 00 00",
		"06 00 00",
		"08 00 00",
		"09 00 00",
		"05", /* cut off */
		"05 00",
		"05 00 02",
		"05 00 02 00",
		"05 00 02 04",
		"05 00 03 00 00", /* a third row */
		"05 00 01 00 02 00 00",
		"01 00",
		"01 00 02 00",
		"01 00 02 08", /* a run of more than are left */
		"01 00 03 08", /* … than there are */
		"01 00 03 04 00",
		"01 00 01 05",
		"01 00 01 09 00", /* the third one has changed */
		"01 00 02 05 00 01 00",
		"01 00 02 01 00 05 00",
		"01 00 01 1b 02 00", /* moved beyond the end */
		"01 00 01 07 00",    /* … before the first */
		"01 00 01 02",
		"01 00 01 02 02 03 01 62", /* a text after the next one */
		"01 00 01 02 02 02 02 61 00",
		"01 00 01 02 02 02 02 61",
		"01 00 01 02 08",
		"01 00 01 02 08 0a 02", /* ten decimals */
		"01 00 01 02 08 3f ff",
		"01 00 01 02 08 80 ff",
		"01 00 01 02 08 c0 ff",
		"01 00 01 02 08 4f ff ff ff ff ff ff ff ff", /* nine bytes */
		"01 00 01 02 08 79 ff ff",
		"01 00 01 02 08 47 ff ff ff ff ff ff ff",
		"01 00 01 02 08 40",
		"01 00 01 02 08 00",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!is_sample(bad[i]), "%s", bad[i]);
}

START_TEST(after_a_restart_there_is_no_row)
{
	struct coding coding;

	open_coding(&coding, &part_schema);
	add_bytes(&coding.bytes, FIRST_SAMPLE);
	ck_assert(take(&coding));
	row_decoder_restart(&coding.decoder);
	ck_assert_uint_eq(coding.decoder.rows.n_rows, 0);
	add_bytes(&coding.bytes, "01 00 01 00");
	ck_assert(!take(&coding));
	close_coding(&coding);
}

static void put_rows(struct coding *coding, size_t n_rows)
{
	add_bytes(&coding->bytes, "01 00");
	put_varint(&coding->bytes, n_rows);
	for (size_t i = 0; i < n_rows; i++)
		add_bytes(&coding->bytes, "02 00");
}

static void open_wide(struct coding *coding, struct schema *schema)
{
	*schema = wide_schema(8);
	open_coding(coding, schema);
}

START_TEST(no_more_rows_are_taken_than_allowed)
{
	struct schema schema;
	struct coding coding;

	open_wide(&coding, &schema);
	coding.decoder.n_rows_max = 5;
	put_rows(&coding, 5);
	ck_assert(take(&coding));
	ck_assert_uint_eq(coding.decoder.rows.n_rows, 5);
	put_rows(&coding, 6);
	ck_assert(!take(&coding));
	ck_assert(coding.shared.too_large);
	close_coding(&coding);
}

START_TEST(no_more_texts_are_taken_than_allowed)
{
	const size_t own = sizeof(struct known_text);
	struct coding coding;

	for (unsigned less = 0; less < 2; less++) {
		open_coding(&coding, &event_schema);
		coding.shared.text_bytes_max = 2 * own + 3 - less;
		add_bytes(&coding.bytes, "01 00 02 02 01 01 01 61 02 01 02 02 62 63");
		ck_assert_int_eq(take(&coding), !less);
		ck_assert_int_eq(coding.shared.too_large, less);
		close_coding(&coding);
	}
}

/* The memory of 1025 rows behind a sample of few, which is read over it. */
static void check_few_after_many(size_t n_rows, size_t capacity)
{
	struct schema schema;
	struct coding coding;

	open_wide(&coding, &schema);
	put_rows(&coding, 1025);
	ck_assert(take(&coding));
	put_rows(&coding, n_rows);
	ck_assert(take(&coding));
	ck_assert_uint_eq(coding.decoder.other.capacity, capacity);
	put_rows(&coding, 511);
	ck_assert(take(&coding));
	ck_assert_uint_eq(coding.decoder.rows.capacity, 4096);
	close_coding(&coding);
}

/* Once it is more than four times what is used. */
START_TEST(memory_of_many_rows_is_given_back)
{
	struct schema schema;
	struct coding coding;

	for (unsigned more = 0; more < 2; more++) {
		open_wide(&coding, &schema);
		put_rows(&coding, 1024 + more);
		ck_assert(take(&coding));
		ck_assert_uint_eq(coding.decoder.rows.capacity, more ? 16384 : 8192);
		row_decoder_restart(&coding.decoder);
		ck_assert_uint_eq(coding.decoder.rows.capacity, more ? 0 : 8192);
		close_coding(&coding);
	}
	check_few_after_many(512, 16384);
	check_few_after_many(511, 0);
}

START_TEST(memory_of_many_texts_is_given_back)
{
	for (unsigned more = 0; more < 2; more++) {
		size_t length = (1 << 20) - 8 + 8 * more;
		struct coding coding;

		open_coding(&coding, &event_schema);
		add_bytes(&coding.bytes, "01 00 01 02 01 01");
		put_varint(&coding.bytes, length);
		buffer_fill(&coding.bytes, 'x', length);
		ck_assert(take(&coding));
		row_decoder_restart(&coding.decoder);
		ck_assert_uint_eq(coding.decoder.n_texts, 0);
		ck_assert_int_eq(coding.decoder.capacity == 0, more);
		ck_assert_uint_eq(coding.decoder.arena.held, more ? 0 : 1 << 20);
		close_coding(&coding);
	}
}

static unsigned n_asked;

static bool is_waiting(void)
{
	n_asked++;
	return true;
}

/* Every 1024 rows or texts. */
START_TEST(it_is_asked_for_signals_now_and_then)
{
	struct schema schema;
	struct coding coding;

	for (unsigned more = 0; more < 2; more++) {
		n_asked = 0;
		open_wide(&coding, &schema);
		coding.shared.interrupted = is_waiting;
		put_rows(&coding, 600);
		ck_assert(take(&coding));
		add_bytes(&coding.bytes, "05 00");
		for (unsigned i = 0; i < 423 + more; i++)
			add_bytes(&coding.bytes, "01 00");
		add_bytes(&coding.bytes, "00");
		ck_assert_int_eq(take(&coding), !more);
		ck_assert_uint_eq(n_asked, more);
		close_coding(&coding);
		n_asked = 0;
		open_coding(&coding, &event_schema);
		coding.shared.interrupted = is_waiting;
		add_bytes(&coding.bytes, "01 00");
		put_varint(&coding.bytes, 511 + more);
		for (unsigned i = 0; i < 511 + more; i++) {
			add_bytes(&coding.bytes, "02 01");
			put_varint(&coding.bytes, i + 1);
			add_bytes(&coding.bytes, "01 61");
		}
		ck_assert_int_eq(take(&coding), !more);
		ck_assert_uint_eq(n_asked, more);
		close_coding(&coding);
	}
	ck_assert(!coding.shared.too_large);
}
