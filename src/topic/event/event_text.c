/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Not translated: scripts parse these words. */
#include <config.h>

#include "topic/event/event_text.h"

#include <string.h>

#include "core/error_name.h"
#include "core/unknown.h"

#define SIGNAL_MASK 0x7f

const char *event_kind_text(enum event_kind kind)
{
	static const char *const texts[N_EVENT_KINDS] = {
		[EVENT_FORK] = "fork",	   [EVENT_EXEC] = "exec", [EVENT_EXIT] = "exit",
		[EVENT_CORE] = "core",	   [EVENT_COMM] = "comm", [EVENT_CLONE] = "clone",
		[EVENT_PTRACE] = "ptrace", [EVENT_UID] = "uid",	  [EVENT_GID] = "gid",
		[EVENT_SID] = "sid",
	};

	return texts[kind];
}

const char *event_mark(const struct event *event)
{
	static const char *const marks[N_EVENT_KINDS] = {
		[EVENT_FORK] = "+", [EVENT_EXEC] = ">",   [EVENT_EXIT] = "-", [EVENT_CORE] = "C",
		[EVENT_COMM] = "=", [EVENT_CLONE] = "t",  [EVENT_PTRACE] = "P", [EVENT_UID] = "U",
		[EVENT_GID] = "G",  [EVENT_SID] = "S",
	};
	bool failed = event->exit_code != 0 && event->exit_code != UINT32_MAX;

	return event->kind != EVENT_EXIT ? marks[event->kind]
	       : event->tid != event->pid ? "t"
	       : failed			  ? "!"
					  : "-";
}

uint64_t event_exit_code(uint32_t exit_code)
{
	return exit_code == UINT32_MAX || exit_code & SIGNAL_MASK ? U64_UNKNOWN : exit_code >> 8 & 0xff;
}

uint64_t event_exit_signal(uint32_t exit_code)
{
	return exit_code == UINT32_MAX || !(exit_code & SIGNAL_MASK) ? U64_UNKNOWN : exit_code & SIGNAL_MASK;
}

/* "1", "SIGSEGV core", "signal 40". */
const char *event_status(struct arena *arena, uint32_t exit_code)
{
	uint64_t number = event_exit_signal(exit_code);
	const char *core = exit_code & EVENT_CORE_DUMPED ? " core" : "", *name;

	if (exit_code == UINT32_MAX)
		return NULL;
	if (number == U64_UNKNOWN)
		return exit_code ? arena_print(arena, "%u", exit_code >> 8 & 0xff) : "0";
	name = signal_name((unsigned)number);
	return name ? arena_print(arena, "SIG%s%s", name, core)
		    : arena_print(arena, "signal %u%s", (unsigned)number, core);
}

static const char *exit_info(struct arena *arena, const struct event *event)
{
	const char *thread = event->tid != event->pid ? "thread " : "";
	const char *status = event_status(arena, event->exit_code);
	bool by_signal = event_exit_signal(event->exit_code) != U64_UNKNOWN;

	if (!status)
		return *thread ? "thread" : "";
	return arena_print(arena, "%s%s%s", thread, by_signal ? "" : "code ", status);
}

const char *event_info(struct arena *arena, const struct event *event, const char *texts)
{
	const char *verb = event->attached ? "attach" : "detach";

	switch (event->kind) {
	case EVENT_CLONE:
		return arena_print(arena, "thread %u", event->tid);
	case EVENT_EXIT:
		return exit_info(arena, event);
	case EVENT_COMM:
		return arena_print(arena, "%s%s", event->tid != event->pid ? "thread is " : "was ",
				   texts + event->was);
	case EVENT_PTRACE:
		return event->other_pid == event->pid ? arena_print(arena, "%sed", verb)
						      : arena_print(arena, "%s %u", verb, event->other_pid);
	case EVENT_UID:
	case EVENT_GID:
		return event->real_id == event->effective_id
			       ? arena_print(arena, "%u", event->real_id)
			       : arena_print(arena, "%u effective %u", event->real_id, event->effective_id);
	case EVENT_SID:
		return arena_print(arena, "%u", event->pid);
	case EVENT_FORK:
	case EVENT_EXEC:
	case EVENT_CORE:
	case N_EVENT_KINDS:
		break;
	}
	return "";
}
