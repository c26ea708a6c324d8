/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the past of a live screen: what is kept, how much of it, and what a full disk leaves. */
#include "suite.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "core/i18n.h"
#include "model/settings.h"
#include "recording/past_file.h"
#include "recording/reader.h"
#include "sys/user_file.h"

#define SECOND_NS UINT64_C(1000000000)
#define START_NS (UINT64_C(1732095000) * SECOND_NS)
#define ROWS 200

struct noise_row {
	uint64_t number;
	uint64_t value;
};

static const struct column columns[] = {
	COLUMN(struct noise_row, number, .kind = COLUMN_KEY),
	COLUMN(struct noise_row, value, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT),
};

static const struct schema noise = {
	.name = "noise", .row_size = sizeof(struct noise_row), SCHEMA_COLUMNS(columns),
};

static const struct schema *const schemas[] = { &noise };

static struct past_file *file;
static unsigned first, last; /* seconds after START_NS of its first and last frame, by kept() */
static char lost_text[TEXT_MAX], text[TEXT_MAX];
static unsigned lost_texts;

static int save(void *of, int fd)
{
	return past_file_save(of, fd);
}

/* Of each second of the monotonic clock; the other one is this much further. */
static void keep_ahead(unsigned from, unsigned to, unsigned ahead)
{
	uint64_t random = from + 1;
	struct frame frame;
	const char *why;

	frame_open(&frame, schemas, 1);
	for (unsigned i = from; i < to; i++) {
		struct table *table = frame_slot(&frame, "noise");

		frame_clear(&frame);
		frame.wall_ns = START_NS + (i + ahead) * SECOND_NS;
		frame.mono_ns = (i + 1) * SECOND_NS;
		frame.host = "here";
		table->present = true;
		table->mono_ns = frame.mono_ns;
		for (unsigned r = 0; r < ROWS; r++) {
			struct noise_row *row = table_add(table);

			random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			*row = (struct noise_row){ r, random >> 16 };
		}
		why = past_file_keep(file, &frame);
		if (why)
			snprintf(lost_text, sizeof(lost_text), "%s", why);
		lost_texts += why != NULL;
	}
	frame_close(&frame);
}

static void keep(unsigned from, unsigned to)
{
	keep_ahead(from, to, 0);
}

/* How many frames there are. Closes the source. */
static size_t count_frames(struct source *source)
{
	uint64_t first_ns, last_ns;
	size_t n_frames = 0;

	while (!source->extent(source->state, &n_frames, &first_ns, &last_ns))
		;
	first = (unsigned)((first_ns - START_NS) / SECOND_NS);
	last = (unsigned)((last_ns - START_NS) / SECOND_NS);
	source->close(source->state);
	return n_frames;
}

static size_t kept(void)
{
	struct source source;

	ck_assert_int_eq(past_file_read(file, &source), 0);
	return count_frames(&source);
}

START_TEST(everything_is_there_at_any_time)
{
	struct source source;

	file = past_file_open(3600, PAST_BYTES, schemas, 1);
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(past_file_read(file, &source), -ENODATA);
	for (unsigned i = 1; i < 80; i++) {
		keep(i - 1, i);
		ck_assert_uint_eq(kept(), i);
		ck_assert_uint_eq(first, 0);
		ck_assert_uint_eq(last, i - 1);
	}
	past_file_close(file);
}

START_TEST(what_is_too_old_or_too_much_goes)
{
	file = past_file_open(600, PAST_BYTES, schemas, 1);
	keep(0, 5000);
	kept();
	ck_assert_uint_eq(last, 4999);
	ck_assert(first >= 3000 && first <= 4400); /* whole chains go */
	past_file_close(file);
	file = past_file_open(1e6, (uint64_t)4 << 20, schemas, 1);
	keep(0, 8000);
	kept();
	ck_assert(last == 7999 && first > 4000);
	ck_assert_uint_lt(past_file_bytes(file), (uint64_t)8 << 20);
	past_file_close(file);
}

/* A suspended machine leaves a gap, as a clock that is set forward does: what was before it stays. */
START_TEST(a_suspended_machine_keeps_its_past)
{
	const unsigned asleep = 8 * 3600;
	struct source source;
	size_t before;

	file = past_file_open(600, PAST_BYTES, schemas, 1);
	keep(0, 300);
	keep_ahead(300, 400, asleep);
	ck_assert_uint_eq(kept(), 400);
	ck_assert_uint_eq(first, 0);
	ck_assert_uint_eq(last, 399 + asleep);
	ck_assert_int_eq(past_file_read(file, &source), 0);
	before = source.find(source.state, START_NS + 3600 * SECOND_NS); /* while it was suspended */
	ck_assert_uint_eq(before, 299);
	source.close(source.state);
	keep_ahead(400, 5000, asleep);
	kept();
	ck_assert_uint_ge(first, 300 + asleep);
	past_file_close(file);
}

/* The past gets shorter, and keeping goes on. */
START_TEST(a_full_disk_shortens_it)
{
	struct rlimit before, full;

	file = past_file_open(1e6, PAST_BYTES, schemas, 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	full = (struct rlimit){ .rlim_cur = 200000, .rlim_max = before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &full);
	keep(0, 3000);
	kept();
	setrlimit(RLIMIT_FSIZE, &before);
	ck_assert_uint_eq(last, 2999);
	ck_assert_uint_gt(first, 2000);
	keep(3000, 3100);
	kept();
	ck_assert_uint_eq(last, 3099);
	past_file_close(file);
}

static int wrong(int line)
{
	fprintf(stderr, "# line %d\n", line);
	return 1;
}

#define CHECK(condition) \
	do \
		if (!(condition)) \
			return wrong(__LINE__); \
	while (0)

/* In a file system of its own of a MiB. */
static bool cannot_mount_small(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "/var/tmp", "tmpfs", 0, "size=1m") < 0)
		return true;
	setenv("XDG_CACHE_HOME", "/var/tmp", 1);
	file = past_file_open(1e6, PAST_BYTES * 100, schemas, 1);
	return false;
}

/* Of less than the past would take. */
static int fill_file_system(void)
{
	for (unsigned i = 0; i < 3000; i += 100) {
		keep(i, i + 100);
		CHECK(past_file_bytes(file) <= 1 << 20 && kept() > 0 && last == i + 99);
	}
	CHECK(first > 1000);
	return 0;
}

/* Another file takes all room, and later gives it back. */
static int fill_by_others(void)
{
	static const char zeros[65536];
	unsigned kept_first;
	int other;

	keep(0, 100);
	other = open("/var/tmp/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (unsigned i = 100; i < 1000; i += 50) {
		while (write(other, zeros, sizeof(zeros)) > 0)
			;
		keep(i, i + 50);
		CHECK(kept() > 0);
	}
	CHECK(last < 800); /* what was freed is taken at once … */
	kept_first = first;
	CHECK(lost_texts > 0 && strstr(lost_text, "No space left on device; samples are lost"));
	CHECK(last > first + 20); /* … and not all of what was there goes for it */
	CHECK(user_file_save_new("/var/tmp/saved", save, file, text, sizeof(text)) == -ENOSPC);
	CHECK(access("/var/tmp/saved", F_OK) < 0 && kept() > 0 && first == kept_first);
	CHECK(ftruncate(other, 0) == 0);
	keep(1000, 1100);
	CHECK(strstr(lost_text, "written again; "));
	CHECK(kept() > 0 && first == kept_first && last == 1099);
	CHECK(user_file_save_new("/var/tmp/saved", save, file, text, sizeof(text)) == 0);
	return 0;
}

START_TEST(a_full_file_system_shortens_it_and_what_was_kept_stays)
{
	static int (*const fills[])(void) = { fill_file_system, fill_by_others };

	for (unsigned i = 0; i < 2; i++) {
		pid_t child = fork();
		int status;

		ck_assert_int_ge(child, 0);
		if (child == 0)
			_exit(cannot_mount_small() ? 77 : fills[i]());
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			skip_test("no file system can be mounted here");
		ck_assert_msg(status == 0, "%u: %d", i, status);
	}
}

START_TEST(it_is_saved)
{
	char path[SCRATCH_PATH_MAX];
	struct recording_input input;
	struct source source;
	struct stat status;
	const char *why;
	size_t n;
	int fd;

	file = past_file_open(600, PAST_BYTES, schemas, 1);
	scratch_template(path, "past");
	fd = mkstemp(path);
	ck_assert_int_eq(past_file_save(file, fd), -ENODATA);
	keep(0, 2000);
	ck_assert_int_eq(past_file_save(file, fd), 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	ck_assert_uint_ge((uint64_t)status.st_blocks * 512, past_file_bytes(file) / 2);
	input = (struct recording_input){ .fd = fd, .schemas = schemas, .n_schemas = 1 };
	ck_assert_int_eq(recording_open(&source, &input, &why), 0);
	n = count_frames(&source);
	ck_assert_uint_eq(n, kept());
	past_file_close(file);
}
