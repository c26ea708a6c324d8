/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test shares. */
#include <config.h>

#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <sys/mman.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "output/recording.h"
#include "sys/descriptor.h"
#include "topic/topic.h"

#define PATIENCE_SECONDS 900 /* it is to end what hangs, on a machine that may be slow */
#define TESTS_MAX 1280
#define SCRATCH_NAME "panetop-unit-XXXXXX"

/* Hold all that the tests of a run make below /tmp, and in memory. */
char suite_place[160];
static char scratch[] = "/tmp/" SCRATCH_NAME, in_memory[] = "/dev/shm/" SCRATCH_NAME;

void mark_new_point(const char *file, int line)
{
	static _Thread_local const char *last_file;
	static _Thread_local int last_line;

	if (line == last_line && file == last_file)
		return;
	last_file = file;
	last_line = line;
	(_mark_point)(file, line);
}

const char *said_now(void)
{
	static size_t start;
	const char *log = error_message_log() + start;

	start += strlen(log);
	return log;
}

const char *textf(const char *format, ...)
{
	static _Thread_local char texts[8][4096];
	static _Thread_local unsigned next;
	char *text = texts[next++ % 8];
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(text, sizeof(texts[0]), format, list);
	va_end(list);
	ck_assert_int_lt(length, (int)sizeof(texts[0]));
	return text;
}

unsigned n_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned n = 0;

	ck_assert_ptr_nonnull(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}

double clock_seconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void rest_ns(long nanoseconds)
{
	struct timespec pause = { .tv_nsec = nanoseconds };

	while (nanosleep(&pause, &pause) < 0 && errno == EINTR)
		;
}

void *shared_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

int open_uncached(size_t n_blocks)
{
	char path[SCRATCH_PATH_MAX], *bytes = calloc(n_blocks, 4096);
	int fd;

	scratch_template(path, "disk");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, n_blocks * 4096), (ssize_t)n_blocks * 4096);
	ck_assert_int_eq(fsync(fd), 0);
	free(bytes);
	close(fd);
	return open(path, O_RDONLY | O_DIRECT);
}

bool is_root(void)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long n_users = 0;
	bool is_known = map && fscanf(map, "%*u %*u %lu", &n_users) == 1;

	if (map)
		fclose(map);
	return geteuid() == 0 && is_known && n_users == UINT32_MAX;
}

int lowest_free_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	close(fd);
	return fd;
}

unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

const char *find_part(const char *text, bool is_in, const char *const *parts)
{
	while (*parts && (strstr(text, *parts) != NULL) != is_in)
		parts++;
	return *parts;
}

static bool still_read(const struct machine_clock *clock, clockid_t which, uint64_t *ns)
{
	struct still_clock *still = (struct still_clock *)clock;

	*ns = still->ns + (which == CLOCK_BOOTTIME ? still->slept_ns : 0);
	if (which != CLOCK_REALTIME)
		return true;
	still->ns += still->busy_ns;
	still->busy_ns = 0;
	return true;
}

/* Who waits in a test waits for something real: it is given a moment, and the clock stands still. */
static void still_pause(const struct machine_clock *clock, uint64_t ns)
{
	(void)clock;
	real_clock.pause(&real_clock, ns);
}

struct still_clock still_clock_at(uint64_t ns)
{
	return (struct still_clock){ .clock = { still_read, still_pause }, .ns = ns };
}

static bool open_directory(char *path)
{
	return mkdtemp(path) && chmod(path, 0711) == 0;
}

static bool open_scratch(void)
{
	if (!open_directory(in_memory)) /* a container need not have it */
		*in_memory = '\0';
	return open_directory(scratch);
}

static int remove_scratch(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s' '%s'", scratch, in_memory);
	return system(command);
}

void scratch_template(char path[SCRATCH_PATH_MAX], const char *name)
{
	snprintf(path, SCRATCH_PATH_MAX, "%s/%s-XXXXXX", scratch, name);
}

void scratch_directory(char path[SCRATCH_PATH_MAX], const char *name)
{
	scratch_template(path, name);
	ck_assert_ptr_nonnull(mkdtemp(path));
}

void scratch_directory_in_memory(char path[SCRATCH_PATH_MAX], const char *name)
{
	if (!*in_memory) {
		scratch_directory(path, name);
		return;
	}
	snprintf(path, SCRATCH_PATH_MAX, "%s/%s-XXXXXX", in_memory, name);
	ck_assert_ptr_nonnull(mkdtemp(path));
}

static struct known_test {
	const TTest *test;
	enum test_part part;
	int number;
} tests[TESTS_MAX];
static size_t n_tests, n_steady;

static void add(const TTest *test, enum test_part part, int number)
{
	if (n_tests == TESTS_MAX)
		abort();
	tests[n_tests++] = (struct known_test){ test, part, number };
	n_steady += part == PART_STEADY;
}

void suite_add(const TTest *test, enum test_part part)
{
	add(test, part, 0);
}

void suite_add_numbered(const char *name, void (*run)(int), const char *file, int number)
{
	TTest *test = alloc_zeroed(1, sizeof(*test));

	*test = (TTest){ alloc_text(name), run, file, number };
	add(test, PART_STEADY, number);
}

/* TEST_PART=live or =tolerance: these; =steady: the others, or live ones alone. Without it: no tolerances. */
static bool is_of_part(enum test_part part)
{
	const char *wanted = getenv("TEST_PART");

	if (wanted && strcmp(wanted, "tolerance") == 0)
		return part == PART_TOLERANCE;
	if (wanted && strcmp(wanted, "live") == 0)
		return part == PART_LIVE;
	if (wanted && strcmp(wanted, "steady") == 0 && n_steady > 0)
		return part == PART_STEADY;
	return part != PART_TOLERANCE;
}

static int by_line(const void *a, const void *b)
{
	return ((const struct known_test *)a)->test->line - ((const struct known_test *)b)->test->line;
}

/* The comment of TAP may have several lines. */
static void print_comment(const char *text)
{
	printf("# ");
	for (; *text; text++)
		printf(*text == '\n' ? "\n# " : "%c", *text);
	printf("\n");
}

static bool print_result(unsigned number, TestResult *result)
{
	const char *name = tr_tcname(result), *message = tr_msg(result);
	bool passed = tr_rtype(result) == CK_PASS;
	bool skipped = !passed && strncmp(message, SKIP_PREFIX, strlen(SKIP_PREFIX)) == 0;

	if (skipped) {
		printf("ok %u - %s # %s\n", number, name, message);
	} else {
		printf("%s %u - %s\n", passed ? "ok" : "not ok", number, name);
		if (!passed) {
			printf("# %s:%d\n", tr_lfile(result), tr_lno(result));
			print_comment(message);
		}
	}
	return passed || skipped;
}

static bool print_results(SRunner *runner)
{
	TestResult **results = srunner_results(runner);
	int n = srunner_ntests_run(runner);
	bool good = n > 0;

	for (int i = 0; i < n; i++)
		good &= print_result((unsigned)i + 1, results[i]);
	if (n == 0 && getenv("CK_RUN_CASE"))
		printf("# no test here is called %s\n", getenv("CK_RUN_CASE"));
	printf("1..%d\n", n);
	free(results);
	return good;
}

/* The only place where tests are left out by architecture. */
static bool is_of_another_machine(const char *program)
{
	/* Their fixtures hold numbers as little-endian machines have them. */
	static const char *const little_endian[] = { "core_test", "event_decode_test", "output_test",
						     "perf_record_test" };
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

	for (size_t i = 0; i < sizeof(little_endian) / sizeof(little_endian[0]); i++)
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && strcmp(name, little_endian[i]) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	Suite *suite = suite_create(argc > 0 ? argv[0] : "");
	SRunner *runner;
	bool good;

	if (argc > 0 && is_of_another_machine(argv[0])) {
		puts("1..0 # SKIP its fixtures are of little-endian machines");
		return EXIT_SUCCESS;
	}
	setlocale(LC_ALL, "C.UTF-8");
	setlocale(LC_NUMERIC, "C");
	qsort(tests, n_tests, sizeof(*tests), by_line); /* constructors run in any order */
	for (size_t i = 0; i < n_tests; i++) {
		const TTest *test = tests[i].test;
		TCase *tcase;

		if (!is_of_part(tests[i].part))
			continue;
		tcase = tcase_create(test->name);
		tcase_set_timeout(tcase, PATIENCE_SECONDS);
		tcase_add_loop_test(tcase, test, tests[i].number, tests[i].number + 1);
		suite_add_tcase(suite, tcase);
	}
	if (!open_scratch()) {
		perror(scratch);
		return EXIT_FAILURE;
	}
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_SILENT);
	good = print_results(runner);
	srunner_free(runner);
	return remove_scratch() == 0 && good ? EXIT_SUCCESS : EXIT_FAILURE;
}

void check_text(const char *name, const char *found, const char *expected)
{
	ck_assert_msg(strcmp(found, expected) == 0, "%s: %s\nnot %s", name, found, expected);
}

const struct notice *notice_with(const struct frame *frame, const char *part)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strstr(frame->notices[i].text, part))
			return &frame->notices[i];
	return NULL;
}

void touch_pages(size_t n_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), length = n_pages * page;
	char *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	madvise(pages, length, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < length; at += page)
		*(volatile char *)(pages + at) = 1;
	munmap(pages, length);
}

pid_t begin_child(void)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

struct ordered_child start_ordered_child(void (*obey)(int orders, int answers), void *answer, size_t bytes)
{
	int orders[2], answers[2];
	struct ordered_child child;

	ck_assert(pipe2(orders, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0);
	child = (struct ordered_child){ begin_child(), orders[1], answers[0] };
	if (child.pid == 0) {
		close(orders[1]);
		close(answers[0]);
		obey(orders[0], answers[1]);
		_exit(0);
	}
	close(orders[0]);
	close(answers[1]);
	if (bytes > 0)
		take_answer(&child, answer, bytes);
	return child;
}

void give_order(const struct ordered_child *child, const void *order, size_t bytes)
{
	ck_assert_int_eq(write(child->orders, order, bytes), (ssize_t)bytes);
}

void take_answer(const struct ordered_child *child, void *answer, size_t bytes)
{
	ck_assert_int_eq(read(child->answers, answer, bytes), (ssize_t)bytes);
}

void order_child(const struct ordered_child *child, char what, void *answer, size_t bytes)
{
	give_order(child, &what, 1);
	take_answer(child, answer, bytes);
}

void end_ordered_child(const struct ordered_child *child)
{
	end_child(child->pid);
	close(child->orders);
	close(child->answers);
}

int open_replay(struct source *source, int fd, uint64_t back_bytes, const struct schema *const *schemas,
		unsigned n_schemas, const char **why)
{
	const struct recording_input input = {
		.fd = fd, .back_bytes = back_bytes, .schemas = schemas, .n_schemas = n_schemas
	};

	return replay_open(source, &input, why);
}

const char *test_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/tests/%s", SRCDIR, name);
	return path;
}

void check_listing(FILE *made, const char *path)
{
	bool updates = getenv("UPDATE_LISTINGS") != NULL;
	FILE *kept = fopen(test_path(path), updates ? "w" : "r");
	char now[256] = "", then[256] = "";

	ck_assert_msg(kept != NULL, "%s: %s; make update-listings writes it", path, strerror(errno));
	rewind(made);
	if (updates)
		while (fgets(now, sizeof(now), made))
			fputs(now, kept);
	for (unsigned line = 1; !updates && (now[0] || then[0] || line == 1); line++) {
		if (!fgets(now, sizeof(now), made))
			now[0] = '\0';
		if (!fgets(then, sizeof(then), kept))
			then[0] = '\0';
		ck_assert_msg(strcmp(now, then) == 0,
			      "%s:%u: make update-listings, and read the diff\nwas %snow %s", path, line,
			      then[0] ? then : "nothing\n", now[0] ? now : "nothing\n");
	}
	fclose(kept);
}

const char *fixture_root(const char *name, int tick)
{
	return textf("%s/tests/roots/%s/tick%d", BUILDDIR, name, tick);
}

char *load_seed(const char *name, size_t *length)
{
	static char bytes[4096];
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "fuzz/corpus/%s", name);
	file = fopen(test_path(path), "rb");
	ck_assert_msg(file != NULL, "%s", path);
	*length = fread(bytes, 1, sizeof(bytes), file);
	ck_assert(*length > 0 && *length < sizeof(bytes));
	fclose(file);
	return bytes;
}

const struct topic_settings *usual_settings(void)
{
	static struct settings settings;

	settings_open(&settings);
	return &settings.topic;
}

static const void *find_cell(const struct frame *frame, const char *topic, const char *row, const char *key,
			     const struct column **column)
{
	const struct table *table = frame_table(frame, topic);
	const void *found;
	int index;

	ck_assert_msg(table != NULL, "%s was not sampled", topic);
	found = row ? table_find(table, row, NULL) : table->n_rows > 0 ? table_row(table, 0) : NULL;
	ck_assert_msg(found != NULL, "%s has no row %s", topic, row ? row : "(first)");
	index = schema_column(table->schema, key);
	ck_assert_msg(index >= 0, "%s has no column %s", topic, key);
	*column = &table->schema->columns[index];
	return found;
}

uint64_t cell_u64(const struct frame *frame, const char *topic, const char *row, const char *key)
{
	const struct column *column;
	const void *found = find_cell(frame, topic, row, key, &column);

	ck_assert_int_eq(column->type, VALUE_U64);
	return row_u64(found, column);
}

double cell_f64(const struct frame *frame, const char *topic, const char *row, const char *key)
{
	const struct column *column;
	const void *found = find_cell(frame, topic, row, key, &column);

	ck_assert_int_eq(column->type, VALUE_F64);
	return row_f64(found, column);
}

const char *cell_text(const struct frame *frame, const char *topic, const char *row, const char *key)
{
	const struct column *column;
	const void *found = find_cell(frame, topic, row, key, &column);

	ck_assert_int_eq(column->type, VALUE_TEXT);
	return row_text(found, column);
}

static void print_text(struct buffer *out, const char *text)
{
	if ((*text == '?' || *text == '-') && !text[1])
		buffer_char(out, '\\');
	for (; *text; text++)
		if (*text == '\n' || *text == '\t')
			buffer_text(out, *text == '\n' ? "\\n" : "\\t");
		else if ((unsigned char)*text < ' ' || (unsigned char)*text == 0x7f || *text & 0x80)
			buffer_print(out, "\\x%02x", (unsigned char)*text);
		else
			buffer_char(out, *text);
}

const void *find_number(const struct frame *frame, const char *topic, const char *column, double number)
{
	const struct table *table = frame_table(frame, topic);

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), column) == number)
			return table_row(table, i);
	return NULL;
}

bool has_notice(const struct frame *frame, const char *part)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strstr(frame->notices[i].text, part) ||
		    (frame->notices[i].remedy && strstr(frame->notices[i].remedy, part)))
			return true;
	return false;
}

static void print_value(struct buffer *out, const void *row, const struct column *column, bool escaped)
{
	buffer_print(out, "%s%s=", out->length ? " " : "", column->key);
	if (!row_is_known(row, column))
		buffer_char(out, row_is_blank(row, column) ? '-' : '?');
	else if (column->type == VALUE_TEXT && escaped)
		print_text(out, row_text(row, column));
	else if (column->type == VALUE_TEXT)
		buffer_text(out, row_text(row, column));
	else if (column->type == VALUE_U64)
		buffer_print(out, "%" PRIu64, row_u64(row, column));
	else
		buffer_print(out, "%.10g", fabs(row_f64(row, column)) < 1e-12 ? 0 : row_f64(row, column));
}

static char *print_values(const struct schema *schema, const void *row, const char *values, bool escaped)
{
	struct buffer out = { 0 };

	for (unsigned c = 0; c < schema->n_columns && !values; c++)
		if (row_is_known(row, &schema->columns[c]))
			print_value(&out, row, &schema->columns[c], escaped);
	while (values && *values) {
		size_t length = strcspn(values, "= ");
		const struct column *column = schema_find(schema, textf("%.*s", (int)length, values));

		if (values[length] == '=' && column)
			print_value(&out, row, column, escaped);
		else if (out.length == 0)
			ck_abort_msg("%s%s has no column as in %s", suite_place, schema->name, values);
		values += length + strcspn(values + length, " ");
		values += strspn(values, " ");
	}
	buffer_char(&out, '\0');
	return out.bytes;
}

char *row_values(const struct schema *schema, const void *row, const char *values)
{
	return print_values(schema, row, values, true);
}

static void check_rows(const struct frame *frame, const char *topic, const char *values, bool of_all_columns)
{
	const struct table *table = frame_table(frame, topic);
	struct buffer rows = { 0 };
	unsigned n_same = 0;

	ck_assert_msg(table != NULL, "%s was not sampled", topic);
	for (size_t i = 0; i < table->n_rows; i++) {
		char *text = print_values(table->schema, table_row(table, i), of_all_columns ? NULL : values,
					  false);

		n_same += strcmp(text, values) == 0;
		buffer_print(&rows, "%s\n", text);
		free(text);
	}
	buffer_char(&rows, '\0');
	ck_assert_msg(n_same == 1, "%s: %u rows are\n%s\nof these:\n%s", topic, n_same, values, rows.bytes);
	buffer_free(&rows);
}

void check_row(const struct frame *frame, const char *topic, const char *values)
{
	check_rows(frame, topic, values, true);
}

void check_values(const struct frame *frame, const char *topic, const char *values)
{
	check_rows(frame, topic, values, false);
}

char *read_test_file(const char *name)
{
	FILE *input = fopen(test_path(name), "r");
	struct buffer text = { 0 };
	char part[4096];
	size_t length;

	if (!input) { /* no assertion: tests may not run yet */
		perror(name);
		exit(EXIT_FAILURE);
	}
	while ((length = fread(part, 1, sizeof(part), input)) > 0)
		buffer_add(&text, part, length);
	fclose(input);
	buffer_char(&text, '\0');
	return text.bytes;
}

static bool read_hex_digit(char digit, unsigned *value)
{
	const char *digits = "0123456789abcdef", *at = digit ? strchr(digits, digit) : NULL;

	*value = *value * 16 + (unsigned)(at ? at - digits : 0);
	return at != NULL;
}

size_t unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		unsigned byte = 0;

		if (*at != '\\' || !at[1])
			*to++ = *at;
		else if (*++at == 'x' && read_hex_digit(at[1], &byte) && read_hex_digit(at[2], &byte))
			*to++ = (char)byte, at += 2;
		else if (*at == 'n' || *at == 't' || *at == '\\')
			*to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : '\\';
		else if (*at != 'e')
			return SIZE_MAX;
	}
	*to = '\0';
	return (size_t)(to - text);
}

static int is_text_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".txt") == 0;
}

void for_each_test_file(const char *directory, void (*take)(const char *name))
{
	struct dirent **files;
	int n_files = scandir(test_path(directory), &files, is_text_file, alphasort);

	for (int i = 0; i < n_files; i++) {
		take(files[i]->d_name);
		free(files[i]);
	}
	free(files);
}
