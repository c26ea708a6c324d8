/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of a few shapes, as topics describe them, and the memory that they share with their readers. */
#ifndef PANETOP_SYS_BPF_PROGRAM_H
#define PANETOP_SYS_BPF_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/histogram.h"

#define BPF_KEYS_MAX 6
#define BPF_PATH_MAX 4
#define BPF_CODE_MAX 1536
#define BPF_TEXT_MAX 4096
#define BPF_SLOT_BITS 10         /* of the number of a slot of entries */
#define BPF_SLOT_FREE UINT64_MAX /* the first word of its key */
#define BPF_START_SLOT_BITS 10   /* the key is 0: it is free; small, for the kernel's large pages */
#define BPF_TIMED_RUNS 64        /* one of this many runs measures its own time */
#define BPF_STACK_FRAMES 32
#define BPF_COMMAND_BYTES 16      /* TASK_COMM_LEN */
#define BPF_KEY_TEXT_MAX 64  /* bytes of a text in a key */
#define BPF_TESTS_MAX 8
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
	BPF_PART_MARKS,  /* what bpf_mark programs have set on this CPU */
	BPF_PART_NOTED,  /* what bpf_note has kept under the number that an argument is; 0: nothing */
	BPF_PART_MAKER,  /* the same under the number that a member is; nothing, or the word of the key before
			    this one is 0: the process that runs */
	BPF_PART_NUMBER, /* of the record of a tracepoint, at its spot */
	BPF_PART_TEXT,   /* the same: a text; only in keys and tests */
	BPF_PART_COMMAND, /* the name of the thread that runs; only in keys and tests */
};

/* Where something is in the record of a tracepoint. */
struct bpf_spot {
	enum {
		BPF_SPOT_HERE,
		BPF_SPOT_ELSEWHERE, /* a word of 4 bytes has how far it is in its lower half: from the record
				       on … */
		BPF_SPOT_BEHIND,    /* … from the end of the word on */
	} is;
	uint16_t offset, bytes; /* of a text that is here: its room */
	uint8_t value_bytes;    /* of a number: the lowest ones, which count … */
	bool is_signed;         /* … the first bit is its sign */
};

struct bpf_part {
	enum bpf_part_is is;
	unsigned argument;       /* from 0: itself, or what points to the member's structure */
	uint32_t bytes;          /* of an argument, 4 or 8; of a member: only its lowest, 0: all */
	bool since_later;        /* an argument of unless that older kernels lack: there all runs count */
	const char *name;        /* of a field; of a member: "task_struct.group_leader.tgid" */
	const char *absent_with; /* of a member: 0 instead where the kernel has this one, too */
	bool points_to_text;     /* of a member: its value are 8 bytes of that text, from text_offset on */
	uint32_t text_offset;
	uint64_t constant;
	struct bpf_spot spot;
	unsigned words; /* of the key, that a text has; its end is cut, see bpf_text() */
	bool joins;     /* of a key: it is in the word of the part before it … */
	uint32_t shift; /* … this many bits higher */
};

/* The maps of a plan, by what is in them. */
enum bpf_map {
	BPF_MAP_SELF,    /* each program's own: struct bpf_self for each CPU */
	BPF_MAP_ENTRIES, /* a hash from the words of the key to what enum bpf_entries_are says */
	BPF_MAP_SLOTS,   /* an array of 1 << BPF_SLOT_BITS of a key and what entries has of it: keys that
			    have their slot find that there instead, which costs less */
	BPF_MAP_STARTS,  /* a hash from the words of a key to the time of its start, or to what was noted */
	BPF_MAP_START_SLOTS, /* an array of 1 << BPF_START_SLOT_BITS of a key and its time; starts is for keys
			       whose slot another has */
	BPF_MAP_HISTOGRAMS,  /* an array of struct bpf_phases; entries has the number of each … */
	BPF_MAP_NUMBERS,     /* … and this, an array of one word, how many there are */
	BPF_MAP_MARKS,       /* a word for each CPU */
	BPF_MAP_READERS,     /* an LRU hash from the thread to struct bpf_reader */
	BPF_MAP_WALK,        /* an array of one struct bpf_walk */
	BPF_MAP_RECORDS,     /* a union bpf_sent for each CPU, to make it in */
	BPF_MAP_RINGS,       /* a perf event for each CPU, to whose ring records are sent */
	BPF_MAP_WANTED,      /* a hash of processes: those that a target of_wanted looks at, or … */
	BPF_MAP_HITS,        /* … in this, an array of struct bpf_hits, the number of each */
	BPF_MAP_WAITERS,     /* a hash from struct bpf_times_key to struct bpf_waiter */
	BPF_MAP_STACKS,      /* by number: addresses of BPF_STACK_FRAMES functions of the kernel */
	BPF_MAP_BEFORE,      /* a hash from the thread to the stack in which it waited before we looked */
	N_BPF_MAPS
};
#define BPF_MAP_BIT(map) (1U << (map))

/* What entries has for each key. */
enum bpf_entries_are {
	BPF_ENTRIES_NONE,
	BPF_ENTRIES_COUNTS, /* struct bpf_entry */
	BPF_ENTRIES_TIMES,  /* struct bpf_times, by struct bpf_times_key */
	BPF_ENTRIES_PHASES, /* the number of a struct bpf_phases among histograms */
};

/* What happens to a task; it leaves its CPU, exits or takes another number, exists already. */
enum bpf_event { BPF_EVENT_RUNNING, BPF_EVENT_READY, BPF_EVENT_LEFT, BPF_EVENT_GONE, BPF_EVENT_EXISTS };

struct bpf_assembler;
struct bpf_label;

/* What a program does; each is in a file of this folder, which opens with the C it stands for. */
struct bpf_shape {
	unsigned maps; /* that it needs, in bits */
	enum bpf_entries_are entries;
	bool needs_types;  /* its arguments must have the types of the kernel's BTF */
	bool iterates;     /* it runs once, over all that the kernel's iterator of this name has */
	bool is_run;       /* no tracepoint starts it; it measures the time of each run */
	bool at_code;      /* the code of a process starts it: who opens the plan attaches it */
	unsigned start_words; /* of what it keeps in starts; 0: as many as its keys have */
	enum bpf_event event; /* that has a task enter a state */
	bool keeps_newest; /* of what it keeps in starts the oldest goes where there is no room */
	void (*choose)(struct bpf_assembler *as, struct bpf_label *skip); /* runs that skip do not count */
	void (*work)(struct bpf_assembler *as);
};

extern const struct bpf_shape bpf_count;        /* counts by key, with sum and maximum of the value */
extern const struct bpf_shape bpf_table;        /* the same, with what struct bpf_table_parts has */
extern const struct bpf_shape bpf_start;        /* keeps the time, by key */
extern const struct bpf_shape bpf_stop;         /* counts, by key, with the time since then as the value */
extern const struct bpf_shape bpf_start_phases; /* as bpf_start, for … */
extern const struct bpf_shape bpf_stop_phases;  /* … two times that follow each other, in histograms */
extern const struct bpf_shape bpf_note;         /* keeps the value, by key */
extern const struct bpf_shape bpf_mark;   /* sets the bit with the number of the value on this CPU … */
extern const struct bpf_shape bpf_unmark; /* … and clears it */
extern const struct bpf_shape bpf_record; /* sends a struct bpf_record of text, from the value to end */
extern const struct bpf_shape bpf_walk;   /* writes a struct bpf_walk of all processes */

/* A task enters a state: struct bpf_times by struct bpf_times_key. At … */
extern const struct bpf_shape bpf_enter_switch; /* … sched_switch: one waits, one runs */
extern const struct bpf_shape bpf_enter_ready;  /* … sched_wakeup and sched_wakeup_new */
extern const struct bpf_shape bpf_enter_gone;   /* … sched_process_exec: the number of another is its own */
extern const struct bpf_shape bpf_enter_exists; /* … bpf_iter_task: what it does, unless that is known */

/* The same, and counts waits by struct bpf_wait; struct bpf_waiter by struct bpf_times_key. */
extern const struct bpf_shape bpf_wait_switch;
extern const struct bpf_shape bpf_wait_ready;
extern const struct bpf_shape bpf_wait_gone;
extern const struct bpf_shape bpf_wait_exists;
extern const struct bpf_shape bpf_follow; /* sched_process_fork: a child of a wanted process is wanted, too */
extern const struct bpf_shape bpf_wake;   /* sched_waking: counts by enum bpf_wake_word */

/* System calls, by a word of BPF_CALL_…; of bpf_call_ended with times since bpf_call_begun. At … */
extern const struct bpf_shape bpf_call;       /* … sys_exit */
extern const struct bpf_shape bpf_call_ended; /* … sys_exit */
extern const struct bpf_shape bpf_call_begun; /* … sys_enter; its key is the thread */

/* Calls that open a file, at sys_exit: counted by enum bpf_opened_word; sent as struct bpf_opened. */
extern const struct bpf_shape bpf_open_count;
extern const struct bpf_shape bpf_open_record;

/* Pages of files in the page cache and asked of it, by enum bpf_cache_word. At … */
extern const struct bpf_shape bpf_cache_added;   /* … mm_filemap_add_to_page_cache */
extern const struct bpf_shape bpf_cache_asked;   /* … mm_filemap_get_pages, at the end of a look */
extern const struct bpf_shape bpf_cache_faulted; /* … mm_filemap_fault and mm_filemap_map_pages */
extern const struct bpf_shape bpf_cache_dirtied; /* … writeback_dirty_folio */

/* A process comes to a place in its code, and returns from the function there: struct bpf_hits. */
extern const struct bpf_shape bpf_hit;       /* without times */
extern const struct bpf_shape bpf_hit_enter; /* with the time until … */
extern const struct bpf_shape bpf_hit_leave;

enum bpf_relation { BPF_LESS, BPF_LESS_EQUAL, BPF_GREATER, BPF_GREATER_EQUAL, BPF_EQUAL, BPF_NOT_EQUAL };

/* A comparison, as signed numbers where its part is one. Of texts: BPF_EQUAL and BPF_NOT_EQUAL. */
struct bpf_test {
	struct bpf_part part;
	enum bpf_relation relation;
	uint64_t number;
	char text[BPF_KEY_TEXT_MAX];
};

/* What bpf_table has besides keys and value. BPF_PART_CONSTANT: none. */
struct bpf_table_parts {
	struct bpf_test tests[BPF_TESTS_MAX]; /* runs in which one does not hold count nothing */
	unsigned n_tests;
	struct bpf_part most; /* its maximum is kept, see bpf_table_most() … */
	struct bpf_part
		bits; /* … the last word of the key is its number of bits, below 0: of a negative one */
};

struct bpf_program {
	const char *name;       /* what it does, for the topic tracing */
	const char *tracepoint; /* "irq_handler_entry": raw; "irq:irq_handler_entry" has fields */
	bool optional;          /* this kernel may lack the tracepoint */
	bool typed; /* the kernel's BTF has the tracepoint: members are loaded directly, if it may */
	const struct bpf_shape *does;
	struct bpf_part keys[BPF_KEYS_MAX];
	unsigned n_keys;
	struct bpf_part value, end; /* end: of bpf_record */
	uint32_t first_bit;         /* of bpf_mark and bpf_unmark: added to the value */
	struct bpf_part unless;     /* runs in which it has one of these bits do nothing … */
	uint64_t unless_bits;       /* … 0: all do; not of shapes that have a key of their own */
	bool positive; /* of bpf_count: only values above 0 count, as signed numbers of 32 bits */
	bool by_log2;  /* the last word of the key is the number of bits of the value: a histogram */

	struct bpf_part begun; /* of bpf_stop: the key of the start, unless both have the same … */
	bool begins_elsewhere; /* … */

	/*
	 * Of bpf_stop_phases: the first began at the value, a time in ns, 0: unknown; the second, which ends
	 * now, at middle, 0: at the start of begun. Work that is done in part does not count.
	 */
	struct bpf_part middle, done, whole;
	const struct bpf_table_parts *table; /* of bpf_table */
};

/* Where a kernel has something: the offsets of the pointers on the way to it, the last one its own. */
struct bpf_place {
	uint32_t offsets[BPF_PATH_MAX];
	unsigned n;
	uint32_t bytes; /* of the number that is there; 0: it is something else */
};

/* What is known of a kernel. Each gives 0 or -errno; -ENODATA: it has none of this name. */
struct bpf_kernel {
	void *state;
	uint32_t page_bits;
	int (*field)(void *state, const char *name, struct bpf_place *place);
	int (*member)(void *state, const char *way, struct bpf_place *place);
	int (*bit)(void *state, const char *way, uint32_t *offset, uint8_t *bit); /* of its byte */
	int (*enumerator)(void *state, const char *enumeration, const char *name, uint32_t *value);
	int (*function)(void *state, const char *name, uint32_t *number);
	int (*arguments)(void *state, const char *tracepoint, uint32_t *n); /* of a raw one: how many */
};

/* What a program is made for. */
struct bpf_target {
	const struct bpf_kernel *kernel;
	int maps[N_BPF_MAPS]; /* descriptors; -1: none */
	bool typed;           /* its arguments have types: it is loaded so */
	uint64_t process;     /* of bpf_enter_… and bpf_wait_…: only its threads; 0: all, or … */
	bool of_wanted;       /* … those of the processes in BPF_MAP_WANTED */
};

struct bpf_code {
	struct bpf_insn insns[BPF_CODE_MAX];
	unsigned count;
	bool lacks;          /* a part of it is absent with what this kernel has */
	int error;           /* 0, -ENODATA: the kernel lacks something, -EINVAL: the program is wrong … */
	const char *refused; /* … why; NULL: it is not */
};

/* 0, or -errno: then it is not to be loaded. */
int bpf_assemble(struct bpf_code *code, const struct bpf_program *program, const struct bpf_target *target);

/* The words of its keys, without that of by_log2. */
unsigned bpf_key_words(const struct bpf_program *program);

/*
 * The text in the words of a key, which need not end with a NUL; *is_cut: it is longer, and these are its
 * first bytes. Its length.
 */
size_t bpf_text(const struct bpf_part *part, const uint64_t *words, bool *is_cut);

/* The maximum in an entry of bpf_table; of signed numbers as such. */
static inline uint64_t bpf_table_most(const struct bpf_part *most, uint64_t kept)
{
	return most->spot.is_signed ? kept ^ UINT64_C(1) << 63 : kept;
}

/* The number of the one slot of entries that a key may have; programs compute the same. */
uint32_t bpf_slot(const uint64_t *key, unsigned n_words);

/* What follows is memory of programs. */

/* What a program knows of itself, for each CPU. */
struct bpf_self {
	uint64_t runs, lost; /* lost: a map or ring was full, or a start was missed */
	uint64_t timed_runs, timed_ns;
};

struct bpf_entry {
	uint64_t count, sum, most;
};

enum bpf_phase { BPF_PHASE_FIRST, BPF_PHASE_SECOND, N_BPF_PHASES };

/* Times in ns, by histogram_index(0, time). What each of them changes is near. */
struct bpf_phases {
	uint64_t sum[N_BPF_PHASES], most[N_BPF_PHASES];
	uint64_t buckets[N_BPF_PHASES][HISTOGRAM_BUCKETS];
};

/* Of a process. Times in ns, by histogram_index(0, time). */
struct bpf_hits {
	uint64_t hits, returns;
	uint64_t sum, most;
	uint64_t buckets[HISTOGRAM_BUCKETS];
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

/* begun_ns + all of spent_ns is since_ns; otherwise it was read while it changed. */
struct bpf_times {
	uint64_t process, begun_ns;
	uint64_t since_ns;      /* that it entered state … */
	uint64_t state, before; /* … and left before, which was the last time that was added */
	uint64_t spent_ns[N_BPF_STATES];
};

struct bpf_times_key {
	uint64_t thread, task; /* task: the kernel's address; unique with the number of the thread */
};

/* What a thread waits for. */
struct bpf_wait {
	uint32_t process;
	uint32_t stack; /* its number, negative: it has none; of BPF_WAIT_BEFORE: the thread */
	uint32_t state; /* enum bpf_state … */
	int32_t call;   /* number of the system call; -1: it is a thread of the kernel */
};
#define BPF_WAIT_BEFORE 0x100U /* … with this: it began before we looked */

enum bpf_wait_class { BPF_WAIT_RUNNING, BPF_WAIT_READY, BPF_WAIT_WAITING, N_BPF_WAIT_CLASSES };

/* begun_ns + all of spent_ns is since_ns; otherwise it was read while it changed. */
struct bpf_waiter {
	uint64_t process, start_ns; /* start_ns: of the process, since boot */
	uint64_t begun_ns, since_ns;
	uint64_t state; /* enum bpf_state */
	uint64_t spent_ns[N_BPF_WAIT_CLASSES];
	struct bpf_wait wait, last; /* wait: the present one, if it waits; last: the last that has ended */
	uint64_t last_ns, last_end_ns;
	char command[BPF_COMMAND_BYTES]; /* of the process, when it was first seen; gone: when it exited */
};

/* The words of the key of bpf_wake. Names are of processes, not of threads; 0: an interrupt, or idle. */
enum bpf_wake_word {
	BPF_WAKE_MARKS,
	BPF_WAKE_IDLE,
	BPF_WAKE_WAKER,
	BPF_WAKE_WOKEN = BPF_WAKE_WAKER + BPF_COMMAND_BYTES / 8,
	N_BPF_WAKE_WORDS = BPF_WAKE_WOKEN + BPF_COMMAND_BYTES / 8,
};

/*
 * The word of a system call: its process, number, error and time, from the highest bits on. The number has 16
 * bits, with the mark of a program of 32 bits in a kernel of 64, whose numbers are others.
 */
#define BPF_CALL_PROCESS_SHIFT 40
#define BPF_CALL_NUMBER_SHIFT 24
#define BPF_CALL_ERROR_SHIFT 12
#define BPF_CALL_FOREIGN 0x8000U
#define BPF_CALL_NONE 0x7fff    /* it returned from a signal handler, or a tracer took its number away */
#define BPF_CALL_ODD 0x7ffe     /* no kernel has a call with this number */
#define BPF_CALL_ERROR_MAX 4095 /* MAX_ERRNO of linux/err.h */
#define BPF_CALL_BUCKET_SHIFT 3 /* 1 + so much of histogram_index(0, time), 0: not timed */

/* What is counted; the counts are of pages, or of page faults. What writes and faults add is left out. */
enum bpf_cache_event { BPF_CACHE_ADDED, BPF_CACHE_ASKED, BPF_CACHE_FAULTED, BPF_CACHE_DIRTIED };

/* The words of the key. */
enum bpf_cache_word {
	BPF_CACHE_PROCESS,
	BPF_CACHE_EVENT,
	BPF_CACHE_DEVICE,
	BPF_CACHE_INODE,
	N_BPF_CACHE_WORDS
};

/* Of a thread: the file to which it adds pages, the file of its last fault, and its last read. */
struct bpf_reader {
	uint64_t adding, pending; /* pages that no read has asked for so far */
	uint64_t faulted, faults;
	uint64_t reading, first, last, reads;
};

/* A process. */
struct bpf_walked {
	uint32_t pid;
	uint32_t unseen; /* threads that it has or that were met, but not both; 0: run_ns is right */
	uint64_t run_ns; /* of all its threads, since its start: what its CPU clock says */
	uint64_t mark;   /* another one: its parent, priority, group or size has changed */
};

struct bpf_walk {
	uint64_t n_tasks, n_processes;
	bool ended; /* it has come to the end of the tasks: no process is missing */
	struct bpf_walked processes[BPF_WALK_MAX];
};

struct bpf_record {
	uint32_t text_bytes;   /* more than BPF_TEXT_MAX: it is cut */
	uint32_t copied_bytes; /* 0: it could not be read */
	char text[BPF_TEXT_MAX];
};
#define BPF_RECORD_HEAD (int)offsetof(struct bpf_record, text)

/* The words of the key of bpf_open_count. The path is as the program gave it, cut, with 0 behind it. */
enum bpf_opened_word {
	BPF_OPENED_ERROR,   /* 0: it was opened; with BPF_OPENED_UNREAD the path could not be read */
	BPF_OPENED_COMMAND, /* of the process */
	BPF_OPENED_PATH = BPF_OPENED_COMMAND + BPF_COMMAND_BYTES / 8,
	N_BPF_OPENED_WORDS = BPF_OPENED_PATH + 15,
};
#define BPF_OPENED_UNREAD 0x10000
#define BPF_OPENED_CUT 0x40000 /* it is longer */
#define BPF_OPENED_PATH_BYTES (8 * (N_BPF_OPENED_WORDS - BPF_OPENED_PATH))

struct bpf_opened {
	int32_t result;        /* a descriptor, or a negative error */
	uint32_t copied_bytes; /* of the path, with the 0 behind it; 0: it could not be read */
	char command[BPF_COMMAND_BYTES];
	char path[BPF_TEXT_MAX];
};
#define BPF_OPENED_HEAD (int)offsetof(struct bpf_opened, path)

/* Where programs make what they send. */
union bpf_sent {
	struct bpf_record record;
	struct bpf_opened opened;
};

#endif
