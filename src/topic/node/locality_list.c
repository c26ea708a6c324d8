/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at some processes in each tick, those first whose last look is the longest ago. */
#include <config.h>

#include "topic/node/locality_list.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/maps.h"
#include "kernel/pid/pid_stat.h"
#include "sys/descriptor.h"
#include "sys/device_poll.h"
#include "sys/pids.h"

/* One file at a time for a helper; the rights were checked when it was opened. */

#define TEXT_MOST ((size_t)64 << 20)

struct maps_count {
	struct device_poll poll;
	struct env *env; /* borrowed */
	uint32_t pid;
	uint64_t start_ticks;
	int fd; /* of the file that is being read */
	bool finished;
	int error;
	struct buffer text; /* read by the helper */
};

static void read_text(struct device_poll *poll)
{
	struct maps_count *count = (struct maps_count *)poll;

	buffer_empty(&count->text);
	count->error = buffer_read(&count->text, count->fd, TEXT_MOST);
	if (count->text.length >= TEXT_MOST)
		count->error = -EFBIG; /* it goes on */
	close(count->fd);
	poll->reads++;
}

static void finish(struct device_poll *poll)
{
	((struct maps_count *)poll)->finished = true;
}

static void free_count(struct device_poll *poll)
{
	struct maps_count *count = (struct maps_count *)poll;

	buffer_free(&count->text);
	free(count);
}

struct maps_count *maps_count_open(struct env *env)
{
	struct maps_count *count = alloc_zeroed(1, sizeof(*count));

	*count = (struct maps_count){ .env = env };
	count->poll = (struct device_poll){ .read = read_text, .finished = finish, .free = free_count,
						.in_thread = true };
	device_poll_open(&count->poll, env, "proc/PID/numa_maps");
	return count;
}

void maps_count_close(struct maps_count *count)
{
	device_poll_drop(&count->poll);
}

int maps_count_begin(struct maps_count *count, uint32_t pid, uint64_t start_ticks)
{
	int fd;

	if (count->poll.in_flight || count->finished)
		return -EBUSY;
	fd = pids_open(count->env, pid, "numa_maps", O_RDONLY);
	if (fd < 0)
		return fd;
	count->fd = fd;
	count->pid = pid;
	count->start_ticks = start_ticks;
	device_poll_submit(&count->poll);
	if (!count->poll.in_flight && !count->finished) {
		close(fd);
		return -EBUSY;
	}
	device_poll_wait(count->env);
	return 0;
}

static int add_up(struct maps_count *count, const struct node_list *nodes, uint64_t *bytes)
{
	struct span text = span_of(count->text.bytes, count->text.length);
	struct numa_region region;
	uint64_t number, pages, sum = 0;

	memset(bytes, 0, nodes->n_nodes * sizeof(*bytes));
	while (numa_maps_next(&text, &region))
		while (numa_region_next(&region, &number, &pages)) {
			uint32_t node = node_list_find(nodes, number);
			uint64_t size = region.page_bytes ? region.page_bytes : count->env->page_bytes;

			if (node == NODE_NONE || pages > (UINT64_MAX / 2 - sum) / size)
				continue;
			bytes[node] += pages * size;
			sum += pages * size;
		}
	return sum > 0 ? 0 : -ENODATA;
}

bool maps_count_take(struct maps_count *count, const struct node_list *nodes, uint32_t *pid,
		     uint64_t *start_ticks, uint64_t *bytes, int *error)
{
	device_poll_collect(count->env);
	if (!count->finished)
		return false;
	count->finished = false;
	*pid = count->pid;
	*start_ticks = count->start_ticks;
	*error = count->error < 0 ? count->error : add_up(count, nodes, bytes);
	return true;
}

int maps_count_now(struct maps_count *count, const struct node_list *nodes, uint32_t pid, uint64_t *bytes)
{
	int error =
		count->poll.in_flight ? -EBUSY : pids_read_text(count->env, pid, "numa_maps", &count->text);

	return error ? error : add_up(count, nodes, bytes);
}

/* CPU time since the last look counts for the node that a thread is on now, which is where it ran last. */

#define LOOK_MAX 256 /* threads */
#define HALF_LIFE_NS 30e9
#define FIRST_LOOK_TICKS                                                                                     \
	0.01 /* what a first look counts for all threads: any time that is seen later is more */

/* The list of its threads, with what is known of those that it had before. */
static void match(struct thread_nodes *process, const uint32_t *tids, size_t n_tids)
{
	struct node_thread *before = process->threads;
	size_t capacity = process->capacity, at = 0;

	VECTOR_RESERVE(process->room, n_tids, process->room_capacity);
	for (size_t i = 0; i < n_tids; i++) {
		while (at < process->n_threads && before[at].tid < tids[i])
			at++;
		process->room[i] = at < process->n_threads && before[at].tid == tids[i]
					   ? before[at]
					   : (struct node_thread){ .tid = tids[i],
								   .node = NODE_NONE,
								   .ticks = U64_UNKNOWN };
	}
	process->threads = process->room;
	process->capacity = process->room_capacity;
	process->n_threads = n_tids;
	process->room = before;
	process->room_capacity = capacity;
}

/* CPU time that it used since the last look; of one that was not seen before, if it began since the first. */
static double used(const struct thread_nodes *process, const struct node_thread *thread,
		   const struct pid_stat *stat)
{
	uint64_t ticks = stat->user_ticks + stat->system_ticks;

	if (process->looked_ns == 0)
		return (double)ticks + 1;
	if (thread->ticks == U64_UNKNOWN)
		return stat->start_ticks >= process->began_ticks ? (double)ticks : 0;
	return ticks > thread->ticks ? (double)(ticks - thread->ticks) : 0;
}

static void look_at(struct thread_nodes *process, struct env *env, const struct node_list *nodes,
		    uint32_t pid, struct node_thread *thread)
{
	char bytes[1024], name[48];
	struct pid_stat stat;
	uint32_t node;
	long length;

	snprintf(name, sizeof(name), "task/%u/stat", thread->tid);
	length = pids_read(env, pid, name, bytes, sizeof(bytes));
	if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat))
		return;
	if (thread->ticks != U64_UNKNOWN && thread->start_ticks != stat.start_ticks)
		*thread = (struct node_thread){ .tid = thread->tid, .node = NODE_NONE, .ticks = U64_UNKNOWN };
	node = node_list_of_cpu(nodes, stat.processor);
	if (node != NODE_NONE)
		process->cpu[node] += used(process, thread, &stat);
	if (node != NODE_NONE && thread->node != NODE_NONE && thread->node != node) {
		thread->moves++;
		process->moves++;
	}
	if (node != NODE_NONE)
		thread->node = node;
	thread->start_ticks = stat.start_ticks;
	thread->ticks = stat.user_ticks + stat.system_ticks;
	span_copy(thread->name, sizeof(thread->name), stat.comm);
}

static void scale(struct thread_nodes *process, const struct node_list *nodes, double factor)
{
	for (size_t i = 0; i < nodes->n_nodes; i++)
		process->cpu[i] *= factor;
}

static double sum_of_ticks(const struct thread_nodes *process, const struct node_list *nodes)
{
	double ticks = 0;

	for (size_t i = 0; i < nodes->n_nodes; i++)
		ticks += process->cpu[i];
	return ticks;
}

/* Another look at threads of the process, of many in turns. -ESRCH: it has exited. */
static int thread_nodes_look(struct thread_nodes *process, struct env *env, const struct node_list *nodes,
		      uint32_t pid, uint64_t now_ns)
{
	const uint32_t *tids;
	size_t n_tids, n;
	int error = pids_threads(env, pid, &tids, &n_tids);

	if (error)
		return error;
	if (!process->cpu)
		process->cpu = alloc_zeroed(nodes->n_nodes, sizeof(*process->cpu));
	if (process->looked_ns == 0)
		process->began_ticks =
			(uint64_t)((double)env_boot_ns(env) * 1e-9 * (double)env->ticks_per_second);
	else
		scale(process, nodes, exp2(-(double)(now_ns - process->looked_ns) / HALF_LIFE_NS));
	match(process, tids, n_tids);
	n = n_tids < LOOK_MAX ? n_tids : LOOK_MAX;
	/* cppcheck-suppress knownConditionTrueFalse ; there are threads */
	for (size_t i = 0; i < n; i++)
		look_at(process, env, nodes, pid, &process->threads[(process->next + i) % n_tids]);
	process->next = n_tids > 0 ? (process->next + n) % n_tids : 0;
	if (process->looked_ns == 0 && sum_of_ticks(process, nodes) > 0)
		scale(process, nodes, FIRST_LOOK_TICKS / sum_of_ticks(process, nodes));
	process->looked_ns = now_ns;
	return 0;
}

size_t thread_nodes_wandering(const struct thread_nodes *process)
{
	size_t n = 0;

	for (size_t i = 0; i < process->n_threads; i++)
		n += process->threads[i].moves > 0;
	return n;
}

double thread_nodes_share(const struct thread_nodes *process, const struct node_list *nodes, size_t node)
{
	double all = process->cpu ? sum_of_ticks(process, nodes) : 0;

	return all > 0 ? process->cpu[node] / all : NAN;
}

/* Chooses pages by their address, evenly over the memory, and asks move_pages(2) for their nodes. */

#define BATCH ((size_t)PAGE_NODES_SAMPLE)
#define DRAWS_MAX (8 * BATCH)      /* addresses of a look, most of which may be of absent pages */
#define WHOLE_PAGES (2 * BATCH)    /* that are not chosen from, but all looked at */
#define MAPS_MAX ((size_t)4 << 20) /* bytes of maps: some 40,000 regions */
#define MARKS_MAX 1024             /* of what is not located, that are looked up in pagemap */
#define FEW_PAGES 65536            /* resident pages that a scan finds in less than a millisecond */
#define SPARSE 4                   /* pages of its regions for each resident one, from which a scan … */
#define SCAN_NS UINT64_C(10000000) /* … is tried, for at most this time of a CPU */

void page_nodes_free(struct page_nodes *look)
{
	buffer_free(&look->maps);
	free(look->stretches);
	free(look->addresses);
	free(look->status);
}

/* SplitMix64: below n, which is far below 2^64, so that no number is notably more likely. */
static uint64_t random_below(struct page_nodes *look, uint64_t n)
{
	uint64_t mixed = look->random += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return (mixed ^ mixed >> 31) % n;
}

static void empty(struct page_nodes *look)
{
	look->n_stretches = 0;
	look->n_pages = 0;
}

static void add_stretch(struct page_nodes *look, uint64_t start, uint64_t end)
{
	*VECTOR_ADD(look->stretches, look->n_stretches, look->capacity) =
		(struct page_stretch){ .start = start, .before = look->n_pages };
	look->n_pages += (end - start) / look->env->page_bytes;
}

/* What no access is permitted to is reserved, as a rule, and may be many times what is present. */
static bool has_memory(const struct maps_region *region)
{
	return !maps_is_special(region) && memcmp(region->permissions.at, "---", 3) != 0;
}

static int read_regions(struct page_nodes *look, uint32_t pid)
{
	int error = pids_read_most(look->env, pid, "maps", MAPS_MAX, &look->maps);
	struct span text = span_of(look->maps.bytes, look->maps.length);
	struct maps_region region;

	if (error)
		return error;
	if (look->maps.length >= MAPS_MAX)
		return -E2BIG;
	empty(look);
	while (maps_next(&text, &region))
		if (has_memory(&region))
			add_stretch(look, region.start, region.end);
	return 0;
}

/* False: it took too long, or failed; the stretches are then incomplete. */
static bool scan_region(struct page_nodes *look, int pagemap, const struct maps_region *region,
			uint64_t until_ns)
{
	struct page_range ranges[PAGE_SCAN_RANGES];
	uint64_t start = region->start;

	while (start < region->end) {
		long n =
			page_file_scan(look->env, pagemap, &start, region->end, PAGE_SCAN_PRESENT, 0, ranges);

		for (long i = 0; i < n; i++)
			add_stretch(look, ranges[i].start, ranges[i].end);
		if (n < 0 || env_self_cpu_ns(look->env) > until_ns)
			return false;
	}
	return true;
}

/* Replaces the regions by the stretches of them that are present; false: they are as they were. */
static bool find_present(struct page_nodes *look, uint32_t pid)
{
	int pagemap = pids_open(look->env, pid, "pagemap", O_RDONLY);
	bool found = pagemap >= 0 && page_file_has_scan(look->env, pagemap);
	struct span text = span_of(look->maps.bytes, look->maps.length);
	uint64_t until_ns = env_self_cpu_ns(look->env) + SCAN_NS;
	struct maps_region region;

	if (found)
		empty(look);
	while (found && maps_next(&text, &region))
		if (has_memory(&region) && !scan_region(look, pagemap, &region, until_ns)) {
			close(pagemap);
			read_regions(look, pid);
			return false;
		}
	if (pagemap >= 0)
		close(pagemap);
	return found;
}

static void *address_of(const struct page_nodes *look, uint64_t page)
{
	const struct page_stretch *stretch;
	size_t at;

	VECTOR_BOUND(at, look->n_stretches, look->stretches[at].before <= page);
	stretch = &look->stretches[at - 1];
	return (void *)(uintptr_t)(stretch->start +
				   (page - stretch->before) * look->env->page_bytes); /* NOLINT */
}

/* Is a page that is not located present nevertheless? */
static void count_missing(struct page_nodes *look, const void *address)
{
	uint64_t entry = 0;

	look->n_missing++;
	if (look->pagemap < 0 || look->n_looked_up == MARKS_MAX)
		return;
	look->n_looked_up++;
	page_file_read(look->env, look->pagemap, (uintptr_t)address / look->env->page_bytes, &entry, 1);
	look->n_marked += (entry & PAGEMAP_PRESENT) != 0;
}

/* Those of the first n addresses that are located: their number, or -errno. */
static long count_pages(struct page_nodes *look, uint32_t pid, size_t n, uint64_t *pages)
{
	int error = page_file_nodes(pid, look->addresses, look->status, n);
	long found = 0;

	if (error)
		return error;
	look->env->reads++;
	for (size_t i = 0; i < n; i++) {
		uint32_t node = look->status[i] < 0 ? NODE_NONE
						    : node_list_find(look->nodes, (uint64_t)look->status[i]);

		if (node == NODE_NONE) {
			count_missing(look, look->addresses[i]);
		} else {
			pages[node]++;
			found++;
		}
	}
	return found;
}

static long look_at_all(struct page_nodes *look, uint32_t pid, uint64_t *pages)
{
	long found = 0;

	for (uint64_t page = 0; page < look->n_pages;) {
		size_t n = 0;
		long more;

		while (n < BATCH && page < look->n_pages)
			look->addresses[n++] = address_of(look, page++);
		more = count_pages(look, pid, n, pages);
		if (more < 0)
			return more;
		found += more;
	}
	return found;
}

/* Each is chosen from all, so that a page may be chosen twice: what the error of a share assumes. */
static long look_at_some(struct page_nodes *look, uint32_t pid, uint64_t *pages)
{
	size_t drawn = 0, n = BATCH;
	long found = 0;

	while (found < PAGE_NODES_SAMPLE && drawn < DRAWS_MAX) {
		size_t missing = (size_t)(PAGE_NODES_SAMPLE - found);
		long more;

		if (found > 0) /* as many as should be enough */
			n = missing * drawn / (size_t)found + 1;
		n = n < BATCH ? n : BATCH;
		/* cppcheck-suppress knownConditionTrueFalse ; n is above 0 */
		for (size_t i = 0; i < n; i++)
			look->addresses[i] = address_of(look, random_below(look, look->n_pages));
		more = count_pages(look, pid, n, pages);
		if (more < 0)
			return more;
		found += more;
		drawn += n;
	}
	return found;
}

/* The part of the present pages that was not located; NAN: they cannot be looked up. */
static double unseen(const struct page_nodes *look, long found)
{
	double marked = 0;

	if (look->is_blind && look->n_missing > 0)
		marked = look->pagemap < 0 ? NAN
					   : (double)look->n_missing * (double)look->n_marked /
						     (double)look->n_looked_up;
	return marked / (marked + (double)found);
}

int page_nodes_look(struct page_nodes *look, uint32_t pid, uint64_t resident_pages, uint64_t *pages,
		    struct page_nodes_part *part)
{
	int error = read_regions(look, pid);
	long found;

	if (error)
		return error;
	if (!look->addresses) {
		look->addresses = alloc_zeroed(BATCH, sizeof(*look->addresses));
		look->status = alloc_zeroed(BATCH, sizeof(*look->status));
		look->is_blind = page_file_hides_marked();
	}
	memset(pages, 0, look->nodes->n_nodes * sizeof(*pages));
	if (look->n_pages > WHOLE_PAGES &&
	    (resident_pages <= FEW_PAGES || look->n_pages / SPARSE > resident_pages))
		find_present(look, pid);
	look->n_missing = look->n_looked_up = look->n_marked = 0;
	look->pagemap = look->is_blind ? pids_open(look->env, pid, "pagemap", O_RDONLY) : -1;
	part->whole = look->n_pages <= WHOLE_PAGES;
	found = part->whole ? look_at_all(look, pid, pages) : look_at_some(look, pid, pages);
	part->unseen = unseen(look, found);
	if (look->pagemap >= 0)
		close(look->pagemap);
	return found < 0 ? (int)found : found == 0 ? -ENODATA : 0;
}

#define PROCESSES_MAX 32      /* whose pages may be looked at */
#define LIST_MAX ((size_t)96) /* with those whose pages are hidden */
#define SEED 1
#define TICK_NS UINT64_C(5000000) /* CPU time for pages, and likewise for threads, in a second … */
#define TICK_SHARE 200            /* … or in a shorter tick this part of it */
#define LOOK_AGAIN_NS UINT64_C(1000000000)
#define KEEP_COUNT_NS UINT64_C(30000000000) /* a count by numa_maps is better than a new look */

static int open_list(void *state, const struct sample *sample)
{
	struct locality_list *list = state;

	list->env = sample->env;
	list->request = sample->request;
	list->n_counted = sample->request->n_counted;
	list->look = (struct page_nodes){ .env = list->env, .nodes = list->nodes, .random = SEED };
	list->count = maps_count_open(list->env);
	return 0;
}

static void free_located(struct located *process)
{
	free(process->threads.threads);
	free(process->threads.room);
	free(process->threads.cpu);
	free(process->pages);
	free(process);
}

static void forget_all(struct locality_list *list)
{
	for (size_t i = 0; i < list->n_list; i++)
		free_located(list->list[i]);
	list->n_list = 0;
}

static void close_list(void *state)
{
	struct locality_list *list = state;

	forget_all(list);
	maps_count_close(list->count);
	page_nodes_free(&list->look);
	free(list->list);
	free(list->largest);
}

static struct located *find(const struct locality_list *list, uint32_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < list->n_list; i++)
		if (list->list[i]->pid == pid && list->list[i]->start_ticks == start_ticks)
			return list->list[i];
	return NULL;
}

static uint64_t resident(const struct process *process)
{
	return process->stat.resident_pages == U64_UNKNOWN ? 0 : process->stat.resident_pages;
}

/* The LIST_MAX with the most resident memory in the scope, the largest first. */
static size_t find_largest(struct locality_list *list)
{
	const struct process_list *processes = list->processes;
	size_t n = 0;

	VECTOR_RESERVE(list->largest, LIST_MAX, list->largest_capacity);
	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];
		size_t at = n;

		if (process->outside || process_is_kernel_thread(process) || resident(process) == 0 ||
		    process->start_ticks == U64_UNKNOWN ||
		    (n == LIST_MAX && resident(process) <= resident(list->largest[n - 1])))
			continue;
		for (at = n < LIST_MAX ? n++ : n - 1;
		     at > 0 && resident(list->largest[at - 1]) < resident(process); at--)
			list->largest[at] = list->largest[at - 1];
		list->largest[at] = process;
	}
	return n;
}

static struct located *located_new(const struct locality_list *list, const struct process *process)
{
	struct located *located = alloc_zeroed(1, sizeof(*located));

	located->pid = process->pid;
	located->start_ticks = process->start_ticks;
	located->error = -EAGAIN;
	located->pages = alloc_zeroed(list->nodes->n_nodes, sizeof(*located->pages));
	return located;
}

static void sort(struct locality_list *list)
{
	for (size_t i = 1; i < list->n_list; i++) {
		struct located *moved = list->list[i];
		size_t at = i;

		for (; at > 0 && resident(moved->process) > resident(list->list[at - 1]->process); at--)
			list->list[at] = list->list[at - 1];
		list->list[at] = moved;
	}
}

/* Which ones are looked at in this tick: at most PROCESSES_MAX whose pages are not known to be hidden. */
static void choose(struct locality_list *list)
{
	size_t n_largest = find_largest(list), n_open = 0, n_kept = 0;

	for (size_t i = 0; i < list->n_list; i++)
		list->list[i]->kept = false;
	for (size_t i = 0; i < n_largest && n_open < PROCESSES_MAX; i++) {
		const struct process *process = list->largest[i];
		struct located *located = find(list, process->pid, process->start_ticks);

		if (!located)
			*VECTOR_ADD(list->list, list->n_list, list->capacity) = located =
				located_new(list, process);
		located->process = process;
		located->kept = true;
		n_open += located->error != -EPERM && located->error != -EACCES;
	}
	for (size_t i = 0; i < list->n_list; i++)
		if (list->list[i]->kept)
			list->list[n_kept++] = list->list[i];
		else
			free_located(list->list[i]);
	list->n_list = n_kept;
	sort(list);
}

/* CPU time of panetop at which looks of this tick end. */
static uint64_t limit(const struct locality_list *list, uint64_t now_ns)
{
	uint64_t share = list->last_ns ? (now_ns - list->last_ns) / TICK_SHARE : TICK_NS;

	if (list->request->batch)
		return UINT64_MAX;
	return env_self_cpu_ns(list->env) + (share < TICK_NS ? share : TICK_NS);
}

/* One at least, so that all get their turn. */
static void look_at_threads(struct locality_list *list, uint64_t now_ns)
{
	uint64_t until_ns = limit(list, now_ns);
	size_t n = 0;

	for (; n < list->n_list && (n == 0 || env_self_cpu_ns(list->env) < until_ns); n++) {
		struct located *process = list->list[(list->turn + n) % list->n_list];

		if (process->process->ran || process->threads.looked_ns == 0)
			thread_nodes_look(&process->threads, list->env, list->nodes, process->pid, now_ns);
	}
	list->turn = list->n_list > 0 ? (list->turn + n) % list->n_list : 0;
}

static uint64_t huge_bytes(struct env *env, uint32_t pid)
{
	char bytes[4096];
	long length = pids_read(env, pid, "status", bytes, sizeof(bytes));
	struct pid_status status;

	if (length < 0)
		return 0;
	pid_status_parse(span_of(bytes, (size_t)length), &status);
	return status.huge_pages == U64_UNKNOWN ? 0 : status.huge_pages;
}

static void set_counted(struct locality_list *list, struct located *process, int error, uint64_t now_ns)
{
	process->looked_ns = now_ns;
	process->error = error;
	process->part = (struct page_nodes_part){ .whole = true };
	process->by_maps = true;
	process->resident_bytes = 0;
	for (size_t i = 0; i < list->nodes->n_nodes; i++)
		process->resident_bytes += process->pages[i];
}

static void sample_pages(struct locality_list *list, struct located *process, uint64_t now_ns)
{
	uint64_t pages = resident(process->process);

	process->looked_ns = now_ns;
	process->by_maps = false;
	process->error = page_nodes_look(&list->look, process->pid, pages, process->pages, &process->part);
	process->resident_bytes = pages * list->env->page_bytes + huge_bytes(list->env, process->pid);
}

/* Files of another root cost the process nothing. */
static void look_at_pages(struct locality_list *list, struct located *process, uint64_t now_ns)
{
	bool named = list->request->numa_maps && list->request->processes;

	if (!list->env->live || (named && list->request->batch)) {
		set_counted(list, process,
			    maps_count_now(list->count, list->nodes, process->pid, process->pages), now_ns);
	} else if (list->env->foreign_pids) {
		process->looked_ns = now_ns;
		process->error = -EXDEV;
	} else {
		sample_pages(list, process, now_ns);
	}
}

static bool is_due(const struct locality_list *list, const struct located *process, uint64_t now_ns)
{
	uint64_t wait_ns = process->by_maps && list->env->live ? KEEP_COUNT_NS : LOOK_AGAIN_NS;

	if (process->process->stat.state == 'D') /* perhaps with its memory locked */
		return false;
	return process->looked_ns == 0 || list->request->batch || now_ns - process->looked_ns >= wait_ns;
}

static struct located *most_due(const struct locality_list *list, uint64_t now_ns)
{
	struct located *oldest = NULL;

	for (size_t i = 0; i < list->n_list; i++) {
		struct located *process = list->list[i];

		if (process->looked_ns != now_ns && is_due(list, process, now_ns) &&
		    (!oldest || process->looked_ns < oldest->looked_ns))
			oldest = process;
	}
	return oldest;
}

static void look_at_all_pages(struct locality_list *list, uint64_t now_ns)
{
	uint64_t until_ns = limit(list, now_ns);
	struct located *process;

	do {
		process = most_due(list, now_ns);
		if (process)
			look_at_pages(list, process, now_ns);
	} while (process && env_self_cpu_ns(list->env) < until_ns);
}

/* What the user has requested on the screen. */
static void count_requested(struct locality_list *list)
{
	uint32_t pid = list->request->counted.pid;
	int error = 0;

	if (list->n_counted == list->request->n_counted)
		return;
	for (size_t i = 0; i < list->n_list; i++)
		if (list->list[i]->pid == pid)
			error = maps_count_begin(list->count, pid, list->list[i]->start_ticks);
	if (error != -EBUSY) /* else in the next tick */
		list->n_counted = list->request->n_counted;
}

static void take_count(struct locality_list *list, uint64_t now_ns)
{
	uint64_t start_ticks, bytes[NODES_MAX];
	struct located *process;
	uint32_t pid;
	int error;

	if (!maps_count_take(list->count, list->nodes, &pid, &start_ticks, bytes, &error))
		return;
	process = find(list, pid, start_ticks);
	if (!process || error) /* what the sample said stays */
		return;
	for (size_t i = 0; i < list->nodes->n_nodes; i++)
		process->pages[i] = bytes[i];
	set_counted(list, process, error, now_ns);
}

static int update(void *state, const struct sample *sample)
{
	struct locality_list *list = state;
	uint64_t now_ns = sample_mono_ns(sample);

	if (list->generation != list->nodes->generation) {
		forget_all(list);
		list->generation = list->nodes->generation;
	}
	if (list->nodes->n_nodes < 2)
		return 0;
	choose(list);
	look_at_threads(list, now_ns);
	take_count(list, now_ns);
	count_requested(list);
	look_at_all_pages(list, now_ns);
	take_count(list, now_ns);
	list->last_ns = now_ns;
	return 0;
}

const struct reader locality_reader = {
	.name = "nodes of processes", .state_size = sizeof(struct locality_list),
	.reads = READINGS(READING(struct locality_list, nodes, &node_reader),
			  READING(struct locality_list, processes, &process_reader)),
	.open = open_list, .update = update, .close = close_list,
};

/* Pages, or bytes. */
static double looked_at(const struct locality_list *list, const struct located *process)
{
	double all = 0;

	for (size_t i = 0; i < list->nodes->n_nodes; i++)
		all += (double)process->pages[i];
	return all;
}

/*
 * Of a mean of n pages, from 0 to 1. Where all that were chosen are the same, the others may differ
 * nevertheless: 3 / n with 95 %. What was not located may be all 0, or all 1.
 */
static double error_of(const struct located *process, double mean, double variance, double n)
{
	double sampling = process->part.whole ? 0 : variance > 0 ? 2 * sqrt(variance / n) : 3 / n;

	return sampling + process->part.unseen * fmax(mean, 1 - mean);
}

double located_share(const struct locality_list *list, const struct located *process, size_t node,
		     double *error)
{
	double n = looked_at(list, process), share = (double)process->pages[node] / n;

	*error = NAN;
	if (process->error)
		return NAN;
	*error = error_of(process, share, share * (1 - share), n);
	return share;
}

double located_bytes(const struct locality_list *list, const struct located *process, size_t node)
{
	double error, share = located_share(list, process, node, &error);

	if (process->by_maps && !process->error)
		return (double)process->pages[node];
	if (process->part.whole && process->part.unseen == 0 && !process->error)
		return (double)process->pages[node] * (double)list->env->page_bytes;
	return share * (double)process->resident_bytes;
}

static double mean_distance(const struct locality_list *list, const struct located *process)
{
	double mean = 0, n = process->error ? NAN : looked_at(list, process);

	for (size_t from = 0; from < list->nodes->n_nodes; from++) {
		double cpu = thread_nodes_share(&process->threads, list->nodes, from);

		if (isnan(cpu))
			return NAN;
		for (size_t to = 0; to < list->nodes->n_nodes && cpu > 0; to++) {
			unsigned distance = node_list_distance(list->nodes, from, to);
			double weight = cpu * (double)process->pages[to] / n;

			if (weight > 0 && distance == 0)
				return NAN;
			mean += weight * distance;
		}
	}
	return mean;
}

struct locality locality_of(const struct locality_list *list, const struct located *process)
{
	struct locality locality = { .local_ratio = 0, .best_ratio = NAN };
	double squares = 0, n = looked_at(list, process), error;

	for (size_t i = 0; i < list->nodes->n_nodes; i++) {
		double share = located_share(list, process, i, &error);
		double cpu = thread_nodes_share(&process->threads, list->nodes, i);

		locality.local_ratio += share * cpu;
		squares += share * cpu * cpu;
		if (span_length(list->nodes->nodes[i].cpus) > 0 &&
		    (isnan(locality.best_ratio) || share > locality.best_ratio)) {
			locality.best_ratio = share;
			locality.best_node = i;
		}
	}
	locality.error_ratio = isnan(locality.local_ratio)
				       ? NAN
				       : error_of(process, locality.local_ratio,
						  squares - locality.local_ratio * locality.local_ratio, n);
	locality.distance = mean_distance(list, process);
	return locality;
}
