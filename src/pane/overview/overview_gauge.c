/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gauges of the overview, from the tables of a frame. */
#include <config.h>

#include "pane/overview/overview_gauge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"

static bool is_scoped(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "scope_use");

	return table && table->n_rows > 0;
}

static double known(double ratio)
{
	return isnan(ratio) ? 0 : ratio;
}

/*
 * In a container with a limit panetop sees its processes alone: what they have left is of that limit, not of
 * the machine. The row of the least number; NULL: there is none, or no container.
 */
static const void *least_row(const struct frame *frame, const struct table *table,
			     double (*number)(const struct table *table, const void *row))
{
	double least = INFINITY;
	const void *found = NULL;

	if (isnan(frame_number(frame, "system", NULL, "container_cpus")))
		return NULL;
	for (size_t i = 0; table && i < table->n_rows; i++) {
		double of_row = number(table, table_row(table, i));

		if (!(of_row < least))
			continue;
		least = of_row;
		found = table_row(table, i);
	}
	return found;
}

static double usable_cpus(const struct table *table, const void *row)
{
	return fmin(table_number(table, row, "limit_ratio"), table_number(table, row, "cpuset_cpus"));
}

/* With the caches that can be dropped. */
static double left_bytes(const struct table *table, const void *row)
{
	return table_row_is(table, row, "memory") ? table_number(table, row, "free_bytes") +
							    known(table_number(table, row, "caches_bytes"))
						  : NAN;
}

static const void *container_cpu(const struct frame *frame)
{
	return least_row(frame, frame_table(frame, "cpu_limit"), usable_cpus);
}

/* The busiest graphics processor; else the first one. NULL: there is none of which anything is known. */
static const void *busiest_gpu(const struct table *table)
{
	const void *found = NULL;
	double most = NAN;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double busy = table_number(table, row, "busy_ratio");
		bool says = !isnan(busy) || !isnan(table_number(table, row, "memory_used_bytes")) ||
			    *table_text(table, row, "state");

		if (!says || (found && (isnan(busy) || busy <= most)))
			continue;
		most = busy;
		found = row;
	}
	return found;
}

double overview_gpu_busy(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "gpu");

	return table_number(table, busiest_gpu(table), "busy_ratio");
}

enum chosen { CHOSEN_CPU_LIMIT, CHOSEN_MEMORY_LIMIT, CHOSEN_DISK, CHOSEN_GPU, CHOSEN_SENSOR, N_CHOSEN };

static const char *const chosen_names[] = { "cpu_limit", "memory_limit", "busiest", "gpu", "sensor" };

#define N_MADE 13

/*
 * Numbers of the frame; of the rows that are chosen by the names above, each of which is known if there is
 * one; and what is made of these.
 */
struct gauge_facts {
	struct row_facts of;
	struct row_facts chosen[N_CHOSEN];
	struct made_fact made[N_MADE];
	char gpu_name[TEXT_MAX];
};

static struct fact find_fact(const struct facts *facts, struct span name)
{
	const struct gauge_facts *of = (const struct gauge_facts *)facts;
	struct span column = name, chosen;

	if (!span_until(&column, '.', &chosen))
		chosen = name;
	for (unsigned i = 0; i < N_CHOSEN; i++)
		if (span_is(chosen, chosen_names[i]))
			return chosen.end < name.end ? row_fact(&of->chosen[i].facts, column)
						     : yes_fact(of->chosen[i].row);
	return row_fact(facts, name);
}

static double number(const struct gauge_facts *of, const char *name)
{
	return find_fact(&of->of.facts, span_text(name)).number;
}

static void choose(struct gauge_facts *of, const struct frame *frame)
{
	static const char *const topics[] = { "cpu_limit", "memory_limit", "disk", "gpu", "temperature" };

	of->of = (struct row_facts){ { find_fact }, .frame = frame };
	for (unsigned i = 0; i < N_CHOSEN; i++)
		of->chosen[i] = (struct row_facts){ { row_fact }, .table = frame_table(frame, topics[i]) };
	of->chosen[CHOSEN_CPU_LIMIT].row = container_cpu(frame);
	of->chosen[CHOSEN_MEMORY_LIMIT].row = 
		least_row(frame, of->chosen[CHOSEN_MEMORY_LIMIT].table, left_bytes);
	of->chosen[CHOSEN_DISK].row = table_most(of->chosen[CHOSEN_DISK].table, "busy_ratio", NAN);
	of->chosen[CHOSEN_GPU].row = busiest_gpu(of->chosen[CHOSEN_GPU].table);
	of->chosen[CHOSEN_SENSOR].row = table_most(of->chosen[CHOSEN_SENSOR].table, "celsius", NAN);
}

/* As the line has no room for all: guests are user time, interrupts system time. */
static void make_facts(struct gauge_facts *of, const struct frame *frame)
{
	const struct row_facts *memory = &of->chosen[CHOSEN_MEMORY_LIMIT], *disk = &of->chosen[CHOSEN_DISK];
	const struct row_facts *gpu = &of->chosen[CHOSEN_GPU];
	double user, system, limit, left, critical, pressed;

	choose(of, frame);
	user = number(of, "cpu.all.user_ratio") + known(number(of, "cpu.all.guest_ratio"));
	system = number(of, "cpu.all.system_ratio") + known(number(of, "cpu.all.irq_ratio")) +
		 known(number(of, "cpu.all.softirq_ratio"));
	limit = number(of, "memory_limit.limit_bytes");
	left = memory->row ? fmin(left_bytes(memory->table, memory->row), limit) : NAN;
	critical = number(of, "sensor.critical_celsius");
	critical = critical > 0 ? critical : NAN;
	pressed = fmax(number(of, "pressure.cpu/some.avg10_ratio"), /* of a number and NaN it is the number */
		       fmax(number(of, "pressure.memory/some.avg10_ratio"),
			    number(of, "pressure.io/some.avg10_ratio")));
	sentence_text(of->gpu_name,
		      gpu->table && gpu->table->n_rows > 1 ? "[{gpu.driver}][ {gpu.card}]" : "[{gpu.driver}]",
		      &of->of.facts);
	memcpy(of->made,
	       (struct made_fact[N_MADE]){
		       { "scoped", yes_fact(is_scoped(frame)) },
		       { "user", { .number = user, .unit = UNIT_RATIO },
			 "cpu.all.user_ratio + cpu.all.guest_ratio" },
		       { "system", { .number = system, .unit = UNIT_RATIO },
			 "cpu.all.system_ratio + cpu.all.irq_ratio + cpu.all.softirq_ratio" },
		       { "memory",
			 { .number = number(of, "memory.available.used_bytes") /
				     number(of, "memory.mem.total_bytes"), .unit = UNIT_RATIO },
			 "memory.available.used_bytes / memory.mem.total_bytes" },
		       { "scope_bytes",
			 { .number = number(of, "scope_use.limit_used_ratio") *
				     number(of, "scope_use.limit_bytes"), .unit = UNIT_BYTES },
			 "scope_use.limit_used_ratio * scope_use.limit_bytes" },
		       { "left_bytes", { .number = left, .unit = UNIT_BYTES },
			 "memory_limit.free_bytes + memory_limit.caches_bytes at most the limit" },
		       { "taken_bytes", { .number = limit - left, .unit = UNIT_BYTES },
			 "memory_limit.limit_bytes - left_bytes" },
		       { "pressed", { .number = pressed, .unit = UNIT_RATIO },
			 "the most of pressure.cpu/some.avg10_ratio, pressure.memory/some.avg10_ratio, "
			 "pressure.io/some.avg10_ratio" },
		       { "moved", { .number = number(of, "interface.all.received_bits_per_second") +
					      number(of, "interface.all.sent_bits_per_second") } },
		       { "busy_disk", { .text = number(of, "busiest.busy_ratio") > 0
						       ? table_text(disk->table, disk->row, "device")
						       : "" } },
		       { "gpu_name", { .text = of->gpu_name } },
		       { "critical", { .number = critical, .unit = UNIT_CELSIUS },
			 "sensor.critical_celsius" },
		       { "heat", { .number = number(of, "sensor.celsius") / critical, .unit = UNIT_RATIO },
			 "sensor.celsius / sensor.critical_celsius" },
	       },
	       sizeof(of->made));
	of->of.made = of->made;
	of->of.n_made = N_MADE;
}

#define TEXTS_MAX 4
#define NO_PAST (-1)
#define HOTTEST N_("[hottest {sensor.label} {sensor.celsius}][, critical {critical}]")

/* In the order of the screen: those that hold. */
static const struct kind {
	const char *name;         /* N_() */
	const char *when;         /* its condition */
	const char *topic;        /* of the machine, from here; NULL: of a scope or container */
	bool of_namespace;        /* … of which a container has its own */
	const char *part, *whole; /* their ratio is that of the gauge; part NULL: none, whole NULL: 1 */
	const char *value;        /* NULL: the ratio */
	int series;
	bool ends;                /* its graph does, at the whole */
	const char *rules;        /* it is marked as their findings are, of the scope or else of the machine;
				   * NULL: nothing can be found of it */
	bool names_talker;
	struct remark texts[TEXTS_MAX];
} kinds[] = {
	{ N_("CPU"), "scoped", .part = "scope_use.cpu_ratio", .whole = "system.cpus",
	  .series = OVERVIEW_SERIES_SCOPE_CPU, .ends = true, .rules = "group_cpu|cpu_limit",
	  .texts = { { NULL, N_("scope {scope_use.cpu_ratio:.2} of {system.cpus:.0} CPUs  "
				"(machine {cpu.all.busy_ratio:%})") } } },
	{ N_("CPU"), "not scoped, cpu_limit", .part = "cpu_limit.cpu_ratio", .whole = "system.container_cpus",
	  .series = OVERVIEW_SERIES_CONTAINER_CPU, .ends = true, .rules = "cpu_limit",
	  .texts = { { NULL,
		       PN_("container {cpu_limit.cpu_ratio:.2} of {system.container_cpus:0.2} CPU"
			   "[, throttled {cpu_limit.throttled_ratio:%}]  (machine {cpu.all.busy_ratio:%})",
			   "container {cpu_limit.cpu_ratio:.2} of {system.container_cpus:0.2} CPUs"
			   "[, throttled {cpu_limit.throttled_ratio:%}]  (machine {cpu.all.busy_ratio:%})"),
		       "system.container_cpus" } } },
	{ N_("CPU"), "not scoped, not cpu_limit", "cpu", .part = "cpu.all.busy_ratio",
	  .series = OVERVIEW_SERIES_BUSY, .ends = true, .rules = RULES_OF_CPU,
	  .texts = { { "cpu.all.nice_ratio >= 0.005",
		       N_("user {user:100.0}  nice {cpu.all.nice_ratio:100.0}  system {system:100.0}  "
			  "wait {cpu.all.iowait_ratio:100.0}  steal {cpu.all.steal_ratio:100.0}") },
		     { NULL, N_("user {user:100.0}  system {system:100.0}  "
				"wait {cpu.all.iowait_ratio:100.0}  steal {cpu.all.steal_ratio:100.0}") } } },
	{ N_("memory"), "scoped, scope_use.limit_bytes > 0",
	  .part = "scope_bytes", .whole = "scope_use.limit_bytes", .series = OVERVIEW_SERIES_SCOPE_MEMORY,
	  .ends = true, .rules = RULES_OF_GROUP_MEMORY,
	  .texts = { { NULL, N_("scope {scope_bytes:short} without page cache, "
				"limit {scope_use.limit_bytes:short}  (machine {memory:%})") } } },
	{ N_("memory"), "scoped, not scope_use.limit_bytes > 0", .part = "scope_use.memory_bytes",
	  .whole = "memory.mem.total_bytes", .series = OVERVIEW_SERIES_SCOPE_MEMORY, .ends = true,
	  .rules = RULES_OF_GROUP_MEMORY,
	  .texts = { { NULL, N_("scope {scope_use.memory_bytes:short}  (machine {memory:%})") } } },
	{ N_("memory"), "not scoped, memory_limit",
	  .part = "taken_bytes", .whole = "memory_limit.limit_bytes",
	  .series = OVERVIEW_SERIES_CONTAINER_MEMORY, .ends = true, .rules = RULES_OF_MEMORY_LIMIT,
	  .texts = { { NULL, N_("container {left_bytes:short} of {memory_limit.limit_bytes:short} "
				"available  (machine {memory:%})") } } },
	{ N_("memory"), "not scoped, not memory_limit", "memory", .part = "memory.available.used_bytes",
	  .whole = "memory.mem.total_bytes", .series = OVERVIEW_SERIES_USED, .ends = true,
	  .rules = RULES_OF_MEMORY,
	  .texts = { { NULL, N_("{memory.available.free_bytes:short} of {memory.mem.total_bytes:short} "
				"available") } } },
	{ N_("swap"), NULL, "memory", .part = "memory.swap.used_bytes", .whole = "memory.swap.total_bytes",
	  .series = NO_PAST, .rules = "swap_full",
	  .texts = { { "memory.swap.total_bytes > 0",
		       N_("{memory.swap.used_bytes:short} of {memory.swap.total_bytes:short} used") },
		     { "memory.swap.total_bytes", N_("none") },
		     { NULL, "-" } } },
	/* the share of the last 10 s in which some task waited; the largest is the bar */
	{ N_("pressure"), NULL, "pressure",
	  .part = "pressed", .series = NO_PAST, .rules = "run_queue|memory_short|io_wait",
	  .texts = { { NULL, N_("cpu {pressure.cpu/some.avg10_ratio:100.1}  "
				"memory {pressure.memory/some.avg10_ratio:100.1}  "
				"io {pressure.io/some.avg10_ratio:100.1}  of 10 s") } } },
	{ N_("load"), NULL, "system", .part = "system.load1", .whole = "system.cpus",
	  .value = "{system.load1:.2}", .series = OVERVIEW_SERIES_LOAD, .rules = "run_queue",
	  .texts = { { NULL, N_("runnable {system.running:.0}  blocked on I/O {system.blocked:.0}  "
				"forks {system.forks_per_second:short}") } } },
	/* how busy it keeps them is not counted */
	{ N_("disks"), "scoped", .value = " ", .series = OVERVIEW_SERIES_SCOPE_READ, .rules = "group_io",
	  .texts = { { NULL, N_("scope read {scope_use.read_bytes_per_second:short}  "
				"write {scope_use.write_bytes_per_second:short}  "
				"(machine {disk.all.read_bytes_per_second:short}, "
				"{disk.all.write_bytes_per_second:short})") } } },
	/* the busiest device is the bar: of the sum, a share of the time means nothing */
	{ N_("disks"), "not scoped", "disk",
	  .part = "busiest.busy_ratio", .series = OVERVIEW_SERIES_DISK, .rules = RULES_OF_DISKS,
	  .texts = { { NULL, N_("read {disk.all.read_bytes_per_second:short}  "
				"write {disk.all.write_bytes_per_second:short}[  {busy_disk}]") } } },
	/* how much would be full is not known here */
	{ N_("network"), NULL, "interface", true,
	  .value = " ", .series = OVERVIEW_SERIES_NETWORK, .names_talker = true,
	  .rules = RULES_OF_NETWORK,
	  .texts = { { NULL, N_("receive {interface.all.received_bits_per_second:short}  "
				"send {interface.all.sent_bits_per_second:short}") },
		     { "interface.lo.sent_bits_per_second > moved",
		       N_(" loopback {interface.lo.sent_bits_per_second:short}"), .more = true } } },
	{ N_("GPU"), "gpu", "gpu", .part = "gpu.busy_ratio", .series = OVERVIEW_SERIES_GPU, .ends = true,
	  .texts = { { "gpu.state", "{gpu_name}  {gpu.state}" },
		     { "gpu.how == clients, gpu.hidden_processes > 0",
		       PN_("{gpu_name}  at least: {gpu.hidden_processes} process is hidden",
			   "{gpu_name}  at least: {gpu.hidden_processes} processes are hidden"),
		       "gpu.hidden_processes" },
		     { "gpu.how == clients", N_("{gpu_name}  by the processes that use it") },
		     { NULL, N_("{gpu_name}  memory {gpu.memory_used_bytes:short} of "
				"{gpu.memory_total_bytes:short} used") } } },
	/* how much power is full is not known */
	{ N_("power"), "power.total.watts", "power", .value = "{power.total.watts:short}",
	  .series = OVERVIEW_SERIES_POWER, .rules = "heat|hot", .texts = { { NULL, HOTTEST } } },
	{ N_("heat"), "sensor, not power.total.watts", "power", .part = "heat", .value = "{sensor.celsius}",
	  .series = NO_PAST, .rules = "heat|hot", .texts = { { NULL, HOTTEST } } },
};

bool overview_shows_cpus(const struct frame *frame)
{
	return !is_scoped(frame) && !container_cpu(frame);
}

/* "74 %", "-". */
static void overview_percent(char text[VALUE_TEXT_MAX], double ratio)
{
	if (isnan(ratio))
		snprintf(text, VALUE_TEXT_MAX, "-");
	else
		snprintf(text, VALUE_TEXT_MAX, "%.0f %%", 100 * ratio);
}

/* beside: other gauges are of less than the machine. */
static void fill(const struct kind *kind, const struct gauge_facts *of, bool beside,
		 struct overview_gauge *gauge)
{
	double whole = kind->whole ? number(of, kind->whole) : 1;
	struct buffer text = BUFFER_HERE;
	unsigned n_texts = 0;

	*gauge = (struct overview_gauge){ .name = _(kind->name),
					  .ratio = kind->part ? number(of, kind->part) / whole : NAN,
					  .series = kind->series,
					  .most = kind->ends ? whole : NAN,
					  .names_talker = kind->names_talker && !beside };
	facts_drawn(&of->of.facts, kind->part ? kind->part : "");
	facts_drawn(&of->of.facts, kind->whole ? kind->whole : "");
	if (kind->rules)
		gauge->grade = grade_of_rules(of->of.frame, kind->rules,
					      is_scoped(of->of.frame) && !kind->topic);
	if (kind->topic && isnan(gauge->ratio) && !frame_table(of->of.frame, kind->topic))
		gauge->absent = kind->topic;
	if (!(number(of, "moved") > 0))
		gauge->names_talker = false; /* it talks over loopback, which is not in the numbers */
	sentence_add(&text, kind->value ? kind->value : "", &of->of.facts);
	if (kind->value)
		snprintf(gauge->value, sizeof(gauge->value), "%.*s", (int)text.length, text.bytes);
	else
		overview_percent(gauge->value, gauge->ratio);
	if (kind->value && *gauge->value == ' ' && gauge->grade > GRADE_CALM)
		snprintf(gauge->value, sizeof(gauge->value), "%s", grade_mark(gauge->grade));
	buffer_empty(&text);
	while (n_texts < TEXTS_MAX && kind->texts[n_texts].text)
		n_texts++;
	remarks_say(&text, kind->texts, n_texts, &of->of.facts);
	buffer_char(&text, '\0');
	snprintf(gauge->text, sizeof(gauge->text), beside ? _("machine: %s") : "%s", text.bytes);
	buffer_free(&text);
}

unsigned overview_gauges(const struct frame *frame, struct overview_gauge gauges[OVERVIEW_GAUGES_MAX])
{
	bool scoped = is_scoped(frame);
	bool contained = !isnan(frame_number(frame, "system", NULL, "container_cpus"));
	struct gauge_facts of;
	unsigned n = 0;

	make_facts(&of, frame);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && n < OVERVIEW_GAUGES_MAX; i++) {
		bool beside = kinds[i].topic && (scoped || (contained && !kinds[i].of_namespace));

		if (sentence_holds(kinds[i].when, &of.of.facts))
			fill(&kinds[i], &of, beside, &gauges[n++]);
	}
	return n;
}

static void add_line(struct buffer *out, const char *name, const char *value, const char *text, bool ascii)
{
	utf8_padded(out, name, 10, ascii);
	buffer_char(out, ' ');
	utf8_padded_left(out, value, 6, ascii);
	buffer_text(out, "  ");
	utf8_clean(out, text, -1, ascii);
	while (out->length > 0 && out->bytes[out->length - 1] == ' ')
		out->length--;
	buffer_char(out, '\n');
}

#define CPUS_MAX 16 /* more are not listed one by one */

/* "0 73 %, 1 58 %", behind the line of all. */
static void add_cpus(const struct frame *frame, struct buffer *out, bool ascii)
{
	const struct table *table = frame_table(frame, "cpu");
	char text[TEXT_MAX] = "", share[VALUE_TEXT_MAX];
	size_t length = 0;

	if (!table || table->n_rows < 3 || table->n_rows > CPUS_MAX + 1)
		return;
	for (size_t i = 1; i < table->n_rows && length < sizeof(text); i++) {
		const void *row = table_row(table, i);

		overview_percent(share, table_number(table, row, "busy_ratio"));
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %s", i > 1 ? "  " : "",
					   table_text(table, row, "cpu"), share);
	}
	add_line(out, _("each"), "", text, ascii);
}

void overview_lines(const struct frame *frame, bool ascii, struct buffer *out)
{
	struct overview_gauge gauges[OVERVIEW_GAUGES_MAX];
	unsigned n = overview_gauges(frame, gauges);

	for (unsigned i = 0; i < n; i++) {
		add_line(out, gauges[i].name, gauges[i].absent ? "-" : gauges[i].value,
			 gauges[i].absent ? _("not recorded") : gauges[i].text, ascii);
		if (i == 0 && overview_shows_cpus(frame))
			add_cpus(frame, out, ascii);
	}
}

#define SCREEN_CELLS_MIN 120
#define SCREEN_LINES_MIN 34
#define CHART_CELLS_MIN 40
#define CHART_LINES_MIN 7
#define CHART_LINES_MAX 12
#define SHARE_OF_LINES 4 /* charts take this part of the lines, lists the rest */
#define LISTS_LINES_MIN 10
#define NOTICEABLE 0.005 /* a part of this share is named */

/* How the past of a gauge is drawn, by its series. */
struct chart_kind {
	unsigned rank;                            /* 0: it has no chart; else the lowest comes first */
	enum overview_series series[2];           /* of two parts … */
	const char *names[2];                     /* … and their names; NULL: a single area */
	char *(*label)(char *text, double value); /* values, and ends of its axis … */
	const char *per;                          /* … which have this behind them */
	bool decimal;                             /* round are tens, not powers of two */
	double least_end; /* of its axis: what an idle machine does is flat, not mountains */
};

static char *number_label(char *text, double value)
{
	return fixed_text(text, value, value < 10 ? 1 : 0);
}

static char *bits_label(char *text, double value)
{
	return isnan(value) ? rate_short(text, value) : strcat(rate_short(text, value), "b");
}

static const struct chart_kind chart_kinds[N_OVERVIEW_SERIES] = {
	[OVERVIEW_SERIES_BUSY] = { .rank = 1, .label = percent_label },
	[OVERVIEW_SERIES_SCOPE_CPU] = { .rank = 1, .label = number_label },
	[OVERVIEW_SERIES_CONTAINER_CPU] = { .rank = 1, .label = number_label },
	[OVERVIEW_SERIES_USED] = { .rank = 2, .label = size_short },
	[OVERVIEW_SERIES_SCOPE_MEMORY] = { .rank = 2, .label = size_short },
	[OVERVIEW_SERIES_CONTAINER_MEMORY] = { .rank = 2, .label = size_short },
	[OVERVIEW_SERIES_DISK] = { 3,
				   { OVERVIEW_SERIES_READ, OVERVIEW_SERIES_WRITTEN },
				   { N_("read"), N_("write") },
				   size_short,
				   "/s",
				   false,
				   1 << 20 },
	[OVERVIEW_SERIES_NETWORK] = { 3,
				      { OVERVIEW_SERIES_NETWORK, OVERVIEW_SERIES_SENT },
				      { N_("receive"), N_("send") },
				      bits_label,
				      "", /* no room */
				      true,
				      1e6 },
	[OVERVIEW_SERIES_SCOPE_READ] = { .rank = 3, .label = bytes_rate_label, .least_end = 1 << 20 },
	[OVERVIEW_SERIES_GPU] = { .rank = 4, .label = percent_label },
	[OVERVIEW_SERIES_LOAD] = { .rank = 5, .label = number_label, .decimal = true, .least_end = 1 },
	[OVERVIEW_SERIES_POWER] = { .rank = 6, .label = watts_text, .decimal = true },
};

static const struct chart_kind *kind_of(const struct overview_gauge *gauge)
{
	return gauge->series >= 0 ? &chart_kinds[gauge->series] : NULL;
}

/* The highest value of a series on this canvas; 0 if none is known. */
static double highest(const struct pane_context *context, const struct canvas *canvas, unsigned series,
		      const struct graph_line_scale *scale)
{
	double most = graph_line_range(canvas, &context->history, series, scale).most;

	return most > 0 ? most : 0;
}

/* Bytes per second at most lately, to compare disks with interfaces. */
static double traffic(const struct pane_context *context, const struct canvas *canvas,
		      const struct overview_gauge *gauge)
{
	const struct chart_kind *chart_kind = kind_of(gauge);
	struct graph_line_scale scale = past_scale(context, gauge->most, STYLE_USAGE);
	double sum = 0;

	for (unsigned i = 0; i < 2; i++)
		sum += highest(context, canvas, chart_kind->series[i], &scale);
	return gauge->series == OVERVIEW_SERIES_NETWORK ? sum / 8 : sum;
}

bool overview_charts_fit(const struct canvas *canvas)
{
	return canvas->width >= SCREEN_CELLS_MIN && canvas->height >= SCREEN_LINES_MIN;
}

bool overview_charts_show(const struct overview_charts *charts, unsigned gauge)
{
	for (unsigned i = 0; i < charts->n; i++)
		if (charts->of[i] == gauge)
			return true;
	return false;
}

struct overview_charts overview_charts_choose(const struct pane_context *context, const struct canvas *canvas,
					      int lines, const struct overview_gauge *gauges,
					      unsigned n_gauges)
{
	struct overview_charts charts = { .large = overview_charts_fit(canvas) };
	unsigned most = (unsigned)(canvas->width / CHART_CELLS_MIN);
	int wanted = lines / SHARE_OF_LINES;
	struct canvas plot = canvas_part(canvas, 0, 0, 1, CHART_CELLS_MIN);

	wanted = wanted < CHART_LINES_MIN ? CHART_LINES_MIN : wanted;
	if (!charts.large || lines < wanted + LISTS_LINES_MIN)
		return charts;
	for (unsigned i = 0; i < n_gauges && charts.n < OVERVIEW_CHARTS_MAX; i++) {
		unsigned at = charts.n;

		if (!kind_of(&gauges[i]) || !kind_of(&gauges[i])->rank)
			continue;
		for (; at > 0; at--) {
			const struct overview_gauge *before = &gauges[charts.of[at - 1]];
			const struct chart_kind *a = kind_of(&gauges[i]), *b = kind_of(before);
			bool both_move = a->rank == b->rank && a->names[0] && b->names[0];

			if (both_move ? traffic(context, &plot, &gauges[i]) <= traffic(context, &plot, before)
				      : a->rank >= b->rank)
				break;
			charts.of[at] = charts.of[at - 1];
		}
		charts.of[at] = i;
		charts.n++;
	}
	charts.n = charts.n < most ? charts.n : most;
	charts.lines = charts.n == 0 ? 0 : wanted < CHART_LINES_MAX ? wanted : CHART_LINES_MAX;
	return charts;
}

/* "CPU 74 %", and room behind it for what colours mean. */
static int draw_name(const struct canvas *canvas, const struct overview_gauge *gauge)
{
	int x = canvas_text(canvas, 0, 0, STYLE_STRONG, gauge->name, -1) + 1;

	if (*gauge->value == ' ')
		return x + 1;
	return x +
	       canvas_text(canvas, 0, x, graph_grade_style(gauge->grade, STYLE_STRONG), gauge->value, -1) +
	       CANVAS_GAP;
}

/* "█ user 61", as far as it fits; without the gap of pieces, since a glyph begins each. */
static int draw_key(const struct canvas *canvas, int x, const struct graph_part *part, const char *value)
{
	char text[TEXT_MAX];
	int end;

	snprintf(text, sizeof(text), "%s %s", part->label, value);
	end = canvas_piece(canvas, 0, x + 2, STYLE_NORMAL, text);
	if (end == x + 2)
		return x;
	graph_key(canvas, 0, x, part);
	return end - 1;
}

static void draw_cpu(const struct pane_context *context, const struct canvas *canvas, int x)
{
	const struct table *table = frame_table(context->frame, "cpu");
	struct canvas plot = canvas_below(canvas, 1);
	struct graph_part parts[N_CPU_PARTS];
	char value[VALUE_TEXT_MAX];

	cpu_parts_fill(table, table_find(table, "all", NULL), context->pane->series, OVERVIEW_SERIES_PARTS,
		       parts);
	cpu_parts_fold(parts);
	for (unsigned i = 0; i < N_CPU_PARTS; i++)
		if (parts[i].value >= NOTICEABLE)
			x = draw_key(canvas, x, &parts[i], fixed_text(value, 100 * parts[i].value, 0));
	cpu_parts_draw(context, &plot, parts);
}

/* Two parts of traffic, on an axis that holds both at their highest. */
static void draw_traffic(const struct pane_context *context, const struct canvas *canvas,
			 const struct overview_gauge *gauge, int x)
{
	const struct chart_kind *chart_kind = kind_of(gauge);
	const struct graph_line_scale line = past_scale(context, gauge->most, STYLE_USAGE);
	struct canvas below = canvas_below(canvas, 1), plot = graph_area_plot(&below);
	struct graph_scale scale = {
		.whole = GRAPH_OF_ONE,
		.now_ns = line.now_ns,
		.span_seconds = line.span_seconds,
		.step_seconds = line.step_seconds,
	};
	struct graph_part parts[2];
	char value[VALUE_TEXT_MAX], top[VALUE_TEXT_MAX];

	for (unsigned i = 0; i < 2; i++) {
		const struct series *series = &context->pane->series[chart_kind->series[i]];

		parts[i] = (struct graph_part){
			.letter = *chart_kind->names[i],
			.look = i,
			.label = _(chart_kind->names[i]),
			.series = chart_kind->series[i],
			.value = frame_number(context->frame, series->topic, series->row, series->column),
		};
		scale.top += highest(context, &plot, chart_kind->series[i], &line);
		x = draw_key(canvas, x, &parts[i], chart_kind->label(value, parts[i].value));
	}
	scale.top = axis_end(scale.top, chart_kind->least_end, chart_kind->decimal);
	scale.top_label = strcat(chart_kind->label(top, scale.top), chart_kind->per);
	graph_stacked(&below, &context->history, parts, 2, &scale);
}

static void draw_area(const struct pane_context *context, const struct canvas *canvas,
		      const struct overview_gauge *gauge, int x)
{
	struct graph_line_scale scale = past_scale(context, gauge->most, STYLE_USAGE);
	struct canvas below = canvas_below(canvas, 1), plot = graph_area_plot(&below);
	unsigned series = (unsigned)gauge->series;

	canvas_piece(canvas, 0, x, STYLE_NORMAL, gauge->text);
	if (isnan(scale.most))
		scale.most = axis_end(highest(context, &plot, series, &scale), kind_of(gauge)->least_end,
				      kind_of(gauge)->decimal);
	graph_area(&below, &context->history, series, &scale, kind_of(gauge)->label);
}

static void draw_chart(const struct pane_context *context, const struct canvas *canvas,
		       const struct overview_gauge *gauge)
{
	int x = draw_name(canvas, gauge);

	if (gauge->series == OVERVIEW_SERIES_BUSY)
		draw_cpu(context, canvas, x);
	else if (kind_of(gauge)->names[0])
		draw_traffic(context, canvas, gauge, x);
	else
		draw_area(context, canvas, gauge, x);
}

void overview_charts_draw(const struct pane_context *context, const struct canvas *canvas,
			  const struct overview_charts *charts, const struct overview_gauge *gauges)
{
	for (int i = 0; i < (int)charts->n; i++) {
		struct canvas part = canvas_rows(canvas, 0, charts->lines);

		part = graph_beside(&part, i, (int)charts->n, CANVAS_GAP);
		draw_chart(context, &part, &gauges[charts->of[i]]);
	}
}

#define NUMBER_CELLS 13  /* number, share and gap */
#define BAR_CELLS_MIN 17 /* number, bar, share and gap */
#define BAR_LINES_MAX 4
#define NAME_CELLS 3
#define SHARE_CELLS 5

static const struct table *cpus(const struct pane_context *context, int *count)
{
	const struct table *table = frame_table(context->frame, "cpu");

	*count = table && table->n_rows > 1 ? (int)table->n_rows - 1 : 0;
	return table;
}

/* The lines of bars; 0: there are too many CPUs for this screen. */
static int bar_lines(const struct canvas *canvas, int name_cells, int count, bool large)
{
	int beside = (canvas->width - name_cells) / BAR_CELLS_MIN;
	int lines = beside > 0 ? (count + beside - 1) / beside : 0;

	return lines <= (large ? BAR_LINES_MAX : 1) ? lines : 0;
}

int overview_cpus_lines(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large)
{
	int count, lines;

	if (!overview_shows_cpus(context->frame))
		return 0;
	(void)cpus(context, &count);
	lines = bar_lines(canvas, name_cells, count, large);
	return lines > 0 ? lines : 1;
}

/* "0 ████▌··  73 %": only the number has a colour, as the bar of all CPUs is above it. */
static void draw_bar(const struct canvas *canvas, const char *name, double busy, enum grade grade)
{
	int bar = canvas->width - NAME_CELLS - SHARE_CELLS - 2;
	char share[VALUE_TEXT_MAX];

	canvas_right(canvas, 0, 0, NAME_CELLS, STYLE_DIM, name);
	if (!isnan(busy))
		graph_bar_share(canvas, 0, NAME_CELLS + 1, bar, busy, STYLE_DIM);
	overview_percent(share, busy);
	canvas_right(canvas, 0, canvas->width - SHARE_CELLS, SHARE_CELLS,
		     graph_grade_style(grade, STYLE_NORMAL), share);
}

void overview_cpus_draw(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large)
{
	int count, lines;
	const struct table *table = cpus(context, &count);
	struct canvas right = canvas_part(canvas, 0, name_cells, canvas->height, canvas->width);
	bool numbers = count * NUMBER_CELLS <= right.width;
	char text[TEXT_MAX], share[VALUE_TEXT_MAX];
	int beside, width;

	lines = bar_lines(canvas, name_cells, count, large);
	beside = lines > 0 ? (count + lines - 1) / lines : count;
	width = lines > 0 ? right.width / beside : numbers ? NUMBER_CELLS : 1;
	canvas_text(canvas, 0, 0, STYLE_STRONG, _("each"), name_cells);
	for (int i = 0; i < count; i++) {
		const void *row = table_row(table, (size_t)i + 1);
		double busy = table_number(table, row, "busy_ratio");
		enum grade grade = cpu_grade(context->findings, context->frame, busy);
		struct canvas part = canvas_part(&right, i / beside, i % beside * width, 1,
						 width > CANVAS_GAP ? width - CANVAS_GAP : width);

		overview_percent(share, busy);
		snprintf(text, sizeof(text), "%s %6s", table_text(table, row, "cpu"), share);
		if (lines > 0)
			draw_bar(&part, table_text(table, row, "cpu"), busy, grade);
		else if (numbers)
			canvas_right(&part, 0, 0, part.width, graph_grade_style(grade, STYLE_NORMAL), text);
		else
			graph_level(&part, 0, 0, STYLE_DIM, busy);
	}
}
