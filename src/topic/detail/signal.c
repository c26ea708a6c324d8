/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "signal": what the selected process does with each signal. */
#include <config.h>

#include <signal.h>

#include "core/error_name.h"
#include "core/i18n.h"
#include "kernel/pid/pid_stat.h"
#include "topic/detail/process_page.h"

#define SIGNALS 64
#define STANDARD_SIGNALS 31

struct signal_row {
	uint64_t pid;
	double start_seconds;
	uint64_t number;
	const char *name, *action, *blocked, *pending;
};

#define ROW(field, ...) COLUMN(struct signal_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(number, A_KEY(N_("signal"), 6), .help = N_("number of the signal"), .source = "signal(7)"),
	ROW(name, A_LABEL(N_("name"), 8), .help = N_("name of the signal; RTMIN+n: a real-time signal"),
	    .source = "signal(7)"),
	ROW(action, A_LABEL(N_("action"), 8), .words = true, .fleeting = true,
	    .help = N_("caught: a function of the program gets it; ignored; default: as the kernel does"),
	    .source = "/proc/PID/status SigCgt, SigIgn"),
	ROW(blocked, A_LABEL(N_("blocked"), 8), .words = true, .fleeting = true,
	    .help = N_("yes: the main thread gets it later, once it unblocks it"),
	    .source = "/proc/PID/status SigBlk"),
	ROW(pending, A_LABEL(N_("pending"), 8), .words = true, .fleeting = true,
	    .help = N_("yes: it was sent, and the process has not got it yet"),
	    .source = "/proc/PID/status ShdPnd, SigPnd"),
};

static const struct schema schema = {
	.name = "signal",
	.help = N_("what the selected process does with signals"),
	SCHEMA_ROWS(struct signal_row, columns),
};

static bool has(uint64_t set, unsigned number)
{
	return set >> (number - 1) & 1;
}

static const char *yes_no(bool yes)
{
	return yes ? N_("yes") : N_("no");
}

static const char *name_of(struct arena *arena, unsigned number)
{
	const char *name = signal_name(number);

	if (name)
		return name;
	return (int)number >= SIGRTMIN && (int)number <= SIGRTMAX
		       ? arena_print(arena, "RTMIN+%d", (int)number - SIGRTMIN)
		       : arena_print(arena, "%u", number); /* used by the C library */
}

static void add_signal(struct sample *sample, const struct process_page *page,
		       const struct pid_signals *signals, unsigned number)
{
	struct signal_row *row = table_add(sample->table);

	row->pid = page->target->pid;
	row->start_seconds = process_page_start(page);
	row->number = number;
	row->name = name_of(&sample->frame->arena, number);
	row->action = has(signals->caught, number)    ? N_("caught")
		      : has(signals->ignored, number) ? N_("ignored")
						      : N_("default");
	row->blocked = yes_no(has(signals->blocked, number));
	row->pending = yes_no(has(signals->pending | signals->thread_pending, number));
}

static int sample_signals(struct sample *sample)
{
	struct process_page *page = sample->state;
	struct pid_signals signals;
	uint64_t any;

	if (!process_page_has_process(page) ||
	    !pid_status_signals(process_page_text(page, PAGE_STATUS), &signals))
		return 0;
	any = signals.caught | signals.ignored | signals.blocked | signals.pending | signals.thread_pending;
	for (unsigned number = 1; number <= SIGNALS; number++)
		if (number <= STANDARD_SIGNALS || has(any, number))
			add_signal(sample, page, &signals, number);
	return 0;
}

const struct topic topic_signal = {
	.schema = &schema,
	.sources = process_page_sources,
	.uses = PROCESS_PAGE_USES,
	.reads = READING_ONE(&process_page_reader),
	.sample = sample_signals,
};
