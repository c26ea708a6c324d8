/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what --assert and --when say of conditions that do not hold, or cannot be judged. */
#include "suite.h"

#include "app/assertion.h"
#include "app/rule_list.h"
#include "core/alloc.h"
#include "sys/descriptor.h"
#include "topic/topic.h"

static const char *not_wanted; /* a topic that the run does not sample */

static void *add(struct frame *frame, const char *topic, const char *key, const char *text)
{
	struct table *table = frame_slot(frame, topic);
	void *row;

	table->present = true;
	row = table_add(table);
	row_set_text(row, schema_find(table->schema, key), text);
	return row;
}

static void put(struct frame *frame, const char *topic, void *row, const char *key, double number)
{
	row_set_f64(row, schema_find(frame_table(frame, topic)->schema, key), number);
}

/* Three CPUs and their sum, of which two are busy, two disks and their sum, and a finding. */
static void open_machine_frame(struct frame *frame)
{
	static const char *const cpus[] = { "all", "0", "1", "2" };
	static const double ratios[] = { 0.5, 0.9, 0.1, 0.5 }, busy[] = { 1.4, 0.8, 0.6 };
	static const char *const disks[] = { "all", "sda", "sdb" };
	void *finding;

	frame_open(frame, topic_schemas(), n_topics);
	for (unsigned i = 0; i < 4; i++)
		put(frame, "cpu", add(frame, "cpu", "cpu", cpus[i]), "busy_ratio", ratios[i]);
	for (unsigned i = 0; i < 3; i++)
		put(frame, "disk", add(frame, "disk", "device", disks[i]), "busy_ratio", busy[i]);
	finding = add(frame, "finding", "rule", "memory-short");
	row_set_text(finding, schema_find(frame_table(frame, "finding")->schema, "text"), "memory is short");
}

/* What is said of these conditions, and the status of the run. */
static void check(const char *text, int expected, const char *message)
{
	const struct options options = { .assertion = text };
	bool *wanted = alloc_zeroed(n_topics, sizeof(*wanted));
	const struct run_plan run = { .wanted = wanted };
	struct assertion assertion;
	struct frame frame;
	const char *said;
	int status;

	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] = !not_wanted || strcmp(topics[i]->schema->name, not_wanted) != 0;
	open_machine_frame(&frame);
	status = assertion_open(&assertion, &options, &run);
	if (!status) {
		assertion_take(&assertion, &frame);
		status = assertion_judge(&assertion);
	}
	said = said_now();
	ck_assert_msg(status == expected && strcmp(said, message) == 0, "%s: %d, %s", text, status, said);
	assertion_close(&assertion);
	frame_close(&frame);
	free(wanted);
}

#define SAYS(text) "--assert: " text "\n"

START_TEST(what_is_found_instead)
{
	check("cpu(all).busy_ratio < 60%", 0, "");
	check("cpu(0).busy_ratio < 0.5", 3, SAYS("failed: cpu(0).busy_ratio < 0.5; it is 90 %"));
	check("cpu.busy_ratio < 0.6", 3, SAYS("failed: cpu.busy_ratio < 0.6; it is 90 %, 0"));
	check("disk.busy_ratio < 0.9, disk == 3", 0, "");
	check("disk(all).busy_ratio < 0.9", 3, SAYS("failed: disk(all).busy_ratio < 0.9; it is 140 %"));
	check("cpu == 0", 3, SAYS("failed: cpu == 0; it is 4: all; 0; 1"));
	check("cpu >= 4", 0, "");
	check("cpu(2) == 0, cpu(all) == 1, cpu(1).busy_ratio > 50%", 3,
	      SAYS("failed: cpu(2) == 0; it is 1: 2")
		      SAYS("failed: cpu(1).busy_ratio > 50%; it is 10 %"));
	check("cpu(7).busy_ratio < 1", 3, SAYS("failed: cpu(7).busy_ratio < 1; it is unknown"));
	check("finding == 0", 3, SAYS("failed: finding == 0; it is 1: memory-short: memory is short"));
}

START_TEST(what_cannot_be_judged)
{
	check("cp > 1", 2, SAYS("unknown topic 'cp'; did you mean cpu?"));
	check("nothing_like_it > 1", 2, SAYS("unknown topic 'nothing_like_it'; see panetop --describe"));
	check("cpu(0).busy_rati < 1", 2,
	      SAYS("unknown column 'busy_rati' of cpu; did you mean busy_ratio?"));
	check("cpu(0).zzzzzzzzz < 1", 2,
	      SAYS("unknown column 'zzzzzzzzz' of cpu; see panetop --describe cpu"));
	check("cpu(0).cpu < 1", 2, SAYS("'cpu' is not a numeric column of cpu; see panetop --describe"));
	check("cpu(0,1).busy_ratio < 1", 2,
	      SAYS("'1': cpu has fewer keys; other columns are chosen by COLUMN=VALUE"));
	check("cpu(0).busy_ratio < 1s", 2,
	      SAYS("busy_ratio of cpu has the unit ratio, not the one of the condition"));
	check("cpu < 1s", 2, SAYS("the number of rows of cpu has no unit"));
	check("cpu(0.busy_ratio < 1", 2, SAYS("a bracket or quote is not closed"));
	check("cpu > 1,", 2, SAYS("'': a condition begins as in memory(mem).used_bytes"));
	check("cpu > 1 x", 2, SAYS("unexpected 'x'; separate conditions with commas"));
	check("cpu(0).busy_ratio < ,", 2,
	      SAYS("a number must follow, as in 4, 15%, 100us or 500MiB; not ','"));
	not_wanted = "cpu";
	check("cpu > 1", 2, SAYS("this run does not sample cpu; add -t cpu, or a pane that has it"));
	not_wanted = "finding";
	check("cpu > 1", 0, "");
	not_wanted = NULL;
}

START_TEST(rules_are_about_rows_events_or_growth)
{
	static const struct {
		const char *text, *why; /* NULL: it is good */
		enum rule_event event;
		bool of_growth;
	} cases[] = {
		{ "system.load1 > 1", NULL, RULE_EVENT_NONE, false },
		{ "system.load1 > 1 for 30s until system.load1 < 0.5", NULL, RULE_EVENT_NONE, false },
		{ "process(command=x).exits", NULL, RULE_EVENT_END, false },
		{ "process(command=x).starts at most once per 5min", NULL, RULE_EVENT_START, false },
		{ "file(path=/etc/hosts).changes", NULL, RULE_EVENT_CHANGE, false },
		{ "interrupt(0).interrupts", NULL, RULE_EVENT_NONE, true },
		{ "process(command=x)", NULL, RULE_EVENT_NONE, false },
		{ "file(path=etc).changes", "'etc': expected a whole path, from / on" },
		{ "file(name=/etc).changes", "unknown topic 'file'" },
		{ "process(command=x).ends", "unknown column 'ends' of process" },
		{ "process(user=x).exits", "unknown column 'exits' of process" },
		{ "process(command=x,user=y).exits", "unknown column 'exits' of process" },
		{ "process.exits", "unknown column 'exits' of process" },
		{ "cpu(command=x).exits", "unknown column" },
		{ "process(command=x).exits for 3s", "has no duration" },
		{ "process(command=x).starts until system.load1 > 1", "has no duration" },
		{ "file(path=/a).changes for 1min", "has no duration" },
		{ "interrupt(0).interrupts for 3s", "has no duration" },
		{ "system.load1", "must follow" },
		{ "system.load1 > 1 for ever", "a duration must follow, as in 30s or 5min; not '" },
		{ "system.load1 > 1 and more", "unexpected 'and more'; behind a condition" },
		{ "system.load1 > 1 for 3s for 4s", "this is there twice" },
		{ "nothing.load1 > 1", "unknown topic 'nothing'" },
		{ "system.load1 > 1 until nothing.load1 > 1", "unknown topic 'nothing'" },
		{ "system.load1 > 1 until system.lod1 > 1", "unknown column 'lod1' of system" },
	};
	size_t n_events[4] = { 0 };
	struct rule_list list = { 0 };
	const struct listed_rule *rule;

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		int status = rule_list_add(&list, "--when", cases[c].text, NULL);
		const char *why = said_now();

		ck_assert_msg(status == (cases[c].why ? 2 : 0), "%s: %d %s", cases[c].text, status, why);
		if (cases[c].why) {
			ck_assert_msg(strncmp(why, "--when: ", 8) == 0 && strstr(why, cases[c].why), "%s: %s",
				      cases[c].text, why);
			rule_list_shorten(&list, list.n_rules - 1);
			continue;
		}
		rule = &list.rules[list.n_rules - 1];
		ck_assert_str_eq(why, "");
		ck_assert_msg(rule->event == cases[c].event, "%s", cases[c].text);
		ck_assert_msg(rule->rule.of_growth == cases[c].of_growth, "%s", cases[c].text);
		ck_assert(!rule->has_command);
		n_events[cases[c].event]++;
	}
	for (unsigned event = 0; event < 4; event++)
		ck_assert_uint_eq(rule_list_events(&list, (enum rule_event)event), n_events[event]);
	ck_assert_str_eq(listed_rule_name(&list.rules[2]), "x");
	ck_assert_str_eq(listed_rule_name(&list.rules[4]), "/etc/hosts");
	rule_list_free(&list);
	ck_assert_uint_eq(list.n_rules, 0);
}

START_TEST(rules_have_their_commands)
{
	struct rule_list list = { 0 };

	ck_assert_int_eq(rule_list_add(&list, "a:1", "system.load1 > 1", "/bin/true 'a b'"), 0);
	ck_assert_int_eq(rule_list_add(&list, "a:2", "system.load1 > 2", NULL), 0);
	ck_assert(list.rules[0].has_command && !list.rules[1].has_command);
	ck_assert_str_eq(list.rules[0].command.words[1], "a b");
	ck_assert_ptr_null(list.rules[0].command.words[2]);
	ck_assert_str_eq(said_now(), "");
	ck_assert_int_eq(rule_list_add(&list, "a:3", "system.load1 > 3", "'open"), 2);
	ck_assert_str_eq(
		said_now(),
		"a:3: ''open': expected a program and its arguments, at most 64 words; quotes are closed\n");
	rule_list_shorten(&list, 3);
	ck_assert_uint_eq(list.n_rules, 3);
	rule_list_shorten(&list, 1);
	ck_assert_uint_eq(list.n_rules, 1);
	ck_assert_str_eq(list.rules[0].text, "system.load1 > 1");
	rule_list_free(&list);
}
