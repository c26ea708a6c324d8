/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel pane: interrupts, soft interrupts, backlogs, wake-ups, slab caches, panetop's own programs. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "pane/common.h"
#include "pane/processes.h"
#include "screen/pane.h"

#define QUEUE_USED 100.0 /* interrupts per second of each of several queues */

#define ON_ONE "cpus > 1, on_one >= 0.95 * rate, " /* of several CPUs has nearly all of them */

static const struct hint {
	const char *topic;
	struct remark remark; /* of each CPU in backlog, else of all */
} hints[] = {
	{ "backlog",
	  { "dropped_per_second > 0",
	    N_("CPU{cpu} drops {dropped_per_second:rate} packets/s as its backlog is full: raise "
	       "net.core.netdev_max_backlog") } },
	{ "backlog",
	  { "squeezed_per_second >= 10",
	    N_("CPU{cpu} ends {squeezed_per_second:rate} polls/s with packets left: raise "
	       "net.core.netdev_budget or netdev_budget_usecs") } },
	{ "softirq",
	  /* loopback has no queue that could be spread */
	  { ON_ONE "kind == NET_RX, rate >= 5000, interface.all.received_packets_per_second >= 0.5 * rate",
	    N_("CPU{busiest} alone receives packets (NET_RX, {rate}): RPS or more queues would spread "
	       "them") } },
	{ "interrupt",
	  { ON_ONE "queues > 1, rate >= 1000",
	    N_("All {queues} queues of {name} interrupt CPU{busiest} ({rate}): spread them with "
	       "/proc/irq/*/smp_affinity_list") } },
	{ "interrupt",
	  { ON_ONE "queues == 1, rate >= 5000, movable",
	    N_("All interrupts of {device} land on CPU{busiest} ({rate}), though it may go to "
	       "{affinity}") } },
};

static bool is_sum(const struct table *table, const void *row)
{
	return strcmp(table_text(table, row, "cpu"), "all") == 0;
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

struct queues {
	double rate, on_one; /* all of them; the part on the CPU that all have most on */
	const char *cpu;
	unsigned count; /* that are used; 0: a row before has this stem */
};

static bool is_used_queue(const struct table *table, const void *row)
{
	const char *irq = table_text(table, row, "irq");

	return is_sum(table, row) && *irq >= '0' && *irq <= '9' &&
	       table_number(table, row, "per_second") >= QUEUE_USED;
}

static struct queues queues_like(const struct table *table, const void *of)
{
	struct span wanted = stem(table_text(table, of, "device"));
	struct queues queues = { .cpu = "" };
	size_t length = span_length(wanted);

	for (size_t i = 0; is_used_queue(table, of) && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		struct span name = stem(table_text(table, row, "device"));
		const char *cpu = "";
		double most;

		if (!is_used_queue(table, row) || length == 0 || length != span_length(name) ||
		    memcmp(wanted.at, name.at, length) != 0)
			continue;
		if (queues.count == 0 && row != of)
			break;
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

static void add_hint(struct buffer *out, const struct hint *hint, const struct frame *frame,
		     const struct table *table, const void *row, double n_cpus)
{
	bool interrupt = strcmp(hint->topic, "interrupt") == 0;
	struct queues queues = interrupt ? queues_like(table, row) : (struct queues){ .cpu = "" };
	struct span device = interrupt ? stem(table_text(table, row, "device")) : span_text("");
	char name[64];
	/* may it go to more than one CPU? */
	bool movable = interrupt && strpbrk(table_text(table, row, "affinity"), ",-");
	bool softirq = strcmp(hint->topic, "softirq") == 0;
	double on_one = softirq ? busiest(table, table_text(table, row, "kind"), &queues.cpu) : queues.on_one;
	double rate = softirq ? table_number(table, row, "per_second") : queues.rate;
	const struct made_fact made[] = {
		{ "cpus", { .number = n_cpus } },
		{ "rate", { .number = rate, .unit = UNIT_PER_SECOND },
		  "per_second, of all queues of a device" },
		{ "on_one", { .number = on_one, .unit = UNIT_PER_SECOND },
		  "per_second of the CPU that has most" },
		{ "busiest", { .text = queues.cpu } },
		{ "queues", { .number = queues.count } },
		{ "name", { .text = name } },
		{ "movable", { .text = movable ? "yes" : "" } },
	};
	const struct row_facts facts = { { row_fact }, table, row, made, 7, frame };

	snprintf(name, sizeof(name), "%.*s", (int)span_length(device), device.at);
	if (remark_say(out, &hint->remark, &facts.facts))
		buffer_char(out, '\n');
}

void kernel_hints(struct buffer *out, const struct frame *frame)
{
	const struct table *backlog = frame_table(frame, "backlog");
	double n_cpus = backlog ? (double)backlog->n_rows - 1 : 0;

	for (size_t h = 0; h < sizeof(hints) / sizeof(hints[0]); h++) {
		const struct table *table = frame_table(frame, hints[h].topic);
		bool of_all = table != backlog;

		for (size_t i = 0; table && i < table->n_rows; i++)
			if (is_sum(table, table_row(table, i)) == of_all)
				add_hint(out, &hints[h], frame, table, table_row(table, i), n_cpus);
	}
}

#define TABLE_LINES_MIN 6
#define HINTS_MAX 4

static void kernel_draw(const struct pane_context *context, struct canvas *canvas)
{
	const struct pane_view *view = &context->pane->views[context->view];
	struct buffer story = BUFFER_HERE;
	struct span lines, line;
	struct canvas rest;
	int y = 0;

	kernel_hints(&story, context->frame);
	lines = span_of(story.bytes, story.length);
	for (; y < HINTS_MAX && y + TABLE_LINES_MIN < canvas->height && span_line(&lines, &line); y++) {
		rest = canvas_rows(canvas, y, 1);
		canvas_wrapped(&rest, 0, STYLE_STRONG, line);
	}
	buffer_free(&story);
	rest = canvas_rows(canvas, y, canvas->height - y);
	context_draw_view(context, &rest, _(view->help));
}

enum {
	TABLE_INTERRUPT,
	TABLE_BY_CPU,
	TABLE_SOFTIRQ,
	TABLE_BACKLOG,
	TABLE_WAKEUP,
	TABLE_TIMER,
	TABLE_IDLE,
	TABLE_SLAB,
	TABLE_TRACING,
};

static const struct pane_table tables[] = {
	[TABLE_INTERRUPT] = { .topic = "interrupt", .headline = true, .sort = "per_second",
			      .only_column = "cpu", .only = "all", .text_rows = 40 },
	[TABLE_BY_CPU] = { .topic = "interrupt", .lazy = true, .sort = "per_second",
			   .columns = "irq,cpu,per_second,cpu_ratio,mean_seconds,how,device",
			   .setting = "kernel.cpus" },
	[TABLE_SOFTIRQ] = { .topic = "softirq", .headline = true },
	[TABLE_BACKLOG] = { .topic = "backlog", .headline = true },
	[TABLE_WAKEUP] = { .topic = "wakeup", .lazy = true, .sort = "per_second" },
	[TABLE_TIMER] = { .topic = "timer", .lazy = true, .sort = "fired_per_second" },
	[TABLE_IDLE] = { .topic = "idle_exit", .lazy = true, .sort = "per_second" },
	[TABLE_SLAB] = { .topic = "slab", .lazy = true, .sort = "bytes", .text_rows = 16 },
	[TABLE_TRACING] = { .topic = "tracing" },
	{ 0 },
};

/* What a hint takes from another pane. */
static const struct series series[] = {
	{ "interface", "all", "received_packets_per_second", .while_shown = true },
};

static const struct pane_view views[] = {
	{ "interrupts", N_("Interrupts"), N_("interrupts of all CPUs"), TABLE_INTERRUPT,
	  .below = 1UL << TABLE_SOFTIRQ, .draw = kernel_draw },
	{ "cpus", N_("By CPU"), N_("interrupts by CPU"), TABLE_BY_CPU, .draw = kernel_draw },
	{ "softirqs", N_("Softirqs"), N_("soft interrupts, which do what interrupts leave for later"),
	  TABLE_SOFTIRQ, .draw = kernel_draw },
	{ "backlog", N_("Backlog"), N_("received packets between driver and protocols"), TABLE_BACKLOG,
	  .draw = kernel_draw },
	{ "wakeups", N_("Wake-ups"), N_("which processes are woken up, and by what"), TABLE_WAKEUP,
	  .actions = process_actions, .draw = kernel_draw },
	{ "timers", N_("Timers"), N_("which processes arm which timers of the kernel"), TABLE_TIMER,
	  .actions = process_actions, .draw = kernel_draw },
	{ "idle", N_("Idle"), N_("what breaks which CPU out of idle"), TABLE_IDLE, .draw = kernel_draw },
	{ "slab", N_("Slab"), N_("kernel objects by cache"), TABLE_SLAB, .draw = kernel_draw },
	{ "tracing", N_("Tracing"), N_("panetop's own programs in the kernel"), TABLE_TRACING,
	  .draw = kernel_draw },
	{ 0 },
};

const struct pane pane_kernel = {
	.name = "kernel",
	.title = N_("Kernel"),
	.question = N_("What interrupts which CPU, what wakes up processes, and which kernel objects grow?"),
	.unscoped = N_("interrupts and kernel memory are the machine's: they belong to no process"),
	.tables = tables,
	.series = series,
	.n_series = sizeof(series) / sizeof(series[0]),
	.views = views,
};
