/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings: each rule speaks where it is true, and keeps silent where it is nearly so. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "model/derive.h"
#include "model/finding_past.h"
#include "pane/panes.h"
#include "suite.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define FACTS_MAX 64
#define UNCUT_CELLS 67 /* subject and text; with mark, time and gaps a line of 80 */

/*
 * A machine as lines "SECONDS TOPIC KEY[/OTHER] COLUMN VALUE": from that second on, the row has this value.
 * "-" is unknown; an underscore in a text is a blank. It is looked at every second up to the last one.
 */
struct scene {
	const char *rule;     /* that speaks at the end */
	const char *severity; /* NULL: it must not speak */
	const char *says;     /* a part of its text; NULL: any */
	const char *facts;
	unsigned until; /* the last second; 0: that of the last fact */
};

struct fact {
	unsigned second;
	char topic[32], key[64], column[40], value[64];
};

static unsigned parse(const char *text, struct fact facts[FACTS_MAX])
{
	unsigned n = 0;

	while (*text) {
		struct fact *fact = &facts[n++];
		int used = 0;

		ck_assert_uint_lt(n, FACTS_MAX);
		ck_assert_int_eq(sscanf(text, "%u %31s %63s %39s %63s %n", &fact->second, fact->topic,
					fact->key, fact->column, fact->value, &used),
				 5);
		for (char *at = fact->value; (at = strchr(at, '_'));)
			*at = ' ';
		text += used;
	}
	return n;
}

static void set_value(struct frame *frame, void *row, const struct column *column, const char *text)
{
	if (strcmp(text, "-") == 0)
		return;
	if (column->type == VALUE_TEXT)
		row_set_text(row, column, arena_copy(&frame->arena, text, strlen(text)));
	else if (column->type == VALUE_U64)
		row_set_u64(row, column, (uint64_t)strtod(text, NULL));
	else
		row_set_f64(row, column, strtod(text, NULL));
}

/* The row with these keys, made if it is not there. */
static void *find_row(struct frame *frame, struct table *table, const char *keys)
{
	char parts[2][64] = { "", "" };
	const struct schema *schema = table->schema;
	void *row = NULL;
	unsigned k = 0;

	if (strcmp(keys, "/") == 0) /* the path of the top group */
		strcpy(parts[0], keys);
	else
		ck_assert_int_ge(sscanf(keys, "%63[^/]/%63s", parts[0], parts[1]), 1);
	for (size_t i = 0; i < table->n_rows && !row; i++) {
		const void *there = table_row(table, i);
		const struct column *first = NULL;
		char text[64];

		for (unsigned c = 0; c < schema->n_columns && !first; c++)
			if (schema->columns[c].kind == COLUMN_KEY)
				first = &schema->columns[c];
		if (!first)
			return table_row(table, 0);
		if (first->type == VALUE_TEXT)
			snprintf(text, sizeof(text), "%s", row_text(there, first));
		else
			snprintf(text, sizeof(text), "%.0f", row_number(there, first));
		if (strcmp(text, parts[0]) == 0 &&
		    (!*parts[1] || table_find(table, parts[0], parts[1]) == there))
			row = table_row(table, i);
	}
	if (row)
		return row;
	row = table_add(table);
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (schema->columns[c].kind == COLUMN_KEY && k < 2)
			set_value(frame, row, &schema->columns[c], parts[k++]);
	return row;
}

static void fill(struct frame *frame, const struct fact *facts, unsigned n_facts, unsigned second)
{
	frame_clear(frame);
	frame->mono_ns = (1000 + (uint64_t)second) * 1000000000;
	for (unsigned i = 0; i < n_facts; i++) {
		struct table *table = frame_slot(frame, facts[i].topic);
		const struct column *column;

		ck_assert_msg(table, "no topic %s", facts[i].topic);
		column = schema_find(table->schema, facts[i].column);
		ck_assert_msg(column, "no column %s.%s", facts[i].topic, facts[i].column);
		table->present = true;
		table->mono_ns = frame->mono_ns;
		if (facts[i].second <= second)
			set_value(frame, find_row(frame, table, facts[i].key), column, facts[i].value);
	}
}

/* The last second of a scene, judged by all rules. */
static void play(struct frame *frame, struct findings *findings, const char *text, unsigned until)
{
	struct fact facts[FACTS_MAX];
	unsigned n_facts = parse(text, facts), last = until;

	for (unsigned i = 0; i < n_facts && until == 0; i++)
		last = facts[i].second > last ? facts[i].second : last;
	for (unsigned second = 0; second <= last; second++) {
		fill(frame, facts, n_facts, second);
		findings_derive(findings, frame, true);
	}
}

static void open_frame(struct frame *frame)
{
	frame_open(frame, topic_schemas(), n_topics);
}

static const void *finding_of(const struct frame *frame, const char *rule)
{
	const struct table *table = frame_table(frame, "finding");

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "rule"), rule) == 0)
			return table_row(table, i);
	return NULL;
}

/* Who it is may be cut where there is no room. */
static int needed_cells(const char *text)
{
	char needed[256];

	snprintf(needed, sizeof(needed), "%.*s", (int)strcspn(text, ";"), text);
	return utf8_cells(needed, false);
}

static void check_scene(const struct scene *scene)
{
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	struct frame frame;
	const struct table *table;
	const void *row;

	open_frame(&frame);
	play(&frame, findings, scene->facts, scene->until);
	table = frame_table(&frame, "finding");
	row = finding_of(&frame, scene->rule);
	if (!scene->severity) {
		ck_assert_msg(!row, "%s speaks: %s\nof %s", scene->rule, table_text(table, row, "text"),
			      scene->facts);
	} else {
		ck_assert_msg(row, "%s is silent\nof %s", scene->rule, scene->facts);
		ck_assert_str_eq(table_text(table, row, "severity"), scene->severity);
		ck_assert_msg(!scene->says || strstr(table_text(table, row, "text"), scene->says), "%s",
			      table_text(table, row, "text"));
		ck_assert_msg(!strpbrk(table_text(table, row, "text"), "{}"), "%s",
			      table_text(table, row, "text"));
		ck_assert_int_le(utf8_cells(table_text(table, row, "subject"), false) +
					 needed_cells(table_text(table, row, "text")),
				 UNCUT_CELLS);
		ck_assert_uint_eq(table->n_rows, 1);
	}
	frame_close(&frame);
	findings_close(findings);
}

#define KILLED(total) "reclaim oom_kill total " total "\n"
#define STALLS(total) "0 reclaim allocstall total 0\n5 reclaim allocstall total " total "\n"
#define AT_LIMITS(before, now)                                                                               \
	"0 group / all_limit_oom_kills " before "\n5 group / all_limit_oom_kills " now "\n"
#define KILLED_BEFORE(group, ago)                                                                            \
	"0 kill " group " age_seconds " ago "\n0 kill " group " earlier_age_seconds " ago "\n0 kill " group  \
	" killed java_4711\n0 group / memory_bytes 1\n"
#define GROUP_KILLED(before, now)                                                                            \
	"0 group one limit_oom_kills " before "\n5 group one limit_oom_kills " now                           \
	"\n0 group one memory_limit_bytes 67108864\n"
#define GROUP_REFAULTS(bytes, rate)                                                                          \
	"0 group one memory_bytes " bytes "\n0 group one refaults_per_second " rate                          \
	"\n0 group one memory_limit_bytes 67108864\n"
#define STALLED(share) "0 pressure memory/some avg10_ratio " share "\n"
#define REFAULTS(rate) "0 paging 1 refaults_per_second " rate "\n"
#define SWAP_INS(rate) "0 paging 1 swap_ins_per_second " rate "\n"
#define SWAP(used, total) "0 memory swap used_bytes " used "\n0 memory swap total_bytes " total "\n"
#define STALLED60(share) "0 pressure memory/some avg60_ratio " share "\n"
#define LIMIT(used, caches)                                                                                  \
	"0 memory_limit memory/one used_bytes " used "\n0 memory_limit memory/one caches_bytes " caches      \
	"\n0 memory_limit memory/one limit_bytes 1e9\n"
#define QUOTA(share) "0 cpu_limit one throttled_ratio " share "\n0 cpu_limit one limit_ratio 0.5\n"
#define GROUP_CPU(share) "0 group one throttled_ratio " share "\n0 group one cpu_limit_ratio 0.5\n"
#define GROUP_MEMORY(share)                                                                                  \
	"0 group one memory_limit_used_ratio " share "\n0 group one memory_limit_bytes 1e9\n"
#define DISK(mode, used)                                                                                     \
	"0 filesystem srv mode " mode "\n0 filesystem srv used_ratio " used                                  \
	"\n0 filesystem srv available_bytes 1e9\n"
#define INODES(mode, used)                                                                                   \
	"0 filesystem srv mode " mode "\n0 filesystem srv inodes_used_ratio " used                           \
	"\n0 filesystem srv inodes_used 990\n0 filesystem srv inodes_total 1000\n"
#define FILLING(used, seconds)                                                                               \
	DISK("rw", used)                                                                                     \
	"0 filesystem srv full_in_seconds " seconds "\n0 filesystem srv growth_bytes_per_second 1e6\n"
#define CORE(count) "throttle 3 core_throttles " count "\n"
#define IO(share, blocked) "0 pressure io/full avg10_ratio " share "\n0 system 1 blocked " blocked "\n"
#define STEAL(share) "cpu all steal_ratio " share "\n"
#define SLAB(bytes) "meminfo SUnreclaim value_bytes " bytes "\n"
#define TOTAL "0 memory mem total_bytes 8e9\n"
#define BATTERY(status, charge)                                                                              \
	"0 battery one status " status "\n0 battery one charge_ratio " charge                                \
	"\n0 battery one remaining_seconds 900\n"
#define QUEUE(share, load)                                                                                   \
	"0 pressure cpu/some avg60_ratio " share "\n0 system 1 load1 " load "\n0 system 1 cpus 2\n"
#define FAILED(second, command, exits, failures)                                                             \
	second " failing " command " exits " exits "\n" second " failing " command " failures " failures "\n"
#define FIVE(tens, state)                                                                                    \
	"0 process " tens "1 state " state "\n0 process " tens "2 state " state "\n0 process " tens         \
	"3 state " state "\n0 process " tens "4 state " state "\n0 process " tens "5 state " state "\n"
#define FIFTEEN FIVE("1", "Z") FIVE("2", "Z") FIVE("3", "Z")
#define PROCESS(name, pid, column, value)                                                                    \
	"0 process " pid " name " name "\n0 process " pid " " column " " value "\n"
#define LOST(count) "event_source perf lost " count "\n"

static const struct scene scenes[] = {
	{ "out_of_memory", "critical", "5 min: 1.", "0 " KILLED("3") "5 " KILLED("4") STALLS("7"), 0 },
	{ "out_of_memory", "critical", "5 min: 2.", "0 " KILLED("3") "5 " KILLED("5") STALLS("7"), 200 },
	/* one of three was at the limit of a group */
	{ "out_of_memory", "critical", "5 min: 2.",
	  "0 " KILLED("3") "5 " KILLED("6") STALLS("7") AT_LIMITS("0", "1"), 200 },
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") STALLS("7"), 5 },
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("4") STALLS("7"), 320 }, /* long ago */
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("-") STALLS("7"), 0 },
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("0") STALLS("7"), 0 }, /* another boot */
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("4") STALLS("7") AT_LIMITS("0", "1"), 0 },
	/* in a container, where those of other groups are not seen */
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("4") STALLS("7") AT_LIMITS("-", "-"), 0 },
	/* of a group that is gone: the machine never had to reclaim */
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("4"), 0 },
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("4") STALLS("0"), 0 },

	{ "out_of_memory", "critical", "5 min: 1, java 4711.",
	  "0 " KILLED("3") "5 " KILLED("4") STALLS("7") "5 kill / killed java_4711\n", 0 },

	{ "out_of_memory_before", "critical", "42 s ago: java 4711 was killed.",
	  KILLED_BEFORE("/", "42"), 0 },
	{ "out_of_memory_before", "note", "23 min ago", KILLED_BEFORE("/", "1380"), 0 },
	{ "out_of_memory_before", NULL, NULL, KILLED_BEFORE("/", "3601"), 0 }, /* long ago */
	{ "out_of_memory_before", NULL, NULL, KILLED_BEFORE("/", "-"), 0 },
	{ "out_of_memory_before", NULL, NULL, KILLED_BEFORE("one", "4000"), 0 },

	{ "limit_killed", "warning", "at its memory limit 42 s ago: java 4711.",
	  KILLED_BEFORE("one", "42"), 0 },
	{ "limit_killed", NULL, NULL, KILLED_BEFORE("one", "301"), 0 },
	{ "limit_killed", NULL, NULL, KILLED_BEFORE("one", "-"), 0 },
	{ "limit_killed", NULL, NULL, KILLED_BEFORE("one", "42") "0 group one memory_bytes 1\n", 0 },

	{ "group_killed", "warning", "limit of 64.0 MiB within 5 min: 1.", GROUP_KILLED("0", "1"), 0 },
	{ "group_killed", "warning", "5 min: 1, python3 21699.",
	  GROUP_KILLED("0", "1") "5 group one killed python3_21699\n", 0 },
	{ "group_killed", "warning", "5 min: 2.", "0 " KILLED("3") "5 " KILLED("5") GROUP_KILLED("1", "3"),
	  200 },
	{ "group_killed", NULL, NULL, GROUP_KILLED("1", "1"), 0 },
	{ "group_killed", NULL, NULL, GROUP_KILLED("0", "-"), 0 }, /* it has no limit any more */
	{ "group_killed", NULL, NULL, GROUP_KILLED("0", "1"), 320 },

	{ "group_refaults", "warning", "limit of 64.0 MiB: 5000 refaults/s.", GROUP_REFAULTS("65e6", "5000"),
	  6 },
	{ "group_refaults", "warning", "tasks wait 33 %.",
	  GROUP_REFAULTS("65e6", "5000") "0 group one memory_pressure_ratio 0.33\n", 6 },
	{ "group_refaults", NULL, NULL, GROUP_REFAULTS("65e6", "5000"), 2 },
	{ "group_refaults", NULL, NULL, GROUP_REFAULTS("65e6", "50"), 6 },   /* a cache that is full */
	{ "group_refaults", NULL, NULL, GROUP_REFAULTS("30e6", "5000"), 6 }, /* paged out on purpose */
	{ "group_refaults", NULL, NULL, GROUP_REFAULTS("-", "5000"), 6 },

	{ "memory_short", "warning", "20 %", STALLED("0.2") REFAULTS("500") SWAP_INS("0"), 0 },
	{ "memory_short", "warning", "40 swap-ins/s", STALLED("0.2") REFAULTS("0") SWAP_INS("40"), 0 },
	{ "memory_short", "critical", "70 %", STALLED("0.7") REFAULTS("500") SWAP_INS("0"), 0 },
	{ "memory_short", NULL, NULL, STALLED("0.14") REFAULTS("500") SWAP_INS("40"), 0 },
	/* the first sample */
	{ "memory_short", "warning", "20 % of the time.", STALLED("0.2") REFAULTS("-"), 0 },
	{ "memory_short", "warning", "; largest: java 4711.",
	  STALLED("0.2") REFAULTS("-") PROCESS("java", "4711", "resident_bytes", "9e9")
		  PROCESS("sh", "4712", "resident_bytes", "1e6"),
	  0 },
	{ "memory_short", NULL, NULL, STALLED("0.1") REFAULTS("-"), 0 },
	{ "memory_short", NULL, NULL, STALLED("0.5") REFAULTS("9") SWAP_INS("9"), 0 },
	{ "memory_short", NULL, NULL, STALLED("0") REFAULTS("5000") SWAP_INS("0"), 0 }, /* a large file */
	{ "memory_short", NULL, NULL, STALLED("-") REFAULTS("5000") SWAP_INS("9"), 0 },
	{ "memory_short", NULL, NULL, "0 memory mem free_bytes 1000\n0 memory mem total_bytes 8e9\n", 0 },

	{ "memory_limit", "warning", "98 %", LIMIT("0.98e9", "0.01e9"), 0 },
	{ "memory_limit", NULL, NULL, LIMIT("0.98e9", "0.4e9"), 0 }, /* caches fill any limit */
	{ "memory_limit", NULL, NULL, LIMIT("0.94e9", "0.01e9"), 0 },
	{ "memory_limit", NULL, NULL, LIMIT("0.98e9", "-"), 0 },

	{ "memory_limit", NULL, NULL, LIMIT("0.98e9", "0.01e9") "0 group one tasks 3\n", 0 }, /* left */
	{ "group_memory", "warning", "98 % of its", GROUP_MEMORY("0.98"), 0 },
	{ "group_memory", NULL, NULL, GROUP_MEMORY("0.94"), 0 },
	{ "group_memory", NULL, NULL, GROUP_MEMORY("-"), 0 }, /* no limit */
	{ "group_memory", NULL, NULL, "0 group one memory_bytes 1e9\n0 group one memory_limit_bytes 1e9\n",
	  0 },

	{ "disk_full", "warning", "96 % full", DISK("rw", "0.96"), 0 },
	{ "disk_full", "critical", "100 % full", DISK("rw", "1"), 0 },
	{ "disk_full", NULL, NULL, DISK("rw", "0.94"), 0 },
	{ "disk_full", NULL, NULL, DISK("ro", "1"), 0 }, /* an image is always full */
	{ "disk_full", NULL, NULL, DISK("rw", "-"), 0 },

	{ "inodes_full", "warning", "97 % of the inodes", INODES("rw", "0.97"), 0 },
	{ "inodes_full", "critical", "99 %", INODES("rw", "0.99"), 0 },
	{ "inodes_full", NULL, NULL, INODES("rw", "0.94"), 0 },
	{ "inodes_full", NULL, NULL, INODES("ro", "1"), 0 },
	{ "inodes_full", NULL, NULL, INODES("rw", "-"), 0 }, /* made as needed */

	{ "disk_filling", "warning", "85 % full", FILLING("0.85", "1800"), 0 },
	{ "disk_filling", NULL, NULL, FILLING("0.85", "7200"), 0 },
	{ "disk_filling", NULL, NULL, FILLING("0.3", "1800"), 0 }, /* a large file comes, and there is room */
	{ "disk_filling", NULL, NULL, FILLING("0.85", "-"), 0 },

	{ "swap_full", "warning", "95 %", SWAP("0.95e9", "1e9") STALLED60("0.05"), 0 },
	{ "swap_full", NULL, NULL, SWAP("0.95e9", "1e9") STALLED60("0.005"), 0 }, /* full, but not needed */
	{ "swap_full", NULL, NULL, SWAP("0.85e9", "1e9") STALLED60("0.05"), 0 },
	{ "swap_full", NULL, NULL, SWAP("0", "0") STALLED60("0.05"), 0 }, /* there is no swap */

	{ "heat", "warning", "core 2 times", "0 " CORE("7") "3 " CORE("9"), 0 },
	{ "heat", NULL, NULL, "0 " CORE("7"), 5 },
	{ "heat", NULL, NULL, "0 " CORE("7") "3 " CORE("9"), 14 }, /* it has cooled */
	{ "heat", NULL, NULL, "0 " CORE("7") "3 " CORE("-"), 0 },

	{ "cpu_limit", "warning", "Throttled in 80 % of periods; limit: 50 % of a CPU", QUOTA("0.8"), 0 },
	{ "cpu_limit", NULL, NULL, QUOTA("0.2"), 0 },
	{ "cpu_limit", NULL, NULL, QUOTA("-"), 0 },

	{ "cpu_limit", NULL, NULL, QUOTA("0.8") "0 group one tasks 3\n", 0 },
	{ "group_cpu", "warning", "limit: 50 % of a CPU", GROUP_CPU("0.8"), 0 },
	{ "group_cpu", NULL, NULL, GROUP_CPU("0.2"), 0 },
	{ "group_cpu", NULL, NULL, GROUP_CPU("-"), 0 },

	{ "io_wait", "warning", "40 % of the time; 3 wait", IO("0.4", "3"), 0 },
	{ "io_wait", "warning", "wait now; sdb is busiest, dd 7 moves most.",
	  IO("0.4", "3") PROCESS("dd", "7", "disk_bytes_per_second", "29e6")
	  "0 disk all busy_ratio 0.9\n0 disk sda busy_ratio 0.1\n0 disk sdb busy_ratio 0.2\n",
	  0 },
	{ "io_wait", "warning", "3 wait now.",
	  IO("0.4", "3") PROCESS("dd", "7", "disk_bytes_per_second", "0") "0 disk sda busy_ratio 0.19\n", 0 },
	{ "io_wait", NULL, NULL, IO("0.4", "0"), 0 },
	{ "io_wait", NULL, NULL, IO("0.19", "3"), 0 },
	{ "io_wait", NULL, NULL, "0 pressure io/some avg10_ratio 0.9\n0 system 1 blocked 3\n", 0 },

	{ "stolen_time", "warning", "30 %", "0 " STEAL("0.3"), 10 },
	{ "stolen_time", NULL, NULL, "0 " STEAL("0.3"), 9 }, /* not long enough */
	{ "stolen_time", NULL, NULL, "0 " STEAL("0.09"), 20 },
	{ "stolen_time", NULL, NULL, "0 " STEAL("0.3") "8 " STEAL("0") "9 " STEAL("0.3"), 15 },

	{ "kernel_growth", "warning", "2.5 %", TOTAL "0 " SLAB("1e9") "60 " SLAB("1.2e9"), 0 },
	{ "kernel_growth", NULL, NULL, TOTAL "0 " SLAB("1e9") "60 " SLAB("1.1e9"), 0 },
	{ "kernel_growth", NULL, NULL, TOTAL "0 " SLAB("3e9"), 60 }, /* large, but it does not grow */
	{ "kernel_growth", NULL, NULL, TOTAL "0 " SLAB("1e9") "60 " SLAB("1.2e9"), 400 },
	{ "kernel_growth", NULL, NULL, TOTAL "0 " SLAB("1e9") "60 " SLAB("1.2e9") "90 " SLAB("1e9"), 0 },

	{ "battery_low", "warning", "8.0 % left", BATTERY("Discharging", "0.08"), 0 },
	{ "battery_low", "critical", "4.0 %", BATTERY("Discharging", "0.04"), 0 },
	{ "battery_low", "critical", "4.0 % left.",
	  "0 battery one status Discharging\n0 battery one charge_ratio 0.04\n", 0 },
	{ "battery_low", NULL, NULL, BATTERY("Discharging", "0.11"), 0 },
	{ "battery_low", NULL, NULL, BATTERY("Charging", "0.04"), 0 },
	{ "battery_low", NULL, NULL, BATTERY("Not_charging", "0.04"), 0 },
	{ "battery_low", NULL, NULL, BATTERY("Discharging", "-"), 0 },

	{ "run_queue", "note", "load 2.5 for each CPU.", QUEUE("0.6", "5"), 0 }, /* at once */
	{ "run_queue", "note", "each CPU; most: yes 4711.",
	  QUEUE("0.6", "5") PROCESS("sh", "4712", "cpu_ratio", "0.3")
		  PROCESS("yes", "4711", "cpu_ratio", "0.9"),
	  0 },
	{ "run_queue", "note", "each CPU.", QUEUE("0.6", "5") PROCESS("yes", "4711", "cpu_ratio", "0.1"), 0 },
	{ "run_queue", NULL, NULL, QUEUE("-", "5"), 0 },
	{ "run_queue", NULL, NULL, QUEUE("0.6", "2.9"), 90 }, /* load of tasks that wait for disks */
	{ "run_queue", NULL, NULL, QUEUE("0.4", "9"), 90 },

	{ "failing_command", "note", "6 times", FAILED("0", "x", "0", "0") FAILED("5", "x", "6", "6"), 0 },
	{ "failing_command", "note", "6 times", FAILED("0", "y", "1", "0") FAILED("5", "x", "6", "6"), 0 },
	/* a loop of a script, among many good ones under another parent */
	{ "failing_command", "note", "7 times in a minute, 100 % of its exits; last: code 3, parent 4711.",
	  FAILED("0", "sh/bash", "900", "1") FAILED("5", "sh/bash", "990", "2")
		  FAILED("5", "sh/loop", "7", "7") "5 failing sh/loop ended code_3\n"
						   "5 failing sh/loop parent_pid 4711\n",
	  0 },
	{ "failing_command", NULL, NULL, FAILED("0", "x", "0", "0") FAILED("5", "x", "4", "4"), 0 },
	{ "failing_command", NULL, NULL, FAILED("0", "tty", "0", "0") FAILED("5", "tty", "9", "9"), 0 },
	{ "failing_command", NULL, NULL, FAILED("0", "timeout", "0", "0") FAILED("5", "timeout", "9", "9"),
	  0 },
	{ "failing_command", NULL, NULL, FAILED("0", "x", "0", "0") FAILED("5", "x", "12", "6"), 0 },
	{ "failing_command", NULL, NULL, FAILED("0", "x", "0", "0") FAILED("5", "x", "6", "6"), 21 },
	{ "failing_command", NULL, NULL, FAILED("0", "x", "90", "90"), 5 }, /* before the first look */
	{ "failing_command", NULL, NULL, FAILED("0", "x", "0", "0") FAILED("5", "x", "6", "-"), 0 },
	{ "failing_command", NULL, NULL, FAILED("0", "grep", "0", "0") FAILED("5", "grep", "9", "9"), 0 },
	{ "failing_command", "note", "9 times",
	  FAILED("0", "x", "0", "0") FAILED("5", "x", "9", "9") "0 failing x command git_push\n", 0 },
	{ "failing_command", NULL, NULL,
	  FAILED("0", "x", "0", "0") FAILED("5", "x", "9", "9") "0 failing x command git_diff\n", 0 },
	{ "failing_command", NULL, NULL, FAILED("0", "git", "0", "0") FAILED("5", "git", "9", "9"), 0 },

	{ "zombies", "note", "20 zombies", FIFTEEN FIVE("4", "Z") FIVE("5", "S"), 10 },
	{ "zombies", "note", "25 zombies", FIFTEEN FIVE("4", "Z") FIVE("5", "Z"), 60 },
	{ "zombies", "note", "wait for them; most: spool 4711.",
	  FIFTEEN FIVE("4", "Z") "0 process 11 ppid 1\n0 process 12 ppid 4711\n0 process 13 ppid 4711\n"
				 "0 process 4711 name spool\n0 process 1 name init\n",
	  10 },
	/* another one has more children, which are no zombies */
	{ "zombies", "note", "wait for them; most: init 1.",
	  FIFTEEN FIVE("4", "Z") FIVE("5", "S") "0 process 11 ppid 1\n0 process 51 ppid 4711\n"
						"0 process 52 ppid 4711\n0 process 4711 name spool\n"
						"0 process 1 name init\n",
	  10 },
	{ "zombies", "note", "parents do not wait for them.",
	  FIFTEEN FIVE("4", "Z") "0 process 11 ppid 4711\n", 10 },
	{ "zombies", NULL, NULL, FIFTEEN "0 process 11 ppid 4711\n0 process 4711 name spool\n", 60 },
	{ "zombies", NULL, NULL, FIFTEEN FIVE("4", "Z"), 9 }, /* they may still be waited for */
	{ "zombies", NULL, NULL, FIFTEEN "0 process 41 state Z\n" FIVE("5", "S"), 60 },
	{ "zombies", NULL, NULL, FIFTEEN FIVE("4", "D"), 60 }, /* they wait for a disk */
	{ "zombies", NULL, NULL, FIFTEEN FIVE("4", "Z") "6 process 45 state S\n", 14 }, /* one is gone */

	{ "lost_events", "note", "Lost 7 events", "0 " LOST("3") "9 " LOST("10"), 0 },
	{ "lost_events", NULL, NULL, "0 " LOST("3"), 9 },
	{ "lost_events", NULL, NULL, "0 " LOST("3") "9 " LOST("10"), 80 },
};

START_TEST(rules_speak_where_they_are_true_and_nowhere_else)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		check_scene(&scenes[i]);
}

/* Facts seen every tenth second only, as behind a pane that is not the overview on a large machine. */
static const struct scene rare_scenes[] = {
	{ "heat", "warning", "core 2 times", "0 " CORE("7") "13 " CORE("9"), 20 },
	{ "heat", NULL, NULL, "0 " CORE("7") "3 " CORE("9"), 20 },
	{ "out_of_memory", "critical", "5 min: 1.", "0 " KILLED("3") "5 " KILLED("4") STALLS("7"), 290 },
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("4") STALLS("7"), 320 },
	{ "out_of_memory", NULL, NULL, "0 " KILLED("3") "5 " KILLED("4") STALLS("7") AT_LIMITS("0", "1"),
	  10 },
	{ "group_killed", "warning", "5 min: 1", GROUP_KILLED("0", "1"), 290 },
	{ "group_killed", NULL, NULL, GROUP_KILLED("0", "1"), 320 },
	{ "group_refaults", "warning", "500 refaults/s", GROUP_REFAULTS("67000000", "500"), 10 },
	{ "group_refaults", NULL, NULL, GROUP_REFAULTS("67000000", "500"), 0 }, /* a single look */
	{ "stolen_time", "warning", "30 %", "0 " STEAL("0.3"), 10 },
	{ "stolen_time", NULL, NULL, "0 " STEAL("0.3") "11 " STEAL("0"), 20 },
	{ "kernel_growth", "warning", "2.5 %", TOTAL "0 " SLAB("1e9") "60 " SLAB("1.2e9"), 60 },
	{ "kernel_growth", NULL, NULL, TOTAL "0 " SLAB("1e9") "60 " SLAB("1.2e9"), 380 },
	{ "failing_command", "note", "6 times", FAILED("0", "x", "0", "0") FAILED("5", "x", "6", "6"), 10 },
	{ "failing_command", "note", "6 times", FAILED("0", "y", "1", "0") FAILED("5", "x", "6", "6"), 10 },
	{ "failing_command", NULL, NULL, FAILED("0", "x", "0", "0") FAILED("5", "x", "6", "6"), 30 },
	{ "failing_command", NULL, NULL, FAILED("0", "x", "0", "0") FAILED("5", "x", "4", "4"), 10 },
	{ "zombies", "note", "20 zombies", FIFTEEN FIVE("4", "Z"), 10 },
	{ "zombies", NULL, NULL, FIFTEEN FIVE("4", "Z"), 0 },
	{ "zombies", NULL, NULL, FIFTEEN FIVE("4", "Z") "6 process 45 state S\n", 20 },
	{ "lost_events", "note", "Lost 7 events", "0 " LOST("3") "9 " LOST("10"), 50 },
	{ "lost_events", NULL, NULL, "0 " LOST("3") "9 " LOST("10"), 80 },
};

/* Clocks of samples are never exact: the frames are a little further apart. */
START_TEST(windows_count_by_time_where_frames_are_rare)
{
	for (size_t i = 0; i < sizeof(rare_scenes) / sizeof(rare_scenes[0]); i++) {
		const struct scene *scene = &rare_scenes[i];
		struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
		struct fact facts[FACTS_MAX];
		unsigned n_facts = parse(scene->facts, facts);
		struct frame frame;

		open_frame(&frame);
		for (unsigned second = 0; second <= scene->until; second += 10) {
			frame_clear(&frame);
			findings_derive(findings, &frame, false); /* they rest */
			fill(&frame, facts, n_facts, second);
			frame.mono_ns += second * UINT64_C(4000000);
			findings_derive(findings, &frame, true);
		}
		ck_assert_msg(!finding_of(&frame, scene->rule) == !scene->severity, "%s %s\nof %s until %u",
			      scene->rule, scene->severity ? "is silent" : "speaks", scene->facts,
			      scene->until);
		frame_close(&frame);
		findings_close(findings);
	}
}

/* Where what must be taken off rests in a frame, the rest of the number would accuse the machine. */
START_TEST(nothing_is_judged_without_what_is_taken_off)
{
	static const char with[] = "0 " KILLED("3")
				   "0 group / all_limit_oom_kills 0\n0 reclaim allocstall total 0\n";
	static const char without[] = "0 " KILLED("4") "0 reclaim allocstall total 7\n";
	static const char both[] = "0 " KILLED("4")
				   "0 group / all_limit_oom_kills 1\n0 reclaim allocstall total 7\n";
	static const char *const texts[] = { with, without, both };
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	struct frame frame;

	open_frame(&frame);
	for (unsigned i = 0; i < 3; i++) {
		struct fact facts[FACTS_MAX];
		unsigned n_facts = parse(texts[i], facts);

		fill(&frame, facts, n_facts, i);
		findings_derive(findings, &frame, true);
		ck_assert_ptr_null(finding_of(&frame, "out_of_memory"));
	}
	frame_close(&frame);
	findings_close(findings);
}

/* Each rule of the table has scenes for both: as many near misses as true ones, or more. */
START_TEST(every_rule_has_its_scenes)
{
	for (unsigned r = 0; r < n_finding_rules; r++) {
		unsigned speaks = 0, silent = 0;

		for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
			if (strcmp(scenes[i].rule, finding_rules[r].name) == 0)
				*(scenes[i].severity ? &speaks : &silent) += 1;
		ck_assert_msg(speaks > 0 && silent >= speaks, "%s: %u and %u", finding_rules[r].name, speaks,
			      silent);
	}
}

static const struct schema *schema_of(const char *topic)
{
	ck_assert_msg(topic_find(topic), "no topic %s", topic);
	return topic_find(topic)->schema;
}

static void check_value(const struct finding_rule *rule, const struct finding_value *value)
{
	const struct schema *schema = schema_of(value->topic ? value->topic : rule->topic);

	ck_assert_msg(!value->most || schema_find(schema, value->most), "%s.%s", schema->name, value->most);
	ck_assert_msg(schema_find(schema, value->column), "%s.%s", schema->name, value->column);
	if (value->over)
		ck_assert_msg(
			schema_find(value->over_topic ? schema_of(value->over_topic) : schema, value->over),
			"%s", value->over);
}

/* Has the view a table of this topic? */
static bool shows(const struct pane *pane, const struct pane_view *view, const char *topic)
{
	for (unsigned i = 0; pane->tables[i].topic; i++)
		if ((view->table == i || (view->also >> i & 1)) && strcmp(pane->tables[i].topic, topic) == 0)
			return true;
	return false;
}

/* Enter opens a view that exists; of a rule about rows with names of their own, one in which the row is. */
START_TEST(rules_open_what_shows_them)
{
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const struct finding_rule *rule = &finding_rules[r];
		bool any_pane = false, any_view = !rule->view;

		for (unsigned p = 0; p < n_panes; p++) {
			if (strcmp(panes[p]->name, rule->pane) != 0)
				continue;
			any_pane = true;
			for (const struct pane_view *view = panes[p]->views; rule->view && view->name;
			     view++) {
				if (strcmp(view->name, rule->view) != 0)
					continue;
				any_view = true;
				ck_assert_msg(!rule->key || rule->subject ||
						      shows(panes[p], view, rule->topic),
					      "%s", rule->name);
			}
		}
		ck_assert_msg(any_pane && any_view, "%s", rule->name);
	}
}

/* Topics, columns and places in the text are those that exist; names of settings are not used twice. */
START_TEST(rules_name_what_exists)
{
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const struct finding_rule *rule = &finding_rules[r];
		unsigned n_places = 0, n_found = 0;

		ck_assert_ptr_nonnull(rule->subject ? rule->subject : rule->key);
		if (rule->key)
			ck_assert_ptr_nonnull(schema_find(schema_of(rule->topic), rule->key));
		for (const char *at = rule->text; (at = strchr(at, '{')); at++)
			n_places++;
		for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
			check_value(rule, &rule->values[i]);
			n_found += strstr(rule->text, textf("{%s}", rule->values[i].name)) != NULL;
		}
		ck_assert_msg(n_found == n_places, "%s: %s", rule->name, rule->text);
	}
}

static bool wants(const bool *wanted, const char *topic)
{
	for (unsigned i = 0; i < n_topics; i++)
		if (strcmp(topics[i]->schema->name, topic) == 0)
			return wanted[i];
	return false;
}

static void check_wanted(const bool *wanted, const struct finding_rule *rule)
{
	ck_assert_msg(wants(wanted, rule->topic), "%s", rule->name);
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		ck_assert(!rule->values[i].topic || wants(wanted, rule->values[i].topic));
		ck_assert(!rule->values[i].over_topic || wants(wanted, rule->values[i].over_topic));
	}
}

static void want_with(bool *wanted, const char *topic, bool recorded)
{
	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] = topics[i]->schema == &finding_schema ||
			    (topic && strcmp(topics[i]->schema->name, topic) == 0);
	findings_want(finding_rules, n_finding_rules, topic_schemas(), n_topics, recorded, wanted);
}

/* Where there are findings, what a rule reads is sampled; what costs much, along with the topic that it
 * names. Of what is recorded all is read. */
START_TEST(rules_are_judged_wherever_there_are_findings)
{
	bool *wanted = calloc(n_topics, sizeof(*wanted));

	for (unsigned r = 0; r < n_finding_rules; r++) {
		const struct finding_rule *rule = &finding_rules[r];

		want_with(wanted, NULL, false);
		if (!rule->with)
			check_wanted(wanted, rule);
		else
			ck_assert_msg(!wants(wanted, rule->topic), "%s", rule->name);
		want_with(wanted, rule->with, false);
		check_wanted(wanted, rule);
		want_with(wanted, NULL, true);
		check_wanted(wanted, rule);
	}
	free(wanted);
}

static void play_with(struct frame *frame, const struct settings *settings, const char *text)
{
	struct findings *findings = findings_open(finding_rules, n_finding_rules, settings);

	play(frame, findings, text, 0);
	findings_close(findings);
}

/* The rule takes what the configuration says, and "off" silences it. */
START_TEST(settings_change_limits_and_silence_rules)
{
	static const char slow[] = STALLED("0.05") REFAULTS("500") SWAP_INS("0");
	static const char *const good[][2] = { { "finding.memory_stalled", "4%" },
					       { "finding.memory_stalled", "0.04" },
					       { "finding.run_queue_seconds", "5min" },
					       { "finding.zombies", "off" } };
	static const char *const bad[][2] = { { "finding.memory_stalled", "much" },
					      { "finding.memory_stalled", "4x" },
					      { "finding.run_queue_seconds", "-1" },
					      { "finding.zombies", "5" } };
	struct settings settings;
	struct frame frame;

	open_frame(&frame);
	settings_open(&settings);
	play_with(&frame, &settings, slow);
	ck_assert_ptr_null(finding_of(&frame, "memory_short"));
	settings_set(&settings, "finding.memory_stalled", "4 %", 0);
	play_with(&frame, &settings, slow);
	ck_assert_ptr_nonnull(finding_of(&frame, "memory_short"));
	settings_set(&settings, "finding.memory_short", "off", 0);
	play_with(&frame, &settings, slow);
	ck_assert_ptr_null(finding_of(&frame, "memory_short"));
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(finding_setting_known(finding_rules, n_finding_rules, good[i][0]));
		ck_assert(finding_setting_valid(finding_rules, n_finding_rules, good[i][0], good[i][1]));
		ck_assert(!finding_setting_valid(finding_rules, n_finding_rules, bad[i][0], bad[i][1]));
	}
	play_with(&frame, &settings, FAILED("0", "x", "0", "0") FAILED("5", "x", "6", "6"));
	ck_assert_ptr_nonnull(finding_of(&frame, "failing_command"));
	settings_set(&settings, "finding.answers", "w,x", 0);
	play_with(&frame, &settings, FAILED("0", "x", "0", "0") FAILED("5", "x", "6", "6"));
	ck_assert_ptr_null(finding_of(&frame, "failing_command"));
	ck_assert(finding_setting_known(finding_rules, n_finding_rules, "finding.answers"));
	ck_assert(!finding_setting_known(finding_rules, n_finding_rules, "finding.nothing"));
	ck_assert(!finding_setting_known(finding_rules, n_finding_rules, "memory_short"));
	frame_close(&frame);
	settings_close(&settings);
}

static double since_of(const struct frame *frame, const char *rule)
{
	const void *row = finding_of(frame, rule);

	ck_assert_ptr_nonnull(row);
	return table_number(frame_table(frame, "finding"), row, "since_seconds");
}

/* As Prometheus stored it: rules, what they are about, and since when; not the sentences. */
static void store_finding(struct frame *frame, const char *rule, const char *subject, double since_seconds)
{
	struct table *table = frame_slot(frame, "finding");
	void *row;

	table->n_rows = 0;
	row = table_add(table);
	row_set_text(row, schema_find(table->schema, "rule"), rule);
	row_set_text(row, schema_find(table->schema, "subject"), subject);
	row_set_f64(row, schema_find(table->schema, "since_seconds"), since_seconds);
}

/* A frame may come with its findings: of those that hold here the longer time counts. */
START_TEST(stored_findings_have_held_for_longer)
{
	static const struct {
		const char *rule, *subject;
		double since, expected;
	} cases[] = {
		{ "failing_command", "x", 692, 692 }, { "failing_command", "command x", 692, 692 },
		{ "failing_command", "xx", 692, 0 },  { "failing_command", "y x y", 692, 0 },
		{ "memory_short", "x", 692, 0 },      { "failing_command", "x", NAN, 0 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
		struct frame frame;

		open_frame(&frame);
		play(&frame, findings, FAILED("0", "x", "0", "0") FAILED("8", "x", "9", "9"), 8);
		store_finding(&frame, cases[c].rule, cases[c].subject, cases[c].since);
		findings_derive(findings, &frame, true);
		ck_assert_double_eq(since_of(&frame, "failing_command"), cases[c].expected);
		frame_close(&frame);
		findings_close(findings);
	}
}

/* Worst first, and numbered; since when it holds, and again after it ended. */
START_TEST(findings_are_ordered_and_know_since_when)
{
	static const char both[] = REFAULTS("50") STALLS("9") "0 " KILLED("0")
		FAILED("0", "x", "0", "0") "3 pressure memory/some avg10_ratio 0.2\n" FAILED(
			"8", "x", "9", "9") "9 " KILLED("1") "12 pressure memory/some avg10_ratio 0\n14 "
							     "pressure memory/some avg10_ratio 0.2\n";
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	const struct table *table;
	struct frame frame;

	open_frame(&frame);
	play(&frame, findings, both, 11);
	table = frame_table(&frame, "finding");
	ck_assert_uint_eq(table->n_rows, 3);
	ck_assert_str_eq(table_text(table, table_row(table, 0), "rule"), "out_of_memory");
	ck_assert_str_eq(table_text(table, table_row(table, 1), "rule"), "memory_short");
	ck_assert_str_eq(table_text(table, table_row(table, 2), "rule"), "failing_command");
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(table_u64(table, table_row(table, i), "number"), i + 1);
	ck_assert_double_eq(since_of(&frame, "memory_short"), 8);
	findings_forget(findings);
	play(&frame, findings, both, 16);
	ck_assert_double_eq(since_of(&frame, "memory_short"), 2);
	frame_close(&frame);
	findings_close(findings);
}

/* Its rule; its number is that of its place. */
static const char *rule_at(const struct frame *frame, size_t index)
{
	const struct table *table = frame_table(frame, "finding");
	const void *row = table_row(table, index);

	ck_assert_uint_lt(index, table->n_rows);
	ck_assert_uint_eq(table_u64(table, row, "number"), index + 1);
	return table_text(table, row, "rule");
}

static void check_rules(const struct frame *frame, const char *const *rules)
{
	size_t n = 0;

	for (; rules[n]; n++)
		ck_assert_str_eq(rule_at(frame, n), rules[n]);
	ck_assert_uint_eq(frame_table(frame, "finding")->n_rows, n);
}

START_TEST(what_is_added_comes_behind_what_is_critical)
{
	static const char warnings[] = REFAULTS("50") FAILED("0", "x", "0", "0")
		FAILED("8", "x", "9", "9") "3 pressure memory/some avg10_ratio 0.2\n";
	static const char critical[] = STALLS("9") "0 " KILLED("0") "9 " KILLED("1");
	static const struct finding_added first = { "first", "load", "is high", "system", "overview", 12.5 },
					  second = { .rule = "second",
						     .subject = "",
						     .text = "",
						     .topic = "",
						     .pane = "",
						     .since_seconds = 0 };
	char all[sizeof(warnings) + sizeof(critical)];
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	const struct table *table;
	const void *row;
	struct frame frame;

	snprintf(all, sizeof(all), "%s%s", warnings, critical);
	open_frame(&frame);
	findings_add(&frame, &first); /* it has no such table */
	ck_assert_uint_eq(frame_slot(&frame, "finding")->n_rows, 0);
	play(&frame, findings, "0 pressure memory/some avg10_ratio 0\n", 0);
	findings_add(&frame, &first);
	check_rules(&frame, (const char *const[]){ "first", NULL });
	findings_forget(findings);
	play(&frame, findings, critical, 11);
	findings_add(&frame, &first);
	check_rules(&frame, (const char *const[]){ "out_of_memory", "first", NULL });
	findings_forget(findings);
	play(&frame, findings, warnings, 11);
	findings_add(&frame, &first);
	check_rules(&frame, (const char *const[]){ "first", "memory_short", "failing_command", NULL });
	findings_forget(findings);
	play(&frame, findings, all, 11);
	findings_add(&frame, &first);
	findings_add(&frame, &second);
	check_rules(&frame, (const char *const[]){ "out_of_memory", "second", "first", "memory_short",
						   "failing_command", NULL });
	table = frame_table(&frame, "finding");
	row = table_row(table, 2);
	ck_assert_str_eq(table_text(table, row, "subject"), "load");
	ck_assert_str_eq(table_text(table, row, "text"), "is high");
	ck_assert_str_eq(table_text(table, row, "severity"), "warning");
	ck_assert_str_eq(table_text(table, row, "topic"), "system");
	ck_assert_str_eq(table_text(table, row, "pane"), "overview");
	ck_assert_double_eq(table_number(table, row, "since_seconds"), 12.5);
	frame_close(&frame);
	findings_close(findings);
}

/* An alert is about a rule and its subject, whatever rank they have. Rows of one name are told apart. */
START_TEST(rule_and_subject_are_the_key)
{
	static const char facts[] = "0 group a name x.service\n0 group b name x.service\n"
				    "0 group c name y.service\n0 group a memory_limit_used_ratio 0.96\n"
				    "0 group c memory_limit_used_ratio 0.97\n"
				    "2 group b memory_limit_used_ratio 0.99\n";
	static const char *const subjects[][3] = { { "y.service", "x.service" }, { "b", "y.service", "a" } };
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	struct frame frame;

	open_frame(&frame);
	for (unsigned second = 0; second < 2; second++) {
		const struct table *table;

		findings_forget(findings);
		play(&frame, findings, facts, second + 1);
		table = frame_table(&frame, "finding");
		ck_assert_uint_eq(table->n_rows, 2 + second);
		for (size_t i = 0; i < table->n_rows; i++)
			ck_assert_ptr_eq(table_find(table, "group_memory", subjects[second][i]),
					 table_row(table, i));
	}
	frame_close(&frame);
	findings_close(findings);
}

#define SECOND_NS UINT64_C(1000000000)
#define ROW 7 /* its identity */

struct seen {
	double growth, since;
};

/* Its value is the square of the second; from the fourth second on a rule holds. */
static struct seen see(struct finding_past *past, uint64_t second)
{
	struct seen seen = { .since = NAN };

	finding_past_begin(past, second * SECOND_NS);
	seen.growth = finding_past_growth(past, ROW, (double)(second * second), 8, false, false);
	if (second >= 4)
		seen.since = finding_past_since(past, ROW, 0);
	finding_past_end(past, 0);
	return seen;
}

/* Only some of the frames before come again. What live no longer knows is judged by those. */
START_TEST(what_comes_again_is_as_it_was_live)
{
	struct finding_past live = { 0 }, past = { .live = &live };
	struct seen was[41];

	for (uint64_t second = 1; second <= 40; second++)
		was[second] = see(&live, second);
	for (uint64_t second = 34; second <= 40; second += 3) {
		struct seen is;

		finding_past_empty(&past);
		(void)see(&past, second - 3);
		is = see(&past, second);
		ck_assert_double_eq(is.growth, was[second].growth);
		ck_assert_double_eq(is.since, was[second].since);
	}
	finding_past_empty(&past);
	(void)see(&past, 12);
	ck_assert_double_eq(see(&past, 15).growth, 15 * 15 - 12 * 12);
	finding_past_empty(&past);
	ck_assert_ptr_eq(past.live, &live);
	finding_past_free(&live);
	finding_past_free(&past);
}

/* Topics without which a rule cannot speak are named, each once; those that its sentence looks at are not. */
START_TEST(what_is_not_sampled_is_not_judged)
{
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	const char *expected = "not judged, since not sampled here: filesystem";
	struct frame frame;

	frame_open(&frame, topic_schemas(), n_topics);
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 1);
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const char *topic = finding_rules[r].topic, *found = strstr(frame.notices[0].text, topic);

		ck_assert_msg(finding_rules[r].with || found, "%s", topic);
		frame_slot(&frame, topic)->present = strcmp(topic, "filesystem") != 0;
	}
	ck_assert_ptr_nonnull(strstr(frame.notices[0].text, "paging")); /* a limit of another topic's rule */
	frame_slot(&frame, "paging")->present = frame_slot(&frame, "system")->present = true;
	frame.n_notices = 0;
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 1);
	ck_assert_str_eq(frame.notices[0].text, expected); /* three rules are about it */
	frame_slot(&frame, "filesystem")->present = true;
	frame.n_notices = 0;
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 0);
	frame_close(&frame);
	findings_close(findings);
}

/* A topic and rules of the test: rows with a load, a name of their own, and another row that they are of. */
struct thing_row {
	const char *name, *called, *kind;
	uint64_t id, owner;
	double load, spare, most;
};

static const struct column thing_columns[] = {
	COLUMN(struct thing_row, name, .kind = COLUMN_KEY, .title = "name", .help = "h"),
	COLUMN(struct thing_row, id, .kind = COLUMN_KEY, .title = "id", .help = "h"),
	COLUMN(struct thing_row, called, .kind = COLUMN_LABEL, .title = "called", .help = "h"),
	COLUMN(struct thing_row, kind, .kind = COLUMN_LABEL, .title = "kind", .help = "h"),
	COLUMN(struct thing_row, owner, .kind = COLUMN_LABEL, .title = "owner", .help = "h"),
	COLUMN(struct thing_row, load, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "load",
	       .help = "h"),
	COLUMN(struct thing_row, spare, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "spare",
	       .help = "h"),
	COLUMN(struct thing_row, most, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "most",
	       .help = "h"),
};

static const struct schema thing_schema = {
	.name = "thing",
	.help = "things",
	.sum_row = "all",
	.row_size = sizeof(struct thing_row),
	SCHEMA_COLUMNS(thing_columns),
};

static const struct schema *const thing_schemas[] = { &thing_schema, &finding_schema };

static const char *const ordinary_kinds[] = { "plain", "usual", NULL };

static const struct finding_rule thing_rules[] = {
	{ .name = "loaded",
	  .topic = "thing",
	  .key = "name",
	  .called = "called",
	  .text = "{load} load[ of {most}], spare",
	  .unless_column = "kind",
	  .unless = ordinary_kinds,
	  .unless_setting = "kinds",
	  .severity = FINDING_WARNING,
	  .hold = { .setting = "loaded_seconds", .unit = UNIT_SECONDS },
	  .values = { { .name = "load",
			.column = "load",
			.at_least = { .setting = "load", .unit = UNIT_RATIO, .number = 0.5 },
			.critical = 0.75 },
		      { .name = "most", .column = "most" } } },
	{ .name = "scarce",
	  .topic = "thing",
	  .key = "name",
	  .subject = "thing",
	  .text = "{spare} left",
	  .hold = { .number = 2 },
	  .values = { { .name = "spare",
			.column = "spare",
			.at_most = true,
			.at_least = { .setting = "spare", .unit = UNIT_RATIO, .number = 0.25 },
			.critical = 0.125 } } },
	{ .name = "many",
	  .topic = "thing",
	  .subject = "things",
	  .text = "{n} are bad[; {who}][, of {whose}]",
	  .values = { { .name = "n",
			.column = "kind",
			.with = "bad",
			.at_least = { .setting = "bad_things", .unit = UNIT_COUNT, .number = 2 } },
		      { .name = "who", .column = "name", .most = "load", .most_least = 0.25 },
		      { .name = "whose",
			.column = "name",
			.most = "owner",
			.with_column = "kind",
			.with = "bad" } } },
	{ .name = "full",
	  .topic = "thing",
	  .key = "name",
	  .text = "{a} {b} {c} {d} {e} {f}",
	  .values = { { .name = "a", .column = "most" },
		      { .name = "b", .column = "load" },
		      { .name = "c", .column = "spare" },
		      { .name = "d", .column = "load" },
		      { .name = "e", .column = "spare" },
		      { .name = "f",
			.column = "most",
			.at_least = { .setting = "full_bytes", .unit = UNIT_BYTES, .number = 1 << 20 } } } },
};

#define N_THING_RULES (sizeof(thing_rules) / sizeof(thing_rules[0]))

struct things {
	struct findings *findings;
	struct frame frame;
	double seconds;
};

static void open_things(struct things *things, const struct settings *settings)
{
	things->findings = findings_open(thing_rules, N_THING_RULES, settings);
	things->seconds = 1000;
	frame_open(&things->frame, thing_schemas, 2);
}

static void close_things(struct things *things)
{
	frame_close(&things->frame);
	findings_close(things->findings);
}

/* A second later, with these rows, of which the last one has no name. */
static const struct table *judge_things(struct things *things, const struct thing_row *rows)
{
	struct table *table = frame_slot(&things->frame, "thing");

	frame_clear(&things->frame);
	things->frame.mono_ns = (uint64_t)(things->seconds++ * 1e9);
	table->present = true;
	for (; rows->name; rows++)
		*(struct thing_row *)table_add(table) = *rows;
	findings_derive(things->findings, &things->frame, true);
	return frame_table(&things->frame, "finding");
}

#define THING(of, loaded, spared, at_most, ...) \
	{ .name = of, .load = loaded, .spare = spared, .most = at_most, __VA_ARGS__ }
#define LOADED(of, much) THING(of, much, NAN, NAN, .id = 0)
#define SPARED(of, much) THING(of, NAN, much, NAN, .id = 0)
#define OF_KIND(of, what, much) THING(of, much, NAN, NAN, .kind = what)

static void check_finding(const struct table *table, size_t index, const char *severity, const char *subject,
			  const char *text)
{
	const void *row;

	ck_assert_uint_lt(index, table->n_rows);
	row = table_row(table, index);
	ck_assert_uint_eq(table_u64(table, row, "number"), index + 1);
	ck_assert_str_eq(table_text(table, row, "severity"), severity);
	ck_assert_str_eq(table_text(table, row, "subject"), subject);
	ck_assert_str_eq(table_text(table, row, "text"), text);
}

/* Of each severity three; equals stand in their order. The row of a sum is not judged. */
START_TEST(the_worst_rows_of_a_rule_stand_first)
{
	static const struct thing_row rows[] = {
		LOADED("all", 0.95), LOADED("a", 0.5),	 LOADED("b", 0.625), LOADED("c", 0.4999),
		LOADED("d", 0.625),  LOADED("e", 0.75),	 LOADED("f", 0.5),   LOADED("g", 0.7),
		LOADED("h", 0.749),  LOADED("i", 0.876), LOADED("j", NAN),   { 0 },
	};
	const struct table *table;
	struct things things;

	open_things(&things, NULL);
	table = judge_things(&things, rows);
	ck_assert_uint_eq(table->n_rows, 5);
	check_finding(table, 0, "critical", "i", "88 % load, spare");
	check_finding(table, 1, "critical", "e", "75 % load, spare");
	check_finding(table, 2, "warning", "h", "75 % load, spare");
	check_finding(table, 3, "warning", "g", "70 % load, spare");
	check_finding(table, 4, "warning", "b", "62 % load, spare (and 3 more)");
	close_things(&things);
}

START_TEST(three_rows_of_a_rule_are_all)
{
	static const struct thing_row rows[] = {
		LOADED("a", 0.5), LOADED("b", 0.6), LOADED("c", 0.7), { 0 },
	};
	const struct table *table;
	struct things things;

	open_things(&things, NULL);
	table = judge_things(&things, rows);
	ck_assert_uint_eq(table->n_rows, 3);
	check_finding(table, 2, "warning", "a", "50 % load, spare");
	close_things(&things);
}

/* Where less is worse. It must hold for two seconds. */
START_TEST(the_least_is_the_worst)
{
	static const struct thing_row rows[] = {
		SPARED("a", 0.25),  SPARED("b", 0.2501),
		SPARED("c", 0.125), SPARED("d", 0.1),
		SPARED("e", 0.126), { 0 },
	};
	const struct table *table;
	struct things things;

	open_things(&things, NULL);
	for (unsigned second = 0; second < 2; second++)
		ck_assert_uint_eq(judge_things(&things, rows)->n_rows, 0);
	table = judge_things(&things, rows);
	ck_assert_uint_eq(table->n_rows, 4);
	check_finding(table, 0, "critical", "thing d", "10 % left");
	check_finding(table, 1, "critical", "thing c", "12 % left");
	check_finding(table, 2, "note", "thing e", "13 % left");
	check_finding(table, 3, "note", "thing a", "25 % left");
	ck_assert_double_eq(table_number(table, table_row(table, 3), "since_seconds"), 2);
	close_things(&things);
}

/* Those of the rule and those of the setting. */
START_TEST(ordinary_rows_are_not_judged)
{
	static const struct thing_row rows[] = {
		OF_KIND("a", "plain", 0.7),
		OF_KIND("b", "usual", 0.7),
		OF_KIND("c", "mine", 0.7),
		OF_KIND("d", "yours", 0.7),
		OF_KIND("e", "", 0.6),
		{ 0 },
	};
	struct settings settings;
	const struct table *table;
	struct things things;

	settings_open(&settings);
	settings_set(&settings, "finding.kinds", "mine,yours", 0);
	for (unsigned set = 0; set < 2; set++) {
		open_things(&things, set ? &settings : NULL);
		table = judge_things(&things, rows);
		ck_assert_uint_eq(table->n_rows, set ? 1U : 3U);
		ck_assert_str_eq(table_text(table, table_row(table, 0), "subject"), set ? "e" : "c");
		close_things(&things);
	}
	settings_close(&settings);
}

/* A part about what is not known is left out; names for people are used while they are unique. */
START_TEST(sentences_name_what_is_known)
{
	static const struct thing_row rows[] = {
		THING("a", 0.7, NAN, 2048, .called = "one"),
		THING("b", 0.6, NAN, NAN, .called = "two"),
		THING("c", 0.55, NAN, NAN, .called = "two"),
		THING("d", 0.1, NAN, NAN, .called = "one"), /* it is not in a finding */
		{ 0 },
	};
	const struct table *table;
	struct things things;

	open_things(&things, NULL);
	table = judge_things(&things, rows);
	ck_assert_uint_eq(table->n_rows, 3);
	check_finding(table, 0, "warning", "one", "70 % load of 2.0 KiB, spare");
	check_finding(table, 1, "warning", "b", "60 % load, spare");
	check_finding(table, 2, "warning", "c", "55 % load, spare");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "row"), "a");
	close_things(&things);
}

#define BAD(of, number, whose) \
	THING(of, 0.1 * (number), NAN, NAN, .id = number, .kind = "bad", .owner = whose)

/* Who is to blame: the greatest row that is no sum, if it is great enough; and whom most of them name. */
START_TEST(sentences_name_who_is_to_blame)
{
	static const struct thing_row great[] = {
		BAD("a", 1, 7), BAD("b", 2, 1), BAD("c", 3, 1), BAD("all", 4, U64_UNKNOWN), { 0 },
	};
	static const struct thing_row small[] = {
		BAD("a", 1, 2), BAD("b", 2, U64_UNKNOWN), BAD("c", 0, 2), { 0 },
	};
	static const struct thing_row strange[] = {
		BAD("a", 1, U64_UNKNOWN), BAD("b", 2, 9), { 0 },
	};
	static const struct thing_row exact[] = {
		BAD("a", 1, 1), BAD("b", 2, 2), THING("c", 0.25, NAN, NAN, .owner = 2), { 0 },
	};
	static const struct thing_row one[] = { BAD("a", 1, 1), { 0 } };
	struct things things;

	open_things(&things, NULL);
	check_finding(judge_things(&things, great), 0, "note", "things", "4 are bad; c, of a");
	check_finding(judge_things(&things, small), 0, "note", "things", "3 are bad, of b");
	check_finding(judge_things(&things, strange), 0, "note", "things", "2 are bad");
	check_finding(judge_things(&things, exact), 0, "note", "things", "2 are bad; c, of a");
	ck_assert_uint_eq(judge_things(&things, one)->n_rows, 0);
	close_things(&things);
}

/* Of one severity in the order of the rules. */
START_TEST(rules_stand_in_their_order)
{
	static const struct thing_row rows[] = {
		THING("a", NAN, 0.2, NAN, .kind = "bad"),
		THING("b", NAN, NAN, NAN, .kind = "bad"),
		THING("c", 0.6, NAN, NAN, .id = 0),
		{ 0 },
	};
	const struct table *table = NULL;
	struct things things;

	open_things(&things, NULL);
	for (unsigned second = 0; second < 3; second++)
		table = judge_things(&things, rows);
	ck_assert_uint_eq(table->n_rows, 3);
	check_finding(table, 0, "warning", "c", "60 % load, spare");
	check_finding(table, 1, "note", "thing a", "20 % left");
	check_finding(table, 2, "note", "things", "2 are bad; c, of a");
	close_things(&things);
}

/* As many values as there is room for. */
START_TEST(a_rule_may_have_six_values)
{
	static const struct thing_row rows[] = {
		THING("a", 0.1, 0.5, 2 << 20, .id = 0),
		THING("b", 0.1, 0.5, (1 << 20) - 1, .id = 0),
		{ 0 },
	};
	const struct table *table;
	struct things things;

	open_things(&things, NULL);
	table = judge_things(&things, rows);
	ck_assert_uint_eq(table->n_rows, 1);
	check_finding(table, 0, "note", "a", "2.0 MiB 10 % 50 % 10 % 50 % 2.0 MiB");
	ck_assert(finding_setting_known(thing_rules, N_THING_RULES, "finding.full_bytes"));
	close_things(&things);
}

/* Frames that come again have held for as long as they had then. */
START_TEST(frames_that_come_again_are_as_they_were)
{
	static const struct thing_row rows[] = { SPARED("a", 0.2), { 0 } };
	const struct table *table = NULL;
	struct things live, again;

	open_things(&live, NULL);
	open_things(&again, NULL);
	findings_remember(again.findings, live.findings);
	for (unsigned second = 0; second < 10; second++)
		judge_things(&live, rows);
	again.seconds += 9;
	table = judge_things(&again, rows);
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_double_eq(table_number(table, table_row(table, 0), "since_seconds"), 9);
	findings_remember(again.findings, NULL);
	findings_forget(again.findings);
	again.seconds += 1;
	ck_assert_uint_eq(judge_things(&again, rows)->n_rows, 0);
	close_things(&again);
	close_things(&live);
}

static void check_limit(enum unit unit, double number, const char *expected)
{
	const struct finding_limit limit = { .unit = unit };
	char text[VALUE_TEXT_MAX];

	ck_assert_str_eq(finding_limit_text(text, &limit, number), expected);
}

START_TEST(limits_are_written_as_they_are_set)
{
	static const char *const known[] = { "load",       "spare", "loaded_seconds",
					     "bad_things", "kinds", "loaded" };
	struct settings settings;

	check_limit(UNIT_RATIO, 0.155, "15.5%");
	check_limit(UNIT_SECONDS, 30, "30s");
	check_limit(UNIT_COUNT, 5, "5");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ck_assert(finding_setting_known(thing_rules, N_THING_RULES, textf("finding.%s", known[i])));
	ck_assert(finding_setting_valid(thing_rules, N_THING_RULES, "finding.bad_things", "12"));
	ck_assert(finding_setting_valid(thing_rules, N_THING_RULES, "finding.load", "15  %"));
	ck_assert(!finding_setting_valid(thing_rules, N_THING_RULES, "finding.load", "15 %%"));
	ck_assert(!finding_setting_valid(thing_rules, N_THING_RULES, "finding.load", ""));
	ck_assert(finding_setting_valid(thing_rules, N_THING_RULES, "finding.loaded", "on"));
	ck_assert(finding_setting_valid(thing_rules, N_THING_RULES, "finding.kinds", "a, b"));
	ck_assert(!finding_setting_valid(thing_rules, N_THING_RULES, "finding.nothing", "off"));
	settings_open(&settings);
	settings_set(&settings, "finding.load", "62.5%", 0);
	ck_assert_double_eq(finding_number(&settings, &thing_rules[0].values[0].at_least), 0.625);
	ck_assert_double_eq(finding_number(&settings, &thing_rules[1].values[0].at_least), 0.25);
	ck_assert_double_eq(finding_number(NULL, &thing_rules[0].values[0].at_least), 0.5);
	settings_close(&settings);
}

/* A second topic, whose numbers have all units that sentences tell; and rules of both. */
struct place_row {
	const char *name, *floor;
	double size, wait, heat, speed, hits, plain, share;
	uint64_t count;
};

static const struct column place_columns[] = {
	COLUMN(struct place_row, name, .kind = COLUMN_KEY, .title = "name", .help = "h"),
	COLUMN(struct place_row, floor, .kind = COLUMN_KEY, .title = "floor", .help = "h"),
	COLUMN(struct place_row, size, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "s", .help = "h"),
	COLUMN(struct place_row, wait, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = "w", .help = "h"),
	COLUMN(struct place_row, heat, .kind = COLUMN_GAUGE, .unit = UNIT_CELSIUS, .title = "h", .help = "h"),
	COLUMN(struct place_row, speed, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES_PER_SECOND, .title = "v",
	       .help = "h"),
	COLUMN(struct place_row, hits, .kind = COLUMN_GAUGE, .unit = UNIT_PER_SECOND, .title = "r",
	       .help = "h"),
	COLUMN(struct place_row, plain, .kind = COLUMN_GAUGE, .title = "p", .help = "h"),
	COLUMN(struct place_row, share, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "%", .help = "h"),
	COLUMN(struct place_row, count, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "n", .help = "h"),
};

static const struct schema place_schema = {
	.name = "place",
	.help = "places",
	.row_size = sizeof(struct place_row),
	SCHEMA_COLUMNS(place_columns),
};

static const struct schema *const house_schemas[] = { &finding_schema, &place_schema, &thing_schema };

#define LIMIT_OF(measure, much) .at_least = { .setting = "s", .unit = measure, .number = much }

static const struct finding_rule house_rules[] = {
	{ .name = "ranked", /* by the first number that has a limit */
	  .topic = "thing",
	  .key = "name",
	  .text = "{spare} {load} {most}",
	  .values = { { .name = "spare", .column = "spare" },
		      { .name = "load", .column = "load", LIMIT_OF(UNIT_RATIO, 0.5) },
		      { .name = "most", .column = "most", LIMIT_OF(UNIT_BYTES, 1024) } } },
	{ .name = "either",
	  .topic = "place",
	  .key = "name",
	  .text = "{size} or {wait}, and {heat}",
	  .values = { { .name = "size", .column = "size", LIMIT_OF(UNIT_BYTES, 2048), .or_next = true },
		      { .name = "wait", .column = "wait", LIMIT_OF(UNIT_SECONDS, 30), .or_unknown = true },
		      { .name = "heat", .column = "heat", LIMIT_OF(UNIT_CELSIUS, 20) } } },
	{ .name = "units",
	  .topic = "place",
	  .key = "name",
	  .text = "{size} {wait} {heat} {speed}/s {hits} {n}",
	  .values = { { .name = "size", .column = "size" },
		      { .name = "wait", .column = "wait" },
		      { .name = "heat", .column = "heat" },
		      { .name = "speed", .column = "speed" },
		      { .name = "hits", .column = "hits" },
		      { .name = "n", .column = "count", LIMIT_OF(UNIT_COUNT, 100) } } },
	{ .name = "plain",
	  .topic = "place",
	  .key = "name",
	  .text = "{plain} {part} {whole} {there} {hall} {floor}",
	  .values = { { .name = "plain", .column = "plain", LIMIT_OF(UNIT_NONE, 1000) },
		      { .name = "part", .column = "wait", .over = "plain" },
		      { .name = "whole",
			.column = "plain",
			.over_topic = "thing",
			.over_row = "a",
			.over = "most" },
		      { .name = "there", .topic = "thing", .column = "load" },
		      { .name = "hall", .topic = "place", .row = "hall", .other = "2", .column = "size" },
		      { .name = "floor", .column = "floor" } } },
};

#define N_HOUSE_RULES (sizeof(house_rules) / sizeof(house_rules[0]))

struct house {
	struct findings *findings;
	struct frame frame;
};

static void open_house(struct house *house, const struct thing_row *things, const struct place_row *places)
{
	house->findings = findings_open(house_rules, N_HOUSE_RULES, NULL);
	frame_open(&house->frame, house_schemas, 3);
	house->frame.mono_ns = 1000 * SECOND_NS;
	for (size_t i = 0; things && things[i].name; i++)
		*(struct thing_row *)table_add(frame_slot(&house->frame, "thing")) = things[i];
	for (size_t i = 0; places && places[i].name; i++)
		*(struct place_row *)table_add(frame_slot(&house->frame, "place")) = places[i];
	frame_slot(&house->frame, "thing")->present = things;
	frame_slot(&house->frame, "place")->present = places;
}

static void close_house(struct house *house)
{
	frame_close(&house->frame);
	findings_close(house->findings);
}

static void check_texts(const struct frame *frame, const char *const (*texts)[2])
{
	const struct table *table = frame_table(frame, "finding");
	size_t n = 0;

	for (; texts[n][0]; n++) {
		ck_assert_uint_lt(n, table->n_rows);
		ck_assert_str_eq(table_text(table, table_row(table, n), "subject"), texts[n][0]);
		ck_assert_str_eq(table_text(table, table_row(table, n), "text"), texts[n][1]);
	}
	ck_assert_uint_eq(table->n_rows, n);
}

START_TEST(rows_are_ranked_by_the_first_number_with_a_limit)
{
	static const struct thing_row rows[] = {
		THING("a", 0.6, 0.9, 3072, .id = 0), THING("b", 0.7, 0.1, 2048, .id = 0),
		THING("c", 0.9, 0.9, 1023, .id = 0), THING("d", 0.4, 0.9, 9999, .id = 0),
		THING("e", 0.8, 0.5, 1024, .id = 0), { 0 },
	};
	static const char *const texts[][2] = { { "e", "50 % 80 % 1.0 KiB" },
						{ "b", "10 % 70 % 2.0 KiB" },
						{ "a", "90 % 60 % 3.0 KiB" },
						{ NULL } };
	struct house house;

	open_house(&house, rows, NULL);
	findings_derive(house.findings, &house.frame, true);
	check_texts(&house.frame, texts);
	close_house(&house);
}

#define PLACE(of, much, long, hot)                                                                           \
	{                                                                                                    \
		.name = of, .floor = "", .size = much, .wait = long, .heat = hot, .plain = NAN               \
	}

/* One of two limits, of which the second holds while it is not known, and a third one. */
START_TEST(one_of_two_limits_is_enough)
{
	static const struct place_row rows[] = {
		PLACE("size", 2048, 29, 20),    PLACE("none", 2047, 29, 20),
		PLACE("wait", 2047, 30, 20),    PLACE("cold", 2048, 30, 19),
		PLACE("unknown", NAN, NAN, 21), PLACE("lost", 4096, 30, NAN),
		PLACE("both", 9216, 90, 100),   { 0 },
	};
	static const char *const texts[][2] = { { "both", "9.0 KiB or 90 s, and 100 C" },
						{ "size", "2.0 KiB or 29 s, and 20 C" },
						{ "wait", "1.9 KiB or 30 s, and 20 C (and 1 more)" },
						{ NULL } };
	struct house house;

	open_house(&house, NULL, rows);
	findings_derive(house.findings, &house.frame, true);
	check_texts(&house.frame, texts);
	close_house(&house);
}

START_TEST(sentences_tell_the_unit_of_a_column)
{
	static const struct place_row rows[] = {
		{ "yard", "0", 1536, 90, 3, 2048, 250, NAN, NAN, 100 },
		{ 0 },
	};
	static const char *const texts[][2] = { { "yard", "1.5 KiB 90 s 3 C 2.0 KiB/s 250 100" }, { NULL } };
	struct house house;

	open_house(&house, NULL, rows);
	findings_derive(house.findings, &house.frame, true);
	check_texts(&house.frame, texts);
	close_house(&house);
}

/* Of its own row, of one of another topic, and of another row of its topic. */
START_TEST(sentences_tell_numbers_of_other_rows)
{
	static const struct place_row rows[] = {
		{ "hall", "1", 1024, NAN, NAN, NAN, NAN, NAN, NAN, 0 },
		{ "hall", "2", 4096, NAN, NAN, NAN, NAN, NAN, NAN, 0 },
		{ "yard", "0", 2048, 600, NAN, NAN, NAN, 1200, NAN, 0 },
		{ 0 },
	};
	static const struct thing_row things[] = {
		LOADED("all", 0.9),
		THING("a", 0.1, NAN, 4800, .id = 0),
		LOADED("b", 0.3),
		{ 0 },
	};
	static const char *const texts[][2] = { { "yard", "1200 50 % 25 % 90 % 4.0 KiB 0" }, { NULL } };
	static const char *const alone[][2] = { { "yard", "1200 50 % - - 4.0 KiB 0" }, { NULL } };
	struct house house;

	open_house(&house, things, rows);
	findings_derive(house.findings, &house.frame, true);
	check_texts(&house.frame, texts);
	frame_slot(&house.frame, "thing")->failed = true; /* it has nothing to say */
	findings_derive(house.findings, &house.frame, true);
	check_texts(&house.frame, alone);
	close_house(&house);
}

START_TEST(findings_are_derived_where_they_are_sampled)
{
	static const struct thing_row rows[] = { THING("a", 0.6, 0.9, 3072, .id = 0), { 0 } };
	struct frame without;
	struct house house;

	open_house(&house, rows, NULL);
	findings_derive(house.findings, &house.frame, false);
	ck_assert_ptr_null(frame_table(&house.frame, "finding"));
	frame_slot(&house.frame, "finding")->present = true;
	for (unsigned i = 0; i < 2; i++) { /* in the place of those before */
		findings_derive(house.findings, &house.frame, false);
		ck_assert_uint_eq(frame_table(&house.frame, "finding")->n_rows, 1);
	}
	ck_assert_uint_eq(frame_table(&house.frame, "finding")->mono_ns, 1000 * SECOND_NS);
	frame_open(&without, &house_schemas[1], 2);
	findings_derive(house.findings, &without, true);
	findings_add(&without, &(struct finding_added){ "r", "s", "t", "thing", "p", 0 });
	frame_close(&without);
	close_house(&house);
}

static const struct finding_rule wanting_rules[] = {
	{ .name = "one",
	  .topic = "thing",
	  .values = { { .name = "a", .topic = "system", .column = "load1" },
		      { .name = "b", .column = "load" },
		      { .name = "c", .column = "load", .less_topic = "memory" },
		      { .name = "d", .column = "load" },
		      { .name = "e", .column = "load" },
		      { .name = "f", .column = "load", .over_topic = "cpu" } } },
	{ .name = "two", .topic = "place", .with = "process" },
};

/* What the numbers of a rule are of, what is taken off them, and what they are divided by; to the last one.
 */
START_TEST(all_that_rules_read_is_wanted)
{
	static const struct schema named[] = { { .name = "thing" },  { .name = "system" },
					       { .name = "memory" }, { .name = "cpu" },
					       { .name = "place" },  { .name = "process" },
					       { .name = "other" } };
	static const struct {
		bool finding, process, recorded;
		const char *wanted; /* of finding and those above, in that order */
	} cases[] = {
		{ true, false, false, "11111000" }, { true, true, false, "11111110" },
		{ true, false, true, "11111100" },  { false, true, true, "00000010" },
		{ false, false, true, "00000000" },
	};
	const struct schema *all[8] = { &finding_schema };

	for (size_t i = 0; i < 7; i++)
		all[i + 1] = &named[i];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool wanted[8] = { cases[i].finding, [6] = cases[i].process };

		findings_want(wanting_rules, 2, all, 8, cases[i].recorded, wanted);
		for (size_t j = 0; j < 8; j++)
			ck_assert_msg(wanted[j] == (cases[i].wanted[j] == '1'), "%zu: %s", i, all[j]->name);
	}
	for (size_t last = 0; last < 2; last++) { /* the topic that it comes along with is the first one */
		const struct schema *three[] = { &named[5], &named[4], &finding_schema };
		bool wanted[] = { last == 0, false, true };

		findings_want(wanting_rules, 2, three, 3, false, wanted);
		ck_assert(wanted[1] == (last == 0));
		wanted[1] = false;
		findings_want(wanting_rules, 2, three + 1, 2, false, wanted + 1); /* or it is not there */
		ck_assert(!wanted[1]);
	}
}

struct meter_row {
	const char *name;
	uint64_t total;
	double level;
};

static const struct column meter_columns[] = {
	COLUMN(struct meter_row, name, .kind = COLUMN_KEY, .title = "name", .help = "h"),
	COLUMN(struct meter_row, total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "n",
	       .help = "h"),
	COLUMN(struct meter_row, level, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "l", .help = "h"),
};

static const struct schema meter_schema = {
	.name = "meter",
	.help = "meters",
	.row_size = sizeof(struct meter_row),
	SCHEMA_COLUMNS(meter_columns),
};

#define GROWS(of) .column = of, .window_seconds = 1

static const struct finding_rule meter_rules[] = {
	{ .name = "total",
	  .topic = "meter",
	  .key = "name",
	  .text = "total {n}",
	  .values = { { .name = "n", GROWS("total"), LIMIT_OF(UNIT_COUNT, 5), .at_most = true } } },
	{ .name = "level",
	  .topic = "meter",
	  .key = "name",
	  .left_to = "place",
	  .text = "level {n}",
	  .values = { { .name = "n", GROWS("level"), LIMIT_OF(UNIT_COUNT, 5), .at_most = true } } },
};

/* A counter that falls was reset, and is not known then; a gauge may fall. Each row has a past of its own. */
START_TEST(counters_and_gauges_grow_within_a_window)
{
	static const struct schema *const schemas[] = { &finding_schema, &meter_schema, &place_schema };
	static const struct meter_row rows[][2] = { { { "a", 10, 10 }, { "b", 100, 100 } },
						    { { "a", 4, 4 }, { "b", 105, 106 } },
						    { { "a", 9, 5 }, { "b", 111, 111 } } };
	static const char *const first[][2] = { { NULL } };
	static const char *const second[][2] = { { "b", "total 5" }, { "a", "level -6" }, { NULL } };
	static const char *const third[][2] = {
		{ "a", "total 5" }, { "a", "level 1" }, { "b", "level 5" }, { NULL }
	};
	static const char *const left[][2] = { { "a", "total 5" }, { "a", "level 1" }, { NULL } };
	static const char *const(*texts[])[2] = { first, second, third };
	struct findings *findings = findings_open(meter_rules, 2, NULL);
	struct table *places, *meters;
	struct place_row *place;
	struct frame frame;

	frame_open(&frame, schemas, 3);
	for (unsigned i = 0; i < 3; i++) {
		frame_clear(&frame);
		frame.mono_ns = (1000 + i) * SECOND_NS;
		meters = frame_slot(&frame, "meter");
		meters->present = true;
		*(struct meter_row *)table_add(meters) = rows[i][0];
		*(struct meter_row *)table_add(meters) = rows[i][1];
		findings_derive(findings, &frame, true);
		check_texts(&frame, texts[i]);
	}
	places = frame_slot(&frame, "place");
	places->present = true;
	((struct place_row *)table_add(places))->floor = "x"; /* it has no name */
	for (unsigned i = 0; i < 2; i++) {
		place = table_add(places);
		place->name = "b";
		place->floor = "a"; /* a key, too, but not the name */
	}
	findings_derive(findings, &frame, true);
	check_texts(&frame, left);
	places->failed = true;
	findings_derive(findings, &frame, true);
	check_texts(&frame, third);
	frame_close(&frame);
	findings_close(findings);
}

/* Limits of times have a unit, shares are percentages, and what is wrong leaves the limit as it was. */
START_TEST(limits_are_read_by_their_unit)
{
	static const struct {
		enum unit unit;
		const char *text;
		double number; /* NaN: it is wrong */
	} cases[] = {
		{ UNIT_SECONDS, "90", 90 },    { UNIT_SECONDS, "2min", 120 }, { UNIT_SECONDS, "0", 0 },
		{ UNIT_SECONDS, "50%", NAN },  { UNIT_SECONDS, "-1", NAN },   { UNIT_RATIO, "50%", 0.5 },
		{ UNIT_RATIO, "50   %", 0.5 }, { UNIT_RATIO, "0.25", 0.25 },  { UNIT_RATIO, "50% x", NAN },
		{ UNIT_RATIO, "x", NAN },      { UNIT_COUNT, "7", 7 },        { UNIT_COUNT, "7min", NAN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding_limit limit = { .setting = "own", .unit = cases[i].unit, .number = 77 };
		const struct finding_rule rules[] = { { .name = "other" },
						      { .name = "rule", .hold = limit } };
		bool good = !isnan(cases[i].number);
		struct settings settings;

		settings_open(&settings);
		settings_set(&settings, "finding.own", cases[i].text, 0);
		ck_assert_msg(finding_setting_valid(rules, 2, "finding.own", cases[i].text) == good, "%s",
			      cases[i].text);
		ck_assert_double_eq(finding_number(&settings, &limit), good ? cases[i].number : 77);
		settings_close(&settings);
	}
}

/* Derived from other tables, over an interval; its number and text are other ones in each sample. */
START_TEST(the_table_of_findings_is_described)
{
	ck_assert(finding_schema.over_interval && finding_schema.derived);
	for (unsigned i = 0; i < finding_schema.n_columns; i++) {
		const struct column *column = &finding_schema.columns[i];
		bool text = strcmp(column->key, "text") == 0;

		ck_assert_msg(column->fleeting == (text || strcmp(column->key, "number") == 0), "%s",
			      column->key);
		ck_assert_msg(column->prose == text, "%s", column->key);
	}
}
