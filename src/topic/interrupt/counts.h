/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of the kernel with a line per interrupt and a column per online CPU, from tick to tick. */
#ifndef PANETOP_TOPIC_INTERRUPT_COUNTS_H
#define PANETOP_TOPIC_INTERRUPT_COUNTS_H

#include "core/hash.h"
#include "kernel/system.h"
#include "sys/env.h"

#define COUNTS_LABEL_BYTES 24
#define COUNTS_NAME_BYTES 96

/* The kernel counts in 32 bits. */
struct wrapping_count {
	uint64_t total, last, fallen;
	bool known, doubtful;
};

/* Goes on over a wrap; one that fell is left out once (core/ledger.h). base: what the first one counts. */
void wrapping_count_update(struct wrapping_count *count, uint64_t now, uint64_t base);

/* U64_UNKNOWN: its last value was left out, or it has none. */
uint64_t wrapping_count_total(const struct wrapping_count *count);

struct count_cell {
	struct wrapping_count count;
	uint64_t ns; /* for the caller: time spent, since panetop began to count it */
};

struct count_line {
	char label[COUNTS_LABEL_BYTES]; /* "24", "LOC", "NET_RX" */
	char name[COUNTS_NAME_BYTES];   /* devices of a numbered one, else what it is for */
	uint64_t number;                /* of a numbered one, else U64_UNKNOWN */
	struct count_cell *cells;       /* by place in cpus; owned */
	size_t n_cells;
	bool present; /* in the last update */
	bool whole;   /* one number for all CPUs: ERR and MIS */
	bool renamed; /* … with another name than before */
};

struct counts {
	struct env *env;
	struct env_file *file;
	uint32_t *cpus; /* every CPU that was ever seen, by its column then */
	size_t n_cpus, cpus_capacity;
	size_t *columns; /* place in cpus of each column of now */
	size_t n_columns, columns_capacity;
	struct count_line *lines;
	size_t n_lines, capacity;
	struct hash by_label;
	unsigned long updates;
};

void counts_open(struct counts *counts, struct env *env, const char *path);
void counts_close(struct counts *counts);

/* Once per tick. 0 or -errno; -ENODATA when the file makes no sense. */
int counts_update(struct counts *counts);

/* The line of a numbered interrupt; NULL: none. */
struct count_line *counts_numbered(struct counts *counts, uint64_t number);

/* The place of this CPU in cpus; SIZE_MAX: it was never seen. */
size_t counts_cpu(const struct counts *counts, uint32_t cpu);

/* Sums of a line over the CPUs. U64_UNKNOWN: a value of it was left out. */
uint64_t counts_total(const struct count_line *line);
uint64_t counts_total_ns(const struct count_line *line);

#endif
