/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of interrupts, soft interrupts and backlogs: over files, against /proc/stat, and the hints. */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/unknown.h"
#include "core/wrap.h"
#include "kernel/net/softnet.h"
#include "pane/kernel/kernel_hints.h"
#include "rig.h"
#include "topic/interrupt/counts.h"

static const char *const all_topics[] = { "interrupt", "softirq", "backlog", NULL };

static double number(const struct frame *frame, const char *topic, const char *key, const char *cpu,
		     const char *column)
{
	const struct table *table = frame_table(frame, topic);
	const void *row = table_find(table, key, cpu);

	ck_assert_msg(row != NULL, "no row %s %s", key, cpu ? cpu : "");
	return table_number(table, row, column);
}

static const char *text_at(const struct frame *frame, const char *key, const char *cpu, const char *column)
{
	const struct table *table = frame_table(frame, "interrupt");

	return table_text(table, table_find(table, key, cpu), column);
}

static const struct frame *two_samples(struct rig *rig)
{
	rig_open(rig, "interrupts", all_topics);
	rig_sample(rig, 0);
	rig_tick(rig, 1);
	return rig_sample(rig, 2);
}

/* Eight in each sample: of eight lines, all. */
START_TEST(where_an_interrupt_may_go_is_read_again)
{
	struct rig rig;

	two_samples(&rig);
	rig_put(&rig, "proc/irq/36/smp_affinity_list", "0\n");
	rig_put(&rig, "proc/irq/36/effective_affinity_list", "0\n");
	ck_assert_str_eq(text_at(rig_sample(&rig, 2), "36", "all", "affinity"), "0");
	ck_assert_str_eq(text_at(rig_sample(&rig, 2), "36", "1", "effective"), "0");
	rig_close(&rig);
}

START_TEST(a_value_that_fell_is_left_out_once)
{
	static const struct {
		uint64_t value, total;
	} readings[] = {
		{ 1000, 1000 },
		{ 0, U64_UNKNOWN }, /* a hiccup */
		{ 1010, 1010 },
		{ 5, U64_UNKNOWN }, /* set back */
		{ 8, 1013 },
		{ WRAP_SPAN - 8, 1013 + WRAP_SPAN - 16 },
		{ 2, 1013 + WRAP_SPAN - 6 }, /* a wrap */
		{ UINT64_C(1) << 40, 1013 + WRAP_SPAN - 8 + (UINT64_C(1) << 40) },
	};
	struct wrapping_count count = { 0 };

	ck_assert_uint_eq(wrapping_count_total(&count), U64_UNKNOWN);
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		wrapping_count_update(&count, readings[i].value, readings[i].value);
		ck_assert_uint_eq(wrapping_count_total(&count), readings[i].total);
	}
}

static void put_many(struct rig *rig, unsigned n_cpus, uint64_t value)
{
	char *bytes = malloc((size_t)n_cpus * 32), *at = bytes;

	for (unsigned i = 0; i < n_cpus; i++)
		at += sprintf(at, " CPU%u", i);
	at += sprintf(at, "\n 9:");
	for (unsigned i = 0; i < n_cpus; i++)
		at += sprintf(at, " %" PRIu64, value);
	sprintf(at, " chip 9-edge nvme0q1\n");
	rig_put(rig, "proc/interrupts", "%s", bytes);
	free(bytes);
}

START_TEST(two_hundred_cpus_have_rows)
{
	struct rig rig;
	const struct frame *frame;

	rig_open(&rig, "interrupts", all_topics);
	put_many(&rig, 200, 10);
	rig_sample(&rig, 0);
	put_many(&rig, 200, 13);
	frame = rig_sample(&rig, 1);
	ck_assert(number(frame, "interrupt", "9", "all", "per_second") == 600);
	ck_assert(number(frame, "interrupt", "9", "199", "per_second") == 3);
	ck_assert_uint_eq(frame_table(frame, "interrupt")->n_rows, 201);
	rig_close(&rig);
}

START_TEST(files_that_make_no_sense_have_no_rows)
{
	static const char *const bad[] = { "", "\n", "nonsense\n", " CPU0 CPU1\n",
					   " CPU99999999\n 1: 5 x y z\n" };
	struct rig rig;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct frame *frame;

		rig_open(&rig, "interrupts", all_topics);
		rig_put(&rig, "proc/interrupts", "%s", bad[i]);
		rig_put(&rig, "proc/softirqs", "%s", bad[i]);
		rig_put(&rig, "proc/net/softnet_stat", "%s", bad[i]);
		frame = rig_sample(&rig, 0);
		ck_assert_uint_eq(frame_slot(frame, "interrupt")->n_rows, 0);
		ck_assert_uint_eq(frame_slot(frame, "softirq")->n_rows, 0);
		ck_assert_uint_eq(frame_slot(frame, "backlog")->n_rows, 0);
		rig_close(&rig);
	}
}

/* The number after this name in /proc/stat, then the one at index, from 0. */
static uint64_t of_proc_stat(const char *name, size_t index)
{
	char *line = NULL, *at;
	size_t room = 0;
	FILE *file = fopen("/proc/stat", "r");
	uint64_t value = U64_UNKNOWN;

	ck_assert(file != NULL);
	while (value == U64_UNKNOWN && getline(&line, &room, file) > 0) {
		if (strncmp(line, name, strlen(name)) != 0 || line[strlen(name)] != ' ')
			continue;
		at = line + strlen(name);
		for (size_t i = 0; i < index && at; i++)
			at = strchr(at + 1, ' ');
		value = at ? strtoull(at, NULL, 10) : U64_UNKNOWN;
	}
	free(line);
	fclose(file);
	return value;
}

/* The sample lies between two reads of the same numbers. */
START_LIVE_TEST(sums_are_those_of_proc_stat)
{
	static const char *const live_topics[] = { "softirq", "interrupt", NULL };
	struct machine machine = { 0 };
	const struct table *table;
	uint64_t before = of_proc_stat("softirq", 0), after, sum = 0, one_before;

	one_before = of_proc_stat("intr", 37);
	open_machine(&machine, live_topics);
	next_tick(&machine);
	after = of_proc_stat("softirq", 0);
	table = frame_table(machine.now, "softirq");
	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "cpu"), "all") == 0)
			sum += table_u64(table, table_row(table, i), "runs");
	ck_assert_uint_ge(sum, before);
	ck_assert_uint_le(sum, after);
	table = frame_table(machine.now, "interrupt");
	for (unsigned irq = 0; irq < 64; irq++) {
		const void *row;
		uint64_t now;

		row = table_find(table, textf("%u", irq), "all");
		if (!row)
			continue;
		now = table_u64(table, row, "interrupts");
		ck_assert_uint_le(now, of_proc_stat("intr", irq + 1));
		if (irq == 36)
			ck_assert_uint_ge(now, one_before);
	}
	close_machine(&machine);
}

static bool has_hint(const struct frame *frame, const char *wanted)
{
	struct kernel_hint hints[KERNEL_HINTS_MAX];
	unsigned n = kernel_hints(frame, hints);

	for (unsigned i = 0; i < n; i++)
		if (strstr(hints[i].text, wanted))
			return true;
	return false;
}

START_TEST(hints_say_what_lands_on_one_cpu)
{
	struct rig rig;
	const struct frame *frame = two_samples(&rig);

	ck_assert(has_hint(frame, "All 2 queues of virtio1-req interrupt CPU1"));
	ck_assert(has_hint(frame, "CPU0 drops 4.0 packets/s"));
	ck_assert(has_hint(frame, "CPU1 ends 50 polls/s"));
	ck_assert(has_hint(frame, "CPU1 alone receives packets"));
	ck_assert(!has_hint(frame, "virtio3-rx")); /* 500/s */
	rig_close(&rig);
}

/* One queue of its own, and near misses of every hint. */
static const struct frame *queue_samples(struct rig *rig, const char *first, const char *second)
{
	rig_open(rig, "interrupts", all_topics);
	rig_put(rig, "proc/interrupts", "%s", first);
	rig_sample(rig, 0);
	rig_put(rig, "proc/interrupts", "%s", second);
	return rig_sample(rig, 1);
}

START_TEST(a_queue_that_may_move_has_a_hint)
{
	struct rig rig;
	const struct frame *frame = queue_samples(&rig, " CPU0 CPU1\n 36: 0 0 chip 1-edge virtio1-req.0\n",
						  " CPU0 CPU1\n 36: 5200 100 chip 1-edge virtio1-req.0\n");

	ck_assert(has_hint(frame,
			   "All interrupts of virtio1-req.0 land on CPU0 (5300/s), though it may go to "
			   "0-1"));
	rig_close(&rig);
}

/* NET_RX of two CPUs in a second, and drops and squeezed polls of the first. */
static const struct frame *packet_samples(struct rig *rig, unsigned first, unsigned second, unsigned squeezed)
{
	static const char backlog[] = "00000010 00000000 %08x\n00000010 00000000 00000000\n";

	rig_open(rig, "interrupts", all_topics);
	rig_put(rig, "proc/stat",
		"cpu  2 0 0 2 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\n");
	rig_put(rig, "proc/interrupts", " CPU0 CPU1\n 36: 0 0 c 1-edge virtio1-req.0\n");
	rig_put(rig, "proc/softirqs", " CPU0 CPU1\n NET_RX: 0 0\n");
	rig_put(rig, "proc/net/softnet_stat", backlog, 0);
	rig_sample(rig, 0);
	rig_put(rig, "proc/softirqs", " CPU0 CPU1\n NET_RX: %u %u\n", first, second);
	rig_put(rig, "proc/net/softnet_stat", backlog, squeezed);
	return rig_sample(rig, 1);
}

START_TEST(packets_on_one_cpu_and_squeezed_polls_have_hints_and_near_misses)
{
	static const struct {
		unsigned first, second, squeezed;
		const char *hint; /* NULL: none */
	} cases[] = {
		{ 5000, 0, 0, "CPU0 alone receives packets (NET_RX, 5000/s)" },
		{ 9600, 400, 0, "CPU0 alone receives packets" },
		{ 9400, 600, 0, NULL }, /* not all */
		{ 4900, 0, 0, NULL },   /* too few */
		{ 0, 0, 10, "CPU0 ends 10" },
		{ 0, 0, 9, NULL },
	};
	struct kernel_hint hints[KERNEL_HINTS_MAX];
	struct rig rig;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame =
			packet_samples(&rig, cases[i].first, cases[i].second, cases[i].squeezed);

		if (cases[i].hint)
			ck_assert_msg(has_hint(frame, cases[i].hint), "case %zu", i);
		else
			ck_assert_msg(kernel_hints(frame, hints) == 0, "case %zu: %s", i, hints[0].text);
		rig_close(&rig);
	}
}

START_TEST(near_misses_have_no_hint)
{
	static const struct {
		const char *first, *second;
	} cases[] = {
		{ " CPU0 CPU1\n 36: 0 0 c 1-edge virtio1-req.0\n",
		  " CPU0 CPU1\n 36: 4900 0 c 1-edge virtio1-req.0\n" }, /* too few */
		{ " CPU0 CPU1\n 36: 0 0 c 1-edge virtio1-req.0\n",
		  " CPU0 CPU1\n 36: 6000 600 c 1-edge virtio1-req.0\n" }, /* not all */
		{ " CPU0 CPU1\n 24: 0 0 c 1-edge eth0-rx\n",
		  " CPU0 CPU1\n 24: 6000 0 c 1-edge eth0-rx\n" }, /* it cannot move, as far as known */
		{ " CPU0 CPU1\n 50: 0 0 c 1-edge eth0-0\n 51: 0 0 c 1-edge eth0-1\n",
		  " CPU0 CPU1\n 50: 2000 0 c 1-edge eth0-0\n 51: 0 2000 c 1-edge eth0-1\n" }, /* spread */
		{ " CPU0 CPU1\n 50: 0 0 c 1-edge eth0-0\n 51: 0 0 c 1-edge eth1-1\n",
		  " CPU0 CPU1\n 50: 2000 0 c 1-edge eth0-0\n 51: 2000 0 c 1-edge eth1-1\n" }, /* two devices
											       */
		{ " CPU0 CPU1\n LOC: 0 0 Local timer interrupts\n",
		  " CPU0 CPU1\n LOC: 9000 0 Local timer interrupts\n" }, /* no device */
	};
	struct kernel_hint hints[KERNEL_HINTS_MAX];
	struct rig rig;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame = queue_samples(&rig, cases[i].first, cases[i].second);

		ck_assert_msg(kernel_hints(frame, hints) == 0, "case %zu: %s", i, hints[0].text);
		rig_close(&rig);
	}
}

#define LINES 20

/* Interrupts 100 to 119, of which each may go to one CPU. */
static void put_lines(struct rig *rig, unsigned affinity)
{
	char text[LINES * 40] = " CPU0\n", *at = text + strlen(text);

	for (unsigned i = 0; i < LINES; i++) {
		char path[64];

		at += sprintf(at, " %u: 5 chip 1-edge dev%u\n", 100 + i, i);
		snprintf(path, sizeof(path), "proc/irq/%u", 100 + i);
		rig_make(rig, path);
		strcat(path, "/smp_affinity_list");
		rig_put(rig, path, "%u\n", affinity);
	}
	rig_put(rig, "proc/interrupts", "%s", text);
}

static unsigned n_at(const struct frame *frame, const char *affinity)
{
	unsigned n = 0;

	for (unsigned i = 0; i < LINES; i++)
		n += strcmp(text_at(frame, textf("%u", 100 + i), "all", "affinity"), affinity) == 0;
	return n;
}

/* New ones at once, of the others eight in each sample, one after the other. */
START_TEST(places_of_many_interrupts_are_read_in_turns)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "interrupts", all_topics);
	put_lines(&rig, 3);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "3"), LINES);
	put_lines(&rig, 4);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "4"), 8);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "4"), 16);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "4"), LINES);
	put_lines(&rig, 5);
	rig_put(&rig, "proc/interrupts", " CPU0\n 100: 5 chip 1-edge dev0\n 119: 5 chip 1-edge other\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "interrupt")->n_rows, 4);
	ck_assert_str_eq(text_at(frame, "119", "all", "affinity"), "5"); /* it has another name */
	ck_assert_str_eq(text_at(frame, "119", "0", "device"), "other");
	rig_close(&rig);
}
