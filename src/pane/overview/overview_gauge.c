/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gauges of the overview, from the tables of a frame. */
#include <config.h>

#include "pane/overview/overview_gauge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"

static bool is_scoped(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "scope_use");

	return table && table->n_rows > 0;
}

static double of_scope(const struct frame *frame, const char *column)
{
	return frame_number(frame, "scope_use", NULL, column);
}

static double cpu(const struct frame *frame, const char *column)
{
	return frame_number(frame, "cpu", "all", column);
}

static double known(double ratio)
{
	return isnan(ratio) ? 0 : ratio;
}

typedef void (*gauge_filler)(const struct frame *frame, const struct grades *grades,
			     struct overview_gauge *gauge);

/* What its ratio is graded as, and its graph, whose values are unit where the ratio is 1. */
static void set_grade(struct overview_gauge *gauge, const struct grades *grades, enum graded what,
		      double unit)
{
	gauge->grade = grade_of(grades, what, gauge->ratio);
	gauge->limits = grade_limits_in(grades, what, unit);
}

/* As the line has no room for all: niced programs and guests are user time, interrupts system time. */
static void gauge_cpu(const struct frame *frame, const struct grades *grades, struct overview_gauge *gauge)
{
	double user =
		cpu(frame, "user_ratio") + known(cpu(frame, "nice_ratio")) + known(cpu(frame, "guest_ratio"));
	double system = cpu(frame, "system_ratio") + known(cpu(frame, "irq_ratio")) +
			known(cpu(frame, "softirq_ratio"));
	char numbers[4][VALUE_TEXT_MAX];

	gauge->name = _("CPU");
	gauge->ratio = cpu(frame, "busy_ratio");
	gauge->series = OVERVIEW_SERIES_BUSY;
	gauge->most = 1;
	set_grade(gauge, grades, GRADED_CPU, 1);
	snprintf(gauge->text, sizeof(gauge->text), _("user %s  system %s  wait %s  steal %s"),
		 fixed_text(numbers[0], 100 * user, 0), fixed_text(numbers[1], 100 * system, 0),
		 fixed_text(numbers[2], 100 * cpu(frame, "iowait_ratio"), 0),
		 fixed_text(numbers[3], 100 * cpu(frame, "steal_ratio"), 0));
}

/* Of all CPUs, as that of the machine is. */
static void gauge_scope_cpu(const struct frame *frame, const struct grades *grades,
			    struct overview_gauge *gauge)
{
	double cpus = frame_number(frame, "system", NULL, "cpus"), used = of_scope(frame, "cpu_ratio");
	char number[VALUE_TEXT_MAX], busy[VALUE_TEXT_MAX], count[VALUE_TEXT_MAX];

	gauge->name = _("CPU");
	gauge->ratio = used / cpus;
	gauge->series = OVERVIEW_SERIES_SCOPE_CPU;
	gauge->most = cpus;
	set_grade(gauge, grades, GRADED_CPU, cpus);
	overview_percent(busy, cpu(frame, "busy_ratio"));
	snprintf(gauge->text, sizeof(gauge->text), _("scope %s of %s CPUs  (machine %s)"),
		 fixed_text(number, used, 2), fixed_text(count, cpus, 0), busy);
}

/* Of its limit, or of all memory. */
static void gauge_scope_memory(const struct frame *frame, const struct grades *grades,
			       struct overview_gauge *gauge)
{
	double total = frame_number(frame, "memory", "mem", "total_bytes"),
	       limit = of_scope(frame, "limit_bytes");
	double bytes = of_scope(frame, "memory_bytes"), used = of_scope(frame, "limit_used_ratio");
	char numbers[2][VALUE_TEXT_MAX], machine[VALUE_TEXT_MAX];

	gauge->name = _("memory");
	gauge->ratio = limit > 0 ? used : bytes / total;
	gauge->series = OVERVIEW_SERIES_SCOPE_MEMORY;
	gauge->most = limit > 0 ? limit : total;
	set_grade(gauge, grades, limit > 0 ? GRADED_LIMIT : GRADED_MEMORY, gauge->most);
	overview_percent(machine, frame_number(frame, "memory", "available", "used_bytes") / total);
	if (limit > 0)
		snprintf(gauge->text, sizeof(gauge->text), _("scope %s, limit %s  (machine %s)"),
			 size_text(numbers[0], bytes), size_text(numbers[1], limit), machine);
	else
		snprintf(gauge->text, sizeof(gauge->text), _("scope %s  (machine %s)"),
			 size_text(numbers[0], bytes), machine);
}

static void gauge_scope_disks(const struct frame *frame, const struct grades *grades,
			      struct overview_gauge *gauge)
{
	char texts[4][VALUE_TEXT_MAX];

	(void)grades; /* how busy it keeps them is not counted */
	gauge->name = _("disks");
	strcpy(gauge->value, " ");
	gauge->series = OVERVIEW_SERIES_SCOPE_READ;
	snprintf(gauge->text, sizeof(gauge->text), _("scope read %s/s  write %s/s  (machine %s/s, %s/s)"),
		 size_short(texts[0], of_scope(frame, "read_bytes_per_second")),
		 size_short(texts[1], of_scope(frame, "write_bytes_per_second")),
		 size_short(texts[2], frame_number(frame, "disk", "all", "read_bytes_per_second")),
		 size_short(texts[3], frame_number(frame, "disk", "all", "write_bytes_per_second")));
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

static const void *container_memory(const struct frame *frame)
{
	return least_row(frame, frame_table(frame, "memory_limit"), left_bytes);
}

static void gauge_container_cpu(const struct frame *frame, const struct grades *grades,
				struct overview_gauge *gauge)
{
	const struct table *table = frame_table(frame, "cpu_limit");
	const void *row = container_cpu(frame);
	double usable = frame_number(frame, "system", NULL, "container_cpus");
	double used = table_number(table, row, "cpu_ratio");
	double throttled = table_number(table, row, "throttled_ratio");
	char numbers[2][VALUE_TEXT_MAX], waits[VALUE_TEXT_MAX], busy[VALUE_TEXT_MAX], of_limit[TEXT_MAX];

	gauge->name = _("CPU");
	gauge->ratio = used / usable;
	gauge->series = OVERVIEW_SERIES_CONTAINER_CPU;
	gauge->most = usable;
	set_grade(gauge, grades, GRADED_CPU, usable);
	overview_percent(busy, cpu(frame, "busy_ratio"));
	overview_percent(waits, throttled);
	fixed_text(numbers[0], used, 2);
	fixed_text(numbers[1], usable, usable == floor(usable) ? 0 : 2);
	snprintf(of_limit, sizeof(of_limit),
		 P_("container %s of %s CPU", "container %s of %s CPUs", usable == 1 ? 1UL : 2UL), numbers[0],
		 numbers[1]);
	if (isnan(throttled))
		snprintf(gauge->text, sizeof(gauge->text), _("%s  (machine %s)"), of_limit, busy);
	else
		snprintf(gauge->text, sizeof(gauge->text), _("%s, throttled %s  (machine %s)"), of_limit,
			 waits, busy);
}

static void gauge_container_memory(const struct frame *frame, const struct grades *grades,
				   struct overview_gauge *gauge)
{
	const struct table *table = frame_table(frame, "memory_limit");
	const void *row = container_memory(frame);
	double limit = table_number(table, row, "limit_bytes"), left = fmin(left_bytes(table, row), limit);
	double total = frame_number(frame, "memory", "mem", "total_bytes");
	char numbers[2][VALUE_TEXT_MAX], machine[VALUE_TEXT_MAX];

	gauge->name = _("memory");
	gauge->ratio = 1 - left / limit;
	gauge->series = OVERVIEW_SERIES_CONTAINER_MEMORY;
	gauge->most = limit;
	set_grade(gauge, grades, GRADED_LIMIT, limit);
	overview_percent(machine, frame_number(frame, "memory", "available", "used_bytes") / total);
	snprintf(gauge->text, sizeof(gauge->text), _("container %s of %s available  (machine %s)"),
		 size_text(numbers[0], left), size_text(numbers[1], limit), machine);
}

static void gauge_memory(const struct frame *frame, const struct grades *grades, struct overview_gauge *gauge)
{
	double total = frame_number(frame, "memory", "mem", "total_bytes");
	double available = frame_number(frame, "memory", "available", "free_bytes");
	char numbers[2][VALUE_TEXT_MAX];

	gauge->name = _("memory");
	gauge->ratio = frame_number(frame, "memory", "available", "used_bytes") / total;
	gauge->series = OVERVIEW_SERIES_USED;
	gauge->most = total;
	set_grade(gauge, grades, GRADED_MEMORY, total);
	snprintf(gauge->text, sizeof(gauge->text), _("%s of %s available"), size_text(numbers[0], available),
		 size_text(numbers[1], total));
}

/* A share of the last seconds in which some task waited, or all did. */
static double waiting(const struct frame *frame, const char *resource, const char *who, const char *column)
{
	const struct table *table = frame_table(frame, "pressure");
	const void *row = table ? table_find(table, resource, who) : NULL;

	return row ? table_number(table, row, column) : NAN;
}

/* Full swap alone is calm: it matters where tasks wait for memory. */
static void gauge_swap(const struct frame *frame, const struct grades *grades, struct overview_gauge *gauge)
{
	double total = frame_number(frame, "memory", "swap", "total_bytes");
	double used = frame_number(frame, "memory", "swap", "used_bytes");
	char numbers[2][VALUE_TEXT_MAX];

	gauge->name = _("swap");
	gauge->ratio = total > 0 ? used / total : NAN;
	if (grade_of(grades, GRADED_SWAP_STALL, waiting(frame, "memory", "some", "avg60_ratio")) > GRADE_CALM)
		set_grade(gauge, grades, GRADED_SWAP, 1);
	if (total > 0)
		snprintf(gauge->text, sizeof(gauge->text), _("%s of %s used"), size_text(numbers[0], used),
			 size_text(numbers[1], total));
	else
		snprintf(gauge->text, sizeof(gauge->text), "%s", isnan(total) ? "-" : _("none"));
}

/* The share of the last 10 s in which some task waited; the largest is the bar. */
static void gauge_pressure(const struct frame *frame, const struct grades *grades,
			   struct overview_gauge *gauge)
{
	static const struct {
		const char *resource, *judged; /* the row that its rule judges */
		enum graded what;
	} resources[] = {
		{ "cpu", "some", GRADED_CPU_PRESSURE },
		{ "memory", "some", GRADED_MEMORY_PRESSURE },
		{ "io", "full", GRADED_IO_PRESSURE },
	};
	char numbers[3][VALUE_TEXT_MAX];

	gauge->name = _("pressure");
	gauge->first = OVERVIEW_FIRST_WAITING;
	gauge->ratio = NAN;
	for (unsigned i = 0; i < 3; i++) {
		const char *resource = resources[i].resource;
		double share = waiting(frame, resource, "some", "avg10_ratio");
		enum grade grade = grade_of(grades, resources[i].what,
					    waiting(frame, resource, resources[i].judged, "avg10_ratio"));

		fixed_text(numbers[i], 100 * share, 1);
		gauge->ratio = fmax(gauge->ratio, share); /* of a number and NaN it is the number */
		gauge->grade = grade > gauge->grade ? grade : gauge->grade;
	}
	snprintf(gauge->text, sizeof(gauge->text), _("cpu %s  memory %s  io %s"), numbers[0], numbers[1],
		 numbers[2]);
}

static void gauge_load(const struct frame *frame, const struct grades *grades, struct overview_gauge *gauge)
{
	double load = frame_number(frame, "system", NULL, "load1"),
	       cpus = frame_number(frame, "system", NULL, "cpus");
	char running[VALUE_TEXT_MAX], blocked[VALUE_TEXT_MAX], forks[VALUE_TEXT_MAX];

	gauge->name = _("load");
	fixed_text(gauge->value, load, 2);
	gauge->series = OVERVIEW_SERIES_LOAD;
	gauge->ratio = load / cpus;
	set_grade(gauge, grades, GRADED_LOAD, cpus);
	snprintf(gauge->text, sizeof(gauge->text), _("runnable %s  in disk wait %s  forks %s/s"),
		 fixed_text(running, frame_number(frame, "system", NULL, "running"), 0),
		 fixed_text(blocked, frame_number(frame, "system", NULL, "blocked"), 0),
		 rate_short(forks, frame_number(frame, "system", NULL, "forks_per_second")));
}

/* The busiest device is the bar: of the sum, a share of the time means nothing. */
static void gauge_disks(const struct frame *frame, const struct grades *grades, struct overview_gauge *gauge)
{
	const struct table *disks = frame_table(frame, "disk");
	char read[VALUE_TEXT_MAX], written[VALUE_TEXT_MAX];
	const char *busiest = "";

	gauge->name = _("disks");
	gauge->series = OVERVIEW_SERIES_DISK;
	for (size_t i = 1; disks && i < disks->n_rows; i++) {
		const void *row = table_row(disks, i);
		double busy = table_number(disks, row, "busy_ratio");

		if (!(busy > gauge->ratio) && !isnan(gauge->ratio))
			continue;
		gauge->ratio = busy;
		busiest = busy > 0 ? table_text(disks, row, "device") : "";
	}
	set_grade(gauge, grades, GRADED_DISK, 1);
	snprintf(gauge->text, sizeof(gauge->text), _("read %s  write %s  %s"),
		 amount_text(read, UNIT_BYTES_PER_SECOND,
			     frame_number(frame, "disk", "all", "read_bytes_per_second")),
		 amount_text(written, UNIT_BYTES_PER_SECOND,
			     frame_number(frame, "disk", "all", "write_bytes_per_second")),
		 busiest);
}

static void gauge_network(const struct frame *frame, const struct grades *grades,
			  struct overview_gauge *gauge)
{
	double received = frame_number(frame, "interface", "all", "received_bits_per_second");
	double sent = frame_number(frame, "interface", "all", "sent_bits_per_second");
	char texts[2][VALUE_TEXT_MAX];

	(void)grades; /* how much would be full is not known here */
	gauge->name = _("network");
	strcpy(gauge->value, " ");
	gauge->series = OVERVIEW_SERIES_NETWORK;
	if (received + sent > 0) /* without loopback, which a process may use all the same */
		gauge->first = OVERVIEW_FIRST_TALKER;
	snprintf(gauge->text, sizeof(gauge->text), _("receive %s  send %s"), bits_text(texts[0], received),
		 bits_text(texts[1], sent));
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
	const void *row = busiest_gpu(table);

	return row ? table_number(table, row, "busy_ratio") : NAN;
}

/* Without one it has no name. That it is busy is nothing bad. */
static void gauge_gpu(const struct frame *frame, const struct grades *grades, struct overview_gauge *gauge)
{
	const struct table *table = frame_table(frame, "gpu");
	const void *row = busiest_gpu(table);
	char numbers[2][VALUE_TEXT_MAX], which[64];
	const char *state;
	bool by_clients;
	double hidden;

	(void)grades;
	if (!row)
		return;
	hidden = table_number(table, row, "hidden_processes");
	by_clients = strcmp(table_text(table, row, "how"), "clients") == 0;
	snprintf(which, sizeof(which), "%.30s%s%.30s", table_text(table, row, "driver"),
		 table->n_rows > 1 ? " " : "", table->n_rows > 1 ? table_text(table, row, "card") : "");
	gauge->name = _("GPU");
	gauge->ratio = table_number(table, row, "busy_ratio");
	gauge->series = OVERVIEW_SERIES_GPU;
	gauge->most = 1;
	state = table_text(table, row, "state");
	if (*state)
		snprintf(gauge->text, sizeof(gauge->text), "%s  %s", which, _(state));
	else if (by_clients && hidden > 0)
		snprintf(gauge->text, sizeof(gauge->text),
			 P_("%s  at least: %lu process is hidden", "%s  at least: %lu processes are hidden",
			    (unsigned long)hidden),
			 which, (unsigned long)hidden);
	else if (by_clients)
		snprintf(gauge->text, sizeof(gauge->text), _("%s  by the processes that use it"), which);
	else
		snprintf(gauge->text, sizeof(gauge->text), _("%s  memory %s of %s used"), which,
			 size_text(numbers[0], table_number(table, row, "memory_used_bytes")),
			 size_text(numbers[1], table_number(table, row, "memory_total_bytes")));
}

/* The hottest sensor, and the limit that its own chip gives. */
static const void *hottest(const struct table *table)
{
	const void *found = NULL;
	double most = NAN;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double celsius = table_number(table, row, "celsius");

		if (isnan(celsius) || celsius <= most)
			continue;
		most = celsius;
		found = row;
	}
	return found;
}

static void watts_short(double watts, struct overview_gauge *gauge)
{
	char number[VALUE_TEXT_MAX];

	snprintf(gauge->value, sizeof(gauge->value), "%s W",
		 fixed_text(number, watts, watts < 99.95 ? 1 : 0));
}

/* Power and heat, of what there is; without either it has no name. How much power is full is not known. */
static void gauge_power(const struct frame *frame, const struct grades *grades, struct overview_gauge *gauge)
{
	const struct table *table = frame_table(frame, "temperature");
	const void *row = hottest(table);
	double watts = frame_number(frame, "power", "total", "watts");
	double celsius = row ? table_number(table, row, "celsius") : NAN;
	double critical = row ? table_number(table, row, "critical_celsius") : NAN;
	char heat[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX];

	if (isnan(watts) && isnan(celsius))
		return;
	gauge->name = isnan(watts) ? _("heat") : _("power");
	gauge->grade = grade_of(grades, GRADED_HEAT, celsius / critical);
	celsius_text(heat, celsius, true);
	if (isnan(watts)) {
		snprintf(gauge->value, sizeof(gauge->value), "%s", heat);
		gauge->ratio = critical > 0 ? celsius / critical : NAN;
		gauge->series = -1;
	} else {
		watts_short(watts, gauge);
		gauge->series = OVERVIEW_SERIES_POWER;
	}
	if (critical > 0)
		snprintf(gauge->text, sizeof(gauge->text), _("hottest %s %s, critical %s"),
			 table_text(table, row, "label"), heat, celsius_text(limit, critical, true));
	else if (!isnan(celsius))
		snprintf(gauge->text, sizeof(gauge->text), _("hottest %s %s"),
			 table_text(table, row, "label"), heat);
}

static const struct {
	const char *topic;
	gauge_filler fill;
	gauge_filler of_scope, of_container;                 /* NULL: no scope, no container limits it */
	const void *(*container)(const struct frame *frame); /* the row with its limit; NULL: there is none */
	bool of_namespace;                                   /* a container has its own */
} all[] = {
	{ "cpu", gauge_cpu, gauge_scope_cpu, gauge_container_cpu, container_cpu },
	{ "memory", gauge_memory, gauge_scope_memory, gauge_container_memory, container_memory },
	{ "memory", gauge_swap },
	{ "pressure", gauge_pressure },
	{ "system", gauge_load },
	{ "disk", gauge_disks, gauge_scope_disks },
	{ "interface", gauge_network, .of_namespace = true },
	{ "gpu", gauge_gpu },
	{ "power", gauge_power },
};

bool overview_shows_cpus(const struct frame *frame)
{
	return !is_scoped(frame) && !container_cpu(frame);
}

/* Of a scope, else of a container, else of the machine; true if another gauge is of less than that. */
static bool fill(const struct frame *frame, const struct grades *grades, unsigned index,
		 struct overview_gauge *gauge)
{
	bool scoped = is_scoped(frame), contained = container_cpu(frame) || container_memory(frame);

	if (scoped && all[index].of_scope) {
		all[index].of_scope(frame, grades, gauge);
		return false;
	}
	if (!scoped && all[index].container && all[index].container(frame)) {
		all[index].of_container(frame, grades, gauge);
		return false;
	}
	all[index].fill(frame, grades, gauge);
	if (gauge->name && isnan(gauge->ratio) && !frame_table(frame, all[index].topic))
		gauge->absent = all[index].topic;
	return scoped || (contained && !all[index].of_namespace);
}

static void name_machine(struct overview_gauge *gauge)
{
	char text[TEXT_MAX];

	strcpy(text, gauge->text);
	snprintf(gauge->text, sizeof(gauge->text), _("machine: %s"), text);
}

void overview_percent(char text[VALUE_TEXT_MAX], double ratio)
{
	if (isnan(ratio))
		snprintf(text, VALUE_TEXT_MAX, "-");
	else
		snprintf(text, VALUE_TEXT_MAX, "%.0f %%", 100 * ratio);
}

unsigned overview_gauges(const struct frame *frame, const struct grades *grades,
			 struct overview_gauge gauges[OVERVIEW_GAUGES_MAX])
{
	unsigned n = 0;
	bool beside;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct overview_gauge *gauge = &gauges[n];

		*gauge = (struct overview_gauge){ .ratio = NAN,
						  .series = -1,
						  .most = NAN,
						  .limits = grade_limits_in(NULL, GRADED_CPU, 1) };
		beside = fill(frame, grades, i, gauge);
		if (!gauge->name)
			continue;
		if (beside) {
			name_machine(gauge);
			gauge->first = OVERVIEW_FIRST_NONE;
		}
		if (!*gauge->value)
			overview_percent(gauge->value, gauge->ratio);
		n++;
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
	unsigned n = overview_gauges(frame, NULL, gauges);

	for (unsigned i = 0; i < n; i++) {
		add_line(out, gauges[i].name, gauges[i].absent ? "-" : gauges[i].value,
			 gauges[i].absent ? _("not recorded") : gauges[i].text, ascii);
		if (i == 0 && overview_shows_cpus(frame))
			add_cpus(frame, out, ascii);
	}
}
