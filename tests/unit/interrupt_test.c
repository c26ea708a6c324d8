/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of interrupts, soft interrupts and backlogs: over files, against /proc/stat, and the hints. */
#include "rig.h"

#include <inttypes.h>

#include "core/ledger.h"
#include "core/unknown.h"
#include "kernel/net/proc_net.h"
#include "topic/interrupt/counts.h"

static struct rig rig;

static const char *const all_topics[] = { "interrupt", "softirq", "backlog", NULL };

static const char *text_at(const struct frame *frame, const char *key, const char *cpu, const char *column)
{
	const struct table *table = frame_table(frame, "interrupt");

	return table_text(table, table_find(table, key, cpu), column);
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

static void put_many(unsigned n_cpus, uint64_t value)
{
	char *bytes = malloc((size_t)n_cpus * 32), *at = bytes;

	for (unsigned i = 0; i < n_cpus; i++)
		at += sprintf(at, " CPU%u", i);
	at += sprintf(at, "\n 9:");
	for (unsigned i = 0; i < n_cpus; i++)
		at += sprintf(at, " %" PRIu64, value);
	sprintf(at, " chip 9-edge nvme0q1\n");
	rig_put(&rig, "proc/interrupts", "%s", bytes);
	free(bytes);
}

START_TEST(two_hundred_cpus_have_rows)
{
	const struct frame *frame;

	rig_open(&rig, "interrupts", all_topics);
	put_many(200, 10);
	rig_sample(&rig, 0);
	put_many(200, 13);
	frame = rig_sample(&rig, 1);
	check_values(frame, "interrupt", "irq=9 cpu=all per_second=600");
	check_values(frame, "interrupt", "irq=9 cpu=199 per_second=3");
	ck_assert_uint_eq(frame_table(frame, "interrupt")->n_rows, 201);
	rig_close(&rig);
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
	const struct table *table;
	uint64_t before = of_proc_stat("softirq", 0), after, sum = 0, one_before;

	one_before = of_proc_stat("intr", 37);
	rig_open_live(&rig, TOPICS("softirq", "interrupt"));
	rig_next(&rig);
	after = of_proc_stat("softirq", 0);
	table = frame_table(rig.now, "softirq");
	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "cpu"), "all") == 0)
			sum += table_u64(table, table_row(table, i), "runs");
	ck_assert_uint_ge(sum, before);
	ck_assert_uint_le(sum, after);
	table = frame_table(rig.now, "interrupt");
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
	rig_close(&rig);
}

#define LINES 20

/* Interrupts 100 to 119, of which each may go to one CPU. */
static void put_lines(unsigned affinity)
{
	char text[LINES * 40] = " CPU0\n", *at = text + strlen(text);

	for (unsigned i = 0; i < LINES; i++) {
		at += sprintf(at, " %u: 5 chip 1-edge dev%u\n", 100 + i, i);
		rig_put(&rig, textf("proc/irq/%u/smp_affinity_list", 100 + i), "%u\n", affinity);
	}
	rig_put(&rig, "proc/interrupts", "%s", text);
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

	rig_open(&rig, "interrupts", all_topics);
	put_lines(3);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "3"), LINES);
	put_lines(4);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "4"), 8);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "4"), 16);
	ck_assert_uint_eq(n_at(rig_sample(&rig, 1), "4"), LINES);
	put_lines(5);
	rig_put(&rig, "proc/interrupts", " CPU0\n 100: 5 chip 1-edge dev0\n 119: 5 chip 1-edge other\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "interrupt")->n_rows, 4);
	ck_assert_str_eq(text_at(frame, "119", "all", "affinity"), "5"); /* it has another name */
	ck_assert_str_eq(text_at(frame, "119", "0", "device"), "other");
	rig_close(&rig);
}
