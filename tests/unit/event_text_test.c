/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the words of process events: terminals, users, results of exits, marks and info of every kind. */
#include "rig.h"

#include <pwd.h>

#include "core/unknown.h"
#include "topic/event/event_batch.h"
#include "topic/users.h"

START_TEST(terminals_are_called_as_their_devices)
{
	static const struct {
		int64_t device;
		const char *text;
	} terminals[] = {
		{ 0, "" },              { 34816, "pts/0" },    { 34819, "pts/3" },      { 0x8901, "pts/257" },
		{ 0x108801, "pts/257" }, { 1025, "tty1" },      { 1088, "ttyS0" },      { 0x501, "console" },
		{ 0x500, "5:0" },       { 0x502, "5:2" },      { 0x400 + 63, "tty63" }, { 0x87ff, "135:255" },
		{ 0x8fff, "pts/2047" }, { 0x9000, "144:0" },   { 0xcc40, "204:64" },
	};
	struct arena arena = { 0 };

	ck_assert_ptr_null(terminal_name(&arena, -1));
	for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		ck_assert_str_eq(terminal_name(&arena, terminals[i].device), terminals[i].text);
	arena_free(&arena);
}

START_TEST(exits_are_codes_or_signals)
{
	static const struct {
		uint32_t status;
		uint64_t code, signal;
		const char *text;
	} cases[] = {
		{ 0, 0, U64_UNKNOWN, "0" },
		{ 3 << 8, 3, U64_UNKNOWN, "3" },
		{ 255 << 8, 255, U64_UNKNOWN, "255" },
		{ SIGKILL, U64_UNKNOWN, SIGKILL, "SIGKILL" },
		{ SIGSEGV | 0x80, U64_UNKNOWN, SIGSEGV, "SIGSEGV core" },
		{ 40, U64_UNKNOWN, 40, "signal 40" },
		{ UINT32_MAX, U64_UNKNOWN, U64_UNKNOWN, NULL },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_uint_eq(event_exit_code(cases[i].status), cases[i].code);
		ck_assert_uint_eq(event_exit_signal(cases[i].status), cases[i].signal);
		ck_assert_pstr_eq(event_status(&arena, cases[i].status), cases[i].text);
	}
	arena_free(&arena);
}

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
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 6, .exit_code = 0 }, "t", "thread code 0" },
		{ { .kind = EVENT_EXIT, .pid = 5, .tid = 6, .exit_code = UINT32_MAX }, "t", "thread" },
		{ { .kind = EVENT_CORE, .pid = 5, .tid = 5 }, "C", "" },
		{ { .kind = EVENT_COMM, .pid = 5, .tid = 5, .was = 1 }, "=", "was old" },
		{ { .kind = EVENT_COMM, .pid = 5, .tid = 6, .was = 1 }, "=", "thread is old" },
		{ { .kind = EVENT_PTRACE, .pid = 5, .tid = 5, .other_pid = 9, .attached = true }, "P",
		  "attach 9" },
		{ { .kind = EVENT_PTRACE, .pid = 5, .tid = 5, .other_pid = 9 }, "P", "detach 9" },
		{ { .kind = EVENT_PTRACE, .pid = 5, .tid = 5, .other_pid = 5 }, "P", "detached" },
		{ { .kind = EVENT_UID, .pid = 5, .tid = 5, .real_id = 1000, .effective_id = 1000 }, "U",
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

/* --- Users, of the file and of a name service of the test. */

#define NAME_OF_63 "a_name_with_so_many_letters_that_it_has_63_of_them_in_all______"

static unsigned n_asked;
static bool service_fails;

static int find_user(const char *name, struct passwd *entry, char *bytes, size_t room, struct passwd **result)
{
	(void)bytes, (void)room;
	n_asked++;
	*result = NULL;
	if (service_fails || (strcmp(name, "ldap") != 0 && strcmp(name, NAME_OF_63) != 0))
		return service_fails ? 5 : 0;
	entry->pw_uid = *name == 'l' ? 5000 : 63;
	*result = entry;
	return 0;
}

static const struct machine_calls calls = { .getpwnam_r = find_user };

START_TEST(users_have_names_and_numbers)
{
	static const struct {
		const char *name;
		int64_t uid; /* -1: there is none */
		bool by_service;
	} cases[] = {
		{ "0", 0, false },
		{ "33", 33, false }, /* a number comes first */
		{ "4294967294", 4294967294, false }, { "4294967295", -1, true }, { "1000x", -1, true },
		{ "-1", -1, true },                  { "bob", 1000, false },     { "bo", -1, true },
		{ "ldap", 5000, true },              { NAME_OF_63, 63, true },
		{ NAME_OF_63 "_", -1, false }, /* no name is so long */
	};
	const char *bob;
	struct rig rig;

	rig_open(&rig, "empty", NULL);
	rig.env.calls = &calls;
	rig_put(&rig, "etc/passwd",
		"root:x:0:0:root:/root:/bin/sh\nbob:x:1000:1000::/home/bob:/bin/sh\n33:x:44:44::/:/bin/sh\n");
	bob = users_name(&rig.env, 1000);
	ck_assert_str_eq(textf("%s %s %s %s", bob, users_name(&rig.env, 0), users_name(&rig.env, 77),
			       users_name(&rig.env, UINT32_MAX)),
			 "bob root 77 4294967295");
	for (unsigned live = 0; live < 2; live++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			bool asks = live && cases[i].by_service;
			bool known = cases[i].uid >= 0 && (asks || !cases[i].by_service);
			uint32_t uid = 7;

			rig.env.live = live;
			n_asked = 0;
			ck_assert_msg(users_number(&rig.env, span_text(cases[i].name), &uid) == known, "%s",
				      cases[i].name);
			ck_assert_uint_eq(uid, known ? (uint32_t)cases[i].uid : 7);
			ck_assert_msg(n_asked == asks, "%s", cases[i].name);
		}
	ck_assert_uint_eq(span_length(users_first_unknown(&rig.env, "bob,0,ldap")), 0);
	ck_assert(span_is(users_first_unknown(&rig.env, "bob,nix,more"), "nix"));
	ck_assert(span_is(users_first_unknown(&rig.env, "nix"), "nix"));
	ck_assert_uint_eq(span_length(users_first_unknown(&rig.env, "")), 0);
	service_fails = true;
	ck_assert(span_is(users_first_unknown(&rig.env, "bob,ldap"), "ldap"));
	rig.env.live = false;
	rig_put(&rig, "etc/passwd", "rob:x:1000:1000::/home/bob:/bin/sh\n");
	rig.env.tick++;
	ck_assert_ptr_eq(users_name(&rig.env, 1000), bob); /* it is looked up once */
	rig_close(&rig);
}
