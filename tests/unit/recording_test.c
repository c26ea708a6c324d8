/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the recording format: what is written is read, from any place, and what is damaged is passed and
 * told. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "output/recording.h"
#include "recording/block.h"
#include "recording/row_coding.h"
#include "recording/spool.h"
#include "recording/writer.h"
#include "suite.h"

#define SECOND_NS UINT64_C(1000000000)
#define START_NS (UINT64_C(1732095000) * SECOND_NS + 123456789)

struct task_row {
	uint64_t pid;
	double start_seconds;
	const char *user, *command;
	uint64_t bytes, switches;
	double ratio, ratio_per_second;
};

static const struct column task_columns[] = {
	COLUMN(struct task_row, pid, .kind = COLUMN_KEY, .title = "pid", .help = "h"),
	COLUMN(struct task_row, start_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = "start",
	       .help = "h"),
	COLUMN(struct task_row, user, .kind = COLUMN_LABEL, .title = "user", .help = "h"),
	COLUMN(struct task_row, command, .kind = COLUMN_LABEL, .title = "command", .help = "h"),
	COLUMN(struct task_row, bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "bytes",
	       .help = "h"),
	COLUMN(struct task_row, switches, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "sw",
	       .help = "h"),
	COLUMN(struct task_row, ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "ratio",
	       .help = "h"),
	COLUMN(struct task_row, ratio_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = "r",
	       .help = "h", .rate_of = offsetof(struct task_row, switches)),
};

static const struct schema task_schema = {
	.name = "task",
	.help = "tasks",
	.row_size = sizeof(struct task_row),
	SCHEMA_COLUMNS(task_columns),
};

struct happening_row {
	uint64_t time;
	const char *what;
};

static const struct column happening_columns[] = {
	COLUMN(struct happening_row, time, .kind = COLUMN_LABEL, .unit = UNIT_TIME, .title = "time",
	       .help = "h"),
	COLUMN(struct happening_row, what, .kind = COLUMN_LABEL, .title = "what", .help = "h"),
};

static const struct schema happening_schema = {
	.name = "happening",
	.help = "events",
	.shape = SHAPE_EVENTS,
	.row_size = sizeof(struct happening_row),
	SCHEMA_COLUMNS(happening_columns),
};

static const struct schema *const schemas[] = { &task_schema, &happening_schema };

/* The same numbers in every run. */
static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % limit;
}

static double random_ratio(uint64_t *state)
{
	switch (random_below(state, 6)) {
	case 0:
		return NAN;
	case 1:
		return (double)random_below(state, 100000) / 100;
	case 2:
		return -0.0;
	case 3:
		return (double)random_below(state, 1000) / 3;
	case 4:
		return INFINITY;
	default:
		return 1e300;
	}
}

static uint64_t random_bytes(uint64_t *state)
{
	switch (random_below(state, 5)) {
	case 0:
		return U64_UNKNOWN;
	case 1:
		return U64_BLANK;
	default:
		return random_below(state, 1 << 30) << random_below(state, 30);
	}
}

struct world {
	uint64_t random;
	struct task_row tasks[200];
	size_t n_tasks;
	char names[1000][16];
	unsigned n_names;
	uint64_t next_pid;
};

static const char *random_name(struct world *world)
{
	static const char *const common[] = { "sh", "a\n\"b\"", "\xff\xfe", "", NULL };
	char *name;

	if (world->n_names == 1000 || random_below(&world->random, 4) > 0)
		return common[random_below(&world->random, 5)];
	name = world->names[world->n_names++];
	snprintf(name, 16, "name %u", world->n_names);
	return name;
}

static void change_world(struct world *world)
{
	uint64_t *random = &world->random;

	for (size_t i = 0; i < world->n_tasks; i++) {
		struct task_row *task = &world->tasks[i];

		if (random_below(random, 10) == 0)
			task->bytes = random_bytes(random);
		if (random_below(random, 5) == 0)
			task->switches += random_below(random, 1000);
		if (random_below(random, 10) == 0)
			task->ratio = random_ratio(random);
		if (random_below(random, 30) == 0)
			task->command = random_name(world);
	}
	while (world->n_tasks > 5 && random_below(random, 3) == 0) { /* one ends */
		size_t gone = random_below(random, world->n_tasks);

		world->n_tasks--;
		memmove(&world->tasks[gone], &world->tasks[gone + 1],
			(world->n_tasks - gone) * sizeof(world->tasks[0]));
	}
	while (world->n_tasks < 200 && random_below(random, 3) > 0)
		world->tasks[world->n_tasks++] = (struct task_row){
			.pid = random_below(random, 8) == 0 ? world->next_pid : ++world->next_pid,
			.start_seconds = (double)world->next_pid / 100,
			.user = random_name(world),
			.command = random_name(world),
			.bytes = random_bytes(random),
			.ratio = random_ratio(random),
		};
	if (world->n_tasks > 2 && random_below(random, 4) == 0) { /* the order changes */
		struct task_row swapped = world->tasks[0];

		world->tasks[0] = world->tasks[world->n_tasks - 1];
		world->tasks[world->n_tasks - 1] = swapped;
	}
}

static void fill(struct frame *frame, struct world *world, uint64_t step)
{
	struct table *tasks = &frame->tables[0], *happenings = &frame->tables[1];

	frame->mono_ns = (step + 1) * SECOND_NS + random_below(&world->random, 1000000);
	frame->wall_ns = START_NS + step * SECOND_NS;
	frame->host = "vb\"ox";
	change_world(world);
	tasks->present = step % 17 != 3;
	tasks->failed = tasks->present && step % 13 == 5;
	tasks->mono_ns = tasks->present ? frame->mono_ns + 1000 : 0;
	for (size_t i = 0; tasks->present && !tasks->failed && i < world->n_tasks; i++)
		memcpy(table_add(tasks), &world->tasks[i], sizeof(world->tasks[i]));
	happenings->present = step >= 20;
	happenings->mono_ns = happenings->present ? frame->mono_ns + 2000 : 0;
	for (uint64_t i = random_below(&world->random, 5); happenings->present && i > 0; i--)
		*(struct happening_row *)table_add(happenings) =
			(struct happening_row){ .time = frame->wall_ns - i * 1000,
						.what = random_name(world) };
	if (step % 7 == 0)
		frame_notice(frame, "task", step % 2 ? "do \"this\"" : NULL, "bad\033 thing %d",
			     (int)step % 3);
}

/* A recording of so many samples; frames, if not NULL, keeps them. */
static void record(struct buffer *out, size_t n_frames, bool eager, struct frame *frames, struct world *world)
{
	struct recording_writer *writer = NULL;
	struct frame one;

	*world = (struct world){ .random = 1 };
	frame_open(&one, schemas, 2);
	for (size_t i = 0; i < n_frames; i++) {
		struct frame *frame = frames ? &frames[i] : &one;

		if (frames)
			frame_open(frame, schemas, 2);
		frame_clear(frame);
		fill(frame, world, i);
		if (!writer)
			writer = recording_writer_open(frame, eager);
		recording_writer_add(writer, frame, out);
	}
	recording_writer_end(writer, out);
	ck_assert_uint_eq(recording_writer_frames(writer), n_frames);
	recording_writer_close(writer);
	frame_close(&one);
}

static int open_bytes(struct source *source, const char *bytes, size_t length, const char **why)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	ck_assert_int_eq(write(fd, bytes, length), (ssize_t)length);
	return open_replay(source, fd, UINT64_MAX, schemas, 2, why);
}

static void assert_same_text(const char *one, const char *other)
{
	ck_assert_int_eq(one == NULL, other == NULL);
	if (one)
		ck_assert_str_eq(one, other);
}

static void assert_same_frame(const struct frame *one, const struct frame *other)
{
	ck_assert_uint_eq(one->wall_ns, other->wall_ns);
	ck_assert_uint_eq(one->mono_ns, other->mono_ns);
	ck_assert_str_eq(one->host, other->host);
	ck_assert_uint_eq(one->n_notices, other->n_notices);
	for (unsigned i = 0; i < one->n_notices; i++) {
		ck_assert_str_eq(one->notices[i].text, other->notices[i].text);
		assert_same_text(one->notices[i].remedy, other->notices[i].remedy);
	}
	for (unsigned t = 0; t < 2; t++) {
		const struct table *a = &one->tables[t], *b = &other->tables[t];

		ck_assert_int_eq(a->present, b->present);
		ck_assert_int_eq(a->failed, b->failed);
		ck_assert_uint_eq(a->mono_ns, b->mono_ns);
		ck_assert_uint_eq(a->n_rows, b->n_rows);
		for (size_t r = 0; r < a->n_rows; r++)
			for (unsigned c = 0; c < a->schema->n_columns; c++)
				if (a->schema->columns[c].kind != COLUMN_RATE)
					ck_assert_msg(row_same_value(&a->schema->columns[c], table_row(a, r),
								     table_row(b, r)),
						      "row %zu %s", r, a->schema->columns[c].key);
	}
}

#define N_FRAMES 1200 /* more than two chains */

static void everything_is_read(bool eager)
{
	struct frame *frames = calloc(N_FRAMES, sizeof(*frames)), frame;
	static struct world world;
	struct buffer bytes = { 0 };
	struct source source;
	const char *why;
	uint64_t random = 7, first_ns, last_ns;
	size_t n_frames;

	record(&bytes, N_FRAMES, eager, frames, &world);
	ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
	frame_open(&frame, schemas, 2);
	for (size_t i = 0; i < N_FRAMES; i++, frame_clear(&frame)) {
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		ck_assert_uint_eq(source.position(source.state), i);
		assert_same_frame(&frames[i], &frame);
	}
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	ck_assert_ptr_null(source.remark(source.state));
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert_uint_eq(n_frames, N_FRAMES);
	ck_assert_uint_eq(first_ns, frames[0].wall_ns);
	ck_assert_uint_eq(last_ns, frames[N_FRAMES - 1].wall_ns);
	for (unsigned i = 0; i < 200; i++, frame_clear(&frame)) { /* from any place to any other */
		size_t index = random_below(&random, N_FRAMES);

		if (i % 2)
			index = source.find(source.state, START_NS + index * SECOND_NS + 500000000);
		ck_assert_int_eq(source.seek(source.state, index), 0);
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		assert_same_frame(&frames[index], &frame);
	}
	ck_assert_uint_eq(source.find(source.state, 0), 0);
	ck_assert_uint_eq(source.find(source.state, UINT64_MAX), N_FRAMES - 1);
	source.close(source.state);
	frame_close(&frame);
	for (size_t i = 0; i < N_FRAMES; i++)
		frame_close(&frames[i]);
	free(frames);
	buffer_free(&bytes);
}

START_TEST(what_was_written_is_read_from_any_place)
{
	everything_is_read(false);
}

START_TEST(so_it_is_where_each_sample_is_a_block)
{
	everything_is_read(true);
}

static size_t play(struct source *source, bool *told)
{
	struct frame frame;
	size_t count = 0;

	frame_open(&frame, schemas, 2);
	for (; source->next(source->state, &frame) == 1; frame_clear(&frame)) {
		const struct notice *notice = frame_newest_notice(&frame, "replay");

		*told |= notice != NULL;
		count++;
	}
	*told |= source->remark(source->state) != NULL;
	frame_close(&frame);
	return count;
}

/* Samples in the blocks that end at or before length. */
static size_t whole_frames(const struct buffer *bytes, size_t length, size_t *end)
{
	struct block_header header;
	size_t frames = 0;

	for (*end = RECORDING_HEADER_BYTES; *end + BLOCK_HEADER_BYTES <= length;) {
		ck_assert(block_header_parse(&header, bytes->bytes + *end));
		if (*end + BLOCK_HEADER_BYTES + header.length > length)
			break;
		*end += BLOCK_HEADER_BYTES + header.length;
		frames += header.n_frames;
	}
	return frames;
}

/* However much is missing at the end, what is whole is read, and the rest is told. */
static void fill_happenings(struct frame *frame, unsigned sample)
{
	struct table *happenings = &frame->tables[1];

	frame_clear(frame);
	frame->mono_ns = (sample + 1) * SECOND_NS;
	frame->wall_ns = START_NS + frame->mono_ns;
	frame->host = "box";
	happenings->present = true;
	happenings->mono_ns = frame->mono_ns;
	for (unsigned i = 0; i < 100; i++) {
		struct happening_row *row = table_add(happenings);

		row->time = sample * 1000 + i;
		row->what = i % 3 ? arena_print(&frame->arena, "make --jobs=%u --target=%u", sample, i)
				  : "sh -c make";
	}
}

/* The writer forgets them, and tells those that come again to the reader again. */
START_TEST(texts_of_events_take_bounded_memory)
{
	enum { SAMPLES = 400 };
	struct recording_writer *writer = NULL;
	struct row_encoder encoder;
	struct frame frame, read;
	struct buffer bytes = { 0 }, rows = { 0 };
	struct source source;
	const char *why;

	frame_open(&frame, schemas, 2);
	frame_open(&read, schemas, 2);
	row_encoder_open(&encoder, &happening_schema);
	for (unsigned i = 0; i < SAMPLES; i++) {
		fill_happenings(&frame, i);
		if (!writer)
			writer = recording_writer_open(&frame, false);
		recording_writer_add(writer, &frame, &bytes);
		buffer_empty(&rows);
		rows_encode(&encoder, &frame.tables[1], &rows);
		ck_assert_uint_le(encoder.texts.n_bytes, 300 << 10);
		ck_assert_uint_le(encoder.texts.arena.held, 512 << 10);
	}
	ck_assert_uint_gt(encoder.n_forgotten, 0);
	ck_assert_uint_gt(row_encoder_text_bytes(&encoder), SAMPLES * 66 * 24); /* still all of the chain */
	recording_writer_end(writer, &bytes);
	recording_writer_close(writer);
	ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
	for (unsigned i = 0; i < SAMPLES; i++) {
		fill_happenings(&frame, i);
		frame_clear(&read);
		ck_assert_int_eq(source.next(source.state, &read), 1);
		assert_same_frame(&frame, &read);
	}
	source.close(source.state);
	row_encoder_close(&encoder);
	frame_close(&frame);
	frame_close(&read);
	buffer_free(&bytes);
	buffer_free(&rows);
}

START_TEST(cut_at_every_byte)
{
	static struct world world;
	struct buffer bytes = { 0 };

	record(&bytes, 12, true, NULL, &world);
	for (size_t length = 0; length <= bytes.length; length++) {
		struct source source;
		const char *why = NULL;
		bool told = false;
		size_t end, whole = whole_frames(&bytes, length, &end);

		if (open_bytes(&source, bytes.bytes, length, &why) < 0) {
			ck_assert_ptr_nonnull(why);
			ck_assert_uint_eq(whole, 0);
			continue;
		}
		ck_assert_uint_eq(play(&source, &told), whole);
		ck_assert_int_eq(told, end != length);
		source.close(source.state);
	}
	buffer_free(&bytes);
}

/* The samples before the damage are as they were, the rest is passed to the next chain, and it is told. */
START_TEST(damage_is_passed_and_told)
{
	static struct world world;
	struct buffer bytes = { 0 };
	uint64_t random = 3;

	record(&bytes, 1100, false, NULL, &world);
	for (unsigned i = 0; i < 100; i++) {
		struct source source;
		const char *why = NULL;
		bool told = false;
		size_t at = random_below(&random, bytes.length), count;
		char before = bytes.bytes[at];

		bytes.bytes[at] = (char)(before ^ 1 << random_below(&random, 8));
		if (open_bytes(&source, bytes.bytes, bytes.length, &why) == 0) {
			count = play(&source, &told);
			ck_assert_uint_le(count, 1100);
			ck_assert_uint_ge(count, 1100 - 512);
			ck_assert(told || count == 1100);
			source.close(source.state);
		} else {
			ck_assert_ptr_nonnull(why);
			ck_assert_uint_lt(at, 1000); /* the description */
		}
		bytes.bytes[at] = before;
	}
	buffer_free(&bytes);
}

/* A killed writer has no index, and the blocks are found by their headers. */
START_TEST(without_an_index_it_is_the_same)
{
	static struct world world;
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;
	const char *why;
	size_t end;

	record(&bytes, 700, false, NULL, &world);
	bytes.bytes[bytes.length - 1] ^= 1;
	ck_assert_uint_eq(whole_frames(&bytes, bytes.length, &end), 700);
	ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
	ck_assert_uint_eq(source.find(source.state, START_NS + 650 * SECOND_NS), 650);
	ck_assert_int_eq(source.seek(source.state, 650), 0);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.wall_ns, START_NS + 650 * SECOND_NS);
	frame_close(&frame);
	source.close(source.state);
	buffer_free(&bytes);
}

/* Where the oldest blocks were dropped there are zeros. */
START_TEST(oldest_blocks_can_go)
{
	static struct world world = { .random = 1 };
	struct recording_writer *writer = NULL;
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;
	const char *why;
	uint64_t from = 0, to = 0, dropped;
	struct block_header header;
	bool told = false;

	frame_open(&frame, schemas, 2);
	for (size_t i = 0; i < 1200; i++) {
		frame_clear(&frame);
		fill(&frame, &world, i);
		if (!writer)
			writer = recording_writer_open(&frame, false);
		recording_writer_add(writer, &frame, &bytes);
		if (i == 300) /* the only chain is not dropped */
			ck_assert(!recording_writer_drop(writer, &from, &to));
	}
	recording_writer_flush(writer, &bytes);
	recording_writer_keep(writer, 1 << 30, 3000 * SECOND_NS);
	ck_assert(!recording_writer_drop(writer, &from, &to));
	recording_writer_keep(writer, 0, 600 * SECOND_NS);
	ck_assert(recording_writer_drop(writer, &from, &to));
	ck_assert(!recording_writer_drop(writer, &from, &to));
	ck_assert_uint_lt(from, to);
	memset(bytes.bytes + from, 0, to - from);
	ck_assert(block_header_parse(&header, bytes.bytes + to));
	ck_assert_uint_eq(header.in_chain, 0);
	ck_assert_uint_le(header.first_frame, 600);
	dropped = header.first_frame;
	for (int with_index = 0; with_index < 2; with_index++) {
		if (with_index)
			recording_writer_end(writer, &bytes);
		ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
		ck_assert_uint_eq(play(&source, &told), 1200 - dropped);
		ck_assert(!told);
		ck_assert_uint_eq(source.find(source.state, START_NS + 700 * SECOND_NS), 700 - dropped);
		source.close(source.state);
	}
	recording_writer_close(writer);
	frame_close(&frame);
	buffer_free(&bytes);
}

/* What is left of the file never takes more than was asked for. */
START_TEST(a_size_is_kept)
{
	static struct world world = { .random = 1 };
	struct recording_writer *writer = NULL;
	struct buffer bytes = { 0 };
	struct frame frame;
	uint64_t from, to, start = 0;

	frame_open(&frame, schemas, 2);
	for (size_t i = 0; i < 1500; i++) {
		frame_clear(&frame);
		fill(&frame, &world, i);
		if (!writer) {
			writer = recording_writer_open(&frame, false);
			recording_writer_keep(writer, 300000, 0);
		}
		recording_writer_add(writer, &frame, &bytes);
		if (recording_writer_drop(writer, &from, &to))
			start = to;
		ck_assert_uint_le(bytes.length - start, 300000);
		ck_assert(start == 0 || bytes.length - start >= 200000); /* and nothing goes for its age */
	}
	ck_assert_uint_gt(bytes.length, 400000);
	recording_writer_close(writer);
	frame_close(&frame);
	buffer_free(&bytes);
}

START_TEST(two_behind_each_other_are_one)
{
	static struct world world;
	struct buffer bytes = { 0 };
	struct source source;
	const char *why;
	bool told = false;

	record(&bytes, 40, false, NULL, &world);
	record(&bytes, 50, true, NULL, &world);
	ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
	ck_assert_uint_eq(play(&source, &told), 90);
	ck_assert(!told);
	source.close(source.state);
	buffer_free(&bytes);
}

static void assert_refused(const char *bytes, size_t length, const char *reason)
{
	struct source source;
	const char *why = NULL;

	ck_assert_int_lt(open_bytes(&source, bytes, length, &why), 0);
	ck_assert_ptr_nonnull(strstr(why, reason));
}

START_TEST(what_cannot_be_read_is_refused)
{
	static struct world world;
	struct buffer bytes = { 0 };

	record(&bytes, 2, false, NULL, &world);
	assert_refused(bytes.bytes, RECORDING_MAGIC_BYTES - 1, "not a panetop recording");
	assert_refused(bytes.bytes, RECORDING_MAGIC_BYTES, "header of the recording is damaged");
	bytes.bytes[8] = 99;
	assert_refused(bytes.bytes, bytes.length, "header of the recording is damaged"); /* the checksum */
	store_number(bytes.bytes + 12, block_sum(bytes.bytes, 12), 4);
	assert_refused(bytes.bytes, bytes.length, "newer version");
	store_number(bytes.bytes + 8, __builtin_bswap32(RECORDING_VERSION), 4);
	store_number(bytes.bytes + 12, __builtin_bswap32(block_sum(bytes.bytes, 12)), 4);
	assert_refused(bytes.bytes, bytes.length, "big-endian");
	store_number(bytes.bytes + 8, RECORDING_VERSION, 4);
	store_number(bytes.bytes + 12, block_sum(bytes.bytes, 12), 4);
	bytes.bytes[RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES + SECTION_ENTRY_BYTES * 2 + 5] ^= 1;
	assert_refused(bytes.bytes, bytes.length, "damaged");
	buffer_free(&bytes);
}

/* A topic with one column, or with none if NULL. */
static void put_topic(struct buffer *topics, const char *name, const char *column)
{
	const char *const names[] = { name, "table", column, "u64", "key", "none" };

	for (unsigned i = 0; i < (column ? 6 : 2); i++) {
		if (i == 2)
			put_varint(topics, 1);
		put_bytes(topics, names[i], strlen(names[i]));
	}
	if (!column)
		put_varint(topics, 0);
}

/* A recording of these topics, and no samples yet. */
static void describe(struct buffer *bytes, const struct buffer *topics)
{
	struct block_header header = { .kind = BLOCK_DESCRIPTION };
	struct block_builder builder;

	recording_header_add(bytes);
	block_builder_open(&builder);
	block_add_section(&builder, SECTION_TOPICS, topics);
	block_finish(&builder, &header, NULL, bytes);
	block_builder_close(&builder);
}

/* A recording of one topic, "task", with one column or none. */
static void describe_task(struct buffer *bytes, bool column)
{
	struct buffer topics = { 0 };

	put_varint(&topics, 1);
	put_topic(&topics, "task", column ? "pid" : NULL);
	describe(bytes, &topics);
	buffer_free(&topics);
}

/* Its rows would have no length, and be without end. */
START_TEST(a_topic_without_columns_is_damage)
{
	struct buffer bytes = { 0 };

	describe_task(&bytes, false);
	assert_refused(bytes.bytes, bytes.length, "description of its columns is damaged");
	buffer_free(&bytes);
}

/* Adds a block whose task section is what the caller says. */
static void add_block(struct buffer *bytes, const struct buffer *rows)
{
	struct block_header header = { .kind = BLOCK_SAMPLES, .n_frames = 1, .min_ns = 1, .max_ns = 1 };
	struct block_builder builder;
	struct buffer clocks = { 0 };

	block_builder_open(&builder);
	put_varint(&clocks, 2);
	put_varint(&clocks, 2);
	block_add_section(&builder, SECTION_CLOCKS, &clocks);
	block_add_section(&builder, 0, rows);
	block_finish(&builder, &header, NULL, bytes);
	block_builder_close(&builder);
	buffer_free(&clocks);
}

/* Rows without end from few bytes: refused, and told with the sample. */
START_TEST(what_inflates_without_end_is_damage)
{
	static struct world world;
	struct buffer recorded = { 0 }, bytes = { 0 }, rows = { 0 };
	size_t end;

	record(&recorded, 1, true, NULL, &world);
	whole_frames(&recorded,
		     RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES +
			     (size_t)load_number(recorded.bytes + RECORDING_HEADER_BYTES + 8, 4),
		     &end);
	for (int attempt = 0; attempt < 3; attempt++) {
		struct source source;
		struct frame frame;
		const char *why;

		buffer_empty(&bytes);
		buffer_empty(&rows);
		buffer_add(&bytes, recorded.bytes, end);
		put_varint(&rows, 1);
		put_varint(&rows, 2);
		put_varint(&rows, attempt == 0 ? UINT64_MAX : attempt == 1 ? 1 << 20 : 10);
		if (attempt == 1)
			buffer_fill(&rows, 2, 1 << 20); /* new rows with a mask each, but the bytes end */
		else
			put_varint(&rows, UINT64_MAX); /* a move beyond all rows */
		add_block(&bytes, &rows);
		ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
		frame_open(&frame, schemas, 2);
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		ck_assert_uint_eq(frame.n_notices, 1);
		ck_assert(!frame.tables[0].present);
		source.close(source.state);
		frame_close(&frame);
	}
	buffer_free(&recorded);
	buffer_free(&bytes);
	buffer_free(&rows);
}

/* Rows of one recorded column become rows of all columns that this version has: these count. */
START_TEST(narrow_rows_that_become_wide_are_limited)
{
	static const size_t n_rows[] = { 1000, ((size_t)32 << 20) / (sizeof(struct task_row) / 8) + 1 };

	for (int attempt = 0; attempt < 2; attempt++) {
		struct buffer bytes = { 0 }, rows = { 0 };
		struct source source;
		struct frame frame;
		const char *why;

		describe_task(&bytes, true);
		put_varint(&rows, 1);
		put_varint(&rows, 2);
		put_varint(&rows, n_rows[attempt]);
		buffer_fill(&rows, 2, 2 * n_rows[attempt]); /* new rows with a mask each, which is empty */
		add_block(&bytes, &rows);
		ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
		frame_open(&frame, schemas, 2);
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		ck_assert_uint_eq(frame.tables[0].n_rows, attempt == 0 ? n_rows[0] : 0);
		ck_assert_uint_eq(frame.n_notices, (unsigned)attempt);
		source.close(source.state);
		frame_close(&frame);
		buffer_free(&bytes);
		buffer_free(&rows);
	}
}

/* A section that claims to be small, or large, is not inflated beyond what it claims. */
START_TEST(sections_keep_to_their_size)
{
	struct block_builder builder;
	struct block_header header = { .kind = BLOCK_SAMPLES };
	struct buffer raw = { 0 }, out = { 0 }, inflated = { 0 };
	struct section section;
	struct span table;
	ZSTD_DCtx *zstd = ZSTD_createDCtx();

	buffer_fill(&raw, 'x', 1 << 20);
	block_builder_open(&builder);
	block_add_section(&builder, 0, &raw);
	block_finish(&builder, &header, NULL, &out);
	ck_assert_uint_lt(out.length, 1000);
	ck_assert(block_header_parse(&header, out.bytes));
	table = span_of(out.bytes + BLOCK_HEADER_BYTES, header.length);
	ck_assert(block_sections_parse(&header, table, &section));
	ck_assert_uint_eq(section.raw, 1 << 20);
	buffer_fill(&inflated, 0, 1 << 20);
	ck_assert(section_read(&section, span_of(table.at + section.offset, section.stored), zstd,
			       inflated.bytes));
	ck_assert_mem_eq(inflated.bytes, raw.bytes, raw.length);
	section.raw = 1000;
	ck_assert(!section_read(&section, span_of(table.at + section.offset, section.stored), zstd,
				inflated.bytes));
	store_number(out.bytes + BLOCK_HEADER_BYTES + 8, UINT32_MAX, 4);
	header.table_sum = block_sum(table.at, SECTION_ENTRY_BYTES);
	ck_assert(!block_sections_parse(&header, table, &section));
	ZSTD_freeDCtx(zstd);
	block_builder_close(&builder);
	buffer_free(&raw);
	buffer_free(&out);
	buffer_free(&inflated);
}

/* The clock was set back: the last sample at or before a time counts. */
START_TEST(clocks_may_step_back)
{
	static struct world world = { .random = 1 };
	struct recording_writer *writer = NULL;
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;
	const char *why;
	bool told = false;

	frame_open(&frame, schemas, 2);
	for (size_t i = 0; i < 300; i++) {
		frame_clear(&frame);
		fill(&frame, &world, i);
		if (i >= 200)
			frame.wall_ns -= 150 * SECOND_NS;
		if (!writer)
			writer = recording_writer_open(&frame, false);
		recording_writer_add(writer, &frame, &bytes);
	}
	recording_writer_end(writer, &bytes);
	recording_writer_close(writer);
	frame_close(&frame);
	ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
	ck_assert_uint_eq(source.find(source.state, START_NS + 20 * SECOND_NS), 20);
	ck_assert_uint_eq(source.find(source.state, START_NS + 100 * SECOND_NS), 250);
	ck_assert_uint_eq(source.find(source.state, START_NS + 199 * SECOND_NS), 299);
	ck_assert_uint_eq(play(&source, &told), 300);
	ck_assert(!told);
	source.close(source.state);
	buffer_free(&bytes);
}

static const struct column renamed[] = {
	COLUMN_AS(struct task_row, pid, "bytes", .kind = COLUMN_GAUGE, .title = "b", .help = "h"),
	COLUMN_AS(struct task_row, ratio, "switches", .kind = COLUMN_COUNTER, .title = "s", .help = "h"),
	COLUMN_AS(struct task_row, user, "pid", .kind = COLUMN_KEY, .title = "p", .help = "h"),
	COLUMN_AS(struct task_row, command, "new", .kind = COLUMN_LABEL, .title = "n", .help = "h"),
};

static const struct schema other = {
	.name = "task",
	.help = "h",
	.row_size = sizeof(struct task_row),
	SCHEMA_COLUMNS(renamed),
};

/* Columns and topics that this version lacks are passed over; those that the recording lacks are unknown. */
START_TEST(columns_go_by_name)
{
	static const struct schema *const others[] = { &other };
	static struct world world;
	struct frame frames[30], frame;
	struct buffer bytes = { 0 };
	struct source source;
	const char *why;
	int fd = memfd_create("recording", MFD_CLOEXEC);

	record(&bytes, 30, false, frames, &world);
	ck_assert_int_eq(write(fd, bytes.bytes, bytes.length), (ssize_t)bytes.length);
	ck_assert_int_eq(open_replay(&source, fd, UINT64_MAX, others, 1, &why), 0);
	frame_open(&frame, others, 1);
	for (unsigned i = 0; i < 30; i++) {
		frame_clear(&frame);
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		ck_assert_uint_eq(frame.tables[0].n_rows, frames[i].tables[0].n_rows);
		for (size_t r = 0; r < frame.tables[0].n_rows; r++) {
			const struct task_row *row = table_row(&frame.tables[0], r);
			const struct task_row *was = table_row(&frames[i].tables[0], r);

			ck_assert_uint_eq(row->pid, was->bytes);
			ck_assert_double_eq(row->ratio, (double)was->switches);
			ck_assert_ptr_null(row->user);
			ck_assert_ptr_null(row->command);
		}
		frame_close(&frames[i]);
	}
	frame_close(&frame);
	source.close(source.state);
	buffer_free(&bytes);
}

/* What a pipe has not brought yet is no end. */
START_TEST(a_pipe_is_followed)
{
	static struct world world;
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;
	const char *why;
	size_t end;
	int fds[2];

	record(&bytes, 3, true, NULL, &world);
	whole_frames(&bytes,
		     RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES +
			     (size_t)load_number(bytes.bytes + RECORDING_HEADER_BYTES + 8, 4),
		     &end);
	for (int back = 0; back < 2; back++) {
		bool told = false;

		ck_assert_int_eq(pipe(fds), 0);
		ck_assert_int_eq(write(fds[1], bytes.bytes, end + 60), (ssize_t)end + 60);
		ck_assert_int_eq(open_replay(&source, fds[0], back ? UINT64_MAX : 0, schemas, 2, &why), 0);
		frame_open(&frame, schemas, 2);
		ck_assert_int_eq(source.wait_fd(source.state), fds[0]);
		ck_assert_int_eq(source.next(source.state, &frame), -EAGAIN);
		ck_assert_int_eq(write(fds[1], bytes.bytes + end + 60, bytes.length - end - 60),
				 (ssize_t)(bytes.length - end - 60));
		close(fds[1]);
		if (back)
			ck_assert(!source.pull(source.state));
		ck_assert_uint_eq(play(&source, &told), 3);
		ck_assert(!told);
		ck_assert_int_eq(source.wait_fd(source.state), -1);
		if (back) {
			ck_assert_int_eq(source.seek(source.state, 1), 0);
			ck_assert_int_eq(source.next(source.state, &frame), 1);
			ck_assert_uint_eq(frame.wall_ns, START_NS + SECOND_NS);
		}
		source.close(source.state);
		frame_close(&frame);
	}
	buffer_free(&bytes);
}

/* Only what is wanted is read; the rest is as if it had not been sampled. */
START_TEST(only_wanted_tables_are_read)
{
	static struct world world;
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;
	const char *why;
	bool wanted[2] = { false, true };

	record(&bytes, 60, false, NULL, &world);
	ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
	source.want(source.state, wanted);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.seek(source.state, 55), 0);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert(!frame.tables[0].present);
	ck_assert(frame.tables[1].present);
	frame_close(&frame);
	source.close(source.state);
	buffer_free(&bytes);
}

/* Its sections would be decoded that often. */
START_TEST(a_topic_twice_is_damage)
{
	struct buffer bytes = { 0 }, topics = { 0 };

	put_varint(&topics, 3);
	put_topic(&topics, "task", "pid");
	put_topic(&topics, "other", "pid");
	put_topic(&topics, "task", "pid");
	describe(&bytes, &topics);
	assert_refused(bytes.bytes, bytes.length, "description of its columns is damaged");
	buffer_free(&bytes);
	buffer_free(&topics);
}

/* Each needs at least a header in the file; otherwise blocks are found by their headers. */
START_TEST(an_index_is_as_long_as_its_file)
{
	static struct world world;
	struct block_header header = { .kind = BLOCK_INDEX };
	struct block_builder builder;
	struct buffer bytes = { 0 }, index = { 0 }, tail = { 0 };
	struct source source;
	const char *why;
	bool told = false;
	size_t end;

	record(&bytes, 3, true, NULL, &world);
	whole_frames(&bytes, bytes.length - 100, &end);
	bytes.length = end;
	put_varint(&index, 1000000);
	buffer_fill(&index, 0, 6 * 1000000);
	index_tail_add(&tail, end);
	block_builder_open(&builder);
	block_add_section(&builder, SECTION_INDEX, &index);
	block_finish(&builder, &header, &tail, &bytes);
	block_builder_close(&builder);
	ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
	ck_assert_uint_le(play(&source, &told), 3);
	ck_assert_uint_ge(source.find(source.state, UINT64_MAX), 1);
	source.close(source.state);
	buffer_free(&bytes);
	buffer_free(&index);
	buffer_free(&tail);
}

static bool signal_waits;

static bool is_waiting(void)
{
	return signal_waits;
}

/* What was broken off is read again as it was. */
START_TEST(a_signal_breaks_it_off)
{
	static struct world world;
	struct recording_input input = {
		.fd = memfd_create("recording", MFD_CLOEXEC),
		.interrupted = is_waiting,
		.schemas = schemas,
		.n_schemas = 2,
	};
	struct buffer bytes = { 0 };
	struct frame frames[60], frame;
	struct source source;
	const char *why;

	record(&bytes, 60, false, frames, &world);
	ck_assert_int_eq(write(input.fd, bytes.bytes, bytes.length), (ssize_t)bytes.length);
	ck_assert_int_eq(replay_open(&source, &input, &why), 0);
	frame_open(&frame, schemas, 2);
	for (size_t i = 0; i < 60; i++) {
		signal_waits = true;
		ck_assert_int_eq(source.next(source.state, &frame), -EINTR);
		signal_waits = false;
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		assert_same_frame(&frame, &frames[i]);
		frame_clear(&frame);
		frame_close(&frames[i]);
	}
	frame_close(&frame);
	source.close(source.state);
	buffer_free(&bytes);
}

/* Bytes on the disk of the files without a name in this directory that are open here. */
static uint64_t unlinked_bytes(const char *directory)
{
	char target[SCRATCH_PATH_MAX + 64];
	uint64_t bytes = 0;

	for (int fd = 0; fd < 64; fd++) {
		struct stat status;
		ssize_t length;

		length = readlink(textf("/proc/self/fd/%d", fd), target, sizeof(target) - 1);
		if (length > 0 && strncmp(target, directory, strlen(directory)) == 0 &&
		    fstat(fd, &status) == 0)
			bytes += (uint64_t)status.st_blocks * 512;
	}
	return bytes;
}

/* A pipe that is written bit by bit, and pulled. */
static void pour(struct source *source, int fd, const struct buffer *bytes, size_t from)
{
	while (from < bytes->length) {
		size_t length = bytes->length - from < 16384 ? bytes->length - from : 16384;

		ck_assert_int_eq(write(fd, bytes->bytes + from, length), (ssize_t)length);
		while (source->pull(source->state) && !pipe_is_empty(source->wait_fd(source->state)))
			;
		from += length;
	}
}

/* Of a pipe on the screen only so much is kept; one can still follow it, and go back in the rest. */
START_TEST(a_pipe_keeps_its_newest_samples)
{
	static struct world world;
	enum { KEPT = 262144, N_POURED = 4000 };
	char directory[SCRATCH_PATH_MAX];
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;
	const char *why;
	uint64_t first_ns, last_ns;
	size_t n_frames;
	bool told = false;
	int fds[2];

	scratch_directory(directory, "pipe");
	setenv("TMPDIR", directory, 1);
	record(&bytes, N_POURED, true, NULL, &world);
	ck_assert_uint_gt(bytes.length, 3 * KEPT);
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], bytes.bytes, 4096), 4096);
	ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
	source.keep_back(source.state, KEPT);
	pour(&source, fds[1], &bytes, 4096);
	close(fds[1]);
	ck_assert(!source.pull(source.state));
	unsetenv("TMPDIR");
	ck_assert_uint_gt(unlinked_bytes(directory), 0);
	ck_assert_uint_le(unlinked_bytes(directory), KEPT + KEPT / 2);
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert_uint_gt(n_frames, 0);
	ck_assert_uint_lt(n_frames, N_POURED / 2);
	ck_assert_uint_eq(last_ns, START_NS + (N_POURED - 1) * SECOND_NS);
	ck_assert_uint_eq(first_ns, last_ns - (n_frames - 1) * SECOND_NS);
	ck_assert_int_eq(source.seek(source.state, 0), 0);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.wall_ns, first_ns);
	ck_assert_uint_eq(source.position(source.state), 0);
	ck_assert_uint_eq(play(&source, &told), n_frames - 1);
	ck_assert(!told);
	frame_close(&frame);
	source.close(source.state);
	buffer_free(&bytes);
}

/* Zeros stand where the oldest blocks were dropped; anything else is not a recording. */
START_TEST(a_pipe_of_other_bytes_ends)
{
	static struct world world;

	for (int zeros = 0; zeros < 2; zeros++) {
		struct buffer bytes = { 0 };
		struct source source;
		const char *why;
		size_t end;
		int fds[2];

		record(&bytes, 3, true, NULL, &world);
		whole_frames(&bytes, bytes.length - 100, &end);
		bytes.length = end;
		buffer_fill(&bytes, zeros ? 0 : 'x', (1 << 20) + 65536);
		ck_assert_int_eq(pipe(fds), 0);
		ck_assert_int_eq(write(fds[1], bytes.bytes, end), (ssize_t)end);
		ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
		for (size_t at = end; at < bytes.length && source.wait_fd(source.state) >= 0; at += 16384) {
			ck_assert_int_eq(write(fds[1], bytes.bytes + at, 16384), 16384);
			while (source.pull(source.state) && !pipe_is_empty(fds[0]))
				;
		}
		if (zeros) {
			ck_assert_int_eq(source.wait_fd(source.state), fds[0]);
		} else {
			ck_assert_int_eq(source.wait_fd(source.state), -1);
			ck_assert_ptr_nonnull(strstr(source.remark(source.state), "is not a recording"));
		}
		close(fds[1]);
		source.close(source.state);
		buffer_free(&bytes);
	}
}

/* The frames of what a pipe keeps: those before the newest n_kept are not there any more. */
static void assert_kept(struct source *source, const struct frame *frames, size_t n_frames, size_t n_kept,
			size_t from)
{
	struct frame frame;

	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source->seek(source->state, from), 0);
	for (size_t i = n_frames - n_kept + from; i < n_frames; i++, frame_clear(&frame)) {
		ck_assert_int_eq(source->next(source->state, &frame), 1);
		assert_same_frame(&frames[i], &frame);
	}
	frame_close(&frame);
}

/* Indexes decrease as the oldest samples go: what was decoded before is not what has its index now. */
START_TEST(what_a_pipe_keeps_is_read_as_it_was)
{
	static struct world world;
	enum { N_POURED = 1500, READ = 20 };
	struct frame *frames = calloc(N_POURED, sizeof(*frames)), frame;
	struct buffer bytes = { 0 }, half = { 0 };
	struct source source;
	const char *why;
	uint64_t first_ns, last_ns;
	size_t n_kept;
	int fds[2];

	record(&bytes, N_POURED, true, frames, &world);
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], bytes.bytes, 4096), 4096);
	ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
	half = (struct buffer){ .bytes = bytes.bytes, .length = bytes.length / 2 };
	pour(&source, fds[1], &half, 4096);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.seek(source.state, READ), 0);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	assert_same_frame(&frames[READ], &frame);
	source.keep_back(source.state, bytes.length / 4);
	pour(&source, fds[1], &bytes, half.length);
	close(fds[1]);
	ck_assert(!source.pull(source.state));
	ck_assert(source.extent(source.state, &n_kept, &first_ns, &last_ns));
	ck_assert(n_kept > READ + 1 && n_kept < N_POURED);
	assert_kept(&source, frames, N_POURED, n_kept, READ + 1);
	assert_kept(&source, frames, N_POURED, n_kept, 0);
	source.close(source.state);
	frame_close(&frame);
	for (size_t i = 0; i < N_POURED; i++)
		frame_close(&frames[i]);
	free(frames);
	buffer_free(&bytes);
}

/* However much stands between two recordings in a file, both are read; in a pipe, if it is little. */
START_TEST(strange_bytes_between_are_passed)
{
	static struct world world;

	for (int piped = 0; piped < 2; piped++) {
		struct buffer bytes = { 0 };
		struct source source;
		const char *why;
		bool told = false;
		int fds[2];

		record(&bytes, 20, true, NULL, &world);
		buffer_fill(&bytes, 'x', piped ? 1000 : 3 << 20);
		record(&bytes, 30, true, NULL, &world);
		if (piped) {
			ck_assert_int_eq(pipe(fds), 0);
			ck_assert_int_eq(write(fds[1], bytes.bytes, 4096), 4096);
			ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
			pour(&source, fds[1], &bytes, 4096);
			close(fds[1]);
		} else {
			ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
		}
		ck_assert_uint_eq(play(&source, &told), 50);
		ck_assert(told);
		ck_assert_ptr_null(source.remark(source.state)); /* a sample has told it */
		source.close(source.state);
		buffer_free(&bytes);
	}
}

/* Two recordings of 20 and 30 samples in a file, with a hole between them. */
static void open_with_hole(struct source *source, off_t hole_bytes)
{
	static struct world world;
	struct buffer bytes = { 0 };
	int fd = memfd_create("recording", MFD_CLOEXEC);
	const char *why;
	size_t end;

	record(&bytes, 20, true, NULL, &world);
	end = bytes.length;
	record(&bytes, 30, true, NULL, &world);
	ck_assert_int_eq(pwrite(fd, bytes.bytes, end, 0), (ssize_t)end);
	ck_assert_int_eq(pwrite(fd, bytes.bytes + end, bytes.length - end, (off_t)end + hole_bytes),
			 (ssize_t)(bytes.length - end));
	ck_assert_int_eq(open_replay(source, fd, UINT64_MAX, schemas, 2, &why), 0);
	buffer_free(&bytes);
}

/* They are no damage, however many: 1 TiB is not read. */
START_TEST(zeros_between_are_passed)
{
	static const off_t holes[] = { 1, 2, 63, 64, 65535, 65536, 65537, 131072, (off_t)1 << 40 };

	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		struct source source;
		bool told = false;

		open_with_hole(&source, holes[i]);
		ck_assert_uint_eq(play(&source, &told), 50);
		ck_assert(!told);
		ck_assert_ptr_null(source.remark(source.state));
		source.close(source.state);
	}
}

/* A pipe that brings a MiB of them may still bring a recording, but not after one byte more; none is kept. */
START_TEST(a_mib_of_strange_bytes_is_passed)
{
	static struct world world;
	char directory[SCRATCH_PATH_MAX];

	scratch_directory(directory, "pipe");
	setenv("TMPDIR", directory, 1);
	for (unsigned more = 0; more < 2; more++) {
		struct buffer bytes = { 0 };
		struct source source;
		const char *why;
		bool told = false;
		int fds[2];

		record(&bytes, 20, true, NULL, &world);
		buffer_fill(&bytes, 'x', (1 << 20) + more);
		record(&bytes, 30, true, NULL, &world);
		ck_assert_int_eq(pipe(fds), 0);
		ck_assert_int_eq(write(fds[1], bytes.bytes, 4096), 4096);
		ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
		for (size_t at = 4096; at < bytes.length && source.wait_fd(source.state) >= 0; at += 4096) {
			size_t length = bytes.length - at < 4096 ? bytes.length - at : 4096;

			ck_assert_int_eq(write(fds[1], bytes.bytes + at, length), (ssize_t)length);
			while (source.pull(source.state) && !pipe_is_empty(fds[0]))
				;
		}
		close(fds[1]);
		ck_assert_uint_lt(unlinked_bytes(directory), 1 << 19);
		ck_assert_uint_eq(play(&source, &told), more ? 20 : 50);
		source.close(source.state);
		buffer_free(&bytes);
	}
	unsetenv("TMPDIR");
}

/* Where the blocks with samples are: at most so many. */
static size_t find_blocks(const struct buffer *bytes, size_t offsets[], uint32_t n_frames[], size_t most)
{
	struct block_header header;
	size_t n_blocks = 0;

	for (size_t at = RECORDING_HEADER_BYTES; at + BLOCK_HEADER_BYTES <= bytes->length;
	     at += BLOCK_HEADER_BYTES + header.length) {
		ck_assert(block_header_parse(&header, bytes->bytes + at));
		if (header.kind != BLOCK_SAMPLES)
			continue;
		ck_assert_uint_lt(n_blocks, most);
		offsets[n_blocks] = at;
		n_frames[n_blocks++] = header.n_frames;
	}
	return n_blocks;
}

/* None of its samples can be read without their clocks, the first section. */
static void damage_clocks(struct buffer *bytes, size_t offset)
{
	struct block_header header;

	ck_assert(block_header_parse(&header, bytes->bytes + offset));
	bytes->bytes[offset + BLOCK_HEADER_BYTES + header.n_sections * SECTION_ENTRY_BYTES] ^= 1;
}

/* No sample follows that could tell it. */
START_TEST(damage_at_the_end_is_told)
{
	static struct world world;
	struct buffer bytes = { 0 };
	struct source source;
	const char *why;
	size_t offsets[8], n_blocks, rest, torn;
	uint32_t n_frames[8];

	record(&bytes, 70, false, NULL, &world);
	n_blocks = find_blocks(&bytes, offsets, n_frames, 8);
	ck_assert_uint_ge(n_blocks, 3);
	damage_clocks(&bytes, offsets[n_blocks - 1]);
	torn = offsets[n_blocks - 1] + BLOCK_HEADER_BYTES + 9;
	for (unsigned i = 0; i < 3; i++) { /* with an index, without one, and torn */
		bool told = false;

		bytes.length -= i == 1 ? 1 : i == 2 ? bytes.length - torn : 0;
		rest = i == 2 ? n_frames[n_blocks - 1] + n_frames[n_blocks - 2] : n_frames[n_blocks - 1];
		if (i == 2)
			damage_clocks(&bytes, offsets[n_blocks - 2]);
		ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
		ck_assert_uint_eq(play(&source, &told), 70 - rest);
		ck_assert_ptr_nonnull(source.remark(source.state));
		ck_assert_ptr_nonnull(strstr(source.remark(source.state),
					     i > 0 ? "in the middle of a block" : "is damaged"));
		source.close(source.state);
	}
	buffer_free(&bytes);
}

/* A pipe with damage that goes on has no end yet of which there is something to say. */
START_TEST(damage_in_a_pipe_is_told_with_what_follows)
{
	static struct world world;
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;
	const char *why;
	size_t offsets[4];
	uint32_t n_frames[4];
	int fds[2];

	record(&bytes, 3, true, NULL, &world);
	ck_assert_uint_eq(find_blocks(&bytes, offsets, n_frames, 4), 3);
	damage_clocks(&bytes, offsets[2]);
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], bytes.bytes, bytes.length), (ssize_t)bytes.length);
	ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
	frame_open(&frame, schemas, 2);
	for (unsigned i = 0; i < 2; i++, frame_clear(&frame))
		ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_int_eq(source.next(source.state, &frame), -EAGAIN);
	ck_assert_ptr_null(source.remark(source.state));
	ck_assert_int_eq(source.wait_fd(source.state), fds[0]);
	buffer_empty(&bytes);
	record(&bytes, 1, true, NULL, &world);
	ck_assert_int_eq(write(fds[1], bytes.bytes, bytes.length), (ssize_t)bytes.length);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_ptr_nonnull(frame_newest_notice(&frame, "replay"));
	frame_clear(&frame);
	close(fds[1]);
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	ck_assert_ptr_null(source.remark(source.state));
	source.close(source.state);
	frame_close(&frame);
	buffer_free(&bytes);
}

/* A block that claims to inflate to 200 MiB, in a recording of less than a KiB. */
static void add_huge_block(struct buffer *bytes)
{
	struct block_header header = { .kind = BLOCK_SAMPLES, .n_frames = 1, .min_ns = 1, .max_ns = 1 };
	struct block_builder builder;
	struct buffer raw = { 0 };
	size_t at = bytes->length;
	char *table;

	block_builder_open(&builder);
	put_varint(&raw, 2);
	put_varint(&raw, 2);
	block_add_section(&builder, SECTION_CLOCKS, &raw);
	block_add_section(&builder, 0, &raw);
	block_add_section(&builder, SECTION_NOTICES, &raw);
	block_finish(&builder, &header, NULL, bytes);
	block_builder_close(&builder);
	table = bytes->bytes + at + BLOCK_HEADER_BYTES;
	for (unsigned i = 1; i < 3; i++)
		store_number(table + (size_t)i * SECTION_ENTRY_BYTES + 8, 100 << 20, 4);
	store_number(bytes->bytes + at + 44, block_sum(table, (size_t)3 * SECTION_ENTRY_BYTES), 4);
	store_number(bytes->bytes + at + 48, block_sum(bytes->bytes + at, 48), 4);
	buffer_free(&raw);
}

/* A block that claims this many samples, without any. */
static void add_claiming_block(struct buffer *bytes, uint32_t n_frames)
{
	struct block_header header = {
		.kind = BLOCK_SAMPLES, .n_frames = n_frames, .min_ns = 1, .max_ns = 1
	};
	struct block_builder builder;
	struct buffer raw = { 0 };

	block_builder_open(&builder);
	put_varint(&raw, 2);
	block_add_section(&builder, SECTION_CLOCKS, &raw);
	block_finish(&builder, &header, NULL, bytes);
	block_builder_close(&builder);
	buffer_free(&raw);
}

/* More than a million in a block is damage. */
START_TEST(a_block_has_so_many_samples_at_most)
{
	static struct world world;

	for (unsigned more = 0; more < 2; more++) {
		struct buffer bytes = { 0 };
		struct source source;
		const char *why;
		uint64_t first_ns, last_ns;
		size_t n_frames;

		record(&bytes, 3, true, NULL, &world);
		add_claiming_block(&bytes, (1 << 20) + more);
		ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
		ck_assert_int_eq(source.seek(source.state, 3), 0);
		ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
		ck_assert_uint_eq(n_frames, 3 + (more ? 0 : 1 << 20));
		source.close(source.state);
		buffer_free(&bytes);
	}
}

START_TEST(a_block_that_would_take_too_much_is_passed_and_told)
{
	for (int more = 0; more < 2; more++) {
		struct buffer bytes = { 0 }, rows = { 0 };
		struct source source;
		struct frame frame;
		const struct notice *notice;
		const char *why;

		describe_task(&bytes, true);
		add_huge_block(&bytes);
		put_varint(&rows, 0);
		if (more)
			add_block(&bytes, &rows);
		ck_assert_int_eq(open_bytes(&source, bytes.bytes, bytes.length, &why), 0);
		frame_open(&frame, schemas, 2);
		if (more) {
			ck_assert_int_eq(source.next(source.state, &frame), 1);
			notice = frame_newest_notice(&frame, "replay");
			ck_assert(notice && strstr(notice->text, "far more memory"));
			frame_clear(&frame);
			ck_assert_int_eq(source.next(source.state, &frame), 0);
			ck_assert_ptr_null(source.remark(source.state));
		} else {
			ck_assert_int_eq(source.next(source.state, &frame), 0);
			ck_assert_ptr_nonnull(source.remark(source.state));
			ck_assert_ptr_nonnull(strstr(source.remark(source.state), "far more memory"));
		}
		source.close(source.state);
		frame_close(&frame);
		buffer_free(&bytes);
		buffer_free(&rows);
	}
}

/* A killed writer loses at most 32 samples, 20 s or half a MiB. */
START_TEST(blocks_end_in_time)
{
	static const struct {
		uint64_t step_ns;
		size_t text_bytes;
		uint32_t most; /* samples in a block */
	} cases[] = {
		{ SECOND_NS / 10, 100, 32 }, { SECOND_NS, 100, 21 }, { 7 * SECOND_NS, 100, 4 },
		{ 30 * SECOND_NS, 100, 2 },  { SECOND_NS / 10, 100000, 6 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct recording_writer *writer = NULL;
		struct buffer bytes = { 0 };
		struct frame frame;
		size_t offsets[128], n_blocks;
		uint32_t n_frames[128];

		frame_open(&frame, schemas, 2);
		for (unsigned i = 0; i < 100; i++) {
			struct happening_row *row;
			char *text;

			frame_clear(&frame);
			frame.mono_ns = SECOND_NS + i * cases[c].step_ns;
			frame.wall_ns = START_NS + i * cases[c].step_ns;
			frame.tables[1].present = true;
			frame.tables[1].mono_ns = frame.mono_ns;
			row = table_add(&frame.tables[1]);
			row->time = i;
			text = arena_take(&frame.arena, cases[c].text_bytes + 1);
			memset(text, 'a' + (int)i % 26, cases[c].text_bytes);
			text[cases[c].text_bytes] = '\0';
			row->what = text;
			if (!writer)
				writer = recording_writer_open(&frame, false);
			recording_writer_add(writer, &frame, &bytes);
		}
		recording_writer_end(writer, &bytes);
		recording_writer_close(writer);
		frame_close(&frame);
		n_blocks = find_blocks(&bytes, offsets, n_frames, 128);
		for (size_t i = 0; i + 1 < n_blocks; i++)
			ck_assert_uint_eq(n_frames[i], cases[c].most);
		ck_assert_uint_le(n_frames[n_blocks - 1], cases[c].most);
		buffer_free(&bytes);
	}
}
