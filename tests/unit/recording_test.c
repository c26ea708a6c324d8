/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the recording format: what is written is read, from any place, and what is damaged is passed and
 * told. */
#include "suite.h"

#include "core/bytes.h"
#include "output/recording.h"
#include "recording/block.h"
#include "recording/row_coding.h"
#include "recording/spool.h"
#include "recording/writer.h"

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
	COLUMN(struct task_row, pid, .kind = COLUMN_KEY),
	COLUMN(struct task_row, start_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS),
	COLUMN(struct task_row, user, .kind = COLUMN_LABEL),
	COLUMN(struct task_row, command, .kind = COLUMN_LABEL),
	COLUMN(struct task_row, bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES),
	COLUMN(struct task_row, switches, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT),
	COLUMN(struct task_row, ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO),
	COLUMN(struct task_row, ratio_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .rate_of = offsetof(struct task_row, switches)),
};

static const struct schema task_schema = {
	.name = "task", .row_size = sizeof(struct task_row), SCHEMA_COLUMNS(task_columns),
};

struct happening_row {
	uint64_t time;
	const char *what;
};

static const struct column happening_columns[] = {
	COLUMN(struct happening_row, time, .kind = COLUMN_LABEL, .unit = UNIT_TIME),
	COLUMN(struct happening_row, what, .kind = COLUMN_LABEL),
};

static const struct schema happening_schema = {
	.name = "happening",
	.shape = SHAPE_EVENTS,
	.row_size = sizeof(struct happening_row),
	SCHEMA_COLUMNS(happening_columns),
};

static const struct schema *const schemas[] = { &task_schema, &happening_schema };

/* The recording of a test, what reads it, and the sample that was read last. */
static struct buffer made;
static struct recording_writer *writer;
static struct source source;
static struct frame frame;
static const char *why;
static int ends[2]; /* of the pipe that it comes through */

/* The same numbers in every run. */
static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % limit;
}

static double random_ratio(uint64_t *state)
{
	double number = (double)random_below(state, 100000);
	const double ratios[] = { NAN, number / 100, -0.0, number / 3, INFINITY, 1e300 };

	return ratios[random_below(state, 6)];
}

static uint64_t random_bytes(uint64_t *state)
{
	uint64_t number = random_below(state, 1 << 30);
	const uint64_t numbers[] = { U64_UNKNOWN, U64_BLANK, number, number << 13, number << 29 };

	return numbers[random_below(state, 5)];
}

static struct world {
	uint64_t random;
	struct task_row tasks[200];
	size_t n_tasks;
	char names[1000][16];
	unsigned n_names;
	uint64_t next_pid;
} world;

static const char *random_name(void)
{
	static const char *const common[] = { "sh", "a\n\"b\"", "\xff\xfe", "", NULL };
	char *name;

	if (world.n_names == 1000 || random_below(&world.random, 4) > 0)
		return common[random_below(&world.random, 5)];
	name = world.names[world.n_names++];
	snprintf(name, 16, "name %u", world.n_names);
	return name;
}

static void change_world(void)
{
	uint64_t *random = &world.random;

	for (size_t i = 0; i < world.n_tasks; i++) {
		struct task_row *task = &world.tasks[i];

		if (random_below(random, 10) == 0)
			task->bytes = random_bytes(random);
		if (random_below(random, 5) == 0)
			task->switches += random_below(random, 1000);
		if (random_below(random, 10) == 0)
			task->ratio = random_ratio(random);
		if (random_below(random, 30) == 0)
			task->command = random_name();
	}
	while (world.n_tasks > 5 && random_below(random, 3) == 0) { /* one ends */
		size_t gone = random_below(random, world.n_tasks--);

		memmove(&world.tasks[gone], &world.tasks[gone + 1],
			(world.n_tasks - gone) * sizeof(world.tasks[0]));
	}
	while (world.n_tasks < 200 && random_below(random, 3) > 0)
		world.tasks[world.n_tasks++] = (struct task_row){
			.pid = random_below(random, 8) == 0 ? world.next_pid : ++world.next_pid,
			.start_seconds = (double)world.next_pid / 100,
			.user = random_name(),
			.command = random_name(),
			.bytes = random_bytes(random),
			.ratio = random_ratio(random),
		};
	if (world.n_tasks > 2 && random_below(random, 4) == 0) { /* the order changes */
		struct task_row swapped = world.tasks[0];

		world.tasks[0] = world.tasks[world.n_tasks - 1];
		world.tasks[world.n_tasks - 1] = swapped;
	}
}

static void fill(struct frame *to, uint64_t step)
{
	struct table *tasks = &to->tables[0], *happenings = &to->tables[1];

	frame_clear(to);
	to->mono_ns = (step + 1) * SECOND_NS + random_below(&world.random, 1000000);
	to->wall_ns = START_NS + step * SECOND_NS;
	to->host = "vb\"ox";
	change_world();
	tasks->present = step % 17 != 3;
	tasks->failed = tasks->present && step % 13 == 5;
	tasks->mono_ns = tasks->present ? to->mono_ns + 1000 : 0;
	for (size_t i = 0; tasks->present && !tasks->failed && i < world.n_tasks; i++)
		memcpy(table_add(tasks), &world.tasks[i], sizeof(world.tasks[i]));
	happenings->present = step >= 20;
	happenings->mono_ns = happenings->present ? to->mono_ns + 2000 : 0;
	for (uint64_t i = random_below(&world.random, 5); happenings->present && i > 0; i--)
		*(struct happening_row *)table_add(happenings) =
			(struct happening_row){ .time = to->wall_ns - i * 1000, .what = random_name() };
	if (step % 7 == 0)
		frame_notice(to, "task", step % 2 ? "do \"this\"" : NULL, "bad\033 thing %d", (int)step % 3);
}

static void write_sample(const struct frame *from, bool eager)
{
	if (!writer)
		writer = recording_writer_open(from, eager);
	recording_writer_add(writer, from, &made);
}

/* How many samples were written. */
static uint64_t end_writing(void)
{
	uint64_t n_frames;

	recording_writer_end(writer, &made);
	n_frames = recording_writer_frames(writer);
	recording_writer_close(writer);
	writer = NULL;
	return n_frames;
}

/* A recording of so many samples, behind what is there; kept, if not NULL, keeps them. */
static void record(size_t n_frames, bool eager, struct frame *kept)
{
	struct frame one;

	world = (struct world){ .random = 1 };
	frame_open(&one, schemas, 2);
	for (size_t i = 0; i < n_frames; i++) {
		if (kept)
			frame_open(&kept[i], schemas, 2);
		fill(kept ? &kept[i] : &one, i);
		write_sample(kept ? &kept[i] : &one, eager);
	}
	ck_assert_uint_eq(end_writing(), n_frames);
	frame_close(&one);
}

static int try_open(size_t length)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	ck_assert_int_eq(write(fd, made.bytes, length), (ssize_t)length);
	return open_replay(&source, fd, UINT64_MAX, schemas, 2, &why);
}

static void open_bytes(void)
{
	ck_assert_int_eq(try_open(made.length), 0);
}

/* A pipe that has brought the first made. */
static void open_pipe(size_t first, uint64_t back)
{
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], made.bytes, first), (ssize_t)first);
	ck_assert_int_eq(open_replay(&source, ends[0], back, schemas, 2, &why), 0);
}

/* They come through it bit by bit, and are pulled, as long as it is read. */
static void pour(size_t from, size_t to)
{
	for (size_t length; from < to && source.wait_fd(source.state) >= 0; from += length) {
		length = to - from < 4096 ? to - from : 4096;
		ck_assert_int_eq(write(ends[1], made.bytes + from, length), (ssize_t)length);
		while (source.pull(source.state) && !pipe_is_empty(ends[0]))
			;
	}
}

/* The next sample, in place of the one before. */
static int next(void)
{
	if (!frame.tables)
		frame_open(&frame, schemas, 2);
	frame_clear(&frame);
	return source.next(source.state, &frame);
}

static int read_at(size_t index)
{
	ck_assert_int_eq(source.seek(source.state, index), 0);
	return next();
}

static void stop_reading(void)
{
	source.close(source.state);
	frame_close(&frame);
}

static void finish(void)
{
	stop_reading();
	buffer_free(&made);
}

/* How many samples follow, with ! if one of them tells of damage, and ? if the end does. */
static const char *played(void)
{
	bool told = false;
	unsigned count;

	for (count = 0; next() == 1; count++)
		told |= frame_newest_notice(&frame, "replay") != NULL;
	return textf("%u%s%s", count, told ? "!" : "", source.remark(source.state) ? "?" : "");
}

static void assert_same_text(const char *one, const char *other)
{
	ck_assert_int_eq(one == NULL, other == NULL);
	if (one)
		ck_assert_str_eq(one, other);
}

/* As the sample that was read last. */
static void assert_same(const struct frame *one)
{
	ck_assert_uint_eq(one->wall_ns, frame.wall_ns);
	ck_assert_uint_eq(one->mono_ns, frame.mono_ns);
	ck_assert_str_eq(one->host, frame.host);
	ck_assert_uint_eq(one->n_notices, frame.n_notices);
	for (unsigned i = 0; i < one->n_notices; i++) {
		ck_assert_str_eq(one->notices[i].text, frame.notices[i].text);
		assert_same_text(one->notices[i].remedy, frame.notices[i].remedy);
	}
	for (unsigned t = 0; t < 2; t++) {
		const struct table *a = &one->tables[t], *b = &frame.tables[t];

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

static void close_frames(struct frame *frames, size_t n_frames)
{
	for (size_t i = 0; i < n_frames; i++)
		frame_close(&frames[i]);
}

#define N_FRAMES 1200 /* more than two chains */

/* Also where each sample is a block. */
START_TEST(what_was_written_is_read_from_any_place)
{
	static struct frame frames[N_FRAMES];
	uint64_t random = 7, first_ns, last_ns;
	size_t n_frames;

	for (int eager = 0; eager < 2; eager++) {
		record(N_FRAMES, eager, frames);
		open_bytes();
		for (size_t i = 0; i < N_FRAMES; i++) {
			ck_assert_int_eq(next(), 1);
			ck_assert_uint_eq(source.position(source.state), i);
			assert_same(&frames[i]);
		}
		ck_assert_str_eq(played(), "0");
		ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
		ck_assert_uint_eq(n_frames, N_FRAMES);
		ck_assert_uint_eq(first_ns, frames[0].wall_ns);
		ck_assert_uint_eq(last_ns, frames[N_FRAMES - 1].wall_ns);
		for (unsigned i = 0; i < 200; i++) {
			size_t index = random_below(&random, N_FRAMES);

			if (i % 2)
				index = source.find(source.state, START_NS + index * SECOND_NS + 500000000);
			ck_assert_int_eq(read_at(index), 1);
			assert_same(&frames[index]);
		}
		ck_assert_uint_eq(source.find(source.state, 0), 0);
		ck_assert_uint_eq(source.find(source.state, UINT64_MAX), N_FRAMES - 1);
		finish();
		close_frames(frames, N_FRAMES);
	}
}

/* Samples in the blocks that end at or before length. */
static unsigned whole_frames(size_t length, size_t *end)
{
	struct block_header header;
	unsigned frames = 0;

	for (*end = RECORDING_HEADER_BYTES; *end + BLOCK_HEADER_BYTES <= length;) {
		ck_assert(block_header_parse(&header, made.bytes + *end));
		if (*end + BLOCK_HEADER_BYTES + header.length > length)
			break;
		*end += BLOCK_HEADER_BYTES + header.length;
		frames += header.n_frames;
	}
	return frames;
}

/* Where the blocks with samples begin. */
static size_t described_bytes(void)
{
	return RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES +
	       (size_t)load_number(made.bytes + RECORDING_HEADER_BYTES + 8, 4);
}

/* However much is missing at the end, what is whole is read, and the rest is told. */
START_TEST(cut_at_every_byte)
{
	record(12, true, NULL);
	for (size_t length = 0; length <= made.length; length++) {
		size_t end;
		unsigned whole = whole_frames(length, &end);

		why = NULL;
		if (try_open(length) < 0) {
			ck_assert_ptr_nonnull(why);
			ck_assert_uint_eq(whole, 0);
			continue;
		}
		ck_assert_str_eq(played(), textf("%u%s", whole, end != length ? "?" : ""));
		stop_reading();
	}
}

/* The samples before the damage are as they were, the rest is passed to the next chain, and it is told. */
START_TEST(damage_is_passed_and_told)
{
	uint64_t random = 3;

	record(1100, false, NULL);
	for (unsigned i = 0; i < 100; i++) {
		size_t at = random_below(&random, made.length);
		char before = made.bytes[at], *told;

		made.bytes[at] = (char)(before ^ 1 << random_below(&random, 8));
		if (try_open(made.length) == 0) {
			unsigned long count = strtoul(played(), &told, 10);

			ck_assert_uint_le(count, 1100);
			ck_assert_uint_ge(count, 1100 - 512);
			ck_assert(*told || count == 1100);
			stop_reading();
		} else {
			ck_assert_uint_lt(at, 1000); /* the description */
		}
		made.bytes[at] = before;
	}
}

/* The next sample of the world, without the end of a recording. */
static void write_next(size_t i, long ahead_seconds)
{
	if (!frame.tables)
		frame_open(&frame, schemas, 2);
	fill(&frame, i);
	frame.wall_ns += (uint64_t)(ahead_seconds * (long)SECOND_NS);
	write_sample(&frame, false);
}

/* Where the oldest blocks were dropped there are zeros. */
START_TEST(oldest_blocks_can_go)
{
	uint64_t from = 0, to = 0;
	struct block_header header;
	unsigned dropped;

	for (size_t i = 0; i < 1200; i++) {
		write_next(i, 0);
		ck_assert(i != 300 || !recording_writer_drop(writer, &from, &to)); /* the only chain */
	}
	recording_writer_flush(writer, &made);
	recording_writer_keep(writer, 1 << 30, 3000 * SECOND_NS);
	ck_assert(!recording_writer_drop(writer, &from, &to));
	recording_writer_keep(writer, 0, 600 * SECOND_NS);
	ck_assert(recording_writer_drop(writer, &from, &to) && from < to);
	ck_assert(!recording_writer_drop(writer, &from, &to));
	memset(made.bytes + from, 0, to - from);
	ck_assert(block_header_parse(&header, made.bytes + to));
	ck_assert_uint_eq(header.in_chain, 0);
	dropped = (unsigned)header.first_frame;
	ck_assert_uint_le(dropped, 600);
	for (int with_index = 0; with_index < 2; with_index++) {
		if (with_index)
			end_writing();
		open_bytes();
		ck_assert_str_eq(played(), textf("%u", 1200 - dropped));
		ck_assert_uint_eq(source.find(source.state, START_NS + 700 * SECOND_NS), 700 - dropped);
		stop_reading();
	}
}

/* What is left of the file never takes more than was asked for. */
START_TEST(a_size_is_kept)
{
	uint64_t from, to, start = 0;

	for (size_t i = 0; i < 1500; i++) {
		write_next(i, 0);
		recording_writer_keep(writer, 300000, 0);
		if (recording_writer_drop(writer, &from, &to))
			start = to;
		ck_assert_uint_le(made.length - start, 300000);
		ck_assert(start == 0 || made.length - start >= 200000); /* and nothing goes for its age */
	}
	ck_assert_uint_gt(made.length, 400000);
	recording_writer_close(writer);
}

/* The clock was set back: the last sample at or before a time counts. */
START_TEST(clocks_may_step_back)
{
	for (size_t i = 0; i < 300; i++)
		write_next(i, i >= 200 ? -150 : 0);
	end_writing();
	open_bytes();
	ck_assert_uint_eq(source.find(source.state, START_NS + 20 * SECOND_NS), 20);
	ck_assert_uint_eq(source.find(source.state, START_NS + 100 * SECOND_NS), 250);
	ck_assert_uint_eq(source.find(source.state, START_NS + 199 * SECOND_NS), 299);
	ck_assert_str_eq(played(), "300");
	finish();
}

static void assert_refused(size_t length, const char *reason)
{
	ck_assert_int_lt(try_open(length), 0);
	ck_assert_msg(strstr(why, reason) != NULL, "%s, not %s", why, reason);
}

START_TEST(what_cannot_be_read_is_refused)
{
	record(2, false, NULL);
	assert_refused(RECORDING_MAGIC_BYTES - 1, "not a panetop recording");
	assert_refused(RECORDING_MAGIC_BYTES, "header of the recording is damaged");
	made.bytes[8] = 99;
	assert_refused(made.length, "header of the recording is damaged"); /* the checksum */
	store_number(made.bytes + 12, block_sum(made.bytes, 12), 4);
	assert_refused(made.length, "newer version");
	store_number(made.bytes + 8, __builtin_bswap32(RECORDING_VERSION), 4);
	store_number(made.bytes + 12, __builtin_bswap32(block_sum(made.bytes, 12)), 4);
	assert_refused(made.length, "big-endian");
	store_number(made.bytes + 8, RECORDING_VERSION, 4);
	store_number(made.bytes + 12, block_sum(made.bytes, 12), 4);
	made.bytes[RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES + SECTION_ENTRY_BYTES * 2 + 5] ^= 1;
	assert_refused(made.length, "damaged");
}

static void add_block(struct block_header header, unsigned section, const struct buffer *raw,
		      const struct buffer *rows, const struct buffer *tail)
{
	struct block_builder builder;

	block_builder_open(&builder);
	block_add_section(&builder, section, raw);
	if (rows)
		block_add_section(&builder, 0, rows);
	block_finish(&builder, &header, tail, &made);
	block_builder_close(&builder);
}

/* A recording of these topics, parted by blanks, with one column each or none, and no samples yet. */
static void describe(unsigned n_topics, const char *names, bool column)
{
	const char *const of_column[] = { "pid", "u64", "key", "none" };
	struct buffer topics = { 0 };

	put_varint(&topics, n_topics);
	for (size_t length; n_topics > 0; n_topics--, names += length + (names[length] == ' ')) {
		length = strcspn(names, " ");
		put_bytes(&topics, names, length);
		put_bytes(&topics, "table", strlen("table"));
		put_varint(&topics, column);
		for (unsigned i = 0; column && i < 4; i++)
			put_bytes(&topics, of_column[i], strlen(of_column[i]));
	}
	recording_header_add(&made);
	add_block((struct block_header){ .kind = BLOCK_DESCRIPTION }, SECTION_TOPICS, &topics, NULL, NULL);
	buffer_free(&topics);
}

/* Rows of no column would be without end; sections of a topic that comes twice would be decoded as often. */
START_TEST(topics_have_columns_and_come_once)
{
	describe(1, "task", false);
	assert_refused(made.length, "description of its columns is damaged");
	buffer_empty(&made);
	describe(3, "task other task", true);
	assert_refused(made.length, "description of its columns is damaged");
}

/* A block that claims this many samples, with the clocks of one, and these rows of the first topic. */
static void add_samples(uint32_t n_frames, const struct buffer *rows)
{
	struct block_header header = {
		.kind = BLOCK_SAMPLES, .n_frames = n_frames, .min_ns = 1, .max_ns = 1
	};
	struct buffer clocks = { 0 };

	put_varint(&clocks, 2);
	put_varint(&clocks, 2);
	add_block(header, SECTION_CLOCKS, &clocks, rows, NULL);
	buffer_free(&clocks);
}

/* So many rows are said to follow. */
static void begin_rows(struct buffer *rows, uint64_t n_rows)
{
	buffer_empty(rows);
	put_varint(rows, 1);
	put_varint(rows, 2);
	put_varint(rows, n_rows);
}

/* Rows of one recorded column become rows of all columns that this version has: these count. */
START_TEST(narrow_rows_that_become_wide_are_limited)
{
	static const size_t n_rows[] = { 1000, ((size_t)32 << 20) / (sizeof(struct task_row) / 8) + 1 };
	struct buffer rows = { 0 };

	for (unsigned attempt = 0; attempt < 2; attempt++) {
		describe(1, "task", true);
		begin_rows(&rows, n_rows[attempt]);
		buffer_fill(&rows, 2, 2 * n_rows[attempt]); /* new rows with a mask each, which is empty */
		add_samples(1, &rows);
		open_bytes();
		ck_assert_int_eq(next(), 1);
		ck_assert_uint_eq(frame.tables[0].n_rows, attempt == 0 ? n_rows[0] : 0);
		ck_assert_uint_eq(frame.n_notices, attempt);
		finish();
	}
	buffer_free(&rows);
}

static const struct column renamed[] = {
	COLUMN_AS(struct task_row, pid, "bytes", .kind = COLUMN_GAUGE),
	COLUMN_AS(struct task_row, ratio, "switches", .kind = COLUMN_COUNTER),
	COLUMN_AS(struct task_row, user, "pid", .kind = COLUMN_KEY),
	COLUMN_AS(struct task_row, command, "new", .kind = COLUMN_LABEL),
};

static const struct schema other = {
	.name = "task", .row_size = sizeof(struct task_row), SCHEMA_COLUMNS(renamed),
};

/* Columns and topics that this version lacks are passed over; those that the recording lacks are unknown. */
START_TEST(columns_go_by_name)
{
	static const struct schema *const others[] = { &other };
	struct frame frames[30];
	int fd = memfd_create("recording", MFD_CLOEXEC);

	record(30, false, frames);
	ck_assert_int_eq(write(fd, made.bytes, made.length), (ssize_t)made.length);
	ck_assert_int_eq(open_replay(&source, fd, UINT64_MAX, others, 1, &why), 0);
	frame_open(&frame, others, 1);
	for (unsigned i = 0; i < 30; i++) {
		ck_assert_int_eq(next(), 1);
		ck_assert_uint_eq(frame.tables[0].n_rows, frames[i].tables[0].n_rows);
		for (size_t r = 0; r < frame.tables[0].n_rows; r++) {
			const struct task_row *row = table_row(&frame.tables[0], r);
			const struct task_row *was = table_row(&frames[i].tables[0], r);

			ck_assert_uint_eq(row->pid, was->bytes);
			ck_assert_double_eq(row->ratio, (double)was->switches);
			ck_assert(!row->user && !row->command);
		}
	}
	finish();
	close_frames(frames, 30);
}

/* What a pipe has not brought yet is no end. */
START_TEST(a_pipe_is_followed)
{
	for (int back = 0; back < 2; back++) {
		size_t first;

		record(3, true, NULL);
		first = described_bytes() + 60;
		open_pipe(first, back ? UINT64_MAX : 0);
		ck_assert_int_eq(source.wait_fd(source.state), ends[0]);
		ck_assert_int_eq(next(), -EAGAIN);
		ck_assert_int_eq(write(ends[1], made.bytes + first, made.length - first),
				 (ssize_t)(made.length - first));
		close(ends[1]);
		ck_assert(!back || !source.pull(source.state));
		ck_assert_str_eq(played(), "3");
		ck_assert_int_eq(source.wait_fd(source.state), -1);
		if (back) {
			ck_assert_int_eq(read_at(1), 1);
			ck_assert_uint_eq(frame.wall_ns, START_NS + SECOND_NS);
		}
		finish();
	}
}

/* Only what is wanted is read; the rest is as if it had not been sampled. */
START_TEST(only_wanted_tables_are_read)
{
	bool wanted[2] = { false, true };

	record(60, false, NULL);
	open_bytes();
	source.want(source.state, wanted);
	ck_assert_int_eq(read_at(55), 1);
	ck_assert(!frame.tables[0].present && frame.tables[1].present);
	finish();
}

static bool signal_waits;

static bool is_waiting(void)
{
	return signal_waits;
}

/* What was broken off is read again as it was. */
START_TEST(a_signal_breaks_it_off)
{
	struct recording_input input = {
		.fd = memfd_create("recording", MFD_CLOEXEC),
		.interrupted = is_waiting,
		.schemas = schemas,
		.n_schemas = 2,
	};
	struct frame frames[60];

	record(60, false, frames);
	ck_assert_int_eq(write(input.fd, made.bytes, made.length), (ssize_t)made.length);
	ck_assert_int_eq(replay_open(&source, &input, &why), 0);
	for (size_t i = 0; i < 60; i++) {
		signal_waits = true;
		ck_assert_int_eq(next(), -EINTR);
		signal_waits = false;
		ck_assert_int_eq(next(), 1);
		assert_same(&frames[i]);
	}
	finish();
	close_frames(frames, 60);
}

/* Bytes on the disk of the files without a name in this directory that are open here. */
static uint64_t unlinked_bytes(const char *directory)
{
	char target[SCRATCH_PATH_MAX + 64];
	uint64_t n_bytes = 0;

	for (int fd = 0; fd < 64; fd++) {
		ssize_t length = readlink(textf("/proc/self/fd/%d", fd), target, sizeof(target) - 1);
		struct stat status;

		if (length > 0 && !strncmp(target, directory, strlen(directory)) && fstat(fd, &status) == 0)
			n_bytes += (uint64_t)status.st_blocks * 512;
	}
	return n_bytes;
}

/* The samples that a pipe keeps, from this one on: those before the newest n_kept are not there any more. */
static void assert_kept(const struct frame *frames, size_t n_frames, size_t n_kept, size_t from)
{
	ck_assert_int_eq(source.seek(source.state, from), 0);
	for (size_t i = n_frames - n_kept + from; i < n_frames; i++) {
		ck_assert_int_eq(next(), 1);
		assert_same(&frames[i]);
	}
}

/*
 * Of a pipe on the screen only so much is kept; one can still follow it, and go back in the rest. Indexes
 * decrease as the oldest samples go: what was decoded before is not what has its index now.
 */
START_TEST(a_pipe_keeps_its_newest_samples)
{
	enum { N_POURED = 1500, READ = 20 };
	static struct frame frames[N_POURED];
	char directory[SCRATCH_PATH_MAX];
	uint64_t first_ns, last_ns;
	size_t n_kept, most;

	scratch_directory(directory, "pipe");
	setenv("TMPDIR", directory, 1);
	record(N_POURED, true, frames);
	most = made.length / 4;
	open_pipe(4096, UINT64_MAX);
	pour(4096, made.length / 2);
	ck_assert_int_eq(read_at(READ), 1);
	assert_same(&frames[READ]);
	source.keep_back(source.state, most);
	pour(made.length / 2, made.length);
	close(ends[1]);
	ck_assert(!source.pull(source.state));
	ck_assert_uint_gt(unlinked_bytes(directory), 0);
	ck_assert_uint_le(unlinked_bytes(directory), most + most / 2);
	ck_assert(source.extent(source.state, &n_kept, &first_ns, &last_ns));
	ck_assert(n_kept > READ + 1 && n_kept < N_POURED / 2);
	ck_assert_uint_eq(last_ns, START_NS + (N_POURED - 1) * SECOND_NS);
	ck_assert_uint_eq(first_ns, last_ns - (n_kept - 1) * SECOND_NS);
	assert_kept(frames, N_POURED, n_kept, READ + 1);
	assert_kept(frames, N_POURED, n_kept, 0);
	finish();
	close_frames(frames, N_POURED);
}

/*
 * However much stands between two recordings in a file, both are read, and it is told; a pipe that brings a
 * MiB of it may still bring a recording, but not after one byte more, and none of it is kept. Zeros stand
 * where the oldest blocks were dropped.
 */
START_TEST(strange_bytes_between_are_passed)
{
	static const struct {
		bool piped;
		char strange;
		size_t n_strange;
		const char *played;
	} cases[] = {
		{ false, 'x', 0, "50" },      { false, 'x', 3 << 20, "50!" },
		{ true, 'x', 1000, "50!" },   { true, 'x', 1 << 20, "50!" },
		{ true, '\0', 2 << 20, "50" }, { true, 'x', (1 << 20) + 1, "20!?" },
	};
	char directory[SCRATCH_PATH_MAX];

	scratch_directory(directory, "pipe");
	setenv("TMPDIR", directory, 1);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		record(20, true, NULL);
		buffer_fill(&made, cases[c].strange, cases[c].n_strange);
		record(30, true, NULL);
		if (cases[c].piped) {
			open_pipe(4096, UINT64_MAX);
			pour(4096, made.length);
			close(ends[1]);
			ck_assert_uint_lt(unlinked_bytes(directory), 1 << 19);
		} else {
			open_bytes();
		}
		ck_assert_str_eq(played(), cases[c].played);
		finish();
	}
}

/* Two recordings with a hole between them: it is no damage, however large; 1 TiB is not read. */
START_TEST(zeros_between_are_passed)
{
	static const off_t holes[] = { 1, 2, 63, 64, 65535, 65536, 65537, 131072, (off_t)1 << 40 };
	size_t end;

	record(20, true, NULL);
	end = made.length;
	record(30, true, NULL);
	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		int fd = memfd_create("recording", MFD_CLOEXEC);
		ssize_t rest = (ssize_t)(made.length - end);

		ck_assert_int_eq(pwrite(fd, made.bytes, end, 0), (ssize_t)end);
		ck_assert_int_eq(pwrite(fd, made.bytes + end, (size_t)rest, (off_t)end + holes[i]), rest);
		ck_assert_int_eq(open_replay(&source, fd, UINT64_MAX, schemas, 2, &why), 0);
		ck_assert_str_eq(played(), "50");
		stop_reading();
	}
}

/* Where the blocks with samples are: at most so many. */
static size_t find_blocks(size_t offsets[], uint32_t n_frames[], size_t most)
{
	struct block_header header;
	size_t n_blocks = 0;

	for (size_t at = RECORDING_HEADER_BYTES; at + BLOCK_HEADER_BYTES <= made.length;
	     at += BLOCK_HEADER_BYTES + header.length) {
		ck_assert(block_header_parse(&header, made.bytes + at));
		if (header.kind != BLOCK_SAMPLES)
			continue;
		ck_assert_uint_lt(n_blocks, most);
		offsets[n_blocks] = at;
		n_frames[n_blocks++] = header.n_frames;
	}
	return n_blocks;
}

/* None of its samples can be read without their clocks, the first section. */
static void damage_clocks(size_t offset)
{
	struct block_header header;

	ck_assert(block_header_parse(&header, made.bytes + offset));
	made.bytes[offset + BLOCK_HEADER_BYTES + header.n_sections * SECTION_ENTRY_BYTES] ^= 1;
}

/* No sample follows that could tell it. */
START_TEST(damage_at_the_end_is_told)
{
	size_t offsets[8], n_blocks;
	uint32_t n_frames[8], rest;

	record(70, false, NULL);
	n_blocks = find_blocks(offsets, n_frames, 8);
	ck_assert_uint_ge(n_blocks, 3);
	rest = n_frames[n_blocks - 1];
	damage_clocks(offsets[n_blocks - 1]);
	for (unsigned i = 0; i < 3; i++) { /* with an index, without one, and torn */
		if (i == 1)
			made.length--;
		if (i == 2) {
			made.length = offsets[n_blocks - 1] + BLOCK_HEADER_BYTES + 9;
			rest += n_frames[n_blocks - 2];
			damage_clocks(offsets[n_blocks - 2]);
		}
		open_bytes();
		ck_assert_str_eq(played(), textf("%u?", 70 - rest));
		ck_assert_ptr_nonnull(strstr(source.remark(source.state),
					     i > 0 ? "in the middle of a block" : "is damaged"));
		stop_reading();
	}
}

/* A pipe with damage that goes on has no end yet of which there is something to say. */
START_TEST(damage_in_a_pipe_is_told_with_what_follows)
{
	size_t offsets[4];
	uint32_t n_frames[4];

	record(3, true, NULL);
	ck_assert_uint_eq(find_blocks(offsets, n_frames, 4), 3);
	damage_clocks(offsets[2]);
	open_pipe(made.length, UINT64_MAX);
	ck_assert(next() == 1 && next() == 1);
	ck_assert_int_eq(next(), -EAGAIN);
	ck_assert_ptr_null(source.remark(source.state));
	ck_assert_int_eq(source.wait_fd(source.state), ends[0]);
	buffer_empty(&made);
	record(1, true, NULL);
	ck_assert_int_eq(write(ends[1], made.bytes, made.length), (ssize_t)made.length);
	close(ends[1]);
	ck_assert_str_eq(played(), "1!");
	finish();
}

/* A block that claims to inflate to 200 MiB, in a recording of less than a KiB. */
static void add_huge_block(void)
{
	struct block_header header = { .kind = BLOCK_SAMPLES, .n_frames = 1, .min_ns = 1, .max_ns = 1 };
	struct block_builder builder;
	struct buffer raw = { 0 };
	size_t at = made.length;
	char *table;

	block_builder_open(&builder);
	put_varint(&raw, 2);
	put_varint(&raw, 2);
	block_add_section(&builder, SECTION_CLOCKS, &raw);
	block_add_section(&builder, 0, &raw);
	block_add_section(&builder, SECTION_NOTICES, &raw);
	block_finish(&builder, &header, NULL, &made);
	block_builder_close(&builder);
	table = made.bytes + at + BLOCK_HEADER_BYTES;
	for (unsigned i = 1; i < 3; i++)
		store_number(table + (size_t)i * SECTION_ENTRY_BYTES + 8, 100 << 20, 4);
	store_number(made.bytes + at + 44, block_sum(table, (size_t)3 * SECTION_ENTRY_BYTES), 4);
	store_number(made.bytes + at + 48, block_sum(made.bytes + at, 48), 4);
	buffer_free(&raw);
}

START_TEST(a_block_that_would_take_too_much_is_passed_and_told)
{
	struct buffer rows = { 0 };

	put_varint(&rows, 0);
	for (int more = 0; more < 2; more++) {
		const char *told;

		describe(1, "task", true);
		add_huge_block();
		if (more)
			add_samples(1, &rows);
		open_bytes();
		ck_assert_int_eq(next(), more);
		told = more ? frame_newest_notice(&frame, "replay")->text : source.remark(source.state);
		ck_assert_ptr_nonnull(strstr(told, "far more memory"));
		ck_assert_str_eq(played(), more ? "0" : "0?");
		finish();
	}
	buffer_free(&rows);
}

/* A sample with one text of this length. */
static void write_text(uint64_t after_ns, unsigned i, size_t length)
{
	struct happening_row *row;
	char *text;

	if (!frame.tables)
		frame_open(&frame, schemas, 2);
	frame_clear(&frame);
	frame.mono_ns = SECOND_NS + after_ns;
	frame.wall_ns = START_NS + after_ns;
	frame.tables[1].present = true;
	frame.tables[1].mono_ns = frame.mono_ns;
	row = table_add(&frame.tables[1]);
	row->time = i;
	text = arena_take(&frame.arena, length + 1);
	memset(text, 'a' + (int)i % 26, length);
	text[length] = '\0';
	row->what = text;
	write_sample(&frame, false);
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
		size_t offsets[128], n_blocks;
		uint32_t n_frames[128];

		for (unsigned i = 0; i < 100; i++)
			write_text(i * cases[c].step_ns, i, cases[c].text_bytes);
		end_writing();
		n_blocks = find_blocks(offsets, n_frames, 128);
		for (size_t i = 0; i + 1 < n_blocks; i++)
			ck_assert_uint_eq(n_frames[i], cases[c].most);
		ck_assert_uint_le(n_frames[n_blocks - 1], cases[c].most);
		buffer_empty(&made);
	}
}
