/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test shares, and includes first: usual headers, running as TAP, fixtures, sampling. */
#ifndef PANETOP_TESTS_SUITE_H
#define PANETOP_TESTS_SUITE_H

#include <config.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/frame.h"
#include "model/settings.h"
#include "sys/env.h"
#include "sys/machine.h"

#define SCRATCH_PATH_MAX 64
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* One program is one suite: suite.c has main(), and every START_TEST adds itself. */
#undef START_TEST
#define START_TEST_OF(test, part) \
	static void test##_fn(int); \
	static const TTest test##_ttest = { #test, test##_fn, __FILE__, __LINE__ }; \
	__attribute__((constructor)) static void test##_add(void) \
	{ \
		suite_add(&test##_ttest, part); \
	} \
	static void test##_fn(int _i CK_ATTRIBUTE_UNUSED)
#define START_TEST(test) START_TEST_OF(test, PART_STEADY)

/* What depends on how the machine runs just now: make check-live, not scripts/check --quick. */
#define START_LIVE_TEST(test) START_TEST_OF(test, PART_LIVE)

/* What only a tolerance decides: bench/run tolerances. */
#define START_TOLERANCE_TEST(test) START_TEST_OF(test, PART_TOLERANCE)
enum test_part { PART_STEADY, PART_LIVE, PART_TOLERANCE };
void suite_add(const TTest *test, enum test_part part);
void suite_add_numbered(const char *name, void (*run)(int), const char *file, int number); /* its argument */

/*
 * Each assertion that holds has its place written to a file, for a crash that may follow; it is there already
 * where it was the last one, too, as in a loop.
 */
void mark_new_point(const char *file, int line);
#define _mark_point(file, line) mark_new_point(file, line)

/* "FILE:LINE: " of the text that a test follows, for messages; empty where a test is C. */
extern char suite_place[160];

/* What error_message() said since the last call. */
const char *said_now(void);

/* A text made as by printf(), of at most 4095 bytes; it stays until the eighth one after it. */
const char *textf(const char *format, ...) __attribute__((format(printf, 1, 2)));

unsigned n_descriptors(void); /* that are open, and three more: for a comparison */
int lowest_free_descriptor(void);
unsigned count_of(const char *text, const char *part);

/* The text has each of these parts, or none of them. */
#define check_has(text, ...) check_each_part(text, false, __VA_ARGS__)
#define check_lacks(text, ...) check_each_part(text, true, __VA_ARGS__)
#define check_each_part(text, is_in, ...) \
	do { \
		const char *part_ = find_part(text, is_in, (const char *const[]){ __VA_ARGS__, NULL }); \
		ck_assert_msg(!part_, "%s is %sin:\n%s", part_, (is_in) ? "" : "not ", text); \
	} while (0)
/* The first that is, or is not, in it; NULL: there is none. */
const char *find_part(const char *text, bool is_in, const char *const *parts);

/* Of the machine: root of a user namespace has no rights outside it, and maybe no other user in it. */
bool is_root(void);

/* For a child and its parent, in live tests. */
double clock_seconds(clockid_t clock);
void rest_ns(long nanoseconds); /* below a second; signals do not end it */
void *shared_memory(size_t bytes);

/* A file of so many blocks of 4096 bytes that is read past the page cache. -1: this file system has none. */
int open_uncached(size_t n_blocks);

/* Ends a test that cannot be made here; its arguments are those of printf(), the first one a literal: why. */
#define skip_test(...) ck_abort_msg(SKIP_PREFIX __VA_ARGS__)
#define SKIP_PREFIX "SKIP "

/* A clock that stands still until the test moves it, so that rates and ages are exact. */
struct still_clock {
	struct machine_clock clock;
	uint64_t ns;       /* what all say … */
	uint64_t slept_ns; /* … and CLOCK_BOOTTIME so much more */
	uint64_t busy_ns;  /* so much later it is once a tick has read its clocks */
};

struct still_clock still_clock_at(uint64_t ns);

/* The text that came of this case is as expected. */
void check_text(const char *name, const char *found, const char *expected);

/* The first notice that has this part; NULL: there is none. */
const struct notice *notice_with(const struct frame *frame, const char *part);

/* A page fault for each, none for several at once. */
void touch_pages(size_t n_pages);

/* As fork(); the child ends with the test, or is killed. */
pid_t begin_child(void);
void end_child(pid_t pid);

/*
 * A child that obeys orders: it reads them from one descriptor, and writes answers to them to the other one,
 * whose lengths both know. The first answer is to no order: it has begun; of 0 bytes: there is none.
 */
struct ordered_child {
	pid_t pid;
	int orders, answers;
};
struct ordered_child start_ordered_child(void (*obey)(int orders, int answers), void *answer, size_t bytes);
void give_order(const struct ordered_child *child, const void *order, size_t bytes);
void take_answer(const struct ordered_child *child, void *answer, size_t bytes);
void order_child(const struct ordered_child *child, char what, void *answer, size_t bytes); /* both */
void end_ordered_child(const struct ordered_child *child);

/* What topics measure without any setting. */
const struct topic_settings *usual_settings(void);

/* The directory CASE/tickN of the fixtures, as tests/machines/make.py wrote them. */
const char *fixture_root(const char *name, int tick);

/*
 * Names a file or directory below /tmp that mkstemp() or mkdtemp() can make: it goes when all tests have run,
 * whatever becomes of the one that made it. Others may pass through the directory that it lies in.
 */
void scratch_template(char path[SCRATCH_PATH_MAX], const char *name);

/* As a directory that is made. */
void scratch_directory(char path[SCRATCH_PATH_MAX], const char *name);

/* The same on tmpfs where there is one: many small files take long on a disk. */
void scratch_directory_in_memory(char path[SCRATCH_PATH_MAX], const char *name);

/* replay_open() of what fd gives. */
int open_replay(struct source *source, int fd, uint64_t back_bytes, const struct schema *const *schemas,
		unsigned n_schemas, const char **why);

/* Path of a file below tests. */
const char *test_path(const char *name);

/* What was made is what is stored at this path below tests, where make update-listings writes it. */
void check_listing(FILE *made, const char *path);

/*
 * A file below tests/fuzz/corpus, at most 4095 bytes, in memory that may be changed and is used again by the
 * next call. Binary ones are of a little-endian machine.
 */
char *load_seed(const char *name, size_t *length);

/* The value at (topic, row of that first key, column), as a number or text; without it the test fails. */
uint64_t cell_u64(const struct frame *frame, const char *topic, const char *row, const char *column);
double cell_f64(const struct frame *frame, const char *topic, const char *row, const char *column);
const char *cell_text(const struct frame *frame, const char *topic, const char *row, const char *column);

/* The row whose number in this column it is; NULL: there is none. */
const void *find_number(const struct frame *frame, const char *topic, const char *column, double number);

/* Has a notice this in its text or its remedy? */
bool has_notice(const struct frame *frame, const char *part);

/*
 * There is one row of the topic with these values in all its columns, in their order, parted by blanks:
 * "irq=36 cpu=all interrupts=7950197". What is unknown is left out; numbers have ten digits.
 */
void check_row(const struct frame *frame, const char *topic, const char *values);

/* The same in the columns that are named; it may have others. What is unknown is "?", what is blank "-". */
void check_values(const struct frame *frame, const char *topic, const char *values);

/* What stands there, escaped, in the columns of these values (NULL: in all known ones); to be freed. */
char *row_values(const struct schema *schema, const void *row, const char *values);

/* The text of a file below tests; to be freed. */
char *read_test_file(const char *name);

/* In place \n, \t, \\, \xff, and \e, which is nothing. The length, with NULs; SIZE_MAX: another one. */
size_t unescape(char *text);

/* The names of all *.txt in a directory below tests, sorted. */
void for_each_test_file(const char *directory, void (*take)(const char *name));

#endif
