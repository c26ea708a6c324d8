/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines "oom-kill:constraint=" of the kernel's log, since Linux 5.0: which process was killed, and why. */
#ifndef PANETOP_KERNEL_OOM_RECORD_H
#define PANETOP_KERNEL_OOM_RECORD_H

#include "core/span.h"

struct oom_record {
	struct span limit;   /* path of the group that was at its limit; empty: the machine ran out */
	struct span command; /* name of the process */
	uint64_t pid;        /* in the first pid namespace */
	uint64_t boot_us;    /* when, by the clock of the log; U64_UNKNOWN */
};

/* False where the line is another one, or malformed. Names in it may have any bytes but a newline. */
bool oom_record_parse(struct span line, struct oom_record *record);

#endif
