/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that count in the kernel, as a topic describes them; they end when it closes. */
#ifndef PANETOP_TOPIC_TRACE_TRACE_H
#define PANETOP_TOPIC_TRACE_TRACE_H

#include "model/frame.h"
#include "model/sample_request.h"
#include "sys/bpf_code.h"
#include "sys/env.h"

#define TRACE_PROGRAMS_MAX 16
#define TRACE_SETS_MAX 16

/* The path of the source in --probe and in notices, its remedies, and what tries it. */
#define TRACE_SOURCE "BPF"
#define TRACE_REMEDIES                                                                                       \
	{ EPERM, N_("run it as root, or give it the capabilities cap_bpf and cap_perfmon") },                \
		{ EACCES, N_("run it as root, or give it the capabilities cap_bpf and cap_perfmon") },       \
		{ ENOSYS, N_("this kernel is built without BPF") }
#define TRACE_REMEDY_TYPES { ENOENT, N_("this kernel is built without BTF") }
#define TRACE_REMEDY_PIDS { EXDEV, N_("in a PID namespace processes have other PIDs than in the kernel") }
int trace_test(struct env *env);

/* A struct bpf_part whose offsets come from the kernel. */
struct trace_part {
	enum bpf_part_is is;
	unsigned argument; /* of an argument, NOTED, or of the member's structure */
	uint32_t bytes;    /* of an argument; of a member: only its lowest, 0: all */
	const char *name;  /* of a field; of a member: "task_struct.group_leader.tgid" */
	uint64_t constant;
	bool joins; /* as of struct bpf_part */
	uint32_t shift;
	bool points_to_text; /* of a member: its value are 8 bytes of that text, from text_offset on */
	uint32_t text_offset;
	const char *absent_with; /* of a member: 0 instead where the kernel has this one, too */
};

struct trace_program {
	const char *name;       /* what it does, for the topic tracing */
	const char *tracepoint; /* "irq_handler_entry": raw; "irq:irq_handler_entry" has fields */
	bool optional;          /* this kernel may lack the tracepoint */
	enum bpf_does does;
	struct trace_part keys[BPF_KEYS_MAX]; /* of MARK: the first is its value */
	unsigned n_keys;
	struct trace_part value, end; /* end: of RECORD */
	struct trace_part unless; /* as of struct bpf_shape */
	uint64_t unless_bits;
	bool positive;
	bool typed;              /* the kernel's BTF has the tracepoint; faster than raw */
	bool begins_elsewhere;   /* of STOP: START has another key … */
	struct trace_part begun; /* … this one */
	struct trace_part middle, done, whole; /* of phases, as of struct bpf_shape */
	enum bpf_enters enters;       /* of ENTER; EXISTS runs once, over all tasks … */
	unsigned task;                /* … and which argument is the task */
	enum bpf_cache_event event;   /* of CACHE */
	uint32_t first_bit;
	bool by_log2;
};

/* Programs that share their maps. */
struct trace_plan {
	const char *topic;
	const struct trace_program *programs;
	unsigned n_programs;
	unsigned n_words; /* of the keys of entries; 0: there are none */
	unsigned n_entries_max;
	bool starts, marks, records; /* some program has them */
	bool notes;                  /* starts are notes: the oldest go where there is no room */
	bool readers;                /* some program is of the page cache */
	bool slots;                  /* COUNT and STOP run often: keys that come often have slots */
	bool by_pid;                 /* in a PID namespace it cannot be: -EXDEV */
	bool times;                  /* entries are struct bpf_times by struct bpf_times_key */
	bool phases;                 /* entries are struct bpf_phases by one word */
	bool walks;                  /* instead of entries there is a struct bpf_walk */
};

struct trace_set {
	struct env *env;
	const struct trace_plan *plan;
	uint64_t process; /* only its threads have times; 0: all */
	int error; /* -errno: why nothing is counted; -ENOTSUP: it was not wanted */
	bool lacks; /* a part of a program is absent with what this kernel has */
	/* Maps; -1: none. */
	int entries, starts, start_slots, marks, records, rings, readers, slots, histograms, numbers, walk;
	uint64_t *slot_words; /* mapped: of each slot plan->n_words of a key and its value */
	struct trace_running {
		const struct trace_program *program;
		int self, loaded, attached;
	} running[TRACE_PROGRAMS_MAX];
	unsigned n_running;
	size_t n_cpus;  /* possible ones */
	uint64_t *keys; /* plan->n_words for each entry */
	struct bpf_entry *values;
	struct bpf_times *times;   /* instead of values, where the plan has them … */
	uint64_t *phase_numbers;   /* … or these, of phases */
	struct bpf_phases *phases; /* mapped: plan->n_entries_max */
	struct bpf_walk *walked;   /* mapped, of a plan that walks */
	size_t n_entries, n_read, capacity;
	size_t room;             /* for one read */
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
int trace_add(struct trace_set *set, const struct trace_program *program);

/*
 * Records made on this CPU go into the ring of this event, a PERF_COUNT_SW_BPF_OUTPUT with PERF_SAMPLE_RAW,
 * until it is closed. 0 or -errno.
 */
int trace_direct(const struct trace_set *set, uint32_t cpu, int event);

/* Reads all entries. False: nothing is counted. */
bool trace_read(struct trace_set *set);

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
	uint64_t number = set->phase_numbers[entry];

	return number < set->plan->n_entries_max ? &set->phases[number] : NULL;
}

/* The remedy where counting is refused; nothing where it was not wanted, or works. */
void trace_notice(const struct trace_set *set, struct frame *frame, const char *without);

/* Sums over the CPUs. */
struct bpf_self trace_self(struct trace_set *set, unsigned running);

/* The open sets of env; n may be 0. */
struct trace_sets {
	struct trace_set *list[TRACE_SETS_MAX];
	unsigned n;
};
const struct trace_sets *trace_opened(const struct env *env);

#endif
