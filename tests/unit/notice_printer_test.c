/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices on standard error: each once, whatever its numbers are. */
#include "suite.h"

#include "app/sampling.h"
#include "sys/descriptor.h"

START_TEST(a_notice_comes_once)
{
	static const struct {
		const char *text;
		bool is_new;
	} steps[] = {
		{ "a sample takes 0.0062 s; every 0.062 s", true },
		{ "a sample takes 0.01 s; every 0.1 s", false },
		{ "a sample takes 1 s; every 10 s", false },
		{ "a sample takes 1 s; every day", true },
		{ "9 processes are hidden", true },
		{ "10 processes are hidden", false },
		{ "the end is 3.", true },
		{ "the end is 3", true },
		{ "the end is 42.", false },
	};
	struct notice_printer printer = { 0 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct notice notice = { .topic = "test", .text = steps[i].text };
		size_t before = strlen(error_message_log());

		notice_printer_print(&printer, &notice);
		ck_assert_msg((strlen(error_message_log()) > before) == steps[i].is_new, "%s", steps[i].text);
	}
	notice_printer_free(&printer);
}
