/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the words of process events: terminals, results of exits, marks and info of every kind. */
#include <config.h>

#include <signal.h>

#include "core/unknown.h"
#include "suite.h"
#include "topic/event/event_text.h"
#include "topic/terminal_name.h"

START_TEST(terminals_are_called_as_their_devices)
{
	static const struct {
		int64_t device;
		const char *text;
	} terminals[] = {
		{ 0, "" },
		{ 34816, "pts/0" },
		{ 34819, "pts/3" },
		{ 0x8900 + 1, "pts/257" },
		{ 0x108801, "pts/257" },
		{ 1025, "tty1" },
		{ 1088, "ttyS0" },
		{ 0x501, "console" },
		{ 0xcc40, "204:64" },
	};
	struct arena arena = { 0 };

	ck_assert_ptr_null(terminal_name(&arena, -1));
	for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		ck_assert_str_eq(terminal_name(&arena, terminals[i].device), terminals[i].text);
	arena_free(&arena);
}
END_TEST

START_TEST(exits_are_codes_or_signals)
{
	ck_assert_uint_eq(event_exit_code(0), 0);
	ck_assert_uint_eq(event_exit_code(3 << 8), 3);
	ck_assert_uint_eq(event_exit_code(255 << 8), 255);
	ck_assert_uint_eq(event_exit_signal(0), U64_UNKNOWN);
	ck_assert_uint_eq(event_exit_signal(3 << 8), U64_UNKNOWN);
	ck_assert_uint_eq(event_exit_code(SIGKILL), U64_UNKNOWN);
	ck_assert_uint_eq(event_exit_signal(SIGKILL), SIGKILL);
	ck_assert_uint_eq(event_exit_signal(SIGSEGV | 0x80), SIGSEGV);
	ck_assert_uint_eq(event_exit_code(UINT32_MAX), U64_UNKNOWN);
	ck_assert_uint_eq(event_exit_signal(UINT32_MAX), U64_UNKNOWN);
}
END_TEST

START_TEST(a_status_is_a_code_or_a_signal)
{
	struct arena arena = { 0 };

	ck_assert_str_eq(event_status(&arena, 0), "0");
	ck_assert_str_eq(event_status(&arena, 255 << 8), "255");
	ck_assert_str_eq(event_status(&arena, SIGKILL), "SIGKILL");
	ck_assert_str_eq(event_status(&arena, SIGSEGV | 0x80), "SIGSEGV core");
	ck_assert_str_eq(event_status(&arena, 40), "signal 40");
	ck_assert_ptr_null(event_status(&arena, UINT32_MAX));
	arena_free(&arena);
}
END_TEST

START_TEST(events_are_told_in_words)
{
	static const struct {
		struct event event;
		const char *mark, *info;
	} told[] = {
		{ { .kind = EVENT_FORK, .pid = 5, .tid = 5 }, "+", "" },
		{ { .kind = EVENT_EXEC, .pid = 5, .tid = 5 }, ">", "" },
		{ { .kind = EVENT_CLONE, .pid = 5, .tid = 6 }, "t", "thread 6" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 5, .exit_code = 0 }, "-", "code 0" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 5, .exit_code = UINT32_MAX }, "-", "" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 5, .exit_code = 7 << 8 }, "!", "code 7" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 5, .exit_code = SIGKILL }, "!", "SIGKILL" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 5, .exit_code = SIGSEGV | 0x80 },
		  "!",
		  "SIGSEGV core" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 5, .exit_code = 40 }, "!", "signal 40" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 6, .exit_code = 0 }, "t", "thread code 0" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 6, .exit_code = UINT32_MAX }, "t", "thread" },
		{ { .kind = EVENT_CORE, .pid = 5, .tid = 5 }, "C", "" },
		{ { .kind = EVENT_COMM, .pid = 5, .tid = 5, .was = 1 }, "=", "was old" },
		{ { .kind = EVENT_COMM, .pid = 5, .tid = 6, .was = 1 }, "=", "thread is old" },
		{ { .kind = EVENT_PTRACE, .pid = 5, .tid = 5, .other_pid = 9, .attached = true },
		  "P",
		  "attach 9" },
		{ { .kind = EVENT_PTRACE, .pid = 5, .tid = 5, .other_pid = 9 }, "P", "detach 9" },
		{ { .kind = EVENT_PTRACE, .pid = 5, .tid = 5, .other_pid = 5 }, "P", "detached" },
		{ { .kind = EVENT_UID, .pid = 5, .tid = 5, .real_id = 1000, .effective_id = 1000 },
		  "U",
		  "1000" },
		{ { .kind = EVENT_GID, .pid = 5, .tid = 5, .real_id = 1000 }, "G", "1000 effective 0" },
		{ { .kind = EVENT_SID, .pid = 5, .tid = 5 }, "S", "5" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		ck_assert_str_eq(event_mark(&told[i].event), told[i].mark);
		ck_assert_str_eq(event_info(&arena, &told[i].event, "\0old"), told[i].info);
	}
	for (enum event_kind kind = 0; kind < N_EVENT_KINDS; kind++)
		ck_assert_ptr_nonnull(event_kind_text(kind));
	arena_free(&arena);
}
END_TEST
