/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assembles BPF programs of a few fixed shapes; loads none. */
#ifndef PANETOP_SYS_BPF_CODE_H
#define PANETOP_SYS_BPF_CODE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/histogram.h"

#define BPF_KEYS_MAX 6
#define BPF_PATH_MAX 4
#define BPF_CODE_MAX 400
#define BPF_TEXT_MAX 4096
#define BPF_SLOT_BITS 10         /* of the number of a slot */
#define BPF_SLOT_FREE UINT64_MAX /* the first word of its key */
#define BPF_START_SLOT_BITS 10   /* the key is 0: it is free; small, for the kernel's large pages */
#define BPF_TIMED_RUNS 64 /* one of this many runs measures its own time, of WALK each */
#define BPF_WALK_COUNTERS 3
#define BPF_WALK_MAX 20000 /* tasks: its CPU may do nothing else meanwhile, 4 ms at the most */

/* A number that a program takes from where it runs. */
enum bpf_part_is {
	BPF_PART_CONSTANT,
	BPF_PART_FIELD,    /* of the record of a tracepoint */
	BPF_PART_ARGUMENT, /* of a raw tracepoint */
	BPF_PART_MEMBER,   /* of a structure that such an argument points to */
	BPF_PART_CPU,
	BPF_PART_PROCESS, /* the one that runs: its pid */
	BPF_PART_THREAD,
	BPF_PART_IDLE, /* 1: no thread runs, the CPU was idle */
	BPF_PART_CGROUP,
	BPF_PART_MARKS, /* what BPF_MARK programs have set on this CPU */
	BPF_PART_NOTED, /* what BPF_NOTE has kept under the number that an argument is; 0: nothing */
	BPF_PART_MAKER, /* the same under the number that a member is; nothing, or the word of the key before
			   this one is 0: the process that runs */
};

struct bpf_part {
	enum bpf_part_is is;
	uint32_t bytes;              /* of a field, argument or member: 1, 2, 4 or 8 */
	uint32_t offset;             /* of a field; the number of an argument, from 0, of NOTED, too */
	uint32_t path[BPF_PATH_MAX]; /* offsets of pointers, each in what the one before points to; of the
					member */
	unsigned n_path;
	uint64_t constant;
	bool joins;     /* of a key: it is in the word of the part before it … */
	uint32_t shift; /* … this many bits higher */
};

enum bpf_does {
	BPF_COUNT,  /* counts by key, with sum and maximum of a value */
	BPF_START,  /* notes the time, by key */
	BPF_STOP,   /* counts, by key, with the time since then as the value */
	BPF_NOTE,   /* keeps the value, by key */
	BPF_MARK,   /* sets the bit with the number of the value on this CPU … */
	BPF_UNMARK, /* … and clears it */
	BPF_ENTER,  /* a task enters a state: struct bpf_times by task */
	BPF_CACHE,  /* counts pages of files by enum bpf_cache_word, in the page cache and asked of it */
	BPF_RECORD, /* sends a struct bpf_record of the text from the value, an address, to the end */
	BPF_WALK,   /* writes a struct bpf_walk of all processes, each time that it is run */
};

/* What a task does, and what it waits for. */
enum bpf_state {
	BPF_STATE_RUNNING,
	BPF_STATE_READY,
	BPF_STATE_DISK,
	BPF_STATE_MEMORY,
	BPF_STATE_LOCK, /* a futex */
	BPF_STATE_SLEEP,
	BPF_STATE_OTHER,
	BPF_STATE_GONE, /* it has exited */
	N_BPF_STATES,
};

enum bpf_enters {
	BPF_ENTERS_RUNNING,
	BPF_ENTERS_READY,  /* unless it runs */
	BPF_ENTERS_WAIT,   /* or is ready, or has exited: as sched_switch says */
	BPF_ENTERS_SWITCH, /* of sched_switch: WAIT of one and RUNNING of the other, in one program */
	BPF_ENTERS_GONE,   /* under the number that another argument has, unless that is its own */
	BPF_ENTERS_EXISTS, /* of an iterator: what it does now, unless that is known */
};

/* Offsets of members of task_struct, and of the number of the system call in pt_regs. */
struct bpf_task_layout {
	uint32_t pid, tgid, flags, state, on_cpu, on_rq;
	uint32_t in_iowait, in_memstall, call;
	uint8_t iowait_bit, memstall_bit; /* 0: the kernel has no such member */
	uint8_t on_cpu_bytes, on_rq_bytes;
};

/* begun_ns + all of spent_ns is since_ns; otherwise it was read while it changed. */
struct bpf_times {
	uint64_t process, begun_ns;
	uint64_t since_ns; /* that it entered state … */
	uint64_t state, before; /* … and left before, which was the last time that was added */
	uint64_t spent_ns[N_BPF_STATES];
};

/* Of the hash of struct bpf_times. */
struct bpf_times_key {
	uint64_t thread, task; /* task: the kernel's address; unique with the number of the thread */
};

/* What its argument, or its second one, says: a folio, or the address_space of a file. */
enum bpf_cache_event {
	BPF_CACHE_ADDED,   /* folio */
	BPF_CACHE_ASKED,   /* address_space, first and last index: at the end of a look for a read */
	BPF_CACHE_FAULTED, /* address_space */
	BPF_CACHE_DIRTIED, /* folio, address_space */
};

/* The words of the key; the counts are of pages, or of page faults. What writes and faults add is left out.
 */
enum bpf_cache_word {
	BPF_CACHE_PROCESS,
	BPF_CACHE_EVENT,
	BPF_CACHE_DEVICE,
	BPF_CACHE_INODE,
	N_BPF_CACHE_WORDS
};

/* Offsets of members, as their structures are named. */
struct bpf_cache_layout {
	uint32_t folio_mapping, folio_flags, folio_order; /* order: of a large folio */
	uint32_t large_bit;                               /* of the flags */
	uint32_t mapping_host, inode_number, inode_size, inode_super, super_device;
	uint32_t task_reads, task_minor, task_major; /* system calls that read, and page faults, so far */
	uint32_t page_bits;
};

/* Of a thread: the file to which it adds pages, the file of its last fault, and its last read. */
struct bpf_reader {
	uint64_t adding, pending; /* pages that no read has asked for so far */
	uint64_t faulted, faults;
	uint64_t reading, first, last, reads;
};

/* Functions of the kernel by their numbers in its BTF, and offsets of members. */
struct bpf_walk_layout {
	uint32_t iteration_new, iteration_next, iteration_destroy; /* over tasks */
	uint32_t task_tgid, task_run, task_priority, task_parent, task_groups, task_memory;
	uint32_t task_signal, signal_run, signal_threads;
	uint32_t memory_counters[BPF_WALK_COUNTERS]; /* of resident pages: of files, of none, shared */
};

/* A process. */
struct bpf_walked {
	uint32_t pid;
	uint32_t unseen; /* threads that it has or that were met, but not both; 0: run_ns is right */
	uint64_t run_ns; /* of all its threads, since its start: what its CPU clock says */
	uint64_t mark;   /* another one: its parent, priority, group or size has changed */
};

/* Memory of the program, shared with the caller. */
struct bpf_walk {
	uint64_t n_tasks, n_processes;
	bool ended; /* it has come to the end of the tasks: no process is missing */
	struct bpf_walked processes[BPF_WALK_MAX];
};

struct bpf_shape {
	enum bpf_does does;
	struct bpf_part keys[BPF_KEYS_MAX];
	unsigned n_keys;
	struct bpf_part value, end;
	uint32_t first_bit; /* of MARK: added to the value */
	struct bpf_part unless; /* runs in which it has one of these bits do nothing … */
	uint64_t unless_bits;   /* … 0: all do; not of ENTER and RECORD */
	bool positive;          /* of COUNT: only values above 0 count, as signed numbers of 32 bits */
	bool typed;             /* arguments have types of BTF: members are loaded directly */
	struct bpf_part begun;  /* of STOP: the key of START, unless both have the same … */
	bool begins_elsewhere;  /* … */
	bool by_log2;           /* the last word of the key is the number of bits of the value: a histogram */

	/*
	 * Of STOP: there are two times, which count in a struct bpf_phases by the one word of the key. The
	 * first began at the value, a time in ns, 0: unknown; the second, which ends now, at middle, 0: at
	 * the START of begun. Work that is done in part does not count.
	 */
	bool phases;
	struct bpf_part middle, done, whole;

	int self;           /* maps by descriptor: an element of struct bpf_self for each CPU */
	int entries;        /* of COUNT and STOP: a hash from the key's words to struct bpf_entry */
	int start_slots;    /* of phases: an array of 1 << BPF_START_SLOT_BITS of a key of START and its time;
			       starts is for keys whose slot another has */
	int histograms;     /* of phases: an array of struct bpf_phases; entries has the number of each, and
			       numbers, an array, how many there are */
	int numbers;
	int slots;          /* an array of 1 << BPF_SLOT_BITS of a key and what entries has of it: keys that
			       have their slot find that there instead, which costs less … */
	bool has_slots;     /* … */
	int starts;         /* of START and STOP: a hash from the key's words to a time, of NOTE to a value */
	int marks;          /* a word for each CPU; -1: none */
	enum bpf_enters enters;            /* of ENTER … */
	unsigned task;                     /* … the argument that is the task */
	uint64_t process;                  /* … only of this one; 0: of all */
	const struct bpf_task_layout *layout;
	enum bpf_cache_event event; /* of CACHE … */
	int readers;                /* … an LRU hash from the thread to struct bpf_reader */
	const struct bpf_cache_layout *cache;
	int walk;           /* of WALK: an array of one struct bpf_walk … */
	const struct bpf_walk_layout *walk_layout; /* … */
	int records;        /* of RECORD: a struct bpf_record for each CPU, to make it in */
	int rings;          /* of RECORD: a perf event for each CPU, whose ring it is sent to */
};

struct bpf_entry {
	uint64_t count, sum, most;
};

enum bpf_phase {
	BPF_PHASE_FIRST,
	BPF_PHASE_SECOND,
	N_BPF_PHASES,
};

/* Times in ns, by histogram_index(0, time). What each of them changes is near. */
struct bpf_phases {
	uint64_t sum[N_BPF_PHASES], most[N_BPF_PHASES];
	uint64_t buckets[N_BPF_PHASES][HISTOGRAM_BUCKETS];
};

/* Memory of the program that runs. */
struct bpf_record {
	uint32_t text_bytes;   /* more than BPF_TEXT_MAX: it is cut */
	uint32_t copied_bytes; /* 0: it could not be read */
	char text[BPF_TEXT_MAX];
};
#define BPF_RECORD_HEAD (int)offsetof(struct bpf_record, text)

/* What a program knows of itself, for each CPU. */
struct bpf_self {
	uint64_t runs, lost; /* lost: a map or ring was full, or a start was missed */
	uint64_t timed_runs, timed_ns;
};

struct bpf_code {
	struct bpf_insn insns[BPF_CODE_MAX];
	unsigned count;
	bool failed; /* it has no room, or a part cannot be loaded */
};

/* The number of the one slot that a key may have; programs compute the same. */
uint32_t bpf_slot(const uint64_t *key, unsigned n_words);

/* False when the shape cannot be made: an odd size, too many words in the key. */
bool bpf_assemble(struct bpf_code *code, const struct bpf_shape *shape);

#endif
