/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a recording as bytes: what each change is written as, and what is refused at its bound. */
#include "suite.h"

#include "recording/row_coding.h"

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
static struct frame frame;
static struct table *table;
static struct row_encoder encoder;
static struct row_decoder decoder;
static struct decoding shared;
static enum value_type types[32];
static struct buffer made;

static void begin(const struct schema *schema)
{
	shared = (struct decoding){ .text_bytes_max = 4 << 20 };
	frame_open(&frame, &schema, 1);
	table = &frame.tables[0];
	row_encoder_open(&encoder, schema);
	decoder = (struct row_decoder){
		.shared = &shared,
		.types = types,
		.n_columns = encoder.n_columns,
		.n_rows_max = 100000,
	};
	for (unsigned i = 0; i < encoder.n_columns; i++)
		types[i] = encoder.columns[i]->type;
}

static void finish(void)
{
	row_encoder_close(&encoder);
	row_decoder_close(&decoder);
	frame_close(&frame);
	buffer_free(&made);
}

static void next_sample(uint64_t mono_ns)
{
	frame_clear(&frame);
	table->present = true;
	table->mono_ns = mono_ns;
}

static void add(uint64_t id, const char *name, uint64_t count)
{
	*(struct part_row *)table_add(table) = (struct part_row){ .id = id, .name = name, .count = count };
}

static const char *text_of_code(uint64_t code)
{
	ck_assert_uint_le(code, decoder.n_texts);
	return code ? decoder.texts[code - 1].text : NULL;
}

static void check_cell(size_t row, unsigned c)
{
	const struct column *column = encoder.columns[c];
	const void *cells = table_row(table, row);
	uint64_t cell = decoder.rows.cells[row * decoder.n_columns + c];

	if (column->type == VALUE_TEXT && row_text(cells, column))
		ck_assert_str_eq(text_of_code(cell), row_text(cells, column));
	else
		ck_assert_uint_eq(cell, column->type == VALUE_TEXT ? 0 : row_u64(cells, column));
}

/* What the encoder makes of the sample is the sample for the decoder. */
static void code(void)
{
	struct span in;

	buffer_empty(&made);
	rows_encode(&encoder, table, &made);
	in = span_of(made.bytes, made.length);
	ck_assert(rows_decode(&decoder, &in));
	ck_assert_ptr_eq(in.at, in.end);
	ck_assert(decoder.present);
	ck_assert_int_eq(decoder.failed, table->failed);
	ck_assert_uint_eq(decoder.clock.mono_ns, table->mono_ns);
	ck_assert_uint_eq(decoder.rows.n_rows, table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++)
		for (unsigned c = 0; c < decoder.n_columns; c++)
			check_cell(i, c);
}

static void check_bytes(const char *expected)
{
	struct buffer text = { 0 };

	code();
	for (size_t i = 0; i < made.length; i++)
		buffer_print(&text, "%s%02x", i > 0 ? " " : "", (unsigned char)made.bytes[i]);
	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, expected);
	buffer_free(&text);
}

/* A sample, and the bytes that it becomes. */
struct step {
	uint64_t mono_ns;
	const char *rows; /* "7 a 5, 8 - 6": id, name (-: none) and count; NULL: it has failed */
	const char *bytes;
};

/* To one without bytes. */
static void check_steps(const struct step *step)
{
	for (; step->bytes; step++) {
		char names[8][8];
		unsigned id, count, i = 0;

		next_sample(step->mono_ns);
		table->failed = !step->rows;
		for (const char *at = step->rows; at && *at; at += strcspn(at, ","), at += *at ? 2 : 0) {
			ck_assert_int_eq(sscanf(at, "%u %7[^ ] %u", &id, names[i], &count), 3);
			add(id, names[i][0] == '-' ? NULL : names[i], count);
			i++;
		}
		check_bytes(step->bytes);
	}
}

#define FIRST_SAMPLE "01 14 02 02 07 0e 01 01 61 0a 02 01 02"

START_TEST(each_operation_has_its_bytes)
{
	static const struct step steps[] = {
		{ 10, "7 a 5, 8 a 5", FIRST_SAMPLE },
		/* the second one has changed, and the clock goes on as before */
		{ 20, "7 a 5, 8 a 6", "05 00 02 04 02 00" },
		{ 31, "8 a 6, 7 a 5", "01 02 02 0b 00 0f 00" }, /* the other way round */
		{ 42, "8 a 6, 7 a 5, 9 b 0", "01 00 03 04 02 07 04 02 01 62 09" }, /* both, and a new one */
		/* the first one is gone, the next one has changed */
		{ 53, "7 a 4, 9 b 0", "01 00 02 05 04 01 00" },
		{ 64, NULL, "03 00 00" },
		{ 75, "", "05 00 00" },
		{ 0 },
	};

	begin(&part_schema);
	check_steps(steps);
	ck_assert_uint_gt(row_encoder_text_bytes(&encoder), 0);
	row_encoder_restart(&encoder);
	row_decoder_restart(&decoder);
	ck_assert(!decoder.present && decoder.rows.n_rows == 0);
	ck_assert_uint_eq(row_encoder_text_bytes(&encoder), 0);
	check_steps((const struct step[]){ steps[0], { 0 } });
	finish();
}

/* One that was never seen, which is not taken for the row read last; one that is likely, and none. */
START_TEST(keys_may_be_texts)
{
	static const struct step steps[] = {
		{ 10, "0 a 1, 0 b 1, 0 - 1", "01 14 03 02 03 01 01 61 02 02 01 02 01 62 02 01 00" },
		{ 20, "0 b 1, 0 - 1, 0 c 1, 0 a 1", "01 00 04 0b 04 02 01 03 01 63 17 00" },
		{ 30, "0 b 1, 0 - 1, 0 c 2, 0 a 1", "05 00 03 02 02 00" },
		{ 0 },
	};
	static const struct step unseen[] = {
		{ 0, "0 a 1", "01 00 01 02 03 01 01 61 02" },
		{ 0, "0 c 1", "01 00 01 02 03 02 01 63 02" },
		{ 0 },
	};

	begin(&named_schema);
	check_steps(steps);
	finish();
	begin(&named_schema);
	check_steps(unseen);
	finish();
}

/* The number of a single row, which was 0 at first. */
START_TEST(numbers_are_what_is_shorter)
{
	static const struct {
		bool goes_on; /* from the one above */
		double number;
		const char *bytes;
	} cases[] = {
		{ false, 0.5, "01 0a" },
		{ true, 0.75, "70 08" },
		{ true, 1, "70 18" },
		{ true, 0, "71 f0 3f" },
		{ true, -0.1, "02 13" }, /* with the digits that fitted last */
		{ true, 0.1, "78 80" },
		{ true, 0.2, "70 70" },
		{ true, 0.3, "02 14" },
		{ true, INFINITY, "47 33 33 33 33 33 33 23 40" },
		{ false, 3, "00 06" },
		{ false, 3e-1, "01 06" },
		{ false, 3e-5, "05 06" },
		{ false, 3e-9, "09 06" }, /* up to nine decimals */
		{ false, 3e-10, "47 4c ce 61 e3 a7 9d f4 3d" },
		{ false, INFINITY, "71 f0 7f" },
		{ false, -0.0, "78 80" },
		{ false, 1e300, "47 9c 75 00 88 3c e4 37 7e" },
		{ false, 8999999999999999.0, "47 ff 7f fa ca 73 f9 3f 43" },
		{ true, 9e15, "41 ff ff" }, /* from here on there are no digits behind the point */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!cases[i].goes_on) {
			if (i > 0)
				finish();
			begin(&part_schema);
			next_sample(0);
			*(struct part_row *)table_add(table) = (struct part_row){ .ratio = 0 };
			check_bytes("01 00 01 02 00");
		}
		next_sample(0);
		*(struct part_row *)table_add(table) = (struct part_row){ .ratio = cases[i].number };
		check_bytes(textf("05 00 01 08 %s 00", cases[i].bytes));
	}
	finish();
}

static char *text_of(size_t length)
{
	char *text = malloc(length + 1);

	memset(text, 'x', length);
	text[length] = '\0';
	return text;
}

/* Once those of events take more than 256 KiB, all are forgotten, and told again; those of states stay. */
START_TEST(texts_of_events_are_forgotten_at_once)
{
	static const struct schema *const of[] = { &event_schema, &part_schema };
	char *text = text_of(200 << 10);

	for (unsigned states = 0; states < 2; states++) {
		begin(of[states]);
		for (unsigned i = 0; i < 4; i++) {
			text[0] = (char)('a' + i % 2);
			next_sample(0);
			add(1, text, 0);
			code();
			ck_assert(states || encoder.texts.arena.held < 512 << 10);
		}
		ck_assert_int_eq(encoder.n_forgotten > 0, !states);
		finish();
	}
	free(text);
}

/* Bytes as text, parted by blanks. */
static void add_bytes(const char *text)
{
	while (*text) {
		char *end;

		buffer_char(&made, (char)strtoul(text, &end, 16));
		text = end + (*end == ' ');
	}
}

static bool take(void)
{
	struct span in = span_of(made.bytes, made.length);
	bool good = rows_decode(&decoder, &in);

	ck_assert(!good || in.at == in.end);
	buffer_empty(&made);
	return good;
}

/* Is this a sample behind the first one, which has two rows and one text? */
static bool is_sample(const char *text)
{
	bool good;

	begin(&part_schema);
	add_bytes(FIRST_SAMPLE);
	ck_assert(take());
	add_bytes(text);
	good = take();
	ck_assert(!shared.too_large);
	finish();
	return good;
}

START_TEST(what_lies_behind_the_rows_is_damage)
{
	static const char *const good[] = {
		"00", "05 00 00", "07 00 00", /* not sampled, unchanged, failed */
		"05 00 02 00 00", "05 00 01 00 01 00 00", /* the second one has changed, both */
		"01 00 02 04", "01 00 01 00", "01 00 02 00 00", /* runs of both, of the first, of each */
		"01 00 01 0b 00", "01 00 01 0b 07 00", "01 00 01 13 02 00", /* moved, and back, to the end */
		"01 00 03 04 02 00", /* both, and a new one */
		"01 00 01 02 02 00", "01 00 01 02 02 01", "01 00 01 02 02 02 01 62", /* no text, old, new */
		"01 00 01 02 08 00 02", "01 00 01 02 08 09 02", /* a number without decimals, with nine */
		"01 00 01 02 08 40 ff", "01 00 01 02 08 78 ff", /* a byte of bits, the lowest, the highest */
		"01 00 01 02 08 47 ff ff ff ff ff ff ff ff",
	};
	static const char *const bad[] = {
		"", "02 00 00", "04 00 00", "06 00 00", "08 00 00", "09 00 00", /* flags */
		"05", "05 00", "05 00 02", "05 00 02 00", "05 00 02 04", "01 00", "01 00 02 00", /* cut off */
		"05 00 03 00 00", "05 00 01 00 02 00 00", /* a third row */
		"01 00 02 08", "01 00 03 08", "01 00 03 04 00", /* a run of more than are left */
		"01 00 01 09 00", "01 00 02 05 00 01 00", "01 00 02 01 00 05 00", /* one behind has changed */
		"01 00 01 1b 02 00", "01 00 01 07 00", /* moved beyond the end, before the first */
		"01 00 01 02 02 03 01 62", "01 00 01 02 02 02 02 61", /* a text after the next one, cut off */
		"01 00 01 02 08 0a 02", "01 00 01 02 08 3f ff", "01 00 01 02 08 80 ff", /* ten decimals */
		"01 00 01 02 08 4f ff ff ff ff ff ff ff ff", "01 00 01 02 08 79 ff ff", /* nine bytes */
		"01 00 01 02 08 40", "01 00 01 02 08 00",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(is_sample(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!is_sample(bad[i]), "%s", bad[i]);
}

static void put_rows(size_t n_rows)
{
	add_bytes("01 00");
	put_varint(&made, n_rows);
	for (size_t i = 0; i < n_rows; i++)
		add_bytes("02 00");
}

START_TEST(no_more_rows_and_texts_are_taken_than_allowed)
{
	for (unsigned more = 0; more < 2; more++) {
		begin(&part_schema);
		decoder.n_rows_max = 5;
		put_rows(5 + more);
		ck_assert_int_eq(take(), !more);
		ck_assert_int_eq(shared.too_large, more);
		finish();
		begin(&event_schema);
		shared.text_bytes_max = 2 * sizeof(struct known_text) + 3 - more;
		add_bytes("01 00 02 02 01 01 01 61 02 01 02 02 62 63");
		ck_assert_int_eq(take(), !more);
		ck_assert_int_eq(shared.too_large, more);
		finish();
	}
}
