/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process grew most, of those that the memory pane has seen. */
#include "suite.h"

#include "pane/memory/memory.h"
#include "scene.h"
#include "topic/topic.h"

/* Two moments. One process is new in the second one, one was not known before, one has the PID of another. */
static const char *const rows[] = {
	"0 process 9 start_seconds=1 resident_bytes=100MiB@1:300MiB",
	"0 process 7 start_seconds=1 resident_bytes=100MiB@1:110MiB",
	"0 process 8 start_seconds=1@1:2 resident_bytes=900MiB@1:4000MiB",
	"0 process 5 start_seconds=1 resident_bytes=-@1:900MiB",
	"1 process 3 start_seconds=1 resident_bytes=5000MiB",
};
enum { BEFORE, AFTER };

/* One of them, this many seconds after boot: "since SECONDS: PID MIB", as far as that is known. */
static const char *grower_at(struct memory_growth *growth, unsigned seconds, unsigned moment)
{
	const struct schema *schema = topic_find("process")->schema;
	struct memory_grower most;
	struct scene scene = { 0 };
	struct frame frame;
	const char *text;

	frame_open(&frame, &schema, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s", rows[i]);
		scene_add(&scene, line);
	}
	scene_fill(&scene, &frame, moment);
	frame.mono_ns = frame.tables[0].mono_ns = seconds * UINT64_C(1000000000);
	memory_growth_add(growth, &frame);
	most = memory_growth_most(growth, &frame);
	text = most.since_ns == 0 ? "" : textf("since %g:", (double)most.since_ns / 1e9);
	if (most.row)
		text = textf("%s %g %g", text, table_number(&frame.tables[0], most.row, "pid"),
			     most.bytes / 1048576);
	scene_empty(&scene);
	frame_close(&frame);
	return text;
}

START_TEST(who_grew_most)
{
	struct memory_growth growth = { 0 };

	ck_assert_str_eq(grower_at(&growth, 100, BEFORE), "");
	ck_assert_str_eq(grower_at(&growth, 103, AFTER), ""); /* too short a time */
	ck_assert_str_eq(grower_at(&growth, 110, BEFORE), "since 100:");
	ck_assert_str_eq(grower_at(&growth, 120, AFTER), "since 100: 9 200");
	ck_assert_str_eq(grower_at(&growth, 130, AFTER), "since 100: 9 200");
	ck_assert_str_eq(grower_at(&growth, 161, AFTER), "since 120:");
	ck_assert_str_eq(grower_at(&growth, 50, AFTER), ""); /* back in a recording */
	memory_growth_free(&growth);
}

/* An earlier frame says what it said, unless that is too long ago; and another boot knows nothing. */
START_TEST(who_had_grown_then)
{
	struct memory_growth growth = { 0 };

	grower_at(&growth, 100, BEFORE);
	for (unsigned seconds = 101; seconds < 360; seconds++)
		grower_at(&growth, seconds, AFTER);
	ck_assert_str_eq(grower_at(&growth, 110, AFTER), "since 100: 9 200");
	ck_assert_str_eq(grower_at(&growth, 130, AFTER), "since 100: 9 200");
	ck_assert_str_eq(grower_at(&growth, 170, AFTER), "since 120:");
	ck_assert_str_eq(grower_at(&growth, 359, AFTER), "since 300:");
	for (unsigned seconds = 360; seconds < 460; seconds++)
		grower_at(&growth, seconds, AFTER);
	ck_assert_str_eq(grower_at(&growth, 130, AFTER), "");
	ck_assert_str_eq(grower_at(&growth, 400, AFTER), "since 360:");
	growth.boot++;
	ck_assert_str_eq(grower_at(&growth, 400, AFTER), "");
	memory_growth_free(&growth);
}
