/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock is never held while something is read, attached or detached. The price of a hit is measured on two
 * functions whose first instructions are known: one that the kernel must step over out of line, which is the
 * dearest way, and one that it may replace by a call. Each is called with and without a probe.
 */
#include <config.h>

#include "topic/probe/prober.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/machine.h"
#include "sys/privilege.h"
#include "sys/profile_files.h"

enum probe_way {
	PROBE_WAY_TRAP, /* a breakpoint in place of the first byte */
	PROBE_WAY_NOP,  /* a nop of 5 bytes, which newer kernels replace by a call */
	N_PROBE_WAYS,
};

#define ROUNDS 9
#define CALLS 50 /* of a round; the median counts, as some were interrupted */

void probe_price_trap(void);
void probe_price_nop(void);

#ifdef __x86_64__
__asm__(".text\n"
	".globl probe_price_trap, probe_price_nop\n"
	".hidden probe_price_trap, probe_price_nop\n"
	".type probe_price_trap, @function\n"
	".type probe_price_nop, @function\n"
	"probe_price_trap: .cfi_startproc\n"
	"sub $8, %rsp; .cfi_adjust_cfa_offset 8\n"
	"add $8, %rsp; .cfi_adjust_cfa_offset -8\n"
	"ret\n"
	".cfi_endproc\n"
	".size probe_price_trap, . - probe_price_trap\n"
	"probe_price_nop: .cfi_startproc\n"
	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"ret\n"
	".cfi_endproc\n"
	".size probe_price_nop, . - probe_price_nop\n");
#else
__attribute__((noinline)) void probe_price_trap(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void probe_price_nop(void)
{
	__asm__ volatile("nop" ::: "memory");
}
#endif

static void (*const samples[N_PROBE_WAYS])(void) = {
	[PROBE_WAY_TRAP] = probe_price_trap,
	[PROBE_WAY_NOP] = probe_price_nop,
};

/* Seconds of a call. */
static double time_calls(const struct machine_clock *clock, void (*sample)(void))
{
	uint64_t rounds_ns[ROUNDS] = { 0 }; /* ascending */

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t begun_ns = clock_mono_ns(clock), ns;
		unsigned at = round;

		for (unsigned i = 0; i < CALLS; i++)
			sample();
		ns = clock_mono_ns(clock) - begun_ns;
		for (; at > 0 && rounds_ns[at - 1] > ns; at--)
			rounds_ns[at] = rounds_ns[at - 1];
		rounds_ns[at] = ns;
	}
	return (double)rounds_ns[ROUNDS / 2] / 1e9 / CALLS;
}

/* Where the function is in the file that this process has mapped there. 0 or -errno. */
static int find_place(void (*sample)(void), struct uprobe_place *place)
{
	uint64_t address = (uint64_t)(uintptr_t)sample;
	struct maps_region region;
	struct profile_file file;
	struct buffer maps = { 0 };
	int error = mapped_code_read_maps(env_self_pid(), &maps);
	struct span text = span_of(maps.bytes, maps.length);

	place->file = error ? error : -ENOENT;
	while (!error && mapped_code_next(&text, &region)) {
		if (address < region.start || address >= region.end)
			continue;
		place->offset = region.offset + (address - region.start);
		file = mapped_code_file(env_self_pid(), &region);
		place->file = profile_file_open(&file, false);
		break;
	}
	buffer_free(&maps);
	return place->file < 0 ? place->file : 0;
}

/* Seconds of each hit, and with leave (-1: none) of the return with it. 0 or -errno. */
static int probe_price_measure(const struct machine_clock *clock, const struct machine_perf *perf,
			       const struct uprobe_form *form, enum probe_way way, int enter, int leave,
			       double *seconds)
{
	struct uprobe_place place = { 0 };
	int error = find_place(samples[way], &place), entered = -1, left = -1;
	double bare;

	if (error)
		return error;
	bare = time_calls(clock, samples[way]);
	place.at_return = true;
	if (leave >= 0)
		error = left = uprobe_open(perf, form, &place, env_self_pid(), leave);
	place.at_return = false;
	if (error >= 0)
		error = entered = uprobe_open(perf, form, &place, env_self_pid(), enter);
	if (error >= 0) {
		*seconds = time_calls(clock, samples[way]) - bare;
		*seconds = *seconds > 0 ? *seconds : 0;
	}
	descriptor_close(entered);
	descriptor_close(left);
	close(place.file);
	return error < 0 ? error : 0;
}

#define FILES_MAX 16                 /* of a probe: containers have their own */
#define EVENTS_MAX 1024              /* of a probe: descriptors */
#define LOOK_NS UINT64_C(100000000)  /* after attaching */
#define CHECK_NS UINT64_C(250000000) /* between two looks at what it costs */
#define SCAN_NS UINT64_C(500000000)  /* between two searches for processes, or … */
#define SCAN_SHARE 50                /* … this many times what the last one took */

/* The programs of trace_plan_probe, in its order. */
enum { PROGRAM_ENTER, PROGRAM_LEAVE, PROGRAM_HIT, N_PROGRAMS };

/* A file that has the function, and where. */
struct probe_file {
	int fd;
	dev_t device;
	ino_t inode;
	struct probe_code code;
};

/* A process that has mapped a file of the probe, or may do so. */
struct probe_match {
	struct probe_target target;
	struct probe_file *file;
	bool is_mapped;
};

struct attached {
	int *events; /* owned */
	size_t n, capacity;
	const struct probe_file *file;
};

/* What is shared is protected by the lock of the prober. */
struct probe {
	struct probe *next;                   /* shared */
	bool is_new, allowed, again, removed; /* shared; again: it was allowed just now */
	struct probe_view shown;              /* shared: a copy of view */
	uint32_t pid;                         /* 0: all in the scope */
	char *text;
	struct probe_name name;
	int programs[N_PROGRAMS]; /* descriptors */
	struct trace_set wanted;  /* has only that map */
	struct bpf_hits *hits;    /* by the number of the process */
	struct probe_file files[FILES_MAX];
	unsigned n_files;
	struct attached attached[PROBE_PROCESSES_MAX];
	size_t n_events;
	uint64_t seen_hits, seen_ns; /* at the last look */
	struct probe_view view;      /* what the thread knows */
};

struct prober {
	struct machine_thread *thread;
	pthread_mutex_t lock;
	const struct machine_clock *clock; /* borrowed; env may close before the thread ends */
	const struct machine_perf *perf;   /* the same */
	struct uprobe_form form;
	double limit_ratio;
	double prices[N_PROBE_WAYS][2]; /* 1: with the return; NaN: not measured */
	struct probe_target *targets;   /* by pid */
	size_t n_targets, targets_capacity;
	bool is_scoped, has_targets;
	struct probe *probes;     /* the thread removes them, others add them at the end */
	struct progress progress; /* ready: all have been looked for */

	/* Of the thread alone. */
	struct probe_target *list;
	size_t n_list, list_capacity;
	bool list_is_scoped;
	uint64_t next_scan_ns;
	struct buffer text;
};

static void publish(struct prober *prober, struct probe *probe)
{
	pthread_mutex_lock(&prober->lock);
	probe->shown = probe->view;
	pthread_mutex_unlock(&prober->lock);
}

static void set_state(struct prober *prober, struct probe *probe, enum probe_state state)
{
	probe->view.state = state;
	publish(prober, probe);
}

static void fail(struct prober *prober, struct probe *probe, int error)
{
	probe->view.error = error;
	set_state(prober, probe, PROBE_FAILED);
}

/* --- What it costs. */

static bool is_over(const struct probe *probe)
{
	enum probe_state state = probe->view.state;

	/* By its name alone, another file may be meant, too. */
	return state == PROBE_COSTLY || state == PROBE_FAILED ||
	       (state == PROBE_REFUSED && probe->name.is_path);
}

static int wanted_set(const struct probe *probe, uint32_t pid, uint64_t number)
{
	const uint64_t process = pid;

	return probe->wanted.by->put(&probe->wanted, BPF_MAP_WANTED, &process, &number);
}

static void wanted_remove(const struct probe *probe, uint32_t pid)
{
	const uint64_t process = pid;

	probe->wanted.by->remove(&probe->wanted, BPF_MAP_WANTED, &process);
}

/* 0 or -errno. */
static int price(struct prober *prober, struct probe *probe, const struct probe_file *file)
{
	enum probe_way way = PROBE_WAY_NOP;
	bool returns = file->code.is_function;
	double *cost;
	int error = 0;

	for (unsigned i = 0; i < file->code.n_places; i++)
		if (!file->code.places[i].is_nop)
			way = PROBE_WAY_TRAP;
	cost = &prober->prices[way][returns];
	if (isnan(*cost)) {
		error = wanted_set(probe, env_self_pid(), PROBE_OWN_NUMBER);
		if (!error)
			error = probe_price_measure(prober->clock, prober->perf, &prober->form, way,
						    probe->programs[returns ? PROGRAM_ENTER : PROGRAM_HIT],
						    returns ? probe->programs[PROGRAM_LEAVE] : -1, cost);
		wanted_remove(probe, env_self_pid());
	}
	probe->view.is_nop = way == PROBE_WAY_NOP;
	probe->view.cost_seconds = *cost;
	return error;
}

static uint64_t all_hits(const struct probe *probe)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++)
		sum += __atomic_load_n(&probe->hits[i].hits, __ATOMIC_RELAXED);
	return sum;
}

/* No longer wanted first: while one event after the other goes, hits and returns would differ. */
static void detach(struct probe *probe, unsigned number)
{
	struct attached *attached = &probe->attached[number];

	if (probe->view.processes[number].target.pid)
		wanted_remove(probe, probe->view.processes[number].target.pid);
	for (size_t i = 0; i < attached->n; i++)
		close(attached->events[i]);
	probe->n_events -= attached->n;
	attached->n = 0;
}

static void detach_all(struct probe *probe)
{
	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++)
		detach(probe, i);
}

static bool is_attached(enum probed_state state)
{
	return state == PROBED_COUNTING || state == PROBED_WAITING;
}

static void stop(struct prober *prober, struct probe *probe, enum probe_state state)
{
	set_state(prober, probe, state);
	detach_all(probe);
	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++)
		if (is_attached(probe->view.processes[i].state))
			probe->view.processes[i].state = PROBED_NOT;
	publish(prober, probe);
}

/* Stops it where its hits since the last look cost too much; a look takes at least LOOK_NS. */
static void look(struct prober *prober, struct probe *probe)
{
	uint64_t now_ns = clock_mono_ns(prober->clock), hits = all_hits(probe);
	bool allowed;

	if (probe->n_events == 0 || now_ns - probe->seen_ns < LOOK_NS)
		return;
	probe->view.expected_per_second =
		(double)(hits - probe->seen_hits) / ((double)(now_ns - probe->seen_ns) / 1e9);
	probe->seen_hits = hits;
	probe->seen_ns = now_ns;
	pthread_mutex_lock(&prober->lock);
	allowed = probe->allowed;
	pthread_mutex_unlock(&prober->lock);
	if (!allowed && probe->view.expected_per_second * probe->view.cost_seconds > prober->limit_ratio)
		stop(prober, probe, PROBE_COSTLY);
}

/* --- The file, and the function in it. */

/* NULL: there is no room, or it cannot be read. */
static struct probe_file *add_file(struct prober *prober, struct probe *probe,
				   const struct profile_file *wanted, int *error)
{
	int fd = profile_file_open(wanted, false);
	struct probe_file *file;
	struct stat status;

	*error = fd < 0 ? fd : fstat(fd, &status) < 0 ? -errno : 0;
	for (unsigned i = 0; i < probe->n_files && !*error; i++)
		if (probe->files[i].device == status.st_dev && probe->files[i].inode == status.st_ino) {
			close(fd);
			return &probe->files[i];
		}
	if (!*error && probe->n_files == FILES_MAX)
		*error = -EMFILE;
	if (!*error)
		*error = mapped_code_read(wanted, &prober->text, MAPPED_CODE_MAX, &prober->progress);
	if (*error) {
		descriptor_close(fd);
		return NULL;
	}
	file = &probe->files[probe->n_files++];
	*file = (struct probe_file){ .fd = fd, .device = status.st_dev, .inode = status.st_ino };
	probe_code_find(&file->code, span_of(prober->text.bytes, prober->text.length), &probe->name,
			&prober->progress);
	buffer_free(&prober->text);
	return file;
}

/* False: the function cannot be probed there, which matters as long as it is in no other file. */
static bool judge(struct probe *probe, const struct probe_file *file)
{
	const struct probe_code *code = &file->code;

	if (code->fault != PROBE_FAULT_NONE && probe->n_events > 0)
		return false;
	probe->view.fault = code->fault;
	memcpy(probe->view.near, code->near, sizeof(code->near));
	probe->view.is_function = code->is_function;
	return code->fault == PROBE_FAULT_NONE;
}

static void begin(struct prober *prober, struct probe *probe)
{
	struct profile_file wanted = { .kind = PROFILE_FILE_NAMED };
	struct probe_file *file;
	int error;

	if (!probe->name.is_path)
		return;
	snprintf(wanted.path, sizeof(wanted.path), "%.*s", (int)span_length(probe->name.file),
		 probe->name.file.at);
	file = add_file(prober, probe, &wanted, &error);
	if (!file)
		fail(prober, probe, error);
	else if (!judge(probe, file))
		set_state(prober, probe, PROBE_REFUSED);
}

/* --- The processes that have mapped it. */

/* The code of a file that is meant. False: there is none. */
static bool find_mapped(const struct probe *probe, struct span maps, struct maps_region *found)
{
	enum probe_file_match best = PROBE_FILE_OTHER, match;
	struct maps_region region;

	while (mapped_code_next(&maps, &region)) {
		match = probe->name.is_path
				? (region.inode == probe->files[0].inode ? PROBE_FILE_IS : PROBE_FILE_OTHER)
				: probe_name_matches(&probe->name, region.path);
		if (match <= best)
			continue;
		best = match;
		*found = region;
	}
	return best != PROBE_FILE_OTHER;
}

/* The file of this process; NULL: it has not mapped it, *error: or that is not known. */
static struct probe_file *file_of(struct prober *prober, struct probe *probe, uint32_t pid, int *error)
{
	struct maps_region region = { 0 };
	struct probe_file *found = NULL;
	struct buffer maps = { 0 };

	*error = mapped_code_read_maps(pid, &maps);
	if (!*error && find_mapped(probe, span_of(maps.bytes, maps.length), &region)) {
		const struct profile_file wanted = mapped_code_file(pid, &region);

		found = add_file(prober, probe, &wanted, error);
		if (found && probe->name.is_path && found != &probe->files[0])
			found = NULL; /* it is another file with this number */
	}
	buffer_free(&maps);
	return found;
}

static struct probed *find_probed(struct probe *probe, const struct probe_target *target)
{
	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++)
		if (probe->view.processes[i].target.pid == target->pid &&
		    probe->view.processes[i].target.start_ticks == target->start_ticks)
			return &probe->view.processes[i];
	return NULL;
}

/* A number that is free, or of a process that ended; NULL: all are in use. */
static struct probed *add_probed(struct probe *probe, const struct probe_target *target)
{
	struct probed *ended = NULL;
	struct bpf_hits *hits;

	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++) {
		struct probed *probed = &probe->view.processes[i];

		if (probed->target.pid == 0 || (!ended && probed->state == PROBED_ENDED))
			ended = probed;
		if (probed->target.pid == 0)
			break;
	}
	if (!ended)
		return NULL;
	hits = &probe->hits[ended - probe->view.processes];
	probe->seen_hits -= hits->hits;
	memset(hits, 0, sizeof(*hits));
	*ended = (struct probed){ .target = *target };
	return ended;
}

/* Returns first, so that no hit is seen without one. 0 or -errno. */
static int attach_place(struct prober *prober, struct probe *probe, struct attached *attached,
			const struct probe_place *place, uint32_t pid)
{
	struct uprobe_place at = { .file = attached->file->fd,
				   .offset = place->offset,
				   .semaphore_offset = place->semaphore_offset };
	bool returns = attached->file->code.is_function;

	for (int is_entry = !returns; is_entry <= 1; is_entry++) {
		int event;

		at.at_return = !is_entry;
		event = !progress_goes_on(&prober->progress) ? -ECANCELED
			: probe->n_events == EVENTS_MAX
				? -EMFILE
				: uprobe_open(prober->perf, &prober->form, &at, pid,
					      probe->programs[at.at_return ? PROGRAM_LEAVE
							      : returns    ? PROGRAM_ENTER
									   : PROGRAM_HIT]);
		if (event < 0)
			return event;
		*VECTOR_ADD(attached->events, attached->n, attached->capacity) = event;
		probe->n_events++;
	}
	return 0;
}

static int attach(struct prober *prober, struct probe *probe, struct probed *probed,
		  const struct probe_file *file)
{
	unsigned number = (unsigned)(probed - probe->view.processes);
	struct attached *attached = &probe->attached[number];
	int error = wanted_set(probe, probed->target.pid, number);

	attached->file = file;
	for (unsigned i = 0; i < file->code.n_places && !error; i++)
		error = attach_place(prober, probe, attached, &file->code.places[i], probed->target.pid);
	if (error)
		detach(probe, number);
	return error;
}

/* The first process of a probe: what it will cost is measured before. False: it is not to be attached. */
static bool prepare(struct prober *prober, struct probe *probe, const struct probe_file *file)
{
	int error;

	if (!judge(probe, file))
		return false;
	if (!isnan(probe->view.cost_seconds))
		return true;
	set_state(prober, probe, PROBE_ATTACHING);
	error = price(prober, probe, file);
	if (error)
		fail(prober, probe, error);
	return !error;
}

static void attach_process(struct prober *prober, struct probe *probe, const struct probe_match *match)
{
	struct probed *probed = find_probed(probe, &match->target);
	enum probed_state attached = match->is_mapped ? PROBED_COUNTING : PROBED_WAITING;
	int error;

	if (probed && is_attached(probed->state)) {
		probed->state = attached;
		return;
	}
	if (!prepare(prober, probe, match->file))
		return;
	if (!probed)
		probed = add_probed(probe, &match->target);
	if (!probed)
		return;
	if (probe->n_events == 0) {
		probe->seen_hits = all_hits(probe);
		probe->seen_ns = clock_mono_ns(prober->clock);
	}
	error = attach(prober, probe, probed, match->file);
	if (error == -ESRCH) {
		probed->state = PROBED_ENDED;
	} else if (error) {
		stop(prober, probe, PROBE_FAILED);
		fail(prober, probe, error);
	} else {
		probed->state = attached;
		look(prober, probe);
	}
}

static void leave_process(struct probe *probe, struct probed *probed, enum probed_state state)
{
	detach(probe, (unsigned)(probed - probe->view.processes));
	probed->state = state;
}

/* NULL: it is not alive. */
static const struct probe_target *find_target(const struct prober *prober, const struct probe_target *target)
{
	size_t at;

	VECTOR_BOUND(at, prober->n_list, prober->list[at].pid < target->pid);
	return at < prober->n_list && prober->list[at].pid == target->pid &&
			       prober->list[at].start_ticks == target->start_ticks
		       ? &prober->list[at]
		       : NULL;
}

/* Panetop itself is left out: a probe that it meets while it attaches one would wait for itself. */
static bool is_meant(const struct probe *probe, const struct probe_target *target)
{
	bool is_chosen = probe->pid ? target->pid == probe->pid : !target->is_outside;

	return is_chosen && target->pid != env_self_pid();
}

/* Processes that have ended, or left the scope. */
static void leave_processes(struct prober *prober, struct probe *probe)
{
	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++) {
		struct probed *probed = &probe->view.processes[i];
		const struct probe_target *target = find_target(prober, &probed->target);

		if (probed->target.pid && probed->state != PROBED_ENDED && !target)
			leave_process(probe, probed, PROBED_ENDED);
		else if (target && !is_meant(probe, target) && is_attached(probed->state))
			leave_process(probe, probed, PROBED_NOT);
	}
}

/* Into matches, as far as there is room; returns how many there are. */
static size_t find_matches(struct prober *prober, struct probe *probe, struct probe_match *matches)
{
	bool waits = (prober->list_is_scoped || probe->pid) && probe->name.is_path;
	size_t n = 0;

	for (size_t i = 0; i < prober->n_list && progress_goes_on(&prober->progress); i++) {
		const struct probe_target *target = &prober->list[i];
		struct probed *probed = find_probed(probe, target);
		struct probe_match match = { .target = *target };
		int error;

		if (!is_meant(probe, target))
			continue;
		match.file = file_of(prober, probe, target->pid, &error);
		match.is_mapped = match.file != NULL;
		if (!match.file && probed && probed->state == PROBED_COUNTING && !error)
			leave_process(probe, probed, PROBED_GONE);
		if (!match.file && waits && (!probed || probed->state == PROBED_WAITING))
			match.file = &probe->files[0];
		if (match.file && n < PROBE_PROCESSES_MAX)
			matches[n] = match;
		n += match.file != NULL;
	}
	return n;
}

static void scan(struct prober *prober, struct probe *probe)
{
	struct probe_match matches[PROBE_PROCESSES_MAX];
	size_t n;

	leave_processes(prober, probe);
	if (is_over(probe))
		return;
	n = find_matches(prober, probe, matches);
	if (n > PROBE_PROCESSES_MAX) {
		probe->view.n_mapped = n;
		stop(prober, probe, PROBE_CROWDED);
		return;
	}
	for (size_t i = 0; i < n && !is_over(probe); i++)
		attach_process(prober, probe, &matches[i]);
	if (is_over(probe))
		return;
	if (probe->n_events > 0)
		set_state(prober, probe, PROBE_COUNTING);
	else
		set_state(prober, probe, probe->view.fault ? PROBE_REFUSED : PROBE_ABSENT);
}

/* --- The thread. */

static void free_probe(struct probe *probe)
{
	detach_all(probe);
	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++)
		free(probe->attached[i].events);
	for (unsigned i = 0; i < probe->n_files; i++)
		close(probe->files[i].fd);
	for (unsigned i = 0; i < N_PROGRAMS; i++)
		descriptor_close(probe->programs[i]);
	descriptor_close(probe->wanted.maps[BPF_MAP_WANTED]);
	if (probe->hits)
		munmap(probe->hits, sizeof(*probe->hits) * (PROBE_PROCESSES_MAX + 1));
	free(probe->text);
	free(probe);
}

static void free_prober(void *context)
{
	struct prober *prober = context;

	while (prober->probes) {
		struct probe *probe = prober->probes;

		prober->probes = probe->next;
		free_probe(probe);
	}
	pthread_mutex_destroy(&prober->lock);
	buffer_free(&prober->text);
	free(prober->targets);
	free(prober->list);
	free(prober);
}

/* Under lock. */
static void take_targets(struct prober *prober)
{
	struct probe_target *before = prober->list;
	size_t capacity = prober->list_capacity;

	if (!prober->has_targets)
		return;
	prober->list = prober->targets;
	prober->list_capacity = prober->targets_capacity;
	prober->n_list = prober->n_targets;
	prober->list_is_scoped = prober->is_scoped;
	prober->targets = before;
	prober->targets_capacity = capacity;
	prober->has_targets = false;
}

/* Under lock. What was changed is dealt with at once. */
static void take_changes(struct prober *prober, struct probe *probe)
{
	if (probe->is_new || probe->again)
		prober->next_scan_ns = 0;
	if (probe->again && probe->view.state == PROBE_COSTLY)
		probe->view.state = PROBE_ATTACHING;
	probe->again = false;
}

/* Under lock, which it releases while it frees them. */
static void free_removed(struct prober *prober)
{
	struct probe **at = &prober->probes, *probe;

	while ((probe = *at)) {
		if (!probe->removed) {
			at = &probe->next;
			continue;
		}
		*at = probe->next;
		pthread_mutex_unlock(&prober->lock);
		free_probe(probe);
		pthread_mutex_lock(&prober->lock);
	}
}

/* Under lock. Settled: what is attached has been looked at once. */
static void publish_all(struct prober *prober)
{
	bool all_settled = prober->list != NULL;

	for (struct probe *probe = prober->probes; probe; probe = probe->next) {
		enum probe_state state = probe->view.state;

		probe->shown = probe->view;
		all_settled &= !probe->is_new && state != PROBE_LOOKING && state != PROBE_ATTACHING &&
			       (state != PROBE_COUNTING || !isnan(probe->view.expected_per_second));
	}
	atomic_store(&prober->progress.ready, all_settled);
}

/*
 * Under lock, which it releases meanwhile: the list does not lose any, and others only add to its end.
 * Returns whether it looked for processes.
 */
static bool do_all(struct prober *prober)
{
	uint64_t begun_ns = clock_mono_ns(prober->clock), took_ns;
	bool scans;

	for (struct probe *probe = prober->probes; probe; probe = probe->next)
		take_changes(prober, probe);
	take_targets(prober);
	scans = prober->list && begun_ns >= prober->next_scan_ns;
	for (struct probe *probe = prober->probes; probe; probe = probe->next) {
		bool is_new = probe->is_new;

		probe->is_new = false;
		pthread_mutex_unlock(&prober->lock);
		if (is_new)
			begin(prober, probe);
		if (scans)
			scan(prober, probe);
		look(prober, probe);
		pthread_mutex_lock(&prober->lock);
	}
	took_ns = clock_mono_ns(prober->clock) - begun_ns;
	if (scans)
		prober->next_scan_ns = begun_ns + took_ns +
				       (SCAN_SHARE * took_ns > SCAN_NS ? SCAN_SHARE * took_ns : SCAN_NS);
	return scans;
}

static uint64_t work_once(void *context)
{
	struct prober *prober = context;
	bool scanned;

	pthread_mutex_lock(&prober->lock);
	free_removed(prober);
	scanned = do_all(prober);
	publish_all(prober);
	pthread_mutex_unlock(&prober->lock);
	return scanned ? LOOK_NS : CHECK_NS;
}

struct prober *prober_open(const struct env *env, const struct uprobe_form *form, double limit_ratio)
{
	static const struct thread_work work = { work_once, free_prober,
						 PRIVILEGE_BIT(PRIVILEGE_PROBES) |
							 PRIVILEGE_BIT(PRIVILEGE_MAPS) |
							 PRIVILEGE_BIT(PRIVILEGE_BPF) |
							 PRIVILEGE_BIT(PRIVILEGE_HIDDEN) };
	struct prober *prober = alloc_zeroed(1, sizeof(*prober));
	int error;

	prober->clock = env->clock;
	prober->perf = env->perf;
	prober->form = *form;
	prober->limit_ratio = limit_ratio;
	for (unsigned way = 0; way < N_PROBE_WAYS; way++)
		prober->prices[way][0] = prober->prices[way][1] = NAN;
	pthread_mutex_init(&prober->lock, NULL);
	prober->thread = thread_start(env->own_threads, &work, prober);
	if (prober->thread)
		return prober;
	error = errno;
	free_prober(prober);
	errno = error;
	return NULL;
}

void prober_close(struct prober *prober, bool for_end)
{
	if (!prober)
		return;
	atomic_store(&prober->progress.cancelled, true);
	thread_end(prober->thread, for_end);
}

static int copy_descriptor(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

/* The thread may go on with them after the set was closed. */
static int copy_set(struct probe *probe, const struct trace_set *set)
{
	void *memory;
	int error = 0;

	for (unsigned i = 0; i < N_PROGRAMS && error >= 0; i++)
		error = probe->programs[i] = copy_descriptor(set->running[i].loaded);
	probe->wanted.by = set->by;
	probe->wanted.bpf = set->bpf;
	if (error >= 0)
		error = probe->wanted.maps[BPF_MAP_WANTED] = copy_descriptor(set->maps[BPF_MAP_WANTED]);
	if (error < 0)
		return error;
	memory = mmap(NULL, sizeof(*probe->hits) * (PROBE_PROCESSES_MAX + 1), PROT_READ | PROT_WRITE,
		      MAP_SHARED, set->maps[BPF_MAP_HITS], 0);
	if (memory == MAP_FAILED)
		return -errno;
	probe->hits = memory;
	return 0;
}

struct probe *prober_add(struct prober *prober, const struct trace_set *set, const char *text, uint32_t pid)
{
	struct probe *probe = alloc_zeroed(1, sizeof(*probe)), **at = &prober->probes;
	int error;

	probe->text = alloc_text(text);
	probe->pid = pid;
	probe->is_new = true;
	probe->wanted.maps[BPF_MAP_WANTED] = probe->programs[PROGRAM_ENTER] = probe->programs[PROGRAM_LEAVE] =
		probe->programs[PROGRAM_HIT] = -1;
	probe->view.cost_seconds = probe->view.expected_per_second = NAN;
	probe->shown = probe->view;
	error = probe_name_parse(&probe->name, span_text(probe->text)) ? copy_set(probe, set) : -EINVAL;
	if (error) {
		free_probe(probe);
		errno = -error;
		return NULL;
	}
	pthread_mutex_lock(&prober->lock);
	while (*at)
		at = &(*at)->next;
	*at = probe;
	atomic_store(&prober->progress.ready, false);
	thread_wake(prober->thread);
	pthread_mutex_unlock(&prober->lock);
	return probe;
}

void prober_remove(struct prober *prober, struct probe *probe)
{
	pthread_mutex_lock(&prober->lock);
	probe->removed = true;
	thread_wake(prober->thread);
	pthread_mutex_unlock(&prober->lock);
}

void prober_allow(struct prober *prober, struct probe *probe)
{
	pthread_mutex_lock(&prober->lock);
	probe->again = !probe->allowed;
	probe->allowed = true;
	thread_wake(prober->thread);
	pthread_mutex_unlock(&prober->lock);
}

void prober_target(struct prober *prober, const struct probe_target *targets, size_t n, bool is_scoped)
{
	pthread_mutex_lock(&prober->lock);
	VECTOR_RESERVE(prober->targets, n + 1, prober->targets_capacity);
	memcpy(prober->targets, targets, n * sizeof(*targets));
	prober->n_targets = n;
	prober->is_scoped = is_scoped;
	prober->has_targets = true;
	if (!prober->list)
		thread_wake(prober->thread);
	pthread_mutex_unlock(&prober->lock);
}

void prober_settle(struct prober *prober)
{
	patience_await(&prober->progress);
}

void prober_view(struct prober *prober, const struct probe *probe, struct probe_view *view)
{
	pthread_mutex_lock(&prober->lock);
	*view = probe->shown;
	pthread_mutex_unlock(&prober->lock);
}
