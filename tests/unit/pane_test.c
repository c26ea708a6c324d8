/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what panes say in words. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "pane/memory/memory.h"
#include "pane/text.h"
#include "suite.h"

#define GIB 1073741824.0

static const struct memory_facts calm = {
	.seconds = 300,
	.refaulted_pages = 0,
	.evicted_pages = 0,
	.swapped_in_pages = 0,
	.caches_bytes = 14 * GIB,
	.stalled_ratio = 0,
};

static void assert_told(struct memory_facts facts, const char *expected)
{
	char text[512];

	memory_story(&facts, text, sizeof(text));
	ck_assert_msg(*expected ? strstr(text, expected) != NULL : *text == '\0', "'%s' says not '%s'", text,
		      expected);
}

START_TEST(the_story_follows_the_numbers)
{
	struct memory_facts facts = calm;

	assert_told(facts, "No refault in 5 min and nothing had to be dropped: 14.0 GiB of cache could go");
	facts.evicted_pages = 3402;
	assert_told(facts, "No refault in 5 min, though 3402 pages were dropped: 14.0 GiB of cache could go");
	facts.refaulted_pages = 30;
	assert_told(facts, "Only 30 pages were dropped and wanted again in 5 min");
	facts.refaulted_pages = 30000;
	assert_told(
		facts,
		"30000 pages were dropped and wanted again in 5 min (100/s): more is in use than 14.0 GiB");
	facts.calm_seconds = 60;
	assert_told(facts,
		    "30000 pages were dropped and wanted again in 5 min, none in the last 60 s; 14.0 GiB");
	facts.calm_seconds = 0;
	facts.stalled_ratio = 0.125;
	facts.swapped_in_pages = 77;
	assert_told(facts, "Memory is short: 30000 pages wanted again in 5 min (100/s), 77 read back from "
			   "swap, tasks waited 12 %");
}
END_TEST

/* Where reclaim took nothing, a refault is no sign of a short machine. */
START_TEST(the_story_does_not_blame_reclaim_for_a_drop)
{
	struct memory_facts facts = calm;

	facts.refaulted_pages = 5000;
	assert_told(facts, "though the machine dropped none of itself");
}
END_TEST

START_TEST(the_story_says_nothing_it_does_not_know)
{
	struct memory_facts facts = calm;

	facts.seconds = 3;
	assert_told(facts, "Watching for refaults since 3 s.");
	facts.seconds = 0;
	assert_told(facts, "");
	facts.seconds = 300;
	facts.refaulted_pages = NAN;
	assert_told(facts, "");
	facts = calm;
	facts.evicted_pages = NAN;
	facts.stalled_ratio = NAN;
	assert_told(facts, "No refault in 5 min");
}
END_TEST

START_TEST(words_of_panes)
{
	char text[TEXT_MAX], stretch[STRETCH_MAX];

	ck_assert_str_eq(failure_text(text, -ESRCH, NULL), "the process has ended");
	ck_assert_str_eq(failure_text(text, -ENOTSUP, NULL), "this is not the live machine");
	ck_assert_str_eq(failure_text(text, -EPERM, "run it as root"),
			 "Operation not permitted; run it as root");
	ck_assert_str_eq(stretch_text(stretch, 119), "119 s");
	ck_assert_str_eq(stretch_text(stretch, 719), "11 min");
	ck_assert_str_eq(stretch_text(stretch, 12960), "3.6 h");
}
END_TEST
