/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topics over processes: on a proc of our own that changes from tick to tick, and on this
 * machine. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/power_fit.h"
#include "suite.h"
#include "topic/process/process_entry.h"
#include "sys/helper.h"
#include "sys/worker.h"
#include "topic/process/process_ends.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

static void __attribute__((format(printf, 3, 4)))
write_file(const struct machine *machine, const char *name, const char *format, ...)
{
	va_list list;
	FILE *file;

	file = fopen(textf("%s/%s", machine->root, name), "w");
	ck_assert_ptr_nonnull(file);
	va_start(list, format);
	vfprintf(file, format, list);
	va_end(list);
	ck_assert_int_eq(fclose(file), 0);
}

static void make_directory(const struct machine *machine, const char *name)
{
	ck_assert(mkdir(textf("%s/%s", machine->root, name), 0755) == 0 || errno == EEXIST);
}

static void make_root(struct machine *machine)
{
	*machine = (struct machine){ 0 };
	scratch_directory(machine->root, "proc");
	make_directory(machine, "proc");
	make_directory(machine, "etc");
	write_file(machine, "proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
	write_file(machine, "etc/passwd", "root:x:0:0::/:/bin/sh\nada:x:1000:1000::/:/bin/sh\n");
}

struct fake_process {
	int pid, parent;
	const char *name;
	unsigned user_ticks, system_ticks, children_ticks, start_ticks;
};

static void write_process(const struct machine *machine, struct fake_process process)
{
	make_directory(machine, textf("proc/%d", process.pid));
	write_file(machine, textf("proc/%d/stat", process.pid),
		   "%d (%s) S %d 1 1 0 -1 4 100 0 9 0 %u %u %u 0 20 -5 3 0 %u 1000 25 0\n", process.pid,
		   process.name, process.parent, process.user_ticks, process.system_ticks,
		   process.children_ticks, process.start_ticks);
}

static void remove_process(const struct machine *machine, int pid)
{
	ck_assert_int_eq(system(textf("rm -r %s/proc/%d", machine->root, pid)), 0);
}

static void remove_file(const struct machine *machine, const char *name)
{
	ck_assert_int_eq(unlink(textf("%s/%s", machine->root, name)), 0);
}

static const void *row_of(const struct machine *machine, int pid)
{
	const struct table *table = frame_table(machine->now, "process");

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "pid") == pid)
			return table_row(table, i);
	return NULL;
}

static double number_of(const struct machine *machine, int pid, const char *column)
{
	return table_number(frame_table(machine->now, "process"), row_of(machine, pid), column);
}

static const char *command_of(const struct machine *machine, int pid)
{
	return table_text(frame_table(machine->now, "process"), row_of(machine, pid), "command");
}

static bool has_notice(const struct frame *frame, const char *part)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strstr(frame->notices[i].text, part))
			return true;
	return false;
}

static double part_of(const struct machine *machine, const char *part)
{
	return frame_number(machine->now, "account", part, "cpu_ratio");
}

START_TEST(processes_are_followed)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;
	const struct table *table;

	make_root(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "a) R (b", 100, 50, 0, 500 });
	write_file(&machine, "proc/7/status", "Name:\ta) R (b\nUid:\t0\t1000\t0\t0\n");
	write_process(&machine, (struct fake_process){ 8, 7, "still", 10, 0, 0, 600 });
	make_directory(&machine, "proc/9"); /* it has gone since proc was listed */
	open_machine(&machine, topic_names);
	next_tick(&machine);
	table = frame_table(machine.now, "process");
	ck_assert_uint_eq(table->n_rows, 2);
	ck_assert(isnan(number_of(&machine, 7, "cpu_ratio")));
	ck_assert_double_eq(number_of(&machine, 7, "cpu_seconds"), 1.5);
	ck_assert_double_eq_tol(number_of(&machine, 7, "system_seconds"), 0.5, 1e-8);
	ck_assert_double_eq(number_of(&machine, 7, "nice"), -5);
	ck_assert_str_eq(table_text(table, row_of(&machine, 7), "name"), "a) R (b");
	/* not who made their files */
	ck_assert_str_eq(table_text(table, row_of(&machine, 7), "user"), "ada");
	ck_assert(!row_is_known(row_of(&machine, 8), schema_find(table->schema, "user")));
	write_process(&machine, (struct fake_process){ 7, 1, "a) R (b", 100, 75, 0, 500 });
	write_process(&machine, (struct fake_process){ 10, 7, "new", 20, 0, 0, 700 });
	next_tick(&machine);
	ck_assert_double_eq_tol(number_of(&machine, 7, "cpu_ratio"), 0.25, 1e-8);
	ck_assert_double_eq_tol(number_of(&machine, 7, "system_ratio"), 0.25, 1e-8);
	ck_assert_double_eq_tol(number_of(&machine, 7, "user_ratio"), 0, 1e-8);
	ck_assert_double_eq(number_of(&machine, 8, "cpu_ratio"), 0);
	ck_assert_double_eq_tol(number_of(&machine, 10, "cpu_ratio"), 0.2,
				1e-8); /* all it has was used since */
	remove_process(&machine, 8);
	next_tick(&machine);
	ck_assert_ptr_null(row_of(&machine, 8));
	close_machine(&machine);
}

/* Either of two files is enough. */
START_TEST(what_is_known_of_the_machine_is_told)
{
	static const char *const topic_names[] = { "system", NULL };
	struct machine machine;

	for (unsigned files = 0; files < 4; files++) {
		make_root(&machine);
		if (files & 1)
			write_file(&machine, "proc/loadavg", "0.5 0.25 0.125 1/52 900\n");
		if (!(files & 2))
			remove_file(&machine, "proc/stat");
		open_machine(&machine, topic_names);
		next_tick(&machine);
		ck_assert_uint_eq(frame_table(machine.now, "system")->n_rows, files > 0);
		ck_assert(frame_table(machine.now, "system")->failed == (files == 0));
		ck_assert(isnan(frame_number(machine.now, "system", NULL, "load1")) == !(files & 1));
		ck_assert(isnan(frame_number(machine.now, "system", NULL, "cpus")) == !(files & 2));
		close_machine(&machine);
	}
}

/* Another process with the same pid is another row, whatever its counters say. */
START_TEST(a_reused_pid_is_another_process)
{
	static const char *const topic_names[] = { "process", "account", NULL };
	struct machine machine;

	make_root(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "old", 100, 0, 0, 500 });
	open_machine(&machine, topic_names);
	next_tick(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "young", 130, 0, 0, 900 });
	next_tick(&machine);
	ck_assert_double_eq(number_of(&machine, 7, "start_seconds"), 9);
	ck_assert_double_eq_tol(number_of(&machine, 7, "cpu_ratio"), 1.3, 1e-8);
	ck_assert_str_eq(table_text(frame_table(machine.now, "process"), row_of(&machine, 7), "name"),
			 "young");
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 1.3, 1e-8);
	close_machine(&machine);
}

START_TEST(growth_in_steps_is_even)
{
	struct pool pool = { .size = sizeof(struct process) };
	struct process *process = process_new(&pool, 7);
	uint64_t second = UINT64_C(1000000000), start = 5 * second;
	double growth;

	/* a MiB every two seconds */
	for (uint64_t i = 0; i <= 60; i++) {
		growth = process_growth(process, (100 + i / 2) << 20, start + i * second);
		ck_assert(i >= 3 || isnan(growth)); /* programs grow when they start */
		if (i >= 10)
			ck_assert_double_eq_tol(growth / (1 << 20), 0.5, 0.051);
	}
	ck_assert(isnan(process_growth(process, U64_UNKNOWN, start + 61 * second)));
	/* what stands still no longer grows 20 s later; what shrinks is negative */
	for (uint64_t i = 61; i <= 81; i++)
		growth = process_growth(process, UINT64_C(130) << 20, start + i * second);
	ck_assert_double_eq(growth, 0);
	ck_assert_double_lt(process_growth(process, UINT64_C(90) << 20, start + 82 * second), 0);
	process_free(&pool, process);
	pool_free(&pool);
}

/* With swap in use it is read of the processes on the screen only. */
START_TEST(swap_of_processes)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;

	make_root(&machine);
	write_file(&machine, "proc/meminfo", "MemTotal: 40000 kB\nSwapTotal: 100 kB\nSwapFree: 40 kB\n");
	for (int pid = 7; pid <= 8; pid++) {
		write_process(&machine, (struct fake_process){ pid, 1, "some", 100, 50, 0, 500 });
		write_file(&machine, textf("proc/%d/status", pid), "Name:\tsome\nVmSwap:\t      60 kB\n");
	}
	open_machine(&machine, topic_names);
	machine.request.visible[0] = 8;
	machine.request.n_visible = 1;
	next_tick(&machine);
	ck_assert(isnan(number_of(&machine, 7, "swapped_bytes")));
	ck_assert_double_eq(number_of(&machine, 8, "swapped_bytes"), 61440);
	ck_assert(isnan(number_of(&machine, 7, "virtual_bytes"))); /* it has no statm */
	write_file(&machine, "proc/meminfo", "MemTotal: 40000 kB\n");
	next_tick(&machine);
	ck_assert(isnan(number_of(&machine, 7, "swapped_bytes")));
	close_machine(&machine);
}

/* Of three that are on the screen, among others, and a kernel thread, which has no memory of its own. */
START_TEST(swap_of_what_is_visible)
{
	static const char *const topic_names[] = { "process", NULL };
	static const uint32_t visible[] = { 7, 9, 12 };
	struct machine machine;

	make_root(&machine);
	write_file(&machine, "proc/meminfo", "MemTotal: 0 kB\nSwapTotal: 100 kB\nSwapFree: 99 kB\n");
	for (int pid = 6; pid <= 13; pid++) {
		write_process(&machine, (struct fake_process){ pid, 1, "some", 100, 50, 0, 500 });
		write_file(&machine, textf("proc/%d/status", pid), "Name:\tsome\nVmSwap:\t      %d kB\n",
			   pid);
	}
	write_file(&machine, "proc/10/stat",
		   "10 (kworker/0:1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	open_machine(&machine, topic_names);
	memcpy(machine.request.visible, visible, sizeof(visible));
	machine.request.n_visible = 3;
	next_tick(&machine);
	ck_assert_double_eq(number_of(&machine, 7, "swapped_bytes"), 7 * 1024);
	ck_assert_double_eq(number_of(&machine, 9, "swapped_bytes"), 9 * 1024);
	ck_assert_double_eq(number_of(&machine, 12, "swapped_bytes"), 12 * 1024);
	ck_assert_double_eq(number_of(&machine, 10, "swapped_bytes"), 0);
	ck_assert(isnan(number_of(&machine, 6, "swapped_bytes")));
	ck_assert(isnan(number_of(&machine, 8, "swapped_bytes")));
	ck_assert(isnan(number_of(&machine, 11, "swapped_bytes")));
	ck_assert(isnan(number_of(&machine, 13, "swapped_bytes")));
	ck_assert(isnan(number_of(&machine, 7, "memory_ratio"))); /* of a machine without memory */
	close_machine(&machine);
}

/* What a parent is told of its children counts once: not again what was seen while they lived. */
START_TEST(the_account_closes)
{
	static const char *const topic_names[] = { "account", "exited", NULL };
	struct machine machine;
	double sum = 0;
	static const char *const parts[] = { "tasks", "exited", "irq", "softirq", "steal", "unaccounted" };

	make_root(&machine);
	write_file(&machine, "proc/stat", "cpu  1000 0 500 9000 0 10 10 0 0 0\n");
	write_process(&machine, (struct fake_process){ 7, 1, "make", 100, 0, 40, 500 });
	write_process(&machine, (struct fake_process){ 8, 7, "cc1", 10, 0, 0, 600 });
	open_machine(&machine, topic_names);
	next_tick(&machine);
	ck_assert(isnan(part_of(&machine, "busy")));
	write_file(&machine, "proc/stat", "cpu  1080 0 510 9000 0 12 13 5 0 0\n");
	write_process(&machine, (struct fake_process){ 7, 1, "make", 102, 0, 40, 500 });
	write_process(&machine, (struct fake_process){ 8, 7, "cc1", 40, 0, 0, 600 });
	next_tick(&machine);
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 0.32, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0, 1e-6);
	write_file(&machine, "proc/stat", "cpu  1180 0 510 9000 0 12 13 5 0 0\n");
	remove_process(&machine, 8); /* it used 0.45 s more, and others 0.20 s that nobody saw */
	write_process(&machine, (struct fake_process){ 7, 1, "make", 105, 0, 40 + 85 + 20, 500 });
	next_tick(&machine);
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 0.03, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0.65, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "unaccounted"), 0.32, 1e-6);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += part_of(&machine, parts[i]);
	ck_assert_double_eq_tol(sum, part_of(&machine, "busy"), 1e-9);
	ck_assert_double_eq_tol(frame_number(machine.now, "exited", "make's children", "cpu_ratio"), 0.65,
				1e-6);
	close_machine(&machine);
}

/* A machine that draws 5 W, and 10 W for each busy CPU, with a counter of energy. */
#define ENERGY "sys/class/powercap/intel-rapl:0/energy_uj"
#define LINE(slope, r_squared) \
	"cpus: 2, measure: load, slope: " slope ", intercept_watts: 5, r_squared: " r_squared

static void make_meter(struct machine *machine)
{
	static const char *const directories[] = { "sys", "sys/class", "sys/class/powercap",
						   "sys/class/powercap/intel-rapl:0" };

	make_root(machine);
	settings_open(&machine->settings);
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		make_directory(machine, directories[i]);
	write_file(machine, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
	write_file(machine, "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
	write_file(machine, ENERGY, "1000000\n");
	write_file(machine, "proc/stat", "cpu  1000 0 500 9000 0 10 10 30 0 0\n");
	write_process(machine, (struct fake_process){ 7, 1, "make", 100, 0, 40, 500 });
	write_process(machine, (struct fake_process){ 8, 7, "cc1", 10, 0, 0, 600 });
}

/* A second in which make used 0.3 s, cc1 0.1 s, a child of make 0.2 s, and the CPUs were busy for 0.8 s. */
static void pass_second(struct machine *machine, unsigned number, double joules)
{
	write_file(machine, "proc/stat", "cpu  %u 0 500 9000 0 10 %u %u 0 0\n", 1000 + 60 * number,
		   10 + 20 * number, 30 + 7 * number);
	write_file(machine, ENERGY, "%.0f\n", 1e6 + joules * 1e6);
	write_process(machine,
		      (struct fake_process){ 7, 1, "make", 100 + 30 * number, 0, 40 + 20 * number, 500 });
	write_process(machine, (struct fake_process){ 8, 7, "cc1", 10 + 10 * number, 0, 0, 600 });
	next_tick(machine);
}

static double drawn_by(const struct machine *machine, const char *part)
{
	return frame_number(machine->now, "power_account", part, "watts");
}

static const char *const power_topics[] = { "process", "exited", "power_account", NULL };

/* What is known by construction is found again, and all parts make up what was measured. */
START_TEST(watts_of_processes_close)
{
	static const char *const parts[] = { "baseline", "tasks", "exited", "others", "unexplained" };
	struct machine machine;
	double sum = 0;

	make_meter(&machine);
	ck_assert(settings_set(&machine.settings, POWER_FIT_SETTING, LINE("10", "0.98"), 0));
	open_machine(&machine, power_topics);
	next_tick(&machine);
	ck_assert(isnan(number_of(&machine, 7, "watts")));
	ck_assert(isnan(drawn_by(&machine, "total")));
	pass_second(&machine, 1, 14.5);
	ck_assert_double_eq_tol(number_of(&machine, 7, "watts"), 3, 1e-6);
	ck_assert_double_eq_tol(number_of(&machine, 8, "watts"), 1, 1e-6);
	ck_assert_double_eq_tol(frame_number(machine.now, "exited", "make's children", "watts"), 2, 1e-6);
	ck_assert_double_eq_tol(drawn_by(&machine, "tasks"), 4, 1e-6);
	ck_assert_double_eq_tol(drawn_by(&machine, "exited"), 2, 1e-6);
	ck_assert_double_eq_tol(drawn_by(&machine, "others"), 2, 1e-6); /* not what was stolen */
	ck_assert_double_eq_tol(drawn_by(&machine, "total"), 14.5, 1e-6);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		ck_assert_double_eq(frame_number(machine.now, "power_account", parts[i], "r_squared"), 0.98);
		sum += drawn_by(&machine, parts[i]);
	}
	ck_assert_double_eq_tol(sum, 14.5, 1e-9);
	ck_assert_uint_eq(machine.now->n_notices, 0);
	close_machine(&machine);
}

START_TEST(watts_without_a_total_are_unknown)
{
	struct machine machine;

	make_meter(&machine);
	ck_assert(settings_set(&machine.settings, POWER_FIT_SETTING, LINE("10", "0.98"), 0));
	open_machine(&machine, power_topics);
	next_tick(&machine);
	write_file(&machine, ENERGY, "\n");
	next_tick(&machine);
	ck_assert(isnan(number_of(&machine, 7, "watts")));
	ck_assert(isnan(number_of(&machine, 7, "joules")));
	ck_assert(isnan(drawn_by(&machine, "baseline")));
	ck_assert_uint_eq(machine.now->n_notices, 1);
	ck_assert_ptr_nonnull(strstr(machine.now->notices[0].text, "nothing measures"));
	close_machine(&machine);
}

START_TEST(watts_without_a_calibration_are_unknown)
{
	struct machine machine;

	make_meter(&machine);
	open_machine(&machine, power_topics);
	next_tick(&machine);
	pass_second(&machine, 1, 14.5);
	ck_assert(isnan(number_of(&machine, 7, "watts")));
	ck_assert_uint_eq(frame_table(machine.now, "power_account")->n_rows, 0);
	ck_assert_uint_eq(machine.now->n_notices, 1);
	ck_assert_ptr_nonnull(strstr(machine.now->notices[0].remedy, "--calibrate"));
	close_machine(&machine);
}

/* One that comes meanwhile counts from then on, and a poor one is called so. */
START_TEST(another_calibration_is_no_jump)
{
	struct machine machine;

	make_meter(&machine);
	ck_assert(settings_set(&machine.settings, POWER_FIT_SETTING, LINE("10", "0.98"), 0));
	open_machine(&machine, power_topics);
	next_tick(&machine);
	pass_second(&machine, 1, 14.5);
	ck_assert(settings_set(&machine.settings, POWER_FIT_SETTING, LINE("20", "0.31"), 0));
	pass_second(&machine, 2, 29);
	ck_assert(isnan(number_of(&machine, 7, "watts")));
	ck_assert(isnan(drawn_by(&machine, "tasks")));
	pass_second(&machine, 3, 43.5);
	ck_assert(isnan(number_of(&machine, 7, "watts")));
	pass_second(&machine, 4, 58);
	ck_assert_double_eq_tol(number_of(&machine, 7, "watts"), 6, 1e-6);
	ck_assert_double_eq_tol(drawn_by(&machine, "unexplained"), 14.5 - drawn_by(&machine, "baseline") - 16,
				1e-6);
	ck_assert_str_eq(cell_text(machine.now, "power_account", "tasks", "fit"), "poor");
	ck_assert_uint_eq(machine.now->n_notices, 1);
	ck_assert_ptr_nonnull(strstr(machine.now->notices[0].text, "poor estimate: R squared is 0.31"));
	close_machine(&machine);
}

/* A kernel thread, as pid 2 is wherever the processes of the whole machine are seen. */
static void write_kernel_thread(const struct machine *machine, int pid, const char *name, unsigned ticks)
{
	make_directory(machine, textf("proc/%d", pid));
	write_file(machine, textf("proc/%d/stat", pid),
		   "%d (%s) S %d 0 0 0 -1 2129984 0 0 0 0 0 %u 0 0 20 0 1 0 1 0 0\n", pid, name, pid == 2 ?
		   0 : 2, ticks);
}

static double sum_of_known_parts(const struct machine *machine)
{
	static const char *const parts[] = { "tasks", "exited", "irq", "softirq", "steal", "unaccounted" };
	double sum = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += isnan(part_of(machine, parts[i])) ? 0 : part_of(machine, parts[i]);
	return sum;
}

/* A second with 0.1 s of interrupts, 0.2 s of soft interrupts outside of ksoftirqd, and 0.3 s within it. */
static void pass_interrupts(struct machine *machine, const char *before, const char *after,
			    unsigned task_ticks)
{
	static const char *const topic_names[] = { "account", NULL };

	make_root(machine);
	write_file(machine, "proc/stat", "%s", before);
	write_kernel_thread(machine, 12, "ksoftirqd/0", 5);
	write_process(machine, (struct fake_process){ 7, 1, "ksoftirqd/7", 100, 0, 0, 500 });
	open_machine(machine, topic_names);
	next_tick(machine);
	write_file(machine, "proc/stat", "%s", after);
	write_kernel_thread(machine, 12, "ksoftirqd/0", 35);
	write_process(machine, (struct fake_process){ 7, 1, "ksoftirqd/7", 100 + task_ticks, 0, 0, 500 });
	next_tick(machine);
}

START_TEST(interrupts_are_in_the_account_once)
{
	struct machine machine;

	/*
	 * no interrupt time accounting: irq stays 0, and the clock of the task contains what interrupted it
	 */
	pass_interrupts(&machine, "cpu  1000 0 500 900 0 0 10 0 0 0\n", "cpu  1040 0 500 900 0 0 60 0 0 0\n",
			60);
	ck_assert(isnan(part_of(&machine, "irq")));
	ck_assert(isnan(part_of(&machine, "softirq")));
	ck_assert(isnan(frame_number(machine.now, "account", "softirq", "cpu_seconds")));
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 0.9, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "busy"), 0.9, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "unaccounted"), 0, 1e-6);
	ck_assert_double_eq_tol(sum_of_known_parts(&machine), 0.9, 1e-6);
	close_machine(&machine);
	/* with it: apart from all clocks but that of ksoftirqd */
	pass_interrupts(&machine, "cpu  1000 0 500 900 0 7 10 0 0 0\n", "cpu  1030 0 500 900 0 17 60 0 0 0\n",
			30);
	ck_assert_double_eq_tol(part_of(&machine, "irq"), 0.1, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "softirq"), 0.2, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 0.6, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "unaccounted"), 0, 1e-6);
	ck_assert_double_eq_tol(sum_of_known_parts(&machine), 0.9, 1e-6);
	close_machine(&machine);
}

/* A machine with a hierarchy of control groups at /cg, of version 1 or 2. */
static void make_groups(struct machine *machine, int version)
{
	make_root(machine);
	make_directory(machine, "cg");
	make_directory(machine, "proc/self");
	if (version == 1) {
		write_file(machine, "proc/self/cgroup", "2:cpuacct:/\n");
		write_file(machine, "proc/self/mountinfo", "9 1 0:9 / /cg rw - cgroup none rw,cpuacct\n");
		write_file(machine, "cg/release_agent", "\n");
	} else {
		write_file(machine, "proc/self/cgroup", "0::/\n");
		write_file(machine, "proc/self/mountinfo", "9 1 0:9 / /cg rw - cgroup2 none rw\n");
		write_file(machine, "cg/cgroup.procs", "2\n3\n");
		make_directory(machine, "cg/system.slice");
	}
	write_file(machine, "proc/stat", "cpu  0 0 0 900 0 0 0 0 0 0\n");
	write_kernel_thread(machine, 2, "kthreadd", 0);
	write_kernel_thread(machine, 3, "kworker/0", 10);
	write_process(machine, (struct fake_process){ 7, 1, "make", 100, 0, 40, 500 });
}

static const char *exited_from(const struct machine *machine)
{
	const struct table *account = frame_table(machine->now, "account");

	return table_text(account, table_find(account, "exited", NULL), "from");
}

static const char *const account_topics[] = { "account", "exited", NULL };

static int probe_groups(struct machine *machine)
{
	const struct source_spec *source = topic_source(topic_find("account"), "run time of cgroups");
	int error;

	ck_assert_ptr_nonnull(source);
	ck_assert_int_eq(env_open(&machine->env, machine->root), 0);
	error = source->test(&machine->env);
	env_close(&machine->env);
	return error;
}

START_TEST(a_sum_of_control_groups_is_found)
{
	struct machine machine;

	make_root(&machine);
	ck_assert_int_eq(probe_groups(&machine), -ENODEV);
	make_groups(&machine, 1);
	write_file(&machine, "cg/cpuacct.usage", "7000000000\n");
	ck_assert_int_eq(probe_groups(&machine), 0);
	make_groups(&machine, 2);
	ck_assert_int_eq(probe_groups(&machine), 0);
}

/* What all ran less what those that live ran; what no parent was told of has a row without a name. */
START_TEST(the_scheduler_knows_what_ended_ran)
{
	struct machine machine;

	make_groups(&machine, 1);
	write_file(&machine, "cg/cpuacct.usage", "7000000000\n");
	open_machine(&machine, account_topics);
	next_tick(&machine);
	write_file(&machine, "cg/cpuacct.usage", "7600000000\n");
	write_file(&machine, "proc/stat", "cpu  62 0 0 900 0 0 0 0 0 0\n");
	write_kernel_thread(&machine, 3, "kworker/0", 15);
	write_process(&machine, (struct fake_process){ 7, 1, "make", 105, 0, 40 + 30, 500 });
	next_tick(&machine);
	ck_assert_str_eq(exited_from(&machine), "cpuacct.usage - tasks");
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 0.10, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0.50, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "unaccounted"), 0.02, 1e-6);
	ck_assert_double_eq_tol(frame_number(machine.now, "exited", "make's children", "cpu_ratio"), 0.30,
				1e-6);
	ck_assert_double_eq_tol(frame_number(machine.now, "exited", "(no record)", "cpu_ratio"), 0.20, 1e-6);
	/* the clocks are ahead by 0.06 s: no time runs backwards, and none is counted twice later */
	write_process(&machine, (struct fake_process){ 7, 1, "make", 111, 0, 40 + 30, 500 });
	next_tick(&machine);
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0, 1e-6);
	write_file(&machine, "cg/cpuacct.usage", "7860000000\n");
	next_tick(&machine);
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0.20, 1e-6);
	close_machine(&machine);
}

/* That sum is of the whole machine: what ended in a scope is known by its parents, or its records. */
START_TEST(what_ended_in_a_scope_has_its_own_source)
{
	struct scope scope = { 0 };
	struct machine machine;

	make_groups(&machine, 1);
	write_file(&machine, "cg/cpuacct.usage", "7000000000\n");
	open_machine(&machine, account_topics);
	choose_scope(&machine, &scope, "pid=7");
	next_tick(&machine);
	write_file(&machine, "cg/cpuacct.usage", "7600000000\n");
	write_file(&machine, "proc/stat", "cpu  62 0 0 900 0 0 0 0 0 0\n");
	write_process(&machine, (struct fake_process){ 7, 1, "make", 105, 0, 40 + 30, 500 });
	next_tick(&machine);
	ck_assert_str_eq(exited_from(&machine),
			 "cutime, cstime of parents, fitted to cpuacct.usage - tasks");
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 0.05, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0.30, 1e-6);
	close_machine(&machine);
	scope_free(&scope);
}

#define MOVED 300 /* the last of more processes than have their turn in a tick */

/* Its children are of the scope from then on. */
START_TEST(a_process_that_runs_is_moved)
{
	static const char *const names[] = { "process", NULL };
	struct scope scope = { 0 };
	struct machine machine;
	struct process_list *list;

	make_root(&machine);
	for (int pid = 7; pid <= MOVED; pid++) {
		write_process(&machine, (struct fake_process){ pid, 1, "make", 100, 0, 40, 500 });
		write_file(&machine, textf("proc/%d/cgroup", pid), "0::/\n");
	}
	open_machine(&machine, names);
	choose_scope(&machine, &scope, "cgroup=/g");
	next_tick(&machine);
	list = reader_state(&process_reader, &machine.env);
	ck_assert(process_list_find(list, MOVED)->outside);
	write_file(&machine, textf("proc/%d/cgroup", MOVED), "0::/g\n");
	write_process(&machine, (struct fake_process){ MOVED, 1, "make", 105, 0, 40, 500 });
	next_tick(&machine);
	ck_assert(!process_list_find(list, MOVED)->outside);
	ck_assert(process_list_find(list, MOVED - 1)->outside);
	close_machine(&machine);
	scope_free(&scope);
}

/* A group of any hierarchy counts, not only of the deepest, which stands for the process. */
START_TEST(a_process_is_in_groups_of_all_hierarchies)
{
	static const struct {
		const char *groups;
		bool outside;
	} cases[] = {
		{ "2:cpu:/g\n3:pids:/a/b/c\n", false },
		{ "2:memory:/g\n3:pids:/a/b/c\n", false },
		{ "2:pids:/g\n3:memory:/a/b/c\n", false },
		{ "2:blkio:/g\n3:pids:/a/b/c\n", false },
		{ "1:name=systemd:/g\n3:pids:/a/b/c\n", false },
		{ "3:pids:/a/b/c\n0::/g\n", false },
		{ "3:pids:/a/b/c\n2:cpu:/a\n", true },
		{ "3:pids:/g/b/c\n2:cpu:/a\n", false },
		{ "2:freezer:/g\n3:pids:/a/b/c\n", true }, /* none of those that count */
		{ "", true },
	};
	static const char *const names[] = { "process", NULL };
	struct scope scope = { 0 };
	struct machine machine;
	struct process_list *list;

	make_root(&machine);
	for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); i++) {
		write_process(&machine, (struct fake_process){ 7 + i, 1, "make", 100, 0, 40, 500 });
		write_file(&machine, textf("proc/%d/cgroup", 7 + i), "%s", cases[i].groups);
	}
	open_machine(&machine, names);
	choose_scope(&machine, &scope, "cgroup=/g");
	next_tick(&machine);
	list = reader_state(&process_reader, &machine.env);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(process_list_find(list, 7 + i)->outside == cases[i].outside, "%s",
			      cases[i].groups);
	close_machine(&machine);
	scope_free(&scope);
}

#define PROGRAMS 600 /* more that run than the helper takes command lines of at a time */

/* Only once all command lines are read is a program known to be missing. */
START_TEST(a_program_is_found_among_many_that_run)
{
	static const char *const names[] = { "process", NULL };
	struct scope scope = { 0 };
	struct machine machine;
	char path[64];

	make_root(&machine);
	for (int pid = 7; pid <= PROGRAMS; pid++) {
		write_process(&machine, (struct fake_process){ pid, 1, "sh", 100, 0, 40, 500 });
		snprintf(path, sizeof(path), "proc/%d/cmdline", pid);
		write_file(&machine, path, "%s", textf("/bin/program-%d", pid));
	}
	open_machine(&machine, names);
	for (int pid = 7; pid <= PROGRAMS; pid++)
		write_process(&machine, (struct fake_process){ pid, 1, "sh", 105, 0, 40, 500 });
	machine.request.processes = "program-600";
	choose_scope(&machine, &scope, "pid=program-600");
	next_tick(&machine);
	ck_assert(machine.now->named_there);
	ck_assert(!machine.now->named_absent);
	ck_assert(!has_notice(machine.now, "there is no process"));
	close_machine(&machine);
	scope_free(&scope);
}

/* Version 2 has no sum of all at its top, where kernel threads are: it is that of the groups just below. */
START_TEST(groups_of_version_2_are_summed_up)
{
	struct machine machine;

	make_groups(&machine, 2);
	write_file(&machine, "cg/system.slice/cpu.stat", "usage_usec 5000000\nuser_usec 1\n");
	open_machine(&machine, account_topics);
	next_tick(&machine);
	write_file(&machine, "cg/system.slice/cpu.stat", "usage_usec 5250000\nuser_usec 1\n");
	make_directory(&machine, "cg/user.slice"); /* new, and all that it used is */
	write_file(&machine, "cg/user.slice/cpu.stat", "usage_usec 100000\n");
	write_kernel_thread(&machine, 3, "kworker/0", 15);
	write_process(&machine, (struct fake_process){ 7, 1, "make", 105, 0, 40, 500 });
	next_tick(&machine);
	ck_assert_str_eq(exited_from(&machine), "cpu.stat of cgroups - tasks");
	ck_assert_double_eq_tol(part_of(&machine, "tasks"), 0.10, 1e-6);
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0.30, 1e-6);
	/* a process outside of all groups may end unseen: then parents tell */
	write_file(&machine, "cg/cgroup.procs", "2\n3\n7\n");
	write_file(&machine, "cg/system.slice/cpu.stat", "usage_usec 5950000\n");
	write_process(&machine, (struct fake_process){ 7, 1, "make", 105, 0, 40 + 25, 500 });
	next_tick(&machine);
	ck_assert_str_eq(exited_from(&machine), "cutime, cstime of parents");
	ck_assert_double_eq_tol(part_of(&machine, "exited"), 0.25, 1e-6);
	close_machine(&machine);
}

/* In a container neither the top of the groups nor kernel threads are seen; hidepid hides these, too. */
START_TEST(a_part_of_the_machine_is_not_all_of_it)
{
	struct machine machine;

	for (int hidden = 0; hidden < 2; hidden++) {
		make_groups(&machine, 1);
		write_file(&machine, "cg/cpuacct.usage", "7000000000\n");
		if (hidden)
			remove_process(&machine, 2);
		else
			remove_file(&machine, "cg/release_agent");
		open_machine(&machine, account_topics);
		next_tick(&machine);
		write_file(&machine, "cg/cpuacct.usage", "8000000000\n");
		write_process(&machine, (struct fake_process){ 7, 1, "make", 100, 0, 40 + 25, 500 });
		next_tick(&machine);
		ck_assert_str_eq(exited_from(&machine), "cutime, cstime of parents");
		ck_assert_double_eq_tol(part_of(&machine, "exited"), 0.25, 1e-6);
		close_machine(&machine);
	}
}

static double share_of(const struct machine *machine, const char *cpu, const char *column)
{
	return frame_number(machine->now, "cpu", cpu, column);
}

/* Of seconds 8251.33 - 3.47 - 0.12 is less than it was by a rounding error: then nothing was known. */
START_TEST(an_idle_machine_is_known_to_be_idle)
{
	static const char *const topic_names[] = { "cpu", NULL };
	struct machine machine;

	make_root(&machine);
	for (unsigned i = 0; i < 600; i++) {
		unsigned user = 71311 + i / 100, idle = 825133 + 97 * i, waits = 347 + i % 7 * (i / 7);

		write_file(&machine, "proc/stat",
			   "cpu  %u 12 4201 %u %u 0 31 7 0 0\ncpu0 %u 12 4201 %u %u 0 31 7 0 0\n", user, idle,
			   waits, user, idle, waits);
		if (i == 0)
			open_machine(&machine, topic_names);
		next_tick(&machine);
		if (i == 0)
			continue;
		ck_assert_double_ge(share_of(&machine, "0", "busy_ratio"), 0);
		ck_assert_double_ge(share_of(&machine, "all", "busy_ratio"), 0);
		ck_assert_double_ge(share_of(&machine, "all", "idle_ratio"), 0);
	}
	close_machine(&machine);
}

/* A file that was read while it was written has the beginning of a number: all of it is no growth. */
START_TEST(a_torn_number_makes_no_cpu_busy)
{
	static const char *const topic_names[] = { "cpu", NULL };
	static const unsigned users[] = { 9000000, 9000010, 9000, 9000030, 9000040 };
	struct machine machine;

	make_root(&machine);
	for (unsigned i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		write_file(&machine, "proc/stat", "cpu  %u 0 0 %u 0 0 0 0 0 0\ncpu0 %u 0 0 %u 0 0 0 0 0 0\n",
			   users[i], 500000 + 90 * i, users[i], 500000 + 90 * i);
		if (i == 0)
			open_machine(&machine, topic_names);
		next_tick(&machine);
		ck_assert(!(share_of(&machine, "all", "busy_ratio") > 0.11));
		ck_assert_double_lt(share_of(&machine, "0", "user_seconds"), 90001);
	}
	ck_assert_double_eq_tol(share_of(&machine, "0", "busy_ratio"), 0.1, 1e-9);
	close_machine(&machine);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void burn(uint64_t ns)
{
	uint64_t until = own_cpu_ns() + ns;

	while (own_cpu_ns() < until)
		;
}

static void *burn_in_thread(void *context)
{
	struct timespec now;

	(void)context;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 30000000);
	return NULL;
}

/* A child that burns when it is told to, in its own thread and two more, and tells its own clock. */
struct child {
	pid_t pid;
	int order, answer;
};

static void serve(int order, int answer)
{
	uint64_t ns;
	pthread_t threads[2];

	while (read(order, &ns, sizeof(ns)) == (ssize_t)sizeof(ns)) {
		for (int i = 0; i < 2 && ns > 0; i++)
			pthread_create(&threads[i], NULL, burn_in_thread, NULL);
		for (int i = 0; i < 2 && ns > 0; i++)
			pthread_join(threads[i], NULL);
		burn(ns);
		ns = own_cpu_ns();
		if (write(answer, &ns, sizeof(ns)) < 0)
			break;
	}
	_exit(0);
}

static struct child start_child(void)
{
	int order[2], answer[2];
	struct child child;

	ck_assert(pipe(order) == 0 && pipe(answer) == 0);
	child.pid = fork();
	if (child.pid == 0) {
		close(order[1]);
		serve(order[0], answer[1]);
	}
	close(order[0]);
	close(answer[1]);
	child.order = order[1];
	child.answer = answer[0];
	return child;
}

static double burn_child(const struct child *child, uint64_t ns)
{
	ck_assert_int_eq(write(child->order, &ns, sizeof(ns)), sizeof(ns));
	ck_assert_int_eq(read(child->answer, &ns, sizeof(ns)), sizeof(ns));
	return (double)ns * 1e-9;
}

static void end_child(const struct child *child)
{
	close(child->order);
	close(child->answer);
	ck_assert_int_eq(waitpid(child->pid, NULL, 0), child->pid);
}

/* The time of a process of several threads is what its own clock says, and its rate is that over the
 * interval. */
START_TOLERANCE_TEST(times_are_those_of_the_process)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine = { 0 };
	struct child child = start_child();
	double first, second, seconds;

	open_machine(&machine, topic_names);
	first = burn_child(&child, 10000000);
	next_tick(&machine);
	ck_assert_double_eq_tol(number_of(&machine, child.pid, "cpu_seconds"), first, 0.002);
	seconds = (double)frame_table(machine.now, "process")->mono_ns * 1e-9;
	second = burn_child(&child, 50000000);
	next_tick(&machine);
	seconds = (double)frame_table(machine.now, "process")->mono_ns * 1e-9 - seconds;
	ck_assert_double_eq_tol(number_of(&machine, child.pid, "cpu_ratio") * seconds, second - first, 0.003);
	ck_assert_double_ge(second - first, 0.1);
	end_child(&child);
	next_tick(&machine);
	ck_assert_ptr_null(row_of(&machine, child.pid));
	close_machine(&machine);
}

#define SLEEPERS 200

/* Which of the sleepers have an age of 0; each then has the new priority. None is older than the test. */
static int count_read(const struct machine *machine, const struct child sleepers[], int nice,
		      uint64_t begin_ns)
{
	double oldest = (double)(real_mono_ns() - begin_ns) / 1e9;
	int count = 0;

	for (int i = 0; i < SLEEPERS; i++) {
		double age = number_of(machine, sleepers[i].pid, "stat_age_seconds");

		ck_assert_double_ge(age, 0);
		ck_assert_double_le(age, oldest);
		ck_assert(age > 0 || number_of(machine, sleepers[i].pid, "nice") == nice);
		count += age == 0;
	}
	return count;
}

static int by_number(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

/* A process that does not run is read in turn, while the screen shows it, or after 15 seconds. */
START_LIVE_TEST(what_is_known_of_a_sleeper_has_an_age)
{
	static const char *const topic_names[] = { "process", NULL };
	static struct child sleepers[SLEEPERS];
	static struct machine machine;
	int nice = getpriority(PRIO_PROCESS, 0) + 1; /* an ordinary user can only raise it */
	uint64_t begin_ns = real_mono_ns();
	struct process_list *list;

	if (nice > 19)
		skip_test("it runs with the lowest priority");
	for (int i = 0; i < SLEEPERS; i++)
		sleepers[i] = start_child();
	machine.request.no_bpf = true; /* where it walks over all tasks it reads those that have changed */
	open_machine(&machine, topic_names);
	next_tick(&machine);
	for (int i = 0; i < SLEEPERS; i++)
		burn_child(&sleepers[i], 0); /* it has begun, and waits for more */
	next_tick(&machine);
	for (int i = 0; i < SLEEPERS; i++)
		ck_assert_int_eq(setpriority(PRIO_PROCESS, (id_t)sleepers[i].pid, nice), 0);
	next_tick(&machine);
	count_read(&machine, sleepers, nice, begin_ns);
	for (int i = 0; i < 10; i++)
		machine.request.visible[i] = (uint32_t)sleepers[i * SLEEPERS / 10].pid;
	qsort(machine.request.visible, 10, sizeof(machine.request.visible[0]),
	      by_number); /* pids may begin again */
	machine.request.n_visible = 10;
	for (int tick = 0; tick < 3; tick++) {
		next_tick(&machine);
		for (int i = 0; i < 10; i++)
			ck_assert_double_eq(
				number_of(&machine, (int)machine.request.visible[i], "stat_age_seconds"), 0);
		count_read(&machine, sleepers, nice, begin_ns);
	}
	list = reader_state(&process_reader, &machine.env);
	list->mono_ns -= UINT64_C(20000000000);
	next_tick(&machine);
	ck_assert_int_eq(count_read(&machine, sleepers, nice, begin_ns), SLEEPERS);
	close_machine(&machine);
	for (int i = SLEEPERS - 1; i >= 0; i--)
		end_child(&sleepers[i]);
}

/* A child with this pid, which burns so long and stays; -errno. */
static pid_t start_with_pid(pid_t pid, uint64_t burn_ns)
{
	struct clone_args how = { .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1 };
	int burnt[2];
	long child;
	char byte;

	ck_assert_int_eq(pipe(burnt), 0);
	child = syscall(SYS_clone3, &how, sizeof(how));
	if (child == 0) {
		burn(burn_ns);
		if (write(burnt[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	if (child < 0)
		child = -errno;
	else
		ck_assert_int_eq(read(burnt[0], &byte, 1), 1);
	close(burnt[0]);
	close(burnt[1]);
	return (pid_t)child;
}

/* Its clock does not go back, so that only the open file shows that it is another process. */
START_LIVE_TEST(a_pid_reused_by_one_that_ran_longer)
{
	static const char *const topic_names[] = { "process", "account", NULL };
	struct machine machine = { 0 };
	struct child old = start_child();
	double start, ran;
	pid_t young;

	open_machine(&machine, topic_names);
	burn_child(&old, 1000000);
	next_tick(&machine);
	burn_child(&old, 1000000);
	next_tick(&machine); /* its file is open now */
	start = number_of(&machine, old.pid, "start_seconds");
	ran = number_of(&machine, old.pid, "cpu_seconds");
	end_child(&old);
	usleep(20000); /* the start is known to a hundredth of a second */
	young = start_with_pid(old.pid, (uint64_t)((ran + 0.1) * 1e9));
	if (young == -EPERM || young == -ENOSYS || young == -EEXIST)
		skip_test("no child with a chosen pid: %s", strerror(-young));
	ck_assert_int_eq(young, old.pid);
	next_tick(&machine);
	ck_assert_ptr_nonnull(row_of(&machine, young));
	ck_assert_double_gt(number_of(&machine, young, "start_seconds"), start);
	ck_assert_double_ge(number_of(&machine, young, "cpu_seconds"), ran + 0.1);
	ck_assert_double_gt(number_of(&machine, young, "cpu_ratio"), 0);
	next_tick(&machine);
	ck_assert_double_ge(number_of(&machine, young, "cpu_ratio"), 0);
	kill(young, SIGKILL);
	ck_assert_int_eq(waitpid(young, NULL, 0), young);
	close_machine(&machine);
}

static double resident_by_status(pid_t pid)
{
	char line[128];
	double kib = NAN;
	FILE *file;

	file = fopen(textf("/proc/%d/status", (int)pid), "r");
	ck_assert_ptr_nonnull(file);
	while (isnan(kib) && fgets(line, sizeof(line), file))
		if (strncmp(line, "VmRSS:", 6) == 0)
			kib = strtod(line + 6, NULL);
	fclose(file);
	return kib * 1024;
}

/* It touched a few pages, which the CPU it ran on may not have added to the sum in its stat file. */
START_LIVE_TEST(resident_memory_is_exact)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine = { 0 };
	struct child child = start_child();
	double before, now, after;

	open_machine(&machine, topic_names);
	next_tick(&machine);
	burn_child(&child, 1000000);
	machine.request.visible[0] = (uint32_t)child.pid;
	machine.request.n_visible = 1;
	do { /* memory is taken from it when the machine is short of it */
		before = resident_by_status(child.pid);
		next_tick(&machine);
		now = number_of(&machine, child.pid, "resident_bytes");
		after = resident_by_status(child.pid);
	} while (before != after);
	ck_assert_double_gt(now, 0);
	ck_assert_double_eq(now, after);
	end_child(&child);
	close_machine(&machine);
}

struct burner {
	pid_t tid;
	sem_t burnt, end;
};

static void *burn_and_stay(void *context)
{
	struct burner *burner = context;

	burner->tid = gettid();
	burn_in_thread(NULL);
	sem_post(&burner->burnt);
	sem_wait(&burner->end);
	return NULL;
}

/* A thread that was born since the last sample has its time, and its process all of them. */
START_LIVE_TEST(threads_are_told_apart)
{
	static const char *const topic_names[] = { "process", "thread", NULL };
	struct machine machine = { 0 };
	struct burner burner;
	const struct table *threads;
	pthread_t thread;
	size_t own = 0;

	sem_init(&burner.burnt, 0, 0);
	sem_init(&burner.end, 0, 0);
	open_machine(&machine, topic_names);
	next_tick(&machine);
	pthread_create(&thread, NULL, burn_and_stay, &burner);
	sem_wait(&burner.burnt);
	next_tick(&machine);
	threads = frame_table(machine.now, "thread");
	for (size_t i = 0; i < threads->n_rows; i++) {
		const void *row = table_row(threads, i);

		if (table_number(threads, row, "pid") != getpid())
			continue;
		own++;
		if (table_number(threads, row, "tid") == burner.tid) {
			ck_assert_double_eq_tol(table_number(threads, row, "cpu_seconds"), 0.03, 0.003);
			ck_assert_double_gt(table_number(threads, row, "cpu_ratio"), 0);
		}
	}
	ck_assert_uint_eq(own, 2);
	ck_assert_double_eq(number_of(&machine, getpid(), "threads"), 2);
	sem_post(&burner.end);
	pthread_join(thread, NULL);
	close_machine(&machine);
}

/* Children that go by name, and how many then are counted in this row; NaN where nobody tells of them. */
static double run_brief_children(struct machine *machine, const char *name, const char *row, int n_children)
{
	double exits;

	for (int i = 0; i < n_children; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			pthread_setname_np(pthread_self(), name);
			burn(3000000);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	next_tick(machine);
	exits = frame_number(machine->now, "exited", row, "exits");
	for (int wait = 0; !(exits >= n_children) && wait < 100; wait++) { /* events take a moment */
		usleep(20000);
		next_tick(machine);
		exits = frame_number(machine->now, "exited", row, "exits");
	}
	return exits;
}

/* Children that come and go between two samples are counted by name, each once, with all that they ran. */
START_LIVE_TEST(children_between_samples_are_counted)
{
	struct machine machine = { 0 };
	struct rusage usage;
	char name[16];
	double own, exits;
	uint64_t begun_ns;

	snprintf(name, sizeof(name), "brief-%d", getpid()); /* the table counts those of the whole machine */
	open_machine(&machine, account_topics);
	next_tick(&machine);
	begun_ns = frame_table(machine.now, "exited")->mono_ns;
	exits = run_brief_children(&machine, name, name, 40);
	if (isnan(exits))
		skip_test("neither exit records nor events");
	ck_assert_double_eq(exits, 40);
	ck_assert_double_eq(frame_number(machine.now, "exited", name, "recent_exits"), 40);
	ck_assert_double_eq_tol(frame_number(machine.now, "exited", name, "recent_seconds"),
				(double)(frame_table(machine.now, "exited")->mono_ns - begun_ns) / 1e9, 1e-6);
	getrusage(RUSAGE_CHILDREN, &usage);
	own = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	if (!strstr(exited_from(&machine), "- tasks"))
		skip_test("no sum of what all tasks ran");
	ck_assert_double_ge(frame_number(machine.now, "account", "exited", "cpu_seconds"), 0.9 * own);
	close_machine(&machine);
}

START_LIVE_TEST(no_process_passes_for_a_sum)
{
	struct machine machine = { 0 };

	open_machine(&machine, account_topics);
	next_tick(&machine);
	if (!isnan(run_brief_children(&machine, "brief-child", "brief-child", 3))) {
		ck_assert_double_ge(run_brief_children(&machine, "(others)", "(others) (process name)", 3),
				    3);
		ck_assert_double_ge(
			run_brief_children(&machine, "(no record)", "(no record) (process name)", 3), 3);
	}
	close_machine(&machine);
}

/* With hardly any descriptors nothing is kept open, and nothing is missing. */
START_LIVE_TEST(few_descriptors_are_enough)
{
	static const char *const topic_names[] = { "process", "account", NULL };
	struct rlimit limit = { 64, 64 };
	struct machine machine = { 0 };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	open_machine(&machine, topic_names);
	next_tick(&machine);
	burn(20000000);
	next_tick(&machine);
	ck_assert_double_ge(number_of(&machine, getpid(), "cpu_ratio") * (double)machine.now->interval_ns,
			    10000000);
	ck_assert_uint_eq(machine.env.pids.n_kept, 0);
	close_machine(&machine);
}

/* Room for so many files, and then none: what stands in the way is opened first. Their number. */
static int take_all_files(int files[], int room, rlim_t limit)
{
	int n_files = 0;

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ limit, limit }), 0);
	while (n_files < room && (files[n_files] = dup(STDERR_FILENO)) >= 0)
		n_files++;
	ck_assert_int_eq(errno, EMFILE);
	return n_files;
}

static void give_back(const int files[], int n_files)
{
	while (n_files > 0)
		close(files[--n_files]);
}

/* Their files stay open for the others. */
START_TEST(who_closes_the_list_leaves_it_to_others)
{
	struct machine machine;
	struct process_list *tasks;
	struct env env;
	const struct sample sample = { .env = &env };

	make_root(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "one", 1, 0, 0, 500 });
	ck_assert_int_eq(env_open(&env, machine.root), 0);
	tasks = reader_open(&process_reader, &sample, NULL);
	ck_assert_ptr_eq(reader_open(&process_reader, &sample, NULL), tasks);
	for (int i = 0; i < 2; i++) {
		env.tick++;
		ck_assert_int_eq(reader_update(&process_reader, &sample), 0);
	}
	ck_assert_uint_eq(env.pids.n_kept, 1);
	reader_close(&process_reader, &env);
	ck_assert_uint_eq(env.pids.n_kept, 1);
	reader_close(&process_reader, &env);
	ck_assert_uint_eq(env.pids.n_kept, 0);
	env_close(&env);
}

START_TEST(kept_files_and_counters_leave_room)
{
	struct rlimit limit = { 400, 400 };
	struct env env;

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	if (env_cpus() < 64)
		ck_assert_uint_gt(env.pids.kept_max, 0);
	ck_assert_uint_eq(env.counters.max, env.pids.kept_max);
	ck_assert_uint_le(env.pids.kept_max + env.counters.max, 400 - 64);
	env_close(&env);
}

/* Those whose clock is asked stay on the list, and make room for what there is to be read. */
START_LIVE_TEST(at_the_limit_of_files_processes_stay)
{
	static const char *const topic_names[] = { "process", "account", NULL };
	struct machine machine = { 0 };
	struct child children[8];
	double before[8], used[8], mono;
	int files[100], n_files;
	unsigned n_notices;

	for (int i = 0; i < 8; i++)
		children[i] = start_child();
	open_machine(&machine, topic_names);
	for (int i = 0; i < 3; i++)
		next_tick(&machine);
	n_notices = machine.now->n_notices;
	n_files = take_all_files(files, 100, 100);
	for (int i = 0; i < 8; i++) {
		before[i] = number_of(&machine, children[i].pid, "cpu_seconds");
		used[i] = burn_child(&children[i], 5000000) - before[i];
	}
	mono = (double)frame_table(machine.now, "process")->mono_ns * 1e-9;
	next_tick(&machine);
	mono = (double)frame_table(machine.now, "process")->mono_ns * 1e-9 - mono;
	ck_assert_uint_eq(machine.now->n_notices, n_notices);
	for (int i = 0; i < 8; i++)
		ck_assert_double_eq_tol(number_of(&machine, children[i].pid, "cpu_ratio") * mono, used[i],
					0.003);
	give_back(files, n_files);
	next_tick(&machine);
	for (int i = 7; i >= 0; i--) { /* each has the pipes of those before it */
		ck_assert_double_le(number_of(&machine, children[i].pid, "cpu_ratio"), 0.5);
		end_child(&children[i]);
	}
	close_machine(&machine);
}

/* One that could not be read when it began has no rate made of its whole life. */
START_LIVE_TEST(who_lived_unseen_has_no_rate_at_first)
{
	static const char *const topic_names[] = { "process", "account", NULL };
	struct machine machine = { 0 };
	struct child child;
	int files[100], n_files;
	double first;

	open_machine(&machine, topic_names);
	machine.env.pids.kept_max = 0;
	next_tick(&machine);
	child = start_child();
	burn_child(&child, 50000000);
	n_files = take_all_files(files, 100, 100);
	next_tick(&machine);
	ck_assert_ptr_null(row_of(&machine, child.pid));
	ck_assert_double_ge(number_of(&machine, getpid(), "cpu_seconds"), 0);
	ck_assert(isnan(number_of(&machine, getpid(), "minor_faults"))); /* its clock is no file */
	ck_assert(isnan(number_of(&machine, getpid(), "resident_bytes")));
	usleep(100000);
	give_back(files, n_files);
	next_tick(&machine);
	ck_assert_ptr_nonnull(row_of(&machine, child.pid));
	ck_assert(isnan(number_of(&machine, child.pid, "cpu_ratio")));
	ck_assert(isnan(number_of(&machine, child.pid, "minor_faults_per_second")));
	ck_assert(isnan(number_of(&machine, getpid(), "minor_faults_per_second")));
	ck_assert_double_gt(number_of(&machine, getpid(), "minor_faults"), 0);
	next_tick(&machine);
	first = number_of(&machine, child.pid, "cpu_seconds");
	ck_assert_double_ge(first, 0.05);
	ck_assert_double_gt(number_of(&machine, child.pid, "minor_faults"), 0);
	burn_child(&child, 50000000);
	next_tick(&machine);
	ck_assert_double_ge(number_of(&machine, child.pid, "cpu_ratio") * (double)machine.now->interval_ns,
			    25000000);
	ck_assert_double_ge(number_of(&machine, child.pid, "cpu_seconds"), first + 0.05);
	end_child(&child);
	close_machine(&machine);
}

static double of_thread(const struct machine *machine, pid_t tid, const char *column)
{
	const struct table *threads = frame_table(machine->now, "thread");

	for (size_t i = 0; i < threads->n_rows; i++)
		if (table_number(threads, table_row(threads, i), "tid") == tid)
			return table_number(threads, table_row(threads, i), column);
	return INFINITY;
}

/* Threads that cannot be looked at for a while stay listed and are told; their lives make no rates. */
START_LIVE_TEST(at_the_limit_of_files_threads_stay)
{
	static const char *const topic_names[] = { "thread", NULL };
	struct machine machine = { 0 };
	struct child old, new;
	int files[100], n_files;

	old = start_child();
	open_machine(&machine, topic_names);
	machine.env.pids.kept_max = 0;
	next_tick(&machine);
	new = start_child();
	burn_child(&old, 50000000);
	burn_child(&new, 50000000);
	n_files = take_all_files(files, 100, 100);
	next_tick(&machine);
	ck_assert(isnan(of_thread(&machine, old.pid, "cpu_seconds")));
	ck_assert(isnan(of_thread(&machine, old.pid, "processor")));
	ck_assert(isinf(of_thread(&machine, new.pid, "cpu_seconds")));
	ck_assert(has_notice(machine.now, "could not be read: Too many open files"));
	usleep(100000);
	give_back(files, n_files);
	next_tick(&machine);
	ck_assert_double_ge(of_thread(&machine, old.pid, "cpu_seconds"), 0.05);
	ck_assert_double_ge(of_thread(&machine, old.pid, "processor"), 0);
	ck_assert(isnan(of_thread(&machine, old.pid, "cpu_ratio")));
	ck_assert(isnan(of_thread(&machine, new.pid, "cpu_ratio")));
	next_tick(&machine);
	next_tick(&machine);
	ck_assert_double_le(of_thread(&machine, new.pid, "cpu_ratio"), 0.5);
	ck_assert_double_ge(of_thread(&machine, new.pid, "cpu_seconds"), 0.05);
	end_child(&new); /* it has the pipes of the other one */
	end_child(&old);
	close_machine(&machine);
}

/* Where only files tell the times they are unknown, not zero, and a new one is told to be missing. */
START_TEST(what_cannot_be_read_is_not_hidden)
{
	static const char *const topic_names[] = { "process", "system", NULL };
	struct machine machine;
	int files[100], n_files;

	make_root(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "old", 100, 0, 0, 500 });
	open_machine(&machine, topic_names);
	machine.env.pids.kept_max = 0;
	next_tick(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "old", 130, 0, 0, 500 });
	write_process(&machine, (struct fake_process){ 8, 1, "new", 20, 0, 0, 700 });
	n_files = take_all_files(files, 100, 100);
	next_tick(&machine);
	ck_assert_ptr_nonnull(row_of(&machine, 7));
	ck_assert(isnan(number_of(&machine, 7, "cpu_seconds")));
	ck_assert_ptr_null(row_of(&machine, 8));
	ck_assert_double_eq(frame_number(machine.now, "system", NULL, "tasks"), 2);
	ck_assert_uint_eq(machine.now->n_notices, 3);
	ck_assert_str_eq(machine.now->notices[0].text,
			 "2 processes could not be read: Too many open files");
	ck_assert_str_eq(machine.now->notices[1].text, "/proc/meminfo: Too many open files");
	ck_assert_str_eq(machine.now->notices[2].text, "/proc/loadavg: Too many open files");
	ck_assert_ptr_nonnull(strstr(machine.now->notices[0].remedy, "ulimit -n"));
	give_back(files, n_files);
	next_tick(&machine);
	ck_assert_double_eq(number_of(&machine, 7, "cpu_seconds"), 1.3);
	ck_assert(isnan(number_of(&machine, 7, "cpu_ratio")));
	ck_assert_uint_eq(machine.now->n_notices, 0);
	close_machine(&machine);
}

/* Opens the FIFO late: longer than a sample waits for what it does not need. */
static void *answer_late(void *path)
{
	const struct timespec pause = { .tv_nsec = 300000000 };
	int fifo;

	nanosleep(&pause, NULL);
	fifo = open(path, O_WRONLY);
	ck_assert_int_eq(write(fifo, "/bin/late\0", 10), 10);
	close(fifo);
	return NULL;
}

/* Whether a process that --pid names by its program is there must not depend on how busy the machine is. */
START_TEST(programs_that_are_named_are_waited_for)
{
	static const char *const topic_names[] = { "process", NULL };
	struct scope scope = { 0 };
	struct machine machine;
	pthread_t thread;
	char path[160];

	make_root(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "python3", 100, 50, 0, 500 });
	snprintf(path, sizeof(path), "%s/proc/7/cmdline", machine.root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	open_machine(&machine, topic_names);
	choose_scope(&machine, &scope, "pid=late");
	machine.request.processes = "late";
	machine.env.worker = worker_open();
	ck_assert_int_eq(pthread_create(&thread, NULL, answer_late, path), 0);
	next_tick(&machine);
	pthread_join(thread, NULL);
	ck_assert_str_eq(command_of(&machine, 7), "/bin/late");
	ck_assert(machine.now->named_there);
	close_machine(&machine);
	worker_close(machine.env.worker);
	scope_free(&scope);
}

/* More processes sleep than are asked at once: those on the screen and those that --pid names come first. */
START_TEST(what_is_shown_has_its_command_line)
{
	static const char *const topic_names[] = { "process", NULL };
	enum { SLEEPING = 300, FIRST = 1000, LAST = FIRST + SLEEPING - 1 };
	struct scope scope = { 0 };
	struct machine machine;

	make_root(&machine);
	for (int pid = FIRST; pid <= LAST; pid++) {
		write_process(&machine, (struct fake_process){ pid, 1, "sleep", 100, 50, 0, 500 });
		write_file(&machine, textf("proc/%d/cmdline", pid), "sleep%c%d%c", '\0', pid, '\0');
	}
	open_machine(&machine, topic_names);
	for (int tick = 0; tick < 3; tick++)
		next_tick(&machine);
	ck_assert_str_eq(command_of(&machine, FIRST), "sleep 1000");
	ck_assert_str_eq(command_of(&machine, LAST - 1), "sleep");
	machine.request.visible[machine.request.n_visible++] = LAST - 1;
	next_tick(&machine);
	ck_assert_str_eq(command_of(&machine, LAST - 1), "sleep 1298");
	ck_assert_str_eq(command_of(&machine, LAST), "sleep");
	choose_scope(&machine, &scope, "pid=1299");
	machine.request.processes = "1299";
	next_tick(&machine); /* finds out who is in the scope */
	next_tick(&machine);
	ck_assert_str_eq(command_of(&machine, LAST), "sleep 1299");
	ck_assert_str_eq(command_of(&machine, LAST - 2), "sleep");
	close_machine(&machine);
	scope_free(&scope);
}

/* A command line that cannot be read keeps a helper, not the sampler. */
START_TEST(a_stuck_command_line_stops_nobody)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;
	char path[160];
	int fifo;

	make_root(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "stuck", 100, 50, 0, 500 });
	write_process(&machine, (struct fake_process){ 8, 1, "behind", 100, 50, 0, 500 });
	snprintf(path, sizeof(path), "%s/proc/7/cmdline", machine.root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	write_file(&machine, "proc/8/cmdline", "/bin/behind%c-x%c", '\0', '\0');
	machine.request.idle_shown = true;
	open_machine(&machine, topic_names);
	ck_assert_int_eq(helper_start(machine.root), 0);
	for (unsigned i = 1; i <= 3; i++) {
		write_process(&machine, (struct fake_process){ 7, 1, "stuck", 100 + i, 50, 0, 500 });
		next_tick(&machine);
		ck_assert_str_eq(command_of(&machine, 7), "stuck");
	}
	fifo = open(path, O_WRONLY);
	ck_assert_int_eq(write(fifo, "/bin/free\0", 10), 10);
	close(fifo);
	for (int i = 0; i < 500 && strcmp(command_of(&machine, 8), "/bin/behind -x") != 0; i++) {
		struct timespec pause = { .tv_nsec = 10000000 };

		nanosleep(&pause, NULL);
		next_tick(&machine);
	}
	ck_assert_str_eq(command_of(&machine, 8), "/bin/behind -x");
	ck_assert_str_eq(table_text(frame_table(machine.now, "process"), row_of(&machine, 8), "program"),
			 "/bin/behind");
	ck_assert_str_eq(table_text(frame_table(machine.now, "process"), row_of(&machine, 8), "command_base"),
			 "behind -x");
	ck_assert_str_eq(command_of(&machine, 7), "/bin/free");
	close_machine(&machine);
	helper_stop();
}

static const char *text_of(const struct machine *machine, int pid, const char *column)
{
	return table_text(frame_table(machine->now, "process"), row_of(machine, pid), column);
}

static void check_command(const struct machine *machine, int pid, const char *command,
			  const char *command_base, const char *program, const char *program_base)
{
	ck_assert_str_eq(command_of(machine, pid), command);
	ck_assert_str_eq(text_of(machine, pid, "command_base"), command_base);
	ck_assert_str_eq(text_of(machine, pid, "program"), program);
	ck_assert_str_eq(text_of(machine, pid, "program_base"), program_base);
}

/* Only of an absolute path the directory is left out. */
START_TEST(programs_without_their_directory)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;
	char long_name[81] = "";

	make_root(&machine);
	for (int pid = 7; pid <= 11; pid++)
		write_process(&machine, (struct fake_process){ pid, 1, "name", 100, 50, 0, 500 });
	memset(long_name, 'x', sizeof(long_name) - 1); /* no kernel has one of more than 63 bytes */
	write_process(&machine, (struct fake_process){ 12, 1, long_name, 1, 0, 0, 5 });
	write_process(&machine, (struct fake_process){ 13, 1, long_name + 80 - 63, 1, 0, 0, 5 });
	write_file(&machine, "proc/7/cmdline", "/usr/bin/make%c-j4%ca/b%c", 0, 0, 0);
	write_file(&machine, "proc/8/cmdline", "bin/sh%c-c%cx/y%c", 0, 0, 0);
	write_file(&machine, "proc/9/cmdline", "/usr/lib/%c", 0);
	write_file(&machine, "proc/11/stat",
		   "11 (kworker/1) I 2 0 0 0 -1 2097152 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n");
	machine.request.idle_shown = true;
	open_machine(&machine, topic_names);
	next_tick(&machine);
	next_tick(&machine);
	check_command(&machine, 7, "/usr/bin/make -j4 a/b", "make -j4 a/b", "/usr/bin/make", "make");
	check_command(&machine, 8, "bin/sh -c x/y", "bin/sh -c x/y", "bin/sh", "bin/sh");
	check_command(&machine, 9, "/usr/lib/", "/usr/lib/", "/usr/lib/", "/usr/lib/");
	check_command(&machine, 10, "name", "name", "name", "name");
	ck_assert_uint_eq(strlen(text_of(&machine, 12, "name")), 63);
	ck_assert_uint_eq(strlen(text_of(&machine, 13, "name")), 63);
	check_command(&machine, 11, "[kworker/1]", "[kworker/1]", "[kworker/1]", "[kworker/1]");
	close_machine(&machine);
}

static void request_column(struct machine *machine, const char *column)
{
	const struct schema *schema = topic_find("process")->schema;

	ck_assert(sample_request_add(&machine->request, schema,
				     1UL << schema_find(schema, column)->on_request));
}

static void write_all_files(const struct machine *machine, int pid)
{
	make_directory(machine, textf("proc/%d", pid));
	write_file(machine, textf("proc/%d/stat", pid),
		   "%d (all) R 1 1 1 1026 -1 4 100 0 9 0 40 30 0 0 15 -5 1 0 500 4096 2 0 "
		   "0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0\n", pid);
	write_file(machine, textf("proc/%d/io", pid), "syscr: 3\nread_bytes: 20480\nwrite_bytes: 5\n");
	write_file(machine, textf("proc/%d/schedstat", pid), "700000000 2500000000 40\n");
	write_file(machine, textf("proc/%d/cgroup", pid), "0::/some.slice\n");
	write_file(machine, textf("proc/%d/smaps_rollup", pid),
		   "55e0 ---p 0 00:00 0 [rollup]\nRss: 24 kB\nPss: 12 kB\n");
}

/* What takes a file of its own is read where it is shown. */
START_TEST(columns_are_read_on_request)
{
	static const char *const topic_names[] = { "process", NULL };
	static const char *const columns[] = { "read_bytes", "write_bytes", "disk_bytes", "wait_seconds",
					       "switches", "proportional_bytes" };
	static const double values[] = { 20480, 5, 20485, 2.5, 40, 12288 };
	struct machine machine;

	for (unsigned shown = 0; shown < 2; shown++) {
		make_root(&machine);
		write_all_files(&machine, 7);
		write_all_files(&machine, 8);
		machine.request.batch = machine.request.named_columns = true;
		for (size_t i = 0; i < 6; i++)
			if (shown && (i == 0 || i == 3 || i == 5))
				request_column(&machine, columns[i]);
		if (shown)
			request_column(&machine, "group");
		open_machine(&machine, topic_names);
		next_tick(&machine);
		for (size_t i = 0; i < 6; i++)
			if (shown)
				ck_assert_double_eq(number_of(&machine, 8, columns[i]), values[i]);
			else
				ck_assert(isnan(number_of(&machine, 8, columns[i])));
		ck_assert_str_eq(text_of(&machine, 7, "group"), shown ? "/some.slice" : "");
		ck_assert(isnan(number_of(&machine, 8, "tcp_bytes")));
		ck_assert(isnan(number_of(&machine, 8, "received_bytes")));
		close_machine(&machine);
	}
}

/* In batch only where it is named; on the screen of the processes there. */
START_TEST(proportional_memory_is_read_of_few)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;

	for (unsigned batch = 0; batch < 2; batch++) {
		make_root(&machine);
		for (int pid = 7; pid <= 9; pid++)
			write_all_files(&machine, pid);
		request_column(&machine, "proportional_bytes");
		machine.request.batch = batch;
		machine.request.visible[0] = 7;
		machine.request.visible[1] = 9;
		machine.request.n_visible = 2;
		open_machine(&machine, topic_names);
		next_tick(&machine);
		ck_assert(isnan(number_of(&machine, 8, "proportional_bytes")));
		for (int pid = 7; pid <= 9; pid += 2)
			if (batch)
				ck_assert(isnan(number_of(&machine, pid, "proportional_bytes")));
			else
				ck_assert_double_eq(number_of(&machine, pid, "proportional_bytes"), 12288);
		ck_assert(isnan(number_of(&machine, 7, "read_bytes")));
		close_machine(&machine);
	}
}

START_TEST(columns_of_the_stat_file)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;

	make_root(&machine);
	write_all_files(&machine, 7);
	write_file(&machine, "proc/7/statm", "4503599627370495 2 4503599627370494 5 0 100 0\n");
	open_machine(&machine, topic_names);
	machine.env.page_bytes = 4096;
	next_tick(&machine);
	ck_assert_str_eq(text_of(&machine, 7, "state"), "R");
	ck_assert_str_eq(text_of(&machine, 7, "tty"), "tty2");
	ck_assert_double_eq(number_of(&machine, 7, "processor"), 3);
	ck_assert_double_eq(number_of(&machine, 7, "threads"), 1);
	ck_assert_double_eq(number_of(&machine, 7, "nice"), -5);
	ck_assert_double_eq(number_of(&machine, 7, "priority"), 15);
	ck_assert_double_eq(number_of(&machine, 7, "minor_faults"), 100);
	ck_assert_double_eq(number_of(&machine, 7, "major_faults"), 9);
	ck_assert_double_eq(number_of(&machine, 7, "cpu_seconds"), 0.7);
	ck_assert_double_eq_tol(number_of(&machine, 7, "user_seconds"), 0.4, 1e-9);
	ck_assert_double_eq(number_of(&machine, 7, "resident_bytes"), 8192);
	ck_assert(isnan(number_of(&machine, 7, "virtual_bytes"))); /* of more than 64 bits */
	ck_assert_double_eq(number_of(&machine, 7, "shared_bytes"), 4503599627370494.0 * 4096);
	ck_assert(isnan(number_of(&machine, 7, "memory_ratio")));
	close_machine(&machine);
}

/* Of the process under the cursor alone, where a key may want it. */
START_TEST(a_group_may_be_read_of_one)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;

	make_root(&machine);
	write_all_files(&machine, 7);
	write_all_files(&machine, 8);
	machine.request.group_pid = 8;
	open_machine(&machine, topic_names);
	next_tick(&machine);
	ck_assert_str_eq(text_of(&machine, 7, "group"), "");
	ck_assert_str_eq(text_of(&machine, 8, "group"), "/some.slice");
	close_machine(&machine);
}

/* A kernel without it has no such file of its own processes. */
START_TEST(what_a_kernel_does_not_count_is_said)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;

	make_root(&machine);
	write_all_files(&machine, 7);
	write_all_files(&machine, 8);
	write_file(&machine, "proc/loadavg", "0.1 0.1 0.1 1/52 900\n");
	request_column(&machine, "read_bytes");
	request_column(&machine, "wait_seconds");
	open_machine(&machine, topic_names);
	machine.env.live = true;
	next_tick(&machine);
	ck_assert(has_notice(machine.now, "what processes read and write is not counted"));
	ck_assert(has_notice(machine.now, "waiting for a CPU is not counted"));
	ck_assert(has_notice(machine.now, "50 threads of other users are hidden (hidepid)"));
	ck_assert(isnan(number_of(&machine, 7, "read_bytes")));
	ck_assert(isnan(number_of(&machine, 7, "wait_seconds")));
	machine.env.live = false;
	close_machine(&machine);
}

/* With hidepid the first process is not listed. */
START_TEST(threads_of_others_that_are_hidden)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;

	make_root(&machine);
	write_process(&machine, (struct fake_process){ 7, 1, "own", 1, 0, 0, 5 }); /* 3 threads */
	write_process(&machine, (struct fake_process){ 8, 1, "own", 1, 0, 0, 5 });
	write_file(&machine, "proc/loadavg", "0.1 0.1 0.1 1/7 900\n");
	open_machine(&machine, topic_names);
	machine.env.live = true;
	next_tick(&machine);
	ck_assert(has_notice(machine.now, "1 thread of another user is hidden (hidepid)"));
	write_process(&machine, (struct fake_process){ 1, 0, "init", 1, 0, 0, 1 });
	next_tick(&machine);
	ck_assert(!has_notice(machine.now, "hidepid"));
	machine.env.live = false;
	close_machine(&machine);
}

/* TCP of processes beside nothing else, where sockets are many. */
START_TEST(many_sockets_are_not_read)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine;

	for (int n = 300; n <= 301; n++) {
		make_root(&machine);
		make_directory(&machine, "proc/net");
		write_file(&machine, "proc/net/sockstat", "sockets: used 900\nTCP: inuse %d orphan 0\n",
			   n - 100);
		write_file(&machine, "proc/net/sockstat6", "TCP6: inuse 100\n");
		request_column(&machine, "tcp_bytes");
		open_machine(&machine, topic_names);
		machine.env.live = true;
		next_tick(&machine);
		ck_assert_int_eq(has_notice(machine.now, "to read 301 sockets"), n > 300);
		machine.env.live = false;
		close_machine(&machine);
	}
}

static void note_error(void *context, int error)
{
	*(int *)context = error;
}

/* The process that was meant gets the signal; another one with its pid never does. */
START_TEST(signals_hit_only_the_one_that_was_meant)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine = { 0 };
	struct child child;
	const char *remedy;
	char action[96];
	int answer = 1, status;
	double start;

	signal(SIGHUP, SIG_DFL); /* which nohup ignores: a signal too many ends the child */
	child = start_child();
	open_machine(&machine, topic_names);
	next_tick(&machine);
	start = number_of(&machine, child.pid, "start_seconds");
	snprintf(action, sizeof(action), "signal %d %d %.6f", SIGKILL, child.pid, start - 0.01);
	ck_assert_int_eq(
		machine.source.act(machine.source.state, "process", action, note_error, &answer, &remedy),
		-ESRCH);
	ck_assert_int_eq(waitpid(child.pid, &status, WNOHANG), 0);
	snprintf(action, sizeof(action), "signal %d %d %.6f", SIGKILL, child.pid, start);
	ck_assert_int_eq(machine.source.act(machine.source.state, "process", action, NULL, NULL, &remedy), 0);
	ck_assert_int_eq(waitpid(child.pid, &status, WNOHANG), 0); /* that was only a question */
	snprintf(action, sizeof(action), "nice 3 %d %.6f", child.pid, start);
	ck_assert_int_eq(
		machine.source.act(machine.source.state, "process", action, note_error, &answer, &remedy), 0);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)child.pid), getpriority(PRIO_PROCESS, 0) + 3);
	ck_assert_int_eq(answer, 0);
	machine.request.read_only = true;
	snprintf(action, sizeof(action), "signal %d %d %.6f", SIGKILL, child.pid, start);
	ck_assert_int_eq(
		machine.source.act(machine.source.state, "process", action, note_error, &answer, &remedy),
		-EPERM);
	ck_assert_ptr_nonnull(remedy);
	machine.request.read_only = false;
	ck_assert_int_eq(
		machine.source.act(machine.source.state, "process", action, note_error, &answer, &remedy), 0);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(child.order);
	close(child.answer);
	close_machine(&machine);
}

static int act(struct machine *machine, const char *verb, int number, uint32_t pid, double start,
	       const char **remedy)
{
	char action[96];
	int answer = 1;

	snprintf(action, sizeof(action), "%s %d %u %.6f", verb, number, pid, start);
	return machine->source.act(machine->source.state, "process", action, note_error, &answer, remedy);
}

/* The child as the proc of outside shows it: 0 when it does not. */
static uint32_t shown_child(const struct machine *machine)
{
	const struct table *table = frame_table(machine->now, "process");

	for (size_t i = 0; i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "ppid") == machine->env.own_pid)
			return (uint32_t)table_number(table, table_row(table, i), "pid");
	return 0;
}

/* As the first process of a pid namespace, with the proc of the one outside. */
static void act_inside(const struct child *outside)
{
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine = { 0 };
	struct child child = start_child();
	const char *remedy = NULL;
	uint32_t shown;
	int status;

	open_machine(&machine, topic_names);
	next_tick(&machine);
	ck_assert(machine.env.foreign_pids && machine.env.own_pid != 1);
	ck_assert(!env_has_process_clocks(&machine.env));
	shown = shown_child(&machine);
	ck_assert_uint_ne(shown, 0);
	ck_assert_int_eq(act(&machine, "signal", SIGKILL, (uint32_t)outside->pid,
			     number_of(&machine, outside->pid, "start_seconds"), &remedy),
			 -EXDEV);
	ck_assert_ptr_nonnull(remedy);
	if (row_of(&machine, child.pid)) /* another one outside has this number */
		ck_assert_int_eq(act(&machine, "signal", SIGKILL, (uint32_t)child.pid,
				     number_of(&machine, child.pid, "start_seconds"), &remedy),
				 -EXDEV);
	ck_assert_int_eq(act(&machine, "nice", 3, shown, number_of(&machine, (int)shown, "start_seconds"),
			     &remedy),
			 -EXDEV);
	ck_assert_ptr_nonnull(remedy);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)child.pid), getpriority(PRIO_PROCESS, 0));
	ck_assert_int_eq(waitpid(child.pid, &status, WNOHANG), 0);
	ck_assert_int_eq(act(&machine, "signal", SIGKILL, shown,
			     number_of(&machine, (int)shown, "start_seconds") - 0.01, &remedy),
			 -ESRCH);
	ck_assert_int_eq(act(&machine, "signal", SIGKILL, shown,
			     number_of(&machine, (int)shown, "start_seconds"), &remedy),
			 0);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close_machine(&machine);
}

/* In a child, which can start no other process once the first one of its namespace has ended. */
static _Noreturn void enter_namespace(const struct child *outside)
{
	int status;
	pid_t first;

	if (unshare(CLONE_NEWPID) < 0)
		_exit(errno);
	first = fork();
	if (first == 0) {
		act_inside(outside);
		_exit(0);
	}
	_exit(waitpid(first, &status, 0) == first && status == 0 ? 0 : 255);
}

START_TEST(pids_of_another_namespace_hit_nobody_else)
{
	struct child outside;
	int status;
	pid_t inside;

	outside = start_child();
	inside = fork();
	if (inside == 0)
		enter_namespace(&outside);
	ck_assert_int_eq(waitpid(inside, &status, 0), inside);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EPERM) {
		end_child(&outside);
		skip_test("a pid namespace takes root");
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(waitpid(outside.pid, &status, WNOHANG), 0);
	end_child(&outside);
}

/* Nothing is done: they are only asked whether they could be. */
START_TEST(orders_are_taken_word_by_word)
{
	static const struct {
		const char *order, *rest; /* rest: after the start time */
		int error;
	} cases[] = {
		{ "signal 0", "", 0 },
		{ "signal 64", "", 0 },
		{ "signal 65", "", -EINVAL },
		{ "signal -1", "", -EINVAL },
		{ "nice -64", "", 0 },
		{ "nice 64", "", 0 },
		{ "nice -65", "", -EINVAL },
		{ "nice 65", "", -EINVAL },
		{ "nice x", "", -EINVAL },
		{ "affinity 0", "", 0 },
		{ "affinity ,", "", -EINVAL },
		{ "policy fifo 99", "", 0 },
		{ "policy other 0", "", 0 },
		{ "policy fifo 100", "", -EINVAL },
		{ "policy fifo x", "", -EINVAL },
		{ "policy x 1", "", -EINVAL },
		{ "io 0 0", "", 0 },
		{ "io 3 7", "", 0 },
		{ "io 4 7", "", -EINVAL },
		{ "io 3 8", "", -EINVAL },
		{ "io x 1", "", -EINVAL },
		{ "io 1 x", "", -EINVAL },
		{ "signal 0", " ", -EINVAL },
		{ "signal 0", " 1", -EINVAL },
		{ "stop 0", "", -EINVAL },
		{ "", "", -EINVAL },
	};
	static const char *const wrong[] = { "signal 0",       "signal 0 0 1.5",          "signal 0 x 1.5",
					     "signal 0 1",     "signal 0 2147483648 1.5", "signal 0 -1 1.5",
					     "signal 0 1 soon" };
	static const char *const topic_names[] = { "process", NULL };
	struct machine machine = { 0 };
	const char *remedy;

	open_machine(&machine, topic_names);
	next_tick(&machine);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char action[96];

		snprintf(action, sizeof(action), "%s %d %.6f%s", cases[i].order, (int)machine.env.own_pid,
			 number_of(&machine, (int)machine.env.own_pid, "start_seconds"), cases[i].rest);
		ck_assert_msg(machine.source.act(machine.source.state, "process", action, NULL, NULL,
						 &remedy) == cases[i].error,
			      "\"%s\"", action);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(machine.source.act(machine.source.state, "process", wrong[i], NULL, NULL,
						 &remedy) == -EINVAL,
			      "\"%s\"", wrong[i]);
	close_machine(&machine);
}

#define ENDS_MAX 8
#define FIRST_THREAD_CODE 77

/* What process_ends_read() told. */
struct ends {
	struct process_end list[ENDS_MAX];
	size_t n;
};

static void note_end(void *context, const struct process_end *end)
{
	struct ends *ends = context;

	ck_assert_uint_lt(ends->n, ENDS_MAX);
	ends->list[ends->n++] = *end;
}

static void *exit_after_the_first(void *argument)
{
	usleep(10000);
	_exit(*(int *)argument);
}

/* A child with this name: it ends with code when what it reads ends, with a thread after its first one. */
static pid_t start_named(const char *name, int order, bool with_thread, int code)
{
	char byte = 'x';
	int ready[2];
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		prctl(PR_SET_NAME, name);
		if (write(ready[1], &byte, 1) != 1 || (order >= 0 && read(order, &byte, 1) != 0))
			_exit(99);
		if (with_thread && pthread_create(&thread, NULL, exit_after_the_first, &code) == 0)
			syscall(SYS_exit, FIRST_THREAD_CODE);
		_exit(code);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void wait_for_end(struct process_ends *ends)
{
	struct pollfd ready = { .fd = process_ends_fd(ends), .events = POLLIN };

	ck_assert_int_eq(poll(&ready, 1, 30000), 1);
}

static void check_end(const struct ends *told, size_t at, pid_t pid, size_t name, int status)
{
	ck_assert_uint_lt(at, told->n);
	ck_assert_uint_eq(told->list[at].pid, (uint32_t)pid);
	ck_assert_uint_eq(told->list[at].name, name);
	ck_assert(told->list[at].status == status || told->list[at].status == PROCESS_ENDS_STATUS_UNKNOWN);
}

static bool waits_for_end(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0;
}

/* Without exit records those that have a name are looked for, and each is told once. */
START_TEST(ends_of_programs_that_are_looked_for)
{
	struct program_names names = { 0 };
	struct process_ends *ends;
	struct ends told = { 0 };
	struct env env;
	char name[16], other[16];
	pid_t before, held, longer, zombie;
	int error = 0, order[2];

	snprintf(name, sizeof(name), "end-%d", (int)getpid());
	snprintf(other, sizeof(other), "ens-%d", (int)getpid());
	program_names_add(&names, "a-program-that-is-not-there");
	program_names_add(&names, name);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	env.live = false; /* there are no records then */
	ends = process_ends_open(&env, &names, &error);
	ck_assert_int_eq(error, -ENOTSUP);
	ck_assert_int_eq(pipe2(order, O_CLOEXEC), 0);
	before = start_named(name, -1, false, 4);
	ck_assert(waits_for_end(before));
	held = start_named(name, order[0], false, 5);
	longer = start_named(other, order[0], false, 6);
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 0); /* the zombie ended before */
	zombie = start_named(name, -1, false, 7);
	ck_assert(waits_for_end(zombie));
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 1);
	check_end(&told, 0, zombie, 1, 7 << 8);
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 1);
	kill(held, SIGKILL);
	kill(longer, SIGKILL);
	wait_for_end(ends);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 2);
	check_end(&told, 1, held, 1, SIGKILL);
	ck_assert_int_eq(waitpid(before, NULL, 0), before);
	ck_assert_int_eq(waitpid(held, NULL, 0), held);
	ck_assert_int_eq(waitpid(longer, NULL, 0), longer);
	ck_assert_int_eq(waitpid(zombie, NULL, 0), zombie);
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 2);
	ck_assert_uint_eq(process_ends_lost(ends), 0);
	process_ends_close(ends);
	process_ends_close(NULL);
	close(order[0]);
	close(order[1]);
	env_close(&env);
}

/* With them nothing is looked for; a process ends with its last thread. */
START_TEST(ends_of_programs_by_their_records)
{
	struct program_names names = { 0 };
	struct process_ends *ends;
	struct ends told = { 0 };
	struct env env;
	char name[16];
	pid_t pids[2];
	int error = 0;

	snprintf(name, sizeof(name), "end-%d", (int)getpid());
	program_names_add(&names, "a-program-that-is-not-there");
	program_names_add(&names, name);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	ends = process_ends_open(&env, &names, &error);
	if (error) {
		process_ends_close(ends);
		env_close(&env);
		skip_test("no exit records: %s", strerror(-error));
	}
	for (unsigned i = 0; i < 2; i++) {
		pids[i] = start_named(name, -1, i, 3 + (int)i);
		ck_assert_int_eq(process_ends_look(ends), 0);
		while (told.n <= i) {
			wait_for_end(ends);
			process_ends_read(ends, note_end, &told);
		}
		if (i == 0 || told.list[i].status != FIRST_THREAD_CODE << 8) /* before Linux 6.15 */
			check_end(&told, i, pids[i], 1, (3 + (int)i) << 8);
		ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
	}
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 2);
	process_ends_close(ends);
	env_close(&env);
}

START_TEST(ranges_hold_every_process_once)
{
	static const char *const topic_names[] = { "process", "distribution", "process_total", NULL };
	struct machine machine;
	const struct table *ranges, *totals;
	double counted = 0, used = 0;
	const void *last;

	make_root(&machine);
	for (int pid = 1; pid <= 30; pid++)
		write_process(&machine, (struct fake_process){ pid, 0, "p", 0, 0, 0, 1 });
	open_machine(&machine, topic_names);
	next_tick(&machine);
	for (int pid = 1; pid <= 30; pid++)
		write_process(&machine,
			      (struct fake_process){ pid, 0, "p", pid % 3 == 0 ? 0 : (unsigned)pid * 5,
						     0, 0, 1 });
	next_tick(&machine);
	ranges = frame_table(machine.now, "distribution");
	ck_assert_uint_eq(ranges->n_rows, 20);
	for (size_t i = 0; i < ranges->n_rows; i++) {
		counted += table_number(ranges, table_row(ranges, i), "processes");
		used += table_number(ranges, table_row(ranges, i), "cpu_ratio");
	}
	ck_assert_double_eq(counted, 20); /* ten did nothing */
	ck_assert_double_gt(used, 0);
	last = table_row(ranges, 19);
	ck_assert_double_eq_tol(table_number(ranges, last, "from_ratio"), 0.95, 1e-9);
	ck_assert(isnan(table_number(ranges, last, "to_ratio")));
	totals = frame_table(machine.now, "process_total");
	ck_assert_uint_eq(totals->n_rows, 20);
	close_machine(&machine);
}
