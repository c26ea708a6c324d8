/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "touched": how much of its resident memory the selected process used in a window of time. Starts
 * clearings and readings when they are due; nothing is read of a process that was not requested. A helper
 * does both, since each walks all of its page tables. smaps is opened before the clearing and read through
 * that descriptor, which stays bound to the memory that the process had then: after an exec it is empty, and
 * the pages of the new program are not taken for touched ones.
 */
#include <config.h>

#include "topic/pages/touch_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/pid/maps.h"
#include "sys/descriptor.h"
#include "sys/loop.h"
#include "sys/pids.h"
#include "sys/process.h"
#include "topic/process/process_entry.h"
#include "topic/process/target.h"
#include "topic/topic.h"

#define TEXT_BYTES_MAX ((size_t)256 << 20) /* 64 k regions take 50 MiB */

static void close_files(struct touch_look *look)
{
	descriptor_close(look->smaps);
	descriptor_close(look->clear_refs);
	look->smaps = look->clear_refs = -1;
}

static void add_region(struct touch_report *report, const struct maps_region *region,
		       const struct smaps_sizes *sizes)
{
	struct touch_region *added;

	report->resident_bytes = u64_sum(report->resident_bytes, sizes->resident_bytes);
	report->touched_bytes = u64_sum(report->touched_bytes, sizes->referenced_bytes);
	report->huge_bytes = u64_sum_known(report->huge_bytes, sizes->huge_bytes);
	if (span_starts(region->path, "/"))
		report->file_touched_bytes = u64_sum(report->file_touched_bytes, sizes->referenced_bytes);
	if (sizes->resident_bytes == 0)
		return;
	added = VECTOR_ADD(report->regions, report->n_regions, report->capacity);
	*added = (struct touch_region){
		.start = region->start,
		.end = region->end,
		.resident_bytes = sizes->resident_bytes,
		.touched_bytes = sizes->referenced_bytes,
		.huge_bytes = sizes->huge_bytes,
		.path = report->paths.length,
		.path_length = span_length(region->path),
	};
	memcpy(added->permissions, region->permissions.at, MAPS_PERMISSIONS);
	buffer_add(&report->paths, region->path.at, added->path_length);
}

static void parse_regions(struct touch_report *report, struct span text)
{
	struct maps_region region;
	struct smaps_sizes sizes;

	while (smaps_next(&text, &region, &sizes))
		if (!maps_is_special(&region))
			add_region(report, &region, &sizes);
}

static void parse_rollup(struct touch_report *report, struct span text)
{
	struct span name;
	uint64_t bytes;

	report->resident_bytes = report->touched_bytes = report->file_touched_bytes = U64_UNKNOWN;
	while (smaps_rollup_next(&text, &name, &bytes)) {
		if (span_is(name, "Rss"))
			report->resident_bytes = bytes;
		else if (span_is(name, "Referenced"))
			report->touched_bytes = bytes;
		else if (span_is(name, "AnonHugePages"))
			report->huge_bytes = bytes;
	}
}

static void free_report(struct touch_report *report)
{
	free(report->regions);
	buffer_free(&report->paths);
}

/* In a helper. Empty where an exec or an exit has taken the memory away. */
static int read_sizes(struct touch_look *look)
{
	struct touch_report *fresh = &look->fresh;
	uint64_t cpu_ns = clock_thread_cpu_ns(look->poll.clock);
	int error;

	fresh->n_regions = 0;
	fresh->resident_bytes = fresh->touched_bytes = fresh->file_touched_bytes = 0;
	fresh->huge_bytes = U64_UNKNOWN;
	buffer_empty(&fresh->paths);
	buffer_empty(&look->text);
	if (lseek(look->smaps, 0, SEEK_SET) < 0)
		return -errno;
	fresh->read_ns = clock_mono_ns(look->poll.clock);
	fresh->window_seconds = (double)(fresh->read_ns - look->cleared_ns) / 1e9;
	error = buffer_read(&look->text, look->smaps, TEXT_BYTES_MAX);
	look->poll.reads++;
	look->read_cpu_ns = clock_thread_cpu_ns(look->poll.clock) - cpu_ns;
	if (look->text.length >= TEXT_BYTES_MAX)
		return -EFBIG; /* it goes on */
	if (error || look->text.length == 0)
		return error ? error : -ESRCH;
	if (look->by_region)
		parse_regions(fresh, span_of(look->text.bytes, look->text.length));
	else
		parse_rollup(fresh, span_of(look->text.bytes, look->text.length));
	return 0;
}

/*
 * The kernel leaves CPUs the translations that they keep (since Linux 5.12). It drops them when soft-dirty
 * bits are cleared, which does nothing else on a kernel that has none; elsewhere it has to be made to.
 */
static int clear_bits(struct touch_look *look)
{
	uint64_t cpu_ns = clock_thread_cpu_ns(look->poll.clock), beside_ns = 0;
	int error = pwrite(look->clear_refs, "1\n", 2, 0) < 0 ? -errno : 0;

	if (!error && !look->drops_translations)
		error = tlb_drop(&beside_ns);
	else if (!error && pwrite(look->clear_refs, "4\n", 2, 0) < 0)
		error = -errno;
	look->fresh_cleared_ns = clock_mono_ns(look->poll.clock);
	look->clear_cpu_ns = clock_thread_cpu_ns(look->poll.clock) - cpu_ns + beside_ns;
	return error;
}

static void run(struct device_poll *poll)
{
	struct touch_look *look = (struct touch_look *)poll;

	look->read_error = look->reads ? read_sizes(look) : 0;
	look->error = look->read_error;
	if (!look->error && look->clears)
		look->error = clear_bits(look);
}

static void finish(struct device_poll *poll)
{
	((struct touch_look *)poll)->finished = true;
}

static void free_look(struct device_poll *poll)
{
	struct touch_look *look = (struct touch_look *)poll;

	close_files(look);
	free_report(&look->report);
	free_report(&look->fresh);
	buffer_free(&look->text);
	free(look);
}

/* start_ticks says which process with this pid. It is freed by touch_look_close(). */
static struct touch_look *touch_look_open(struct env *env, uint32_t pid, uint32_t file_pid,
					  uint64_t start_ticks, bool by_region)
{
	struct touch_look *look = alloc_zeroed(1, sizeof(*look));
	char key[64];

	*look = (struct touch_look){ .env = env,
				     .pid = pid,
				     .file_pid = file_pid,
				     .start_ticks = start_ticks,
				     .by_region = by_region,
				     .state = TOUCH_REPLACED,
				     .wanted_tick = ENV_NEVER,
				     .smaps = -1,
				     .clear_refs = -1,
				     .drops_translations = page_file_lacks_soft_dirty() };
	look->poll = (struct device_poll){
		.read = run, .finished = finish, .free = free_look, .in_thread = true
	};
	snprintf(key, sizeof(key), "proc/%u/clear_refs", pid);
	device_poll_open(&look->poll, env, key);
	return look;
}

static void touch_look_close(struct touch_look *look)
{
	device_poll_drop(&look->poll);
}

static bool is_alive(struct env *env, uint32_t pid, uint64_t start_ticks)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;

	return process_read_stat(env, pid, bytes, &stat) && stat.start_ticks == start_ticks &&
	       !pid_stat_has_ended(&stat);
}

/* While the process lives its files are those of no other that has its pid. */
static int open_files(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks, bool by_region,
		      int *smaps, int *clear_refs, const char **path)
{
	*clear_refs = -1;
	*path = TOUCH_SMAPS;
	*smaps = pids_open(env, file_pid, by_region ? "smaps" : "smaps_rollup", O_RDONLY);
	if (*smaps >= 0) {
		*path = TOUCH_CLEAR_REFS;
		*clear_refs = pids_open(env, file_pid, "clear_refs", O_WRONLY);
	}
	if (!is_alive(env, pid, start_ticks))
		return -ESRCH;
	return *smaps < 0 ? *smaps : *clear_refs < 0 ? *clear_refs : 0;
}

int touch_look_try(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks, const char **path)
{
	int smaps, clear_refs, error;

	error = open_files(env, pid, file_pid, start_ticks, true, &smaps, &clear_refs, path);
	descriptor_close(smaps);
	descriptor_close(clear_refs);
	return error;
}

static void submit(struct touch_look *look, bool reads, bool clears)
{
	look->reads = reads;
	look->clears = clears;
	look->finished = false;
	device_poll_submit(&look->poll);
}

/* Opens its files and starts the clearing of its accessed bits. A failure is its state. */
static void touch_look_begin(struct touch_look *look)
{
	const char *path;

	close_files(look);
	look->cleared_ns = look->read_ns = 0;
	look->error = open_files(look->env, look->pid, look->file_pid, look->start_ticks, look->by_region,
				 &look->smaps, &look->clear_refs, &path);
	look->state = !look->error ? TOUCH_CLEARING : look->error == -ESRCH ? TOUCH_ENDED : TOUCH_FAILED;
	if (look->state == TOUCH_FAILED)
		env_note_failure(look->env, path, look->error);
	if (look->error)
		return;
	submit(look, false, true);
	if (!look->poll.in_flight && !look->finished) /* one that was given up still blocks: later */
		look->state = TOUCH_REPLACED;
}

/* Starts a reading of an open window; ends_window: the report is complete, with again another one begins. */
static void touch_look_read(struct touch_look *look, bool ends_window)
{
	look->ends_window = ends_window;
	submit(look, true, ends_window && look->again);
}

static void take_seen(struct touch_region *region, uint64_t seen_ns, uint64_t seen_bytes)
{
	if (seen_ns <= region->seen_ns)
		return;
	region->seen_ns = seen_ns;
	region->seen_bytes = seen_bytes;
}

/* A region may have grown at either end since. */
static void keep_seen(struct touch_report *fresh, const struct touch_report *before)
{
	size_t at = 0;

	for (size_t i = 0; i < fresh->n_regions; i++) {
		struct touch_region *region = &fresh->regions[i];

		while (at < before->n_regions && before->regions[at].end <= region->start)
			at++;
		for (size_t k = at; k < before->n_regions && before->regions[k].start < region->end; k++)
			take_seen(region, before->regions[k].seen_ns, before->regions[k].seen_bytes);
		if (region->touched_bytes > 0 && region->touched_bytes != U64_UNKNOWN)
			take_seen(region, fresh->read_ns, region->touched_bytes);
	}
}

static void take_report(struct touch_look *look)
{
	struct touch_report before = look->report;

	keep_seen(&look->fresh, &before);
	look->report = look->fresh;
	look->fresh = before;
	look->read_ns = look->report.read_ns;
	look->n_windows += look->ends_window;
	look->replaced = false;
}

static void take_failure(struct touch_look *look)
{
	bool replaced = look->error == -ESRCH && is_alive(look->env, look->pid, look->start_ticks);

	close_files(look);
	look->state = replaced ? TOUCH_REPLACED : look->error == -ESRCH ? TOUCH_ENDED : TOUCH_FAILED;
	if (look->state == TOUCH_FAILED)
		env_note_failure(look->env, look->read_error ? TOUCH_SMAPS : TOUCH_CLEAR_REFS, look->error);
	if (!replaced)
		return;
	look->report.n_regions = 0; /* of another program */
	look->report.read_ns = look->begun_ns = 0;
	look->replaced = true;
	look->n_windows = 0;
}

/* Takes over what a helper has finished. */
static void touch_look_take(struct touch_look *look)
{
	if (!look->finished)
		return;
	look->finished = false;
	look->cost_ns = look->clear_cpu_ns + look->read_cpu_ns;
	if (look->reads && !look->read_error)
		take_report(look);
	if (look->error) {
		take_failure(look);
		return;
	}
	if (look->clears)
		look->cleared_ns = look->fresh_cleared_ns;
	if (look->begun_ns == 0)
		look->begun_ns = look->cleared_ns;
	if (look->clears || !look->ends_window)
		look->state = TOUCH_OPEN;
	else
		look->state = TOUCH_DONE;
	if (look->state == TOUCH_DONE)
		close_files(look);
}

#define BATCH_WAIT_NS UINT64_C(30000000000) /* for a process whose memory is locked, or huge */
#define SCREEN_WAIT_NS UINT64_C(20000000)
#define EARLY_PART 100 /* before the first window ends, readings take at most this fraction of the time */

static int open_list(void *state, const struct sample *sample)
{
	struct touch_list *list = state;

	list->env = sample->env;
	list->request = sample->request;
	list->tick = ENV_NEVER;
	return 0;
}

static void close_list(void *state)
{
	struct touch_list *list = state;

	for (size_t i = 0; i < list->n_looks; i++)
		touch_look_close(list->looks[i]);
}

const struct reader touch_reader = {
	.name = "touched memory",
	.state_size = sizeof(struct touch_list),
	.open = open_list,
	.close = close_list,
};

struct touch_look *touch_list_find(const struct touch_list *list, uint32_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < list->n_looks; i++)
		if (list->looks[i]->pid == pid && list->looks[i]->start_ticks == start_ticks)
			return list->looks[i];
	return NULL;
}

static void remove_look(struct touch_list *list, size_t index)
{
	touch_look_close(list->looks[index]);
	list->looks[index] = list->looks[--list->n_looks];
}

static struct touch_look *add_look(struct touch_list *list, uint32_t pid, uint32_t file_pid,
				   uint64_t start_ticks, bool by_region)
{
	struct touch_look *look = touch_look_open(list->env, pid, file_pid, start_ticks, by_region);

	list->looks[list->n_looks++] = look;
	return look;
}

static void begin_tick(struct touch_list *list)
{
	if (list->tick == list->env->tick)
		return;
	list->tick = list->env->tick;
	list->n_left_out = 0;
	device_poll_collect(list->env);
	for (size_t i = 0; i < list->n_looks; i++)
		touch_look_take(list->looks[i]);
}

/* In batch each sample ends a window, and begins the next one unless it is the last. */
static void start_due(const struct touch_list *list, struct touch_look *look)
{
	look->again = !list->request->once;
	if (look->poll.in_flight)
		return;
	if (look->state == TOUCH_REPLACED)
		touch_look_begin(look);
	else if (look->state == TOUCH_OPEN)
		touch_look_read(look, true);
}

struct touch_look *touch_list_want(struct touch_list *list, uint32_t pid, uint32_t file_pid,
				   uint64_t start_ticks, bool by_region)
{
	struct touch_look *look;

	begin_tick(list);
	look = touch_list_find(list, pid, start_ticks);
	if (!look && list->n_looks == TOUCH_LOOKS_MAX) {
		list->n_left_out++;
		return NULL;
	}
	if (!look)
		look = add_look(list, pid, file_pid, start_ticks, by_region);
	if (by_region && !look->by_region && !look->poll.in_flight) {
		look->by_region = true;
		touch_look_begin(look);
	}
	if (look->wanted_tick != list->env->tick)
		start_due(list, look);
	look->wanted_tick = list->env->tick;
	return look;
}

static void wait_for(struct touch_look *look)
{
	uint64_t until_ns = env_mono_ns(look->env) + BATCH_WAIT_NS;

	while (look->poll.in_flight && env_mono_ns(look->env) < until_ns && !loop_signal_waits())
		device_poll_wait_for(&look->poll, SCREEN_WAIT_NS);
	touch_look_take(look);
	if (look->state == TOUCH_REPLACED) /* the next window begins now */
		touch_look_begin(look);
}

void touch_list_wait(struct touch_list *list)
{
	begin_tick(list);
	for (size_t i = 0; i < list->n_looks; i++)
		if (list->looks[i]->wanted_tick == list->tick)
			wait_for(list->looks[i]);
	for (size_t i = list->n_looks; i-- > 0;) /* another topic may want one later in this tick */
		if (list->looks[i]->wanted_tick + 1 < list->tick)
			remove_look(list, i);
}

/* Early numbers of the first window, as far as they cost next to nothing. */
static bool is_early_due(const struct touch_look *look)
{
	uint64_t last_ns = look->read_ns > look->cleared_ns ? look->read_ns : look->cleared_ns;
	uint64_t cost_ns = look->read_cpu_ns > look->clear_cpu_ns ? look->read_cpu_ns : look->clear_cpu_ns;

	return look->n_windows == 0 && env_mono_ns(look->env) - last_ns >= EARLY_PART * cost_ns;
}

static void step(struct touch_look *look)
{
	if (look->poll.in_flight)
		return;
	if (look->state == TOUCH_REPLACED)
		touch_look_begin(look);
	else if (look->state == TOUCH_OPEN && (double)(env_mono_ns(look->env) - look->cleared_ns) / 1e9 >=
						      look->window_wanted_seconds)
		touch_look_read(look, true);
	else if (look->state == TOUCH_OPEN && is_early_due(look))
		touch_look_read(look, false);
}

/* What is read soon is of this tick. */
static void wait_until(struct touch_look *look, uint64_t until_ns)
{
	uint64_t now_ns = env_mono_ns(look->env);

	if (!look->poll.in_flight || look->cost_ns > SCREEN_WAIT_NS || now_ns >= until_ns)
		return;
	device_poll_wait_for(&look->poll, until_ns - now_ns);
	touch_look_take(look);
}

void touch_list_step(struct touch_list *list)
{
	uint64_t until_ns;

	if (list->n_looks == 0 || list->tick == list->env->tick)
		return;
	begin_tick(list);
	for (size_t i = 0; i < list->n_looks; i++)
		step(list->looks[i]);
	until_ns = env_mono_ns(list->env) + SCREEN_WAIT_NS;
	for (size_t i = 0; i < list->n_looks; i++)
		wait_until(list->looks[i], until_ns);
}

struct order {
	bool stop, again;
	double seconds;
	uint32_t pid;
	double start_seconds;
};

static bool parse_order(struct span text, struct order *order)
{
	struct span verb;
	uint64_t pid;

	*order = (struct order){ 0 };
	if (!span_word(&text, &verb))
		return false;
	order->stop = span_is(verb, "stop");
	order->again = span_is(verb, "watch");
	if (!order->stop && !order->again && !span_is(verb, "look"))
		return false;
	if (!order->stop && (!span_f64(&text, &order->seconds) || !span_char(&text, ' ')))
		return false;
	if (!span_u64(&text, &pid) || pid > UINT32_MAX || !span_char(&text, ' ') ||
	    !span_f64(&text, &order->start_seconds) || span_length(text) > 0)
		return false;
	order->pid = (uint32_t)pid;
	return true;
}

static void stop(struct touch_list *list, const struct touch_look *look)
{
	for (size_t i = list->n_looks; i-- > 0;)
		if (list->looks[i] == look)
			remove_look(list, i);
}

static void make_room(struct touch_list *list)
{
	size_t oldest = 0;

	if (list->n_looks < TOUCH_LOOKS_MAX)
		return;
	for (size_t i = 1; i < list->n_looks; i++)
		if (list->looks[i]->begun_ns < list->looks[oldest]->begun_ns)
			oldest = i;
	remove_look(list, oldest);
}

/* Ages of an earlier watch of the process go on. */
static int start(struct touch_list *list, const struct order *order, uint32_t file_pid, uint64_t start_ticks)
{
	struct touch_look *look = touch_list_find(list, order->pid, start_ticks);

	if (look && look->poll.in_flight)
		return -EBUSY;
	if (!look) {
		make_room(list);
		look = add_look(list, order->pid, file_pid, start_ticks, true);
	}
	if (look->state != TOUCH_OPEN)
		look->begun_ns = 0; /* it was not watched since */
	look->again = order->again;
	look->window_wanted_seconds = order->seconds;
	look->n_windows = 0;
	look->report.read_ns = 0; /* its numbers are of another window */
	touch_look_begin(look);
	return look->state == TOUCH_CLEARING ? 0 : look->error;
}

int touch_list_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context)
{
	struct touch_list *list = reader_state(&touch_reader, env);
	struct order order;
	struct pid_stat stat;
	const char *path;
	uint32_t living;
	int error;

	if (!parse_order(span_text(action), &order))
		return -EINVAL;
	if (!list)
		return -EAGAIN;
	error = process_find(env, order.pid, order.start_seconds, &stat);
	if (error)
		return error;
	if (stat.flags & PID_FLAG_KERNEL_THREAD) {
		env_note_failure(env, TOUCH_SMAPS, -ENXIO);
		return -ENXIO;
	}
	living = process_living_thread(env, order.pid, &stat);
	if (order.stop && done) {
		stop(list, touch_list_find(list, order.pid, stat.start_ticks));
	} else if (done) {
		error = start(list, &order, living ? living : order.pid, stat.start_ticks);
	} else {
		error = touch_look_try(env, order.pid, living ? living : order.pid, stat.start_ticks, &path);
		if (error && error != -ESRCH)
			env_note_failure(env, path, error);
	}
	if (!error && done)
		done(context, 0);
	return error;
}

struct touched_row {
	uint64_t pid;
	double start_seconds;
	uint64_t start_address, end_address;
	uint64_t resident_bytes, touched_bytes, untouched_bytes, huge_bytes, last_touched_bytes;
	uint64_t file_touched_bytes;
	double touched_ratio, window_seconds, age_seconds, watched_seconds, open_seconds, cost_seconds;
	uint64_t windows;
	const char *permissions, *path, *state;
};

#define ROW(field, ...) COLUMN(struct touched_row, field, __VA_ARGS__)
#define BYTES(field, heading, what, from, ...)                                                               \
	ROW(field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading, .width = 8, .help = what,     \
	    .source = from, __VA_ARGS__)
#define TIME(field, heading, what, from, ...)                                                                \
	ROW(field, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = heading, .width = 7, .help = what,   \
	    .source = from, __VA_ARGS__)
#define SMAPS "/proc/PID/smaps"
#define COL(field, ...) COLUMN_OF(struct touched_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(pid, KEY, NONE, N_("PID"), 7, N_("process"), "/proc", .fleeting = true, .hidden = true),
	COL(start_seconds, KEY, SECONDS, N_("started"), 10, N_("start time, after boot"),
	    "/proc/PID/stat starttime", .fleeting = true, .hidden = true),
	COL(start_address, KEY, ADDRESS, N_("start"), 12,
	    N_("address of the first byte of the region; 0: all of them"), SMAPS, .fleeting = true),
	COL(end_address, LABEL, ADDRESS, N_("end"), 12, N_("address after its last byte"), SMAPS,
	    .hidden = true),
	BYTES(touched_bytes, N_("touched"),
	      N_("in pages that were used in the window; a huge page counts whole, and a page of a file "
		 "also when another process used it"), SMAPS " Referenced, after 1 was written to clear_refs",
	      .rank = 0),
	BYTES(resident_bytes, N_("resident"), N_("resident at its end, without hugetlb pages"), SMAPS " Rss",
	      .rank = 0),
	BYTES(untouched_bytes, N_("rest"), N_("resident, and not used in the window"),
	      "resident_bytes - touched_bytes", .rank = 2),
	COL(touched_ratio, GAUGE, RATIO, N_("%touched"), 8, N_("share of what is resident"),
	    "touched_bytes / resident_bytes", .rank = 1),
	BYTES(huge_bytes, N_("huge"), N_("resident as huge pages, each of which is touched whole or not"),
	      SMAPS " AnonHugePages + ShmemPmdMapped + FilePmdMapped", .rank = 4),
	BYTES(last_touched_bytes, N_("last"),
	      N_("touched in the last window that found it touched, which was age_seconds ago"),
	      SMAPS " Referenced of that window", .hidden = true),
	BYTES(file_touched_bytes, N_("files"),
	      N_("the part of touched_bytes in mapped files: their pages also count when another process "
		 "used them, as those of libraries often are"),
	      SMAPS ", sum of Referenced over regions with a path", .hidden = true),
	TIME(age_seconds, N_("age"),
	     N_("since the last reading that found it touched; unknown if none has: then it was not used "
		"for watched_seconds"), "CLOCK_MONOTONIC since that reading", .rank = 1, .whole = true),
	TIME(window_seconds, N_("window"), N_("measured from the end of the clearing to the reading"),
	     "CLOCK_MONOTONIC", .rank = 3, .of_interval = true),
	TIME(watched_seconds, N_("watched"), N_("since the first clearing"), "CLOCK_MONOTONIC",
	     .hidden = true),
	TIME(open_seconds, N_("open"), N_("how long the window that is not complete yet has been open"),
	     "CLOCK_MONOTONIC", .hidden = true),
	COL(windows, GAUGE, COUNT, N_("windows"), 7, N_("complete windows so far"), "panetop",
	    .hidden = true),
	TIME(cost_seconds, N_("cost"),
	     N_("CPU time of the last clearing and the last reading: the kernel walks all page tables of "
		"the process, about 40 ms for each GiB of 4 KiB pages"),
	     "CPU time of the thread that does both, and of what has CPUs drop translations", .hidden = true),
	COL(state, LABEL, NONE, N_("state"), 9,
	    N_("clearing, open: the numbers are of the window so far, or of the last complete one; "
	       "measured; replaced: it executed another program, and the window begins again; ended"),
	    "panetop", .fleeting = true, .hidden = true, .words = true),
	COL(permissions, LABEL, NONE, N_("perm"), 4, N_("r read, w write, x execute, p private, s shared"),
	    SMAPS, .rank = 3),
	COL(path, LABEL, NONE, N_("path"), 16,
	    N_("path of the file, or the kernel's name; empty: anonymous memory; all: the sum"), SMAPS,
	    .rank = 0),
};

static const struct schema schema = {
	.name = "touched",
	.help = N_("memory that the selected process used in a window of time, by region: only where it is "
		   "requested"),
	.none = N_("no window was started"),
	.over_interval = true,
	.disturbs = true,
	SCHEMA_ROWS(struct touched_row, columns),
};

/* Nothing is written to it. */
static int test_clear_refs(struct env *env)
{
	int fd = env->live ? pids_open(env, env->own_pid, "clear_refs", O_WRONLY) : -ENOTSUP;

	descriptor_close(fd);
	return fd < 0 ? fd : 0;
}

static int test_smaps(struct env *env)
{
	int fd = env->live ? pids_open(env, env->own_pid, "smaps", O_RDONLY) : -ENOTSUP;

	descriptor_close(fd);
	return fd < 0 ? fd : 0;
}

static const char rights[] =
	N_("run it as root, or give it the capabilities cap_sys_ptrace and cap_dac_override");

struct state {
	struct target *target;
	struct touch_list *list;
};

static const char *state_text(const struct touch_look *look)
{
	switch (look->state) {
	case TOUCH_CLEARING:
		return look->replaced ? N_("replaced") : N_("clearing");
	case TOUCH_OPEN:
		return N_("open");
	case TOUCH_DONE:
		return N_("measured");
	case TOUCH_REPLACED:
		return N_("replaced");
	case TOUCH_ENDED:
		return N_("ended");
	default:
		return N_("failed");
	}
}

static void set_sizes(struct touched_row *row, uint64_t resident_bytes, uint64_t touched_bytes,
		      uint64_t huge_bytes)
{
	row->resident_bytes = resident_bytes;
	row->touched_bytes = touched_bytes;
	row->huge_bytes = huge_bytes;
	row->untouched_bytes = u64_less(resident_bytes, touched_bytes);
	if (touched_bytes < U64_BLANK && resident_bytes - 1 < U64_BLANK - 1)
		row->touched_ratio = (double)touched_bytes / (double)resident_bytes;
}

static struct touched_row *add_row(struct sample *sample, const struct touch_look *look)
{
	struct touched_row *row = table_add(sample->table);

	row->pid = look->pid;
	row->start_seconds = process_start_seconds(sample->env, look->start_ticks);
	if (look->report.read_ns > 0)
		row->window_seconds = look->report.window_seconds;
	return row;
}

static double since(const struct sample *sample, uint64_t ns)
{
	uint64_t now_ns = sample->table->mono_ns;

	return now_ns > ns ? (double)(now_ns - ns) / 1e9 : 0;
}

static void add_sum(struct sample *sample, const struct touch_look *look)
{
	const struct touch_report *report = &look->report;
	struct touched_row *row = add_row(sample, look);

	row->start_address = 0;
	row->path = "all";
	row->permissions = "";
	row->state = state_text(look);
	row->windows = look->n_windows;
	if (report->read_ns > 0) {
		set_sizes(row, report->resident_bytes, report->touched_bytes, report->huge_bytes);
		row->file_touched_bytes = report->file_touched_bytes;
		row->cost_seconds = (double)look->cost_ns / 1e9;
	}
	if (look->begun_ns > 0)
		row->watched_seconds = since(sample, look->begun_ns);
	if (look->state == TOUCH_OPEN)
		row->open_seconds = since(sample, look->cleared_ns);
}

static void add_region_touched(struct sample *sample, const struct touch_look *look,
			       const struct touch_region *region)
{
	struct arena *arena = &sample->frame->arena;
	struct touched_row *row = add_row(sample, look);

	row->start_address = region->start;
	row->end_address = region->end;
	set_sizes(row, region->resident_bytes, region->touched_bytes, region->huge_bytes);
	if (region->seen_ns > 0) {
		row->age_seconds = since(sample, region->seen_ns);
		row->last_touched_bytes = region->seen_bytes;
	}
	row->permissions = arena_copy(arena, region->permissions, strlen(region->permissions));
	row->path = arena_copy(arena, look->report.paths.bytes + region->path, region->path_length);
}

static void notice_look(struct sample *sample, const struct target *target, const struct touch_look *look)
{
	const struct source_spec *source = topic_source(sample->topic, TOUCH_CLEAR_REFS);

	if (look->state == TOUCH_FAILED)
		frame_notice(sample->frame, schema.name, source_remedy(sample->env, source, -look->error),
			     _("touched memory of %u %s: %s"), target->pid, target->name,
			     strerror(-look->error));
	else if (look->replaced)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%u %s has executed another program: its window begins again"), target->pid,
			     target->name);
	else if (look->poll.in_flight && sample->request->batch)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%u %s: its memory is still being read; its window goes on"), target->pid,
			     target->name);
}

/* Between two samples, where -t names it: what else may want this table starts no window. */
static const struct touch_look *look_in_batch(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct target *target = state->target;
	struct touch_look *look;

	target_notices(target, sample->frame, schema.name);
	if (!sample->request->touches) {
		frame_notice(sample->frame, schema.name, N_("use -t touched"),
			     _("touched memory is only measured where it is named"));
		return NULL;
	}
	if (!sample->env->live)
		frame_notice(sample->frame, schema.name, NULL,
			     _("touched memory is measured of processes of this machine only"));
	if (target->state == TARGET_GONE)
		frame_notice(sample->frame, schema.name, NULL, _("%u %s has exited"), target->pid,
			     target->name);
	if (!sample->env->live || target->state != TARGET_LIVE || target_has_no_memory(target))
		return NULL;
	look = touch_list_want(state->list, target->pid, target->memory_pid, target->start_ticks, true);
	touch_list_wait(state->list);
	return look;
}

/* What was measured of a process that has exited stays. */
static const struct touch_look *look_on_screen(const struct state *state)
{
	const struct target *target = state->target;

	return target->state == TARGET_LIVE || target->state == TARGET_GONE
		       ? touch_list_find(state->list, target->pid, target->start_ticks)
		       : NULL;
}

static int sample(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct target *target = state->target;
	const struct touch_look *look;

	if (!sample->request->batch)
		touch_list_step(state->list);
	look = sample->request->batch ? look_in_batch(sample) : look_on_screen(state);
	if (!look)
		return 0;
	sample->table->mono_ns = env_mono_ns(sample->env);
	notice_look(sample, target, look);
	if (look->state == TOUCH_FAILED)
		return 0;
	add_sum(sample, look);
	for (size_t i = 0; i < look->report.n_regions && look->report.read_ns > 0; i++)
		if (look->report.regions[i].start > 0) /* which is the key of the sum */
			add_region_touched(sample, look, &look->report.regions[i]);
	return 0;
}

const struct topic topic_touched = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = TOUCH_CLEAR_REFS,
		  .gives = N_("touched memory, on request: clears the accessed bits"),
		  .optional = true,
		  .test = test_clear_refs,
		  .remedies = { { EACCES, rights },
				{ EPERM, rights },
				{ ENOTSUP, N_("only processes of this machine can be measured") },
				{ ENOENT, N_("this kernel was built without CONFIG_PROC_PAGE_MONITOR") } } },
		{ .path = TOUCH_SMAPS,
		  .gives = N_("touched memory, on request: what was used since"),
		  .optional = true,
		  .test = test_smaps,
		  .remedies = { { EACCES, rights },
				{ EPERM, rights },
				{ ENXIO, N_("it is a kernel thread, which has no memory of its own") },
				{ ENOTSUP, N_("only processes of this machine can be measured") },
				{ ENOENT, N_("this kernel was built without CONFIG_PROC_PAGE_MONITOR") } } }),
	.state_size = sizeof(struct state),
	.uses = PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_FILES) |
		PRIVILEGE_BIT(PRIVILEGE_HIDDEN) | PRIVILEGE_BIT(PRIVILEGE_MARKS),
	.reads = READINGS(READING(struct state, target, &target_reader),
			  READING_ON_DEMAND(struct state, list, &touch_reader)),
	.sample = sample,
	.act = touch_list_act,
};
