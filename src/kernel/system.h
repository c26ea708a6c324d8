/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/loadavg, uptime, stat, cpuinfo, interrupts and pressure: the machine and its CPUs in numbers. */
#ifndef PANETOP_KERNEL_SYSTEM_H
#define PANETOP_KERNEL_SYSTEM_H

#include "core/span.h"
#include "core/unknown.h"

/* /proc/loadavg, /proc/uptime and the totals of /proc/stat: the machine in a few numbers. */
struct loadavg {
	double load1, load5, load15;
	uint64_t threads;  /* all schedulable tasks of the machine */
	uint64_t last_pid; /* the most recent PID in our namespace; U64_UNKNOWN if missing */
};

bool loadavg_parse(struct span text, struct loadavg *loadavg);

/* Seconds since boot, suspend included. */
bool uptime_parse(struct span text, double *seconds);

/* U64_UNKNOWN for a missing line. */
struct stat_totals {
	uint64_t cpus;             /* lines "cpuN": CPUs that are online */
	uint64_t context_switches; /* since boot */
	uint64_t interrupts;       /* since boot */
	uint64_t forks;            /* processes and threads created since boot */
	uint64_t running, blocked; /* now */
};

void stat_totals_parse(struct span text, struct stat_totals *totals);

/* Lists of CPUs as the kernel writes them: "0-3,8,10-11". */
#define CPU_LIST_MAX 65536 /* all CPU numbers are lower */

/* The next range of CPUs; false at the end or where the list is malformed. */
bool cpu_list_next(struct span *list, uint32_t *first, uint32_t *last);

bool cpu_list_has(struct span list, uint32_t cpu);

/* The lines "cpu" and "cpuN" of /proc/stat: times of each CPU; and the speeds in /proc/cpuinfo. */
#define CPU_ALL U64_UNKNOWN /* the line "cpu": the sum of all, including offline CPUs */

/*
 * In USER_HZ; U64_UNKNOWN where the line is shorter. The kernel adds guest to user, and guest_nice to nice.
 */
struct cpu_times {
	uint64_t cpu; /* its number, or CPU_ALL */
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice;
};

/* The next such line of text; false when there is none. */
bool cpu_times_next(struct span *text, struct cpu_times *times);

/* Time of a CPU that was not idle, including steal; unknown parts count as 0. */
double cpu_times_busy(const struct cpu_times *times);

/*
 * Whether the kernel measures interrupts, and takes them off the clocks of the tasks that they interrupt
 * (CONFIG_IRQ_TIME_ACCOUNTING). Otherwise it counts ticks, and irq stays 0, because a tick is an interrupt
 * itself, and interrupts do not nest. POWER and s390 measure them, but leave them in the clocks.
 */
bool cpu_times_measures_interrupts(const struct cpu_times *times);

/* The next CPU of /proc/cpuinfo with a speed ("cpu MHz"); false when there is none. */
bool cpuinfo_next_speed(struct span *text, uint64_t *cpu, double *hertz);

/* Does /proc/cpuinfo say that a hypervisor runs below this kernel? Only x86 does. */
bool cpuinfo_is_virtual(struct span text);

/* /proc/interrupts and /proc/softirqs: a line per interrupt, a column per CPU. */
struct interrupt_line {
	struct span label;  /* "24", "LOC", "NET_RX": without the colon */
	struct span counts; /* a number per CPU of the heading, fewer for ERR and MIS */
};

/* The next CPU of the heading, the first line: "CPU0 CPU1 …". */
bool interrupt_cpu_next(struct span *heading, uint32_t *cpu);

/* The next interrupt; skips malformed lines. */
bool interrupt_next(struct span *text, struct interrupt_line *line);

/*
 * The name for people, once all counts have been consumed from line->counts: the devices of a numbered
 * interrupt ("virtio0-input.0", "ehci_hcd:usb1, eth0"), else its label.
 */
struct span interrupt_name(const struct interrupt_line *line);

/* /proc/pressure/{cpu,memory,io} and cgroup *.pressure: how long tasks waited for a resource. */
struct pressure_line {
	struct span kind;                 /* "some" or "full" */
	double avg10, avg60, avg300;      /* percentage of time, 0 to 100 */
	uint64_t total_us;                /* stall time since boot in microseconds */
};

/* The next well-formed line; skips others. */
bool pressure_next(struct span *text, struct pressure_line *line);

#endif
