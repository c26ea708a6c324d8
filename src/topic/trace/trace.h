/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that count in the kernel, as a topic describes them; they end when it closes. */
#ifndef PANETOP_TOPIC_TRACE_TRACE_H
#define PANETOP_TOPIC_TRACE_TRACE_H

#include "model/frame.h"
#include "model/settings.h"
#include "sys/bpf/program.h"
#include "sys/env.h"

#define TRACE_PROGRAMS_MAX 16
#define TRACE_SETS_MAX 32

/* The path of the source in --probe and in notices, its remedies, and what tries it. */
#define TRACE_SOURCE "BPF"
#define TRACE_REMEDIES                                                                                       \
	{ EPERM, N_("run it as root, or give it the capabilities cap_bpf and cap_perfmon") },                \
		{ EACCES, N_("run it as root, or give it the capabilities cap_bpf and cap_perfmon") },       \
		{ ENOSYS, N_("this kernel is built without BPF") }
#define TRACE_REMEDY_TYPES { ENOENT, N_("this kernel is built without BTF") }
#define TRACE_REMEDY_PIDS { EXDEV, N_("in a PID namespace processes have other PIDs than in the kernel") }
int trace_test(struct env *env);

/* What the kernel counts for a topic, which can do without, and remedies. */
#define TRACE_GIVES(what, ...)                                                                               \
	{                                                                                                    \
		.path = TRACE_SOURCE, .gives = what, .optional = true, .test = trace_test,                   \
		.remedies = { __VA_ARGS__ }                                                                  \
	}
#define TRACE_PROGRAMS(list) .programs = (list), .n_programs = sizeof(list) / sizeof((list)[0])

/* Programs that share their maps. */
struct trace_plan {
	const char *topic;
	const struct bpf_program *programs;
	unsigned n_programs;
	unsigned n_words; /* of the keys of entries */
	unsigned n_entries_max;
	bool slots;  /* they run often: keys that come often have slots */
	bool by_pid; /* in a PID namespace it cannot be: -EXDEV */
	bool of_wanted; /* only of processes that trace_want() names */
};

/* All plans; each is of the file that opens it. */
#define TRACE_PLAN(name) extern const struct trace_plan trace_plan_##name;
#include "topic/trace/plans.def"
#undef TRACE_PLAN

/* A hash as it was read. */
struct trace_entries {
	void *keys, *values; /* owned */
	size_t n, capacity;
	size_t room; /* for one read */
};

struct trace_set;

/* Who counts, env->counting: the kernel, or a script of a test. Errors are -errno. */
struct trace_counting {
	int (*open)(struct trace_set *set); /* maps, and the programs of its plan; or nothing */
	void (*close)(struct trace_set *set);
	int (*add)(struct trace_set *set, const struct bpf_program *program);
	void (*stop)(struct trace_set *set, const struct bpf_program *program);
	int (*rest)(struct trace_set *set, const char *tracepoint, bool rests);
	int (*run)(struct trace_set *set, unsigned running); /* one that nothing starts, or iterates */

	/* All of a hash: keys and entries, or waiters. False: it cannot. */
	bool (*read)(struct trace_set *set, enum bpf_map map);
	int (*get)(const struct trace_set *set, enum bpf_map map, const void *key, void *value);
	int (*put)(const struct trace_set *set, enum bpf_map map, const void *key, const void *value);
	void (*remove)(const struct trace_set *set, enum bpf_map map, const void *key);

	/* skipped: what the kernel skipped is lost, too */
	struct bpf_self (*self)(struct trace_set *set, unsigned running, bool skipped);
};

struct trace_set {
	struct env *env;
	const struct trace_counting *by; /* NULL: it was not opened */
	const struct bpf_calls *bpf;     /* of env, which may close before a thread that has a copy ends */
	const struct trace_plan *plan;
	uint64_t process;         /* only its threads have times; 0: all */
	int error;                /* -errno: why nothing is counted; -ENOTSUP: it was not wanted */
	bool lacks;               /* a part of a program is absent with what this kernel has */
	int maps[N_BPF_MAPS];     /* those of all programs; -1: none */
	void *memory[N_BPF_MAPS]; /* of maps that are shared */
	struct trace_running {
		const struct bpf_program *program;
		int self, loaded, attached;
		bool typed; /* it was loaded with the types of the kernel */
	} running[TRACE_PROGRAMS_MAX];
	unsigned n_running;
	size_t n_cpus;  /* possible ones */
	uint64_t *keys; /* plan->n_words for each entry */
	union {         /* as enum bpf_entries_are says */
		void *all;
		struct bpf_entry *values;
		struct bpf_times *times;
		uint64_t *phase_numbers;
	};
	size_t n_entries, n_read, capacity;
	size_t room;             /* for one read */
	struct trace_entries waiters; /* struct bpf_times_key, struct bpf_waiter */
	struct bpf_self *selves; /* for each CPU */
};

/*
 * Loads and attaches all programs of the plan, or none: error is then set. A topic calls this before its
 * first read, not when it is opened, so that privileges are as the run has them.
 */
void trace_open(struct trace_set *set, struct env *env, const struct sample_request *request,
		const struct trace_plan *plan);

/* Of the threads of one process; 0: of all. */
void trace_open_process(struct trace_set *set, struct env *env, const struct sample_request *request,
			const struct trace_plan *plan, uint32_t process);
void trace_close(struct trace_set *set);

/* One more program for an open set; what it counts is known from now on. 0 or -errno. */
int trace_add(struct trace_set *set, const struct bpf_program *program);

/* Ends this one of its programs; what it counted stays. */
void trace_stop(struct trace_set *set, const struct bpf_program *program);

/*
 * Those of its programs at this raw tracepoint run no longer, or again, and cost nothing meanwhile; what they
 * counted stays. 0 or -errno: they do not run.
 */
int trace_rest(struct trace_set *set, const char *tracepoint, bool rests);

/*
 * Records made on this CPU go into the ring of this event, a PERF_COUNT_SW_BPF_OUTPUT with PERF_SAMPLE_RAW,
 * until it is closed. 0 or -errno.
 */
int trace_direct(const struct trace_set *set, uint32_t cpu, int event);

/* Reads all entries. False: nothing is counted. */
bool trace_read(struct trace_set *set);

/* Reads set->waiters; call it after trace_read(). False: there are none. */
bool trace_read_waiters(struct trace_set *set);
void trace_forget_waiter(struct trace_set *set, size_t waiter);

/* Of a plan of_wanted: this process, by its pid, is looked at from now on, or no longer. 0 or -errno. */
int trace_want(struct trace_set *set, uint64_t process, bool wanted);

/* Of a plan with hits: by the number that BPF_MAP_WANTED has of a process. */
static inline const struct bpf_hits *trace_hits(const struct trace_set *set, size_t number)
{
	return (const struct bpf_hits *)set->memory[BPF_MAP_HITS] + number;
}

/* Runs programs that iterate again, over what is wanted now. 0 or -errno. */
int trace_iterate(struct trace_set *set);

/* The addresses of a stack, the innermost first, up to 0; false: it has no such stack. */
bool trace_stack(const struct trace_set *set, uint32_t stack, uint64_t frames[BPF_STACK_FRAMES]);

/* The same of a thread that waited before it was looked at. */
bool trace_stack_before(const struct trace_set *set, uint64_t thread, uint64_t frames[BPF_STACK_FRAMES]);

/* Walks now, over all processes and their threads; NULL: it cannot, or did not come to the end. */
const struct bpf_walk *trace_walk(struct trace_set *set);

static inline const uint64_t *trace_key(const struct trace_set *set, size_t entry)
{
	return set->keys + entry * set->plan->n_words;
}

/* Its entry counts from 0 again when it comes back, and leaves room for others until then. */
void trace_forget(struct trace_set *set, size_t entry);

/* Times of threads that have exited are there until they are forgotten. */
static inline const struct bpf_times_key *trace_times_key(const struct trace_set *set, size_t entry)
{
	return (const struct bpf_times_key *)(const void *)trace_key(set, entry);
}

/* NULL: there was no room for them. */
static inline const struct bpf_phases *trace_phases(const struct trace_set *set, size_t entry)
{
	const struct bpf_phases *phases = set->memory[BPF_MAP_HISTOGRAMS];
	uint64_t number = set->phase_numbers[entry];

	return number < set->plan->n_entries_max ? &phases[number] : NULL;
}

/* The remedy where counting is refused; nothing where it was not wanted, or works. */
void trace_notice(const struct trace_set *set, struct frame *frame, const char *without);

/* Sums over the CPUs. What is lost are also runs that the kernel skipped, whatever they were of; … */
struct bpf_self trace_self(struct trace_set *set, unsigned running);
struct bpf_self trace_own(struct trace_set *set, unsigned running); /* … without those */

/* The open sets of env; n may be 0. */
struct trace_sets {
	struct trace_set *list[TRACE_SETS_MAX];
	unsigned n;
};
const struct trace_sets *trace_opened(const struct env *env);

#endif
