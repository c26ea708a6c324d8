/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thresholds of dropped packets, and of network queues whose interrupts all go to few CPUs. */
#include <config.h>

#include "pane/kernel/kernel_hints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/span.h"
#include "model/units.h"

#define SQUEEZED_NOTABLY 10.0 /* polls per second */
#define ONE_CPU 0.95          /* share of it that counts as all */
#define QUEUES_RATE 1000.0    /* interrupts per second of several queues … */
#define QUEUE_RATE 5000.0     /* … of one … */
#define QUEUE_USED 100.0      /* … of each of several */
#define PACKETS_RATE 5000.0   /* runs of NET_RX per second */

struct hints {
	struct kernel_hint *list;
	unsigned count;
	unsigned n_cpus; /* 0: not known */
};

static char *add(struct hints *hints, bool alarming)
{
	static char dropped[TEXT_MAX]; /* cppcheck-suppress unassignedVariable */

	if (hints->count == KERNEL_HINTS_MAX)
		return dropped;
	hints->list[hints->count].alarming = alarming;
	return hints->list[hints->count++].text;
}

static bool is_sum(const struct table *table, const void *row)
{
	return strcmp(table_text(table, row, "cpu"), "all") == 0;
}

static void of_backlog(struct hints *hints, const struct table *table)
{
	char rate[VALUE_TEXT_MAX];

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double dropped = table_number(table, row, "dropped_per_second");
		double squeezed = table_number(table, row, "squeezed_per_second");
		const char *cpu = table_text(table, row, "cpu");

		if (is_sum(table, row))
			continue;
		if (dropped > 0)
			snprintf(add(hints, true), TEXT_MAX,
				 _("CPU%s drops %s packets/s as its backlog is full: raise "
				   "net.core.netdev_max_backlog"),
				 cpu, rate_text(rate, dropped));
		if (squeezed >= SQUEEZED_NOTABLY)
			snprintf(add(hints, false), TEXT_MAX,
				 _("CPU%s ends %s polls/s with packets left: raise net.core.netdev_budget"),
				 cpu, rate_text(rate, squeezed));
	}
}

/* The largest number in column per_second of the rows of this interrupt or kind by CPU, and its CPU. */
static double busiest(const struct table *table, const char *key, const char **cpu)
{
	double most = 0;

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double rate = table_number(table, row, "per_second");

		if (!table_row_is(table, row, key) || is_sum(table, row) || !(rate > most))
			continue;
		most = rate;
		*cpu = table_text(table, row, "cpu");
	}
	return most;
}

static void of_packets(struct hints *hints, const struct table *table)
{
	double all = table_number(table, table_find(table, "NET_RX", "all"), "per_second");
	const char *cpu = "";
	double most = busiest(table, "NET_RX", &cpu);
	char rate[VALUE_TEXT_MAX];

	if (hints->n_cpus > 1 && all >= PACKETS_RATE && most >= ONE_CPU * all)
		snprintf(add(hints, false), TEXT_MAX,
			 _("CPU%s alone receives packets (NET_RX, %s/s): RPS or more queues would spread "
			   "them"),
			 cpu, rate_text(rate, all));
}

/* "eth0-TxRx" of eth0-TxRx-3, "nvme0q" of nvme0q3: what the queues of a device have in common. */
static struct span stem(const char *device)
{
	struct span name = span_text(device);

	while (name.end > name.at && name.end[-1] >= '0' && name.end[-1] <= '9')
		name.end--;
	while (name.end > name.at && strchr("-.:@_", name.end[-1]))
		name.end--;
	return name;
}

static bool is_same(struct span one, struct span other)
{
	return span_length(one) > 0 && span_length(one) == span_length(other) &&
	       memcmp(one.at, other.at, span_length(one)) == 0;
}

struct queues {
	double rate, on_one; /* all of them; the part on the CPU that all have most on */
	const char *cpu;
	unsigned count; /* that are used */
	bool first;     /* no row before has this stem */
};

static bool is_used_queue(const struct table *table, const void *row)
{
	const char *irq = table_text(table, row, "irq");

	return is_sum(table, row) && *irq >= '0' && *irq <= '9' &&
	       table_number(table, row, "per_second") >= QUEUE_USED;
}

static struct queues queues_like(const struct table *table, size_t index)
{
	struct span wanted = stem(table_text(table, table_row(table, index), "device"));
	struct queues queues = { .cpu = "", .first = true };

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *cpu = "";
		double most;

		if (!is_used_queue(table, row) || !is_same(wanted, stem(table_text(table, row, "device"))))
			continue;
		if (i < index)
			queues.first = false;
		most = busiest(table, table_text(table, row, "irq"), &cpu);
		if (queues.count > 0 && strcmp(cpu, queues.cpu) != 0)
			most = 0;
		else
			queues.cpu = cpu;
		queues.count++;
		queues.rate += table_number(table, row, "per_second");
		queues.on_one += most;
	}
	return queues;
}

/* May it go to more than one CPU? */
static bool may_move(const struct table *table, const void *row)
{
	return strpbrk(table_text(table, row, "affinity"), ",-") != NULL;
}

static void of_queues(struct hints *hints, const struct table *table)
{
	char rate[VALUE_TEXT_MAX];

	for (size_t i = 0; i < table->n_rows && hints->n_cpus > 1; i++) {
		const void *row = table_row(table, i);
		struct queues queues;
		struct span name;

		if (!is_used_queue(table, row))
			continue;
		queues = queues_like(table, i);
		name = stem(table_text(table, row, "device"));
		if (!queues.first || queues.on_one < ONE_CPU * queues.rate)
			continue;
		if (queues.count > 1 && queues.rate >= QUEUES_RATE)
			snprintf(add(hints, false), TEXT_MAX,
				 _("All %u queues of %.*s interrupt CPU%s (%s/s): spread them with "
				   "/proc/irq/*/smp_affinity_list"),
				 queues.count, (int)span_length(name), name.at, queues.cpu,
				 rate_text(rate, queues.rate));
		if (queues.count == 1 && queues.rate >= QUEUE_RATE && may_move(table, row))
			snprintf(add(hints, false), TEXT_MAX,
				 _("All interrupts of %s land on CPU%s (%s/s), though it may go to %s"),
				 table_text(table, row, "device"), queues.cpu, rate_text(rate, queues.rate),
				 table_text(table, row, "affinity"));
	}
}

unsigned kernel_hints(const struct frame *frame, struct kernel_hint *list)
{
	const struct table *backlog = frame_table(frame, "backlog");
	const struct table *interrupts = frame_table(frame, "interrupt");
	const struct table *softirqs = frame_table(frame, "softirq");
	struct hints hints = { .list = list };

	if (backlog) {
		hints.n_cpus = backlog->n_rows > 0 ? (unsigned)backlog->n_rows - 1 : 0;
		of_backlog(&hints, backlog);
	}
	if (softirqs)
		of_packets(&hints, softirqs);
	if (interrupts)
		of_queues(&hints, interrupts);
	return hints.count;
}
