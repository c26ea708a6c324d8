/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "profile …": which functions run, in which stacks, who calls whom, and what sampling costs. A
 * helper reads the lists of files of all packages, for those that have names.
 */
#include <config.h>

#include "topic/profile/profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/span.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/device_poll.h"
#include "topic/profile/profile_events.h"
#include "topic/profile/profiler.h"

#define LISTS "var/lib/dpkg/info"
#define ENDING ".list"
#define NAME_BYTES 128
#define LIST_BYTES_MAX ((size_t)16 << 20)
#define MERGED "/usr" /* before what packages still name without */
#define SOUGHT_MAX 64

struct sought {
	struct device_poll poll;
	struct sought *next;
	bool known;
	char name[NAME_BYTES]; /* written by the helper, and shown when it is known */
	char path[];
};

struct package_names {
	struct sought *first;
	unsigned n;
};

static const char packages_key;

static void close_names(void *state)
{
	struct package_names *names = state;

	while (names->first) {
		struct sought *sought = names->first;

		names->first = sought->next;
		device_poll_drop(&sought->poll);
	}
}

static bool has_line(struct span text, const char *path)
{
	struct span line;

	while (span_line(&text, &line))
		if (span_is(line, path))
			return true;
	return false;
}

static bool lists_file(const struct buffer *list, const char *path)
{
	struct span text = span_of(list->bytes, list->length);

	return has_line(text, path) ||
	       (strncmp(path, MERGED "/", sizeof(MERGED)) == 0 && has_line(text, path + sizeof(MERGED) - 1));
}

/* "libc6:amd64.list": those of libc6 have another name than all that are made automatically. */
static void name_package(struct sought *sought, const char *list)
{
	int length = (int)strcspn(list, ":");

	if (!list[length])
		length -= (int)sizeof(ENDING) - 1;
	snprintf(sought->name, sizeof(sought->name), "%.*s%s", length, list,
		 strncmp(list, "libc6:", 6) == 0 ? "-dbg" : "-dbgsym");
}

static void find_package(struct device_poll *poll)
{
	struct sought *sought = (struct sought *)poll;
	int fd = root_open_at(poll->root, LISTS, O_RDONLY | O_DIRECTORY);
	DIR *lists = fd < 0 ? NULL : fdopendir(fd);
	struct buffer list = { 0 };
	struct dirent *entry;

	while (lists && !*sought->name && (entry = readdir(lists))) {
		struct span name = span_text(entry->d_name);

		fd = span_take_end(&name, ENDING)
			     ? openat(dirfd(lists), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
			     : -1;
		if (fd < 0)
			continue;
		buffer_empty(&list);
		if (buffer_read(&list, fd, LIST_BYTES_MAX) == 0 && lists_file(&list, sought->path))
			name_package(sought, entry->d_name);
		close(fd);
	}
	if (lists)
		closedir(lists);
	buffer_free(&list);
}

static void note_found(struct device_poll *poll)
{
	((struct sought *)poll)->known = true;
}

static void free_sought(struct device_poll *poll)
{
	helper_free(poll);
}

static struct sought *seek(struct env *env, struct package_names *names, const char *path)
{
	size_t length = strlen(path);
	struct sought *sought = helper_alloc(sizeof(*sought) + length + 1);

	memcpy(sought->path, path, length + 1);
	sought->next = names->first;
	names->first = sought;
	names->n++;
	sought->poll =
		(struct device_poll){ .read = find_package, .finished = note_found, .free = free_sought };
	device_poll_open(&sought->poll, env, LISTS);
	return sought;
}

/* The one that was sought first. */
static void forget_last(struct package_names *names)
{
	struct sought **last = &names->first;

	while (*last && (*last)->next)
		last = &(*last)->next;
	if (!*last)
		return;
	device_poll_drop(&(*last)->poll);
	*last = NULL;
	names->n--;
}

const char *package_names_find(struct env *env, const char *path)
{
	struct package_names *names = env_state(env, &packages_key);
	struct sought *sought;

	if (!names)
		names = env_state_add(env, &packages_key, sizeof(*names), close_names);
	sought = names->first;
	while (sought && strcmp(sought->path, path) != 0)
		sought = sought->next;
	if (!sought && names->n == SOUGHT_MAX)
		forget_last(names);
	if (!sought && names->n < SOUGHT_MAX && *path == '/')
		sought = seek(env, names, path);
	if (sought && !sought->known && !sought->poll.in_flight)
		device_poll_submit(&sought->poll);
	return sought && sought->known ? sought->name : "";
}

#define STACK_TEXT_MAX ((size_t)8192)
#define DEPTH_MAX 512
#define SOURCE "perf cycles or cpu-clock, stacks unwound by .eh_frame"
#define MAPPED "perf mmap2 records, /proc/PID/maps"

struct profile_row {
	const char *function, *file, *path, *names;
	double self_ratio, total_ratio, error_ratio;
	uint64_t samples;
};

enum on_request { REQUEST_FILES = 1 };

struct stack_row {
	const char *stack, *files;
	uint64_t samples;
	double seconds;
};

struct call_row {
	const char *stack, *parent, *function, *program, *file;
	double total_ratio, self_ratio;
	uint64_t samples;
};

struct caller_row {
	const char *caller, *caller_file, *function, *file;
	double total_ratio;
	uint64_t samples;
};

struct line_row {
	const char *function, *file, *source;
	uint64_t line, samples;
	double self_ratio, error_ratio;
};

struct cost_row {
	const char *event;
	uint64_t pid, samples, lost, throttled;
	double seconds, samples_per_second, error_ratio, whole_ratio, cost_ratio;
};

#define ROW(field, ...) COLUMN(struct profile_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(self_ratio, A_GAUGE(RATIO, N_("%self"), 6), .additive = true,
	    .help = N_("samples in which this function ran itself"), .source = SOURCE),
	ROW(total_ratio, A_GAUGE(RATIO, N_("%total"), 7), .rank = 1,
	    .help = N_("samples in which it ran, or what it called; of a recursion once"), .source = SOURCE),
	ROW(error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 4,
	    .help = N_("statistical error of self: 95 of 100 times the share is not farther from it than "
		       "this"),
	    .source = "2 sqrt(self * (1 - self) / all samples)"),
	ROW(samples, A_GAUGE(COUNT, N_("samples"), 7), .rank = 3,
	    .help = N_("in which this function ran itself"), .source = SOURCE),
	ROW(file, A_KEY(N_("file"), 18), .fleeting = true, .rank = 2,
	    .help = N_("program or library; (kernel); (JIT): code that was made at run time"),
	    .source = MAPPED),
	ROW(names, A_LABEL(N_("names"), 8), .words = true, .hidden = true,
	    .help = N_("where the name is from"), .source = "the file"),
	ROW(path, A_LABEL(N_("path"), 30), .hidden = true,
	    .help = N_("path of the file, as its process sees it"), .source = MAPPED),
	ROW(function, A_KEY(N_("function"), 32), .fleeting = true,
	    .help = N_("name of the function; FILE+ADDRESS: its file has no name for it, the address is that "
		       "of its first instruction"),
	    .source = ".symtab, .dynsym, debug file, perf-PID.map, /proc/kallsyms"),
};

#define STACK(field, ...) COLUMN(struct stack_row, field, __VA_ARGS__)

static const struct column stack_columns[] = {
	STACK(samples, A_GAUGE(COUNT, N_("samples"), 7), .help = N_("with exactly this stack"),
	      .source = SOURCE),
	STACK(stack, A_KEY(N_("stack"), 60), .fleeting = true,
	      .help = N_("functions from the first one, which called the next, and so on"), .source = SOURCE),
	STACK(seconds, A_GAUGE(SECONDS, N_("~time"), 8), .hidden = true,
	      .help = N_("CPU time that these samples stand for: an estimate"), .source = "samples / --rate"),
	STACK(files, A_LABEL(N_("files"), 40), .on_request = REQUEST_FILES, .hidden = true,
	      .help = N_("program or library of each function of the stack; of stacks whose functions have "
			 "the same names those of the first"),
	      .source = MAPPED),
};

#define CALL(field, ...) COLUMN(struct call_row, field, __VA_ARGS__)

static const struct column call_columns[] = {
	CALL(total_ratio, A_GAUGE(RATIO, N_("%total"), 7),
	     .help = N_("samples with this stack, or one that goes on from it"), .source = SOURCE),
	CALL(self_ratio, A_GAUGE(RATIO, N_("%self"), 6), .help = N_("samples with exactly this stack"),
	     .source = SOURCE),
	CALL(samples, A_GAUGE(COUNT, N_("samples"), 7), .rank = 1,
	     .help = N_("with this stack, or one that goes on from it"), .source = SOURCE),
	CALL(stack, A_KEY(N_("stack"), 40), .fleeting = true, .hidden = true,
	     .help = N_("functions from the first one on"), .source = SOURCE),
	CALL(parent, A_LABEL(N_("called by"), 40), .hidden = true,
	     .help = N_("the stack that it goes on from"), .source = SOURCE),
	CALL(program, A_LABEL(N_("program"), 12), .rank = 1,
	     .help = N_("first file of the stack that is not a library; blank: there is none"),
	     .source = MAPPED),
	CALL(file, A_LABEL(N_("file"), 16), .rank = 2, .help = N_("program or library of the function"),
	     .source = MAPPED),
	CALL(function, A_LABEL(N_("function"), 40),
	     .help = N_("the last one of the stack, behind those that call nothing else"), .source = SOURCE),
};

#define CALLER(field, ...) COLUMN(struct caller_row, field, __VA_ARGS__)

static const struct column caller_columns[] = {
	CALLER(total_ratio, A_GAUGE(RATIO, N_("%total"), 7),
	       .help = N_("samples in which it ran for this caller, or what it called"), .source = SOURCE),
	CALLER(samples, A_GAUGE(COUNT, N_("samples"), 7),
	       .help = N_("in which it ran for this caller, or what it called; of a recursion once"),
	       .source = SOURCE),
	CALLER(caller, A_KEY(N_("caller"), 32), .fleeting = true,
	       .help = N_("the function that calls; empty: the stack begins here"), .source = SOURCE),
	CALLER(function, A_KEY(N_("function"), 32), .fleeting = true,
	       .help = N_("the function that is called"), .source = SOURCE),
	CALLER(caller_file, A_KEY(N_("its file"), 16), .fleeting = true, .hidden = true,
	       .help = N_("program or library of the caller"), .source = SOURCE),
	CALLER(file, A_KEY(N_("file"), 16), .fleeting = true, .hidden = true,
	       .help = N_("program or library of the called function"), .source = SOURCE),
};

#define LINE(field, ...) COLUMN(struct line_row, field, __VA_ARGS__)

static const struct column line_columns[] = {
	LINE(self_ratio, A_GAUGE(RATIO, N_("%self"), 6),
	     .help = N_("samples, of all since lines are looked up, in which the function itself ran at this "
			"line"),
	     .source = SOURCE),
	LINE(error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 2,
	     .help = N_("statistical error of it, as that of a function"),
	     .source = "2 sqrt(self * (1 - self) / all samples)"),
	LINE(samples, A_GAUGE(COUNT, N_("samples"), 7), .rank = 1,
	     .help = N_("in which the function itself ran at this line"), .source = SOURCE),
	LINE(line, A_KEY(N_("line"), 6), .help = N_("number of the line"), .source = ".debug_line"),
	LINE(source, A_KEY(N_("source"), 32), .fleeting = true,
	     .help = N_("file of the source; of code that was compiled into the function, that of the code"),
	     .source = ".debug_line"),
	LINE(function, A_KEY(N_("function"), 24), .fleeting = true,
	     .help = N_("function that the line is of, or was compiled into"),
	     .source = ".symtab, .dynsym, debug file"),
	LINE(file, A_KEY(N_("file"), 16), .fleeting = true, .hidden = true,
	     .help = N_("program or library of the function"), .source = MAPPED),
};

#define COST(field, ...) COLUMN(struct cost_row, field, __VA_ARGS__)

static const struct column cost_columns[] = {
	COST(pid, A_LABEL(N_("PID"), 7), .hidden = true,
	     .help = N_("the only process that the profile is of; blank: those of the scope"),
	     .source = "/proc"),
	COST(samples, A_GAUGE(COUNT, N_("samples"), 8),
	     .help = N_("of the processes in the scope, which the profile is of; none: they ran, but samples "
			"of them have not come"),
	     .source = SOURCE),
	COST(seconds, A_GAUGE(SECONDS, N_("in"), 6), .help = N_("time that they are of"), .source = "clock"),
	COST(event, A_LABEL(N_("event"), 9), .words = true, .rank = 2,
	     .help = N_("what shares are of: cycles of the CPU, or where it cannot count them, time on it "
			"(cpu-clock)"),
	     .source = "perf_event_open()"),
	COST(samples_per_second, A_GAUGE(PER_SECOND, N_("rate"), 6),
	     .help = N_("samples a second of each busy CPU"), .source = "--rate"),
	COST(error_ratio, A_GAUGE(RATIO, N_("%error"), 6),
	     .help = N_("largest statistical error of a share, of one half"),
	     .source = "1 / sqrt(samples), of those of one weight"),
	COST(whole_ratio, A_GAUGE(RATIO, N_("%whole"), 7),
	     .help = N_("samples since the start whose stack was followed up to where the program began"),
	     .source = "unwinding by .eh_frame"),
	COST(lost, A_GAUGE(COUNT, N_("lost"), 6),
	     .help = N_("samples and other records since the start that found the ring full"),
	     .source = "PERF_RECORD_LOST"),
	COST(throttled, A_GAUGE(COUNT, N_("throttled"), 9), .rank = 1,
	     .help = N_("times since the start that the kernel paused sampling"),
	     .source = "PERF_RECORD_THROTTLE"),
	COST(cost_ratio, A_GAUGE(RATIO, N_("%cost"), 6),
	     .help = N_("of one CPU: unwinding, measured, and sampling in the kernel, estimated at 15 "
			"microseconds each"),
	     .source = "clock of the process that unwinds; samples"),
};

static const char *const names_words[N_PROFILE_NAMES] = {
	[PROFILE_NAMES_NONE] = N_("none"),       [PROFILE_NAMES_SYMTAB] = N_(".symtab"),
	[PROFILE_NAMES_DYNSYM] = N_(".dynsym"),  [PROFILE_NAMES_DEBUG] = N_("debug file"),
	[PROFILE_NAMES_GO] = N_("Go table"),     [PROFILE_NAMES_JIT] = N_("perf map"),
	[PROFILE_NAMES_KERNEL] = N_("kallsyms"),
};

static const struct schema schema = {
	.name = "profile",
	.help = N_("functions by the time that they ran"),
	.none = N_("no process ran, or stacks are not unwound yet"),
	.over_interval = true,
	SCHEMA_ROWS(struct profile_row, columns),
};

static const struct schema stack_schema = {
	.name = "profile_stack",
	.help = N_("samples of running code by stack"),
	.of_stacks = true,
	.none = N_("no process ran, or stacks are not unwound yet"),
	.over_interval = true,
	SCHEMA_ROWS(struct stack_row, stack_columns),
};

static const struct schema call_schema = {
	.name = "profile_call",
	.help = N_("running code as a tree of calls"),
	.none = N_("no process ran, or stacks are not unwound yet"),
	.over_interval = true,
	SCHEMA_ROWS(struct call_row, call_columns),
};

static const struct schema caller_schema = {
	.name = "profile_caller",
	.help = N_("running code by caller and called function"),
	.none = N_("no process ran, or stacks are not unwound yet"),
	.over_interval = true,
	SCHEMA_ROWS(struct caller_row, caller_columns),
};

static const struct schema line_schema = {
	.name = "profile_line",
	.help = N_("lines of the source by the time that they ran"),
	.none = N_("no program with line tables ran (they are compiled with -g)"),
	.over_interval = true,
	SCHEMA_ROWS(struct line_row, line_columns),
};

static const struct schema cost_schema = {
	.name = "profile_cost",
	.help = N_("how many samples of code there are, and what they cost"),
	.over_interval = true,
	SCHEMA_ROWS(struct cost_row, cost_columns),
};

static int test_samples(struct env *env)
{
	struct profile_events events;
	int error = profile_events_open(&events, env, 1);

	profile_events_close(&events);
	return error;
}

static const char more_rights[] =
	N_("run it as root, give it the capability cap_perfmon, or lower kernel.perf_event_paranoid");

static const struct source_spec sources[] = {
	{ .path = "perf samples",
	  .test = test_samples,
	  .gives = N_("samples of running code with their stacks"),
	  .remedies = { { EACCES, more_rights },
			{ EPERM, more_rights },
			{ ENODEV, N_("the process that unwinds stacks cannot start: it takes seccomp "
				     "filters") },
			{ ENOBUFS, N_("programs of this user hold the memory that it may lock: end some, or "
				      "raise kernel.perf_event_mlock_kb or ulimit -l") },
			{ ENOTSUP, N_("it takes this machine, and an x86-64 or arm64 processor") } } },
	{ 0 },
};

struct state {
	struct profiler *profiler;
	struct totals {
		struct profile_sum self, total;
		uint32_t stamp;
	} * totals; /* of each function */
	size_t capacity;
};

static const struct reading reads[] = { READING(struct state, profiler, &profiler_reader), { 0 } };

static void add(struct profile_sum *sum, const struct profile_sum *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
}

static double share(const struct profile_window *window, const struct profile_sum *of)
{
	return (double)of->weight / (double)window->all.weight;
}

static double error_of(double ratio, double n)
{
	return 2 * sqrt(ratio * (1 - ratio) / n);
}

/* Each function on the stack once. */
static void add_stack(struct totals *totals, const struct profile_window *window, uint32_t node,
		      uint32_t stamp)
{
	const struct profile_sum *sum = &window->sums[node];

	add(&totals[window->nodes[node].function].self, sum);
	for (uint32_t at = node; at != PROFILE_NO_NODE; at = window->nodes[at].parent) {
		struct totals *of = &totals[window->nodes[at].function];

		if (of->stamp == stamp)
			continue;
		of->stamp = stamp;
		add(&of->total, sum);
	}
}

#define UNFOLLOWED_RATIO 0.01 /* of the samples, from which on there is a notice */
#define UNREAD_SECONDS 5      /* likewise */

static const char *text_of_culprit(struct arena *arena, const struct profile_culprit *culprit)
{
	if (*culprit->path)
		return arena_print(arena, _("%s, mapped by %s (process %u)"), culprit->path, culprit->command,
				   culprit->pid);
	return arena_print(arena, _("the stack of %s (process %u)"), culprit->command, culprit->pid);
}

/* What was too much for the process that unwinds, and whose it was. */
static void note_culprits(struct sample *sample, const struct profile_window *window)
{
	const struct profile_culprit *culprit = window->culprit;

	if (culprit && culprit->pid == 0)
		frame_notice(sample->frame, sample->topic->schema->name, NULL,
			     P_("unwinding crashed or was ended %u time in ten minutes, and has begun again",
				"unwinding crashed or was ended %u times in ten minutes, and has begun again",
				window->n_ended),
			     window->n_ended);
	else if (culprit)
		frame_notice(sample->frame, sample->topic->schema->name, NULL,
			     P_("unwinding crashed or was ended %u time in ten minutes: for now it leaves "
				"out %s",
				"unwinding crashed or was ended %u times in ten minutes: for now it leaves "
				"out %s",
				window->n_ended),
			     window->n_ended, text_of_culprit(&sample->frame->arena, culprit));
	if (window->n_stuck > 0)
		frame_notice(sample->frame, sample->topic->schema->name, NULL,
			     P_("%zu process that unwound does not end: the kernel lets it wait for a file",
				"%zu processes that unwound do not end: the kernel lets them wait for files",
				(unsigned long)window->n_stuck),
			     window->n_stuck);
	if (window->unfollowed_ratio > UNFOLLOWED_RATIO)
		frame_notice(sample->frame, sample->topic->schema->name, NULL,
			     _("%.0f %% of samples have no callers: following their stacks costs too much"),
			     window->unfollowed_ratio * 100);
}

static void note_lack(struct sample *sample, const struct profile_window *window)
{
	if (window->state.rules_error == -ELIBACC)
		frame_notice(
			sample->frame, sample->topic->schema->name, N_("install libdw1"),
			_("libdw is not installed: stacks are not followed beyond the function that runs"));
	if (window->state.rules_error == -ENOTSUP)
		frame_notice(sample->frame, sample->topic->schema->name, NULL,
			     _("built without libdw: stacks are not followed beyond the function that runs"));
	if (window->own_only)
		frame_notice(sample->frame, sample->topic->schema->name,
			     remedy_for_user(more_rights),
			     _("only code of own processes is sampled, and none of the kernel"));
	if (window->n_left_out > 0)
		frame_notice(sample->frame, sample->topic->schema->name,
			     _("choose a scope: its processes come first"),
			     P_("%zu own process is not sampled: there are too many threads",
				"%zu own processes are not sampled: there are too many threads",
				(unsigned long)window->n_left_out),
			     window->n_left_out);
	if (window->n_missed > 0)
		frame_notice(sample->frame, sample->topic->schema->name,
			     source_remedy(sample->env, sources, -window->missed_error),
			     P_("%zu own process is not sampled: %s", "%zu own processes are not sampled: %s",
				(unsigned long)window->n_missed),
			     window->n_missed,
			     window->missed_error == -ENODATA ? _("it runs, and no sample comes")
							      : env_error_text(-window->missed_error));
	if (window->unread_seconds > UNREAD_SECONDS)
		frame_notice(sample->frame, sample->topic->schema->name, NULL,
			     _("no samples have come for %.0f s: the process that unwinds is stopped, or "
			       "waits for a CPU"),
			     window->unread_seconds);
	note_culprits(sample, window);
	if (window->state.lost > 0)
		frame_notice(sample->frame, sample->topic->schema->name, NULL,
			     _("%llu records were lost: samples, and what programs map"),
			     (unsigned long long)window->state.lost);
}

/* What lacks is reported once, by whichever of the tables is there. */
static const struct profile_window *window_of(struct sample *sample)
{
	struct state *state = sample->state;
	const struct profile_window *window = profiler_window(state->profiler, sample);

	if (profiler_is_first(state->profiler))
		note_lack(sample, window);
	return window;
}

/* Languages whose programs can write the names of what they run, but do not by themselves. */
static const struct language {
	const char *files[2]; /* their names begin so */
	bool interprets;      /* what runs are its own functions; else code that was made at run time */
	const char *text, *remedy;
} languages[] = {
	{ { "python3", "libpython3." }, true, N_("functions of Python programs have no names here"),
	  N_("start Python 3.12 or newer with -X perf") },
	{ { "node" }, false, N_("functions of JavaScript programs have no names here"),
	  N_("start node with --perf-basic-prof") },
	{ { "libjvm.so" }, false, N_("functions of Java programs have no names here"),
	  N_("jcmd PID Compiler.perfmap, since Java 17") },
};

#define HINT_RATIO 0.1 /* of the samples, from which on it is worth a hint */

static bool is_file_of(const struct language *language, const char *file)
{
	bool found = false;

	for (size_t i = 0; i < sizeof(language->files) / sizeof(language->files[0]); i++)
		found |= language->files[i] && span_starts(span_text(file), language->files[i]);
	return found;
}

/* Where a hint is due, code without a name runs, and none with a name of such a map. */
static void note_hints(struct sample *sample, const struct profile_window *window,
		       const struct totals *totals)
{
	uint64_t least = (uint64_t)(HINT_RATIO * (double)window->all.samples), unnamed = 0;
	bool has_map = false;

	for (size_t i = 0; i < window->n_functions; i++) {
		has_map |= totals[i].total.samples > 0 && window->functions[i].names == PROFILE_NAMES_JIT;
		if (strcmp(window->functions[i].file, "(unknown)") == 0)
			unnamed += totals[i].self.samples;
	}
	for (size_t l = 0; l < sizeof(languages) / sizeof(languages[0]) && !has_map; l++) {
		const struct language *of = &languages[l];
		uint64_t runs = 0;

		for (size_t i = 0; i < window->n_functions; i++)
			if (is_file_of(of, window->functions[i].file))
				runs += (of->interprets ? totals[i].self : totals[i].total).samples;
		if (runs > least && (of->interprets || unnamed > least))
			frame_notice(sample->frame, "profile", of->remedy, "%s", _(of->text));
	}
}

/* Samples of functions without a name, by the path of their file. */
struct nameless {
	const char *path;
	uint64_t samples;
};

static struct nameless *nameless_of(struct nameless *list, size_t *n, struct hash *by_path, const char *path)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(path));
	uint32_t at;

	HASH_FIND(at, by_path, hash, strcmp(list[at].path, path) == 0);
	if (at != HASH_NONE)
		return &list[at];
	hash_add(by_path, hash, (uint32_t)*n);
	list[*n] = (struct nameless){ .path = path };
	return &list[(*n)++];
}

/* Where one file has most of them: the package that would name them. */
static void note_package(struct sample *sample, const struct profile_window *window,
			 const struct totals *totals)
{
	struct nameless *list = alloc_zeroed(window->n_functions + 1, sizeof(*list));
	const struct nameless *most = &list[0];
	struct hash by_path = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < window->n_functions; i++) {
		const struct profile_function *function = &window->functions[i];
		bool is_nameless = function->names == PROFILE_NAMES_NONE && *function->path;

		if (is_nameless && totals[i].self.samples > 0)
			nameless_of(list, &n, &by_path, function->path)->samples += totals[i].self.samples;
	}
	for (size_t i = 0; i < n; i++)
		most = list[i].samples > most->samples ? &list[i] : most;
	if (n > 0 && (double)most->samples >= HINT_RATIO * (double)window->all.samples) {
		const char *package = package_names_find(sample->env, most->path);

		if (*package)
			frame_notice(sample->frame, "profile",
				     arena_print(&sample->frame->arena, _("install %s"), package),
				     _("functions of %s have no names here"), most->path);
	}
	hash_free(&by_path);
	free(list);
}

static int sample_functions(struct sample *sample)
{
	struct state *state = sample->state;
	const struct profile_window *window = window_of(sample);

	VECTOR_RESERVE(state->totals, window->n_functions + 1, state->capacity);
	memset(state->totals, 0, window->n_functions * sizeof(*state->totals));
	for (size_t i = 0; i < window->n_nodes; i++)
		if (window->sums[i].samples > 0)
			add_stack(state->totals, window, (uint32_t)i, (uint32_t)i + 1);
	for (size_t i = 0; i < window->n_functions; i++) {
		const struct profile_function *function = &window->functions[i];
		const struct totals *of = &state->totals[i];
		struct profile_row *row;

		if (of->total.samples == 0)
			continue;
		row = table_add(sample->table);
		row->function = sample_text(sample, function->name);
		row->file = sample_text(sample, function->file);
		row->path = sample_text(sample, function->path);
		row->names = names_words[function->names];
		row->samples = of->self.samples;
		row->self_ratio = share(window, &of->self);
		row->total_ratio = share(window, &of->total);
		row->error_ratio = error_of(row->self_ratio, window->n_effective);
	}
	if (window->all.samples == 0)
		return 0;
	note_package(sample, window, state->totals);
	note_hints(sample, window, state->totals); /* last: it is shown first */
	return 0;
}

/* The name of each function, or its file, with ';' between. */
static const char *path_text(struct arena *arena, const struct profile_window *window, uint32_t node,
			     bool of_files)
{
	uint32_t path[DEPTH_MAX];
	struct buffer text = { 0 };
	const char *copy;
	size_t n = 0;

	for (; node != PROFILE_NO_NODE && n < DEPTH_MAX; node = window->nodes[node].parent)
		path[n++] = window->nodes[node].function;
	while (n > 0 && text.length < STACK_TEXT_MAX) {
		const struct profile_function *function = &window->functions[path[--n]];

		buffer_print(&text, "%s%s", text.length > 0 ? ";" : "",
			     of_files ? function->file : function->name);
	}
	copy = arena_copy(arena, text.bytes, text.length);
	buffer_free(&text);
	return copy;
}

/* Functions of the same names in other files are the same stack here. */
static int sample_stacks(struct sample *sample)
{
	const struct profile_window *window = window_of(sample);
	bool with_files = sample_request_wants(sample->request, &stack_schema, REQUEST_FILES);
	struct hash by_text = { 0 };

	for (size_t i = 0; i < window->n_nodes; i++) {
		struct stack_row *row;
		const char *text;
		uint64_t hash;
		uint32_t at;

		if (window->sums[i].samples == 0)
			continue;
		text = path_text(&sample->frame->arena, window, (uint32_t)i, false);
		hash = hash_bytes(HASH_SEED, span_text(text));
		HASH_FIND(at, &by_text, hash,
			  strcmp(((const struct stack_row *)table_row(sample->table, at))->stack, text) == 0);
		if (at == HASH_NONE) {
			hash_add(&by_text, hash, (uint32_t)sample->table->n_rows);
			row = table_add(sample->table);
			row->stack = text;
			row->samples = window->sums[i].samples;
			if (with_files)
				row->files = path_text(&sample->frame->arena, window, (uint32_t)i, true);
		} else {
			row = (struct stack_row *)table_row(sample->table, at);
			row->samples += window->sums[i].samples;
		}
		row->seconds = (double)row->samples / window->rate;
	}
	hash_free(&by_text);
	return 0;
}

/* What a stack and those that go on from it have, and how they go on. */
struct branch {
	struct profile_sum total;
	uint32_t children, child; /* child: the last of them */
};

/* Parents have smaller numbers than what goes on from them. */
static struct branch *branches_of(const struct profile_window *window)
{
	struct branch *branches = alloc_zeroed(window->n_nodes + 1, sizeof(*branches));

	for (size_t i = window->n_nodes; i-- > 0;) {
		uint32_t parent = window->nodes[i].parent;

		add(&branches[i].total, &window->sums[i]);
		if (branches[i].total.samples == 0 || parent == PROFILE_NO_NODE)
			continue;
		add(&branches[parent].total, &branches[i].total);
		branches[parent].children++;
		branches[parent].child = (uint32_t)i;
	}
	return branches;
}

/* It only calls one function, and never runs itself: it is part of the row of that. */
static bool is_passed(const struct profile_window *window, const struct branch *branches, uint32_t node)
{
	return branches[node].children == 1 && window->sums[node].samples == 0;
}

/* "_start › main › work": the first, the last but one and the last of those that are passed. */
static const char *chain_text(struct arena *arena, const struct profile_window *window,
			      const struct branch *branches, uint32_t node)
{
	const char *last = window->functions[window->nodes[node].function].name, *before = NULL,
		   *first = NULL;
	unsigned n = 0;

	for (uint32_t at = window->nodes[node].parent;
	     at != PROFILE_NO_NODE && is_passed(window, branches, at); at = window->nodes[at].parent) {
		first = window->functions[window->nodes[at].function].name;
		before = before ? before : first;
		n++;
	}
	if (n == 0)
		return arena_copy(arena, last, strlen(last));
	if (n == 1)
		return arena_print(arena, "%s › %s", first, last);
	return n == 2 ? arena_print(arena, "%s › %s › %s", first, before, last)
		      : arena_print(arena, "%s › … › %s › %s", first, before, last);
}

/* Stacks of threads may begin in a library; those of the kernel, and the vdso, are of no program. */
static const char *program_of(const struct profile_window *window, uint32_t node)
{
	const char *program = "";

	for (; node != PROFILE_NO_NODE; node = window->nodes[node].parent) {
		const char *file = window->functions[window->nodes[node].function].file;

		if (*file != '(' && *file != '[' && !strstr(file, ".so"))
			program = file;
	}
	return program;
}

static int sample_calls(struct sample *sample)
{
	const struct profile_window *window = window_of(sample);
	struct branch *branches = branches_of(window);
	struct arena *arena = &sample->frame->arena;

	for (uint32_t i = 0; i < window->n_nodes; i++) {
		const struct profile_function *function = &window->functions[window->nodes[i].function];
		uint32_t above = window->nodes[i].parent;
		struct call_row *row;

		if (branches[i].total.samples == 0 || is_passed(window, branches, i))
			continue;
		while (above != PROFILE_NO_NODE && is_passed(window, branches, above))
			above = window->nodes[above].parent;
		row = table_add(sample->table);
		row->stack = path_text(arena, window, i, false);
		row->parent = above == PROFILE_NO_NODE ? "" : path_text(arena, window, above, false);
		row->function = chain_text(arena, window, branches, i);
		row->program = sample_text(sample, program_of(window, i));
		row->file = sample_text(sample, function->file);
		row->samples = branches[i].total.samples;
		row->total_ratio = share(window, &branches[i].total);
		row->self_ratio = share(window, &window->sums[i]);
	}
	free(branches);
	return 0;
}

/* A caller and a called function; in a stack with a recursion it is there several times. */
struct pair {
	uint32_t caller, function; /* caller: PROFILE_NO_NODE: none */
	uint32_t stamp;
	struct profile_sum total;
};

struct pairs {
	struct pair *list;
	size_t n, capacity;
	struct hash by_both;
};

static struct pair *find_pair(struct pairs *pairs, uint32_t caller, uint32_t function)
{
	uint64_t hash = hash_u64((uint64_t)caller << 32 | function);
	uint32_t at;

	HASH_FIND(at, &pairs->by_both, hash,
		  pairs->list[at].caller == caller && pairs->list[at].function == function);
	if (at == HASH_NONE) {
		at = (uint32_t)pairs->n;
		*VECTOR_ADD(pairs->list, pairs->n, pairs->capacity) =
			(struct pair){ .caller = caller, .function = function };
		hash_add(&pairs->by_both, hash, at);
	}
	return &pairs->list[at];
}

static void add_pairs(struct pairs *pairs, const struct profile_window *window, uint32_t node)
{
	for (uint32_t at = node; at != PROFILE_NO_NODE; at = window->nodes[at].parent) {
		uint32_t parent = window->nodes[at].parent;
		uint32_t caller =
			parent == PROFILE_NO_NODE ? PROFILE_NO_NODE : window->nodes[parent].function;
		struct pair *pair = find_pair(pairs, caller, window->nodes[at].function);

		if (pair->stamp == node + 1)
			continue;
		pair->stamp = node + 1;
		add(&pair->total, &window->sums[node]);
	}
}

static int sample_callers(struct sample *sample)
{
	const struct profile_window *window = window_of(sample);
	struct pairs pairs = { 0 };

	for (uint32_t i = 0; i < window->n_nodes; i++)
		if (window->sums[i].samples > 0)
			add_pairs(&pairs, window, i);
	for (size_t i = 0; i < pairs.n; i++) {
		const struct pair *pair = &pairs.list[i];
		const struct profile_function *function = &window->functions[pair->function];
		const struct profile_function none = { "", "", "", PROFILE_NAMES_NONE };
		const struct profile_function *caller =
			pair->caller == PROFILE_NO_NODE ? &none : &window->functions[pair->caller];
		struct caller_row *row = table_add(sample->table);

		row->caller = sample_text(sample, caller->name);
		row->caller_file = sample_text(sample, caller->file);
		row->function = sample_text(sample, function->name);
		row->file = sample_text(sample, function->file);
		row->samples = pair->total.samples;
		row->total_ratio = share(window, &pair->total);
	}
	free(pairs.list);
	hash_free(&pairs.by_both);
	return 0;
}

static int open_lines(struct sample *sample)
{
	struct state *state = sample->state;

	profiler_want_lines(state->profiler, true);
	return 0;
}

static void close_lines(struct sample *sample)
{
	struct state *state = sample->state;

	profiler_want_lines(state->profiler, false);
}

static int sample_lines(struct sample *sample)
{
	const struct profile_window *window = window_of(sample);

	for (size_t i = 0; i < window->n_lines; i++) {
		const struct profile_line *line = &window->lines[i];
		const struct profile_function *function = &window->functions[line->function];
		struct line_row *row;

		if (window->line_sums[i].samples == 0)
			continue;
		row = table_add(sample->table);
		row->function = sample_text(sample, function->name);
		row->file = sample_text(sample, function->file);
		row->source = sample_text(sample, line->source);
		row->line = line->number;
		row->samples = window->line_sums[i].samples;
		row->self_ratio = (double)window->line_sums[i].weight / (double)window->with_lines.weight;
		row->error_ratio = error_of(row->self_ratio, (double)window->with_lines.samples);
	}
	return 0;
}

static int sample_cost(struct sample *sample)
{
	const struct profile_window *window = window_of(sample);
	struct cost_row *row = table_add(sample->table);

	row->pid = sample->request->profiled_pid ? sample->request->profiled_pid : U64_BLANK;
	row->event = window->by_cycles ? N_("cycles") : N_("cpu-clock");
	if (window->is_known)
		row->samples = window->all.samples;
	row->seconds = window->seconds;
	row->samples_per_second = window->rate;
	if (window->was_read) {
		row->lost = window->state.lost;
		row->throttled = window->state.throttled;
		row->cost_ratio = window->cost_ratio;
	}
	if (window->all.samples > 0)
		row->error_ratio = 1 / sqrt(window->n_effective);
	if (window->state.samples > 0)
		row->whole_ratio = (double)window->state.whole / (double)window->state.samples;
	return 0;
}

static void close_state(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->totals);
}

#define USES                                                                                                 \
	(PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) | PRIVILEGE_BIT(PRIVILEGE_MAPS) |    \
	 PRIVILEGE_BIT(PRIVILEGE_SYMBOLS))

#define PROFILE_TOPIC(of, sampler, opener, closer)                                                           \
	{                                                                                                    \
		.schema = &(of), .sources = sources, .uses = USES, .state_size = sizeof(struct state),       \
		.reads = reads, .open = (opener), .sample = (sampler), .close = (closer)                     \
	}

const struct topic topic_profile = PROFILE_TOPIC(schema, sample_functions, NULL, close_state);
const struct topic topic_profile_stack = PROFILE_TOPIC(stack_schema, sample_stacks, NULL, close_state);
const struct topic topic_profile_call = PROFILE_TOPIC(call_schema, sample_calls, NULL, close_state);
const struct topic topic_profile_caller = PROFILE_TOPIC(caller_schema, sample_callers, NULL, close_state);
const struct topic topic_profile_line = PROFILE_TOPIC(line_schema, sample_lines, open_lines, close_lines);
const struct topic topic_profile_cost = PROFILE_TOPIC(cost_schema, sample_cost, NULL, close_state);
