/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/stat and /proc/PID/io: a process in one line each. */
#ifndef PANETOP_KERNEL_PID_STAT_H
#define PANETOP_KERNEL_PID_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct pid_stat {
	struct span comm;      /* without its parentheses; may hold any byte */
	uint64_t major_faults; /* since its start, of all its threads */
	uint64_t start_ticks;  /* since boot, in USER_HZ */
};

bool pid_stat_parse(struct span text, struct pid_stat *stat);

struct pid_io {
	uint64_t read_bytes; /* fetched from storage on its behalf since its start */
};

bool pid_io_parse(struct span text, struct pid_io *io);

#endif
