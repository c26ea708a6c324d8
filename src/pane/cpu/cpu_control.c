/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prompts for CPU affinity, scheduling policy and I/O priority, with what the first target has now. */
#include <config.h>

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/cpu/cpu.h"
#include "sys/process_control.h"

static uint32_t first_pid(const struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;

	return (uint32_t)cpu->targets->pid;
}

static bool take_affinity(struct pane_context *context, const char *text, char *error, size_t room)
{
	struct control_cpus cpus;
	char list[CONTROL_LIST_MAX], order[CPU_ORDER_MAX], targets[TEXT_MAX], done[2 * TEXT_MAX];

	if (*text == '\0')
		return true;
	if (!control_cpus_parse(span_text(text), &cpus)) {
		snprintf(error, room, "%s", _("use a list of CPUs such as 0-3,8"));
		return false;
	}
	control_cpus_text(&cpus, list);
	snprintf(order, sizeof(order), "affinity %s", list);
	snprintf(done, sizeof(done), _("all threads of %s may run on CPU %s"),
		 cpu_targets_text(context->state, targets), list);
	cpu_do(context, order, done);
	return true;
}

void cpu_ask_affinity(struct pane_context *context)
{
	struct control_cpus cpus;
	char label[TEXT_MAX + 64], text[TEXT_MAX], list[CONTROL_LIST_MAX] = "";

	if (control_get_cpus(first_pid(context), &cpus) == 0)
		control_cpus_text(&cpus, list);
	snprintf(label, sizeof(label), _("CPUs for all threads of %s"),
		 cpu_targets_text(context->state, text));
	screen_prompt(context, label, list, take_affinity);
}

static const struct {
	int policy;
	const char *text, *help; /* N_() */
} policies[] = {
	{ SCHED_OTHER, N_("other"), N_("the usual one: CPU time by nice") },
	{ SCHED_BATCH, N_("batch"), N_("as other, but it preempts others less") },
	{ SCHED_IDLE, N_("idle"), N_("gets hardly any time while others want it") },
	{ SCHED_FIFO, N_("fifo ..."), N_("real-time: runs until it sleeps") },
	{ SCHED_RR, N_("rr ..."), N_("real-time: takes turns with others of its priority") },
};

#define N_POLICIES (sizeof(policies) / sizeof(policies[0]))

static void set_policy(struct pane_context *context, int policy, unsigned priority)
{
	char order[CPU_ORDER_MAX], text[TEXT_MAX], done[2 * TEXT_MAX];

	cpu_targets_text(context->state, text);
	snprintf(order, sizeof(order), "policy %s %u", control_policy_name(policy), priority);
	if (priority > 0)
		snprintf(done, sizeof(done), _("all threads of %s: %s, priority %u"), text,
			 control_policy_name(policy), priority);
	else
		snprintf(done, sizeof(done), _("all threads of %s: %s"), text, control_policy_name(policy));
	cpu_do(context, order, done);
}

static bool take_priority(struct pane_context *context, const char *text, char *error, size_t room)
{
	const struct cpu_state *cpu = context->state;
	uint64_t priority;

	if (*text == '\0')
		return true;
	if (!span_whole_number(text, 1, 99, &priority)) {
		snprintf(error, room, "%s", _("use a number from 1 to 99; 99 is the highest priority"));
		return false;
	}
	set_policy(context, cpu->policy, (unsigned)priority);
	return true;
}

static void choose_policy(struct pane_context *context, unsigned index)
{
	struct cpu_state *cpu = context_state(context);
	struct control_policy now;
	char label[TEXT_MAX + 64], text[TEXT_MAX], priority[16] = "";

	cpu->policy = policies[index].policy;
	if (cpu->policy != SCHED_FIFO && cpu->policy != SCHED_RR) {
		set_policy(context, cpu->policy, 0);
		return;
	}
	if (control_get_policy(first_pid(context), &now) == 0 && now.priority > 0)
		snprintf(priority, sizeof(priority), "%u", now.priority);
	snprintf(label, sizeof(label), _("Real-time priority (1-99) for %s"),
		 cpu_targets_text(context->state, text));
	screen_prompt(context, label, priority, take_priority);
}

void cpu_ask_policy(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	struct menu_item items[N_POLICIES];
	struct control_policy now;
	char text[TEXT_MAX], present[64] = "";
	unsigned current = 0;
	bool known = control_get_policy(first_pid(context), &now) == 0;

	for (unsigned i = 0; i < N_POLICIES; i++) {
		items[i] = (struct menu_item){ _(policies[i].text), _(policies[i].help) };
		if (known && policies[i].policy == now.policy)
			current = i;
	}
	if (known && now.priority > 0)
		snprintf(present, sizeof(present), _("; now %s %u"), control_policy_name(now.policy),
			 now.priority);
	else if (known)
		snprintf(present, sizeof(present), _("; now %s"), control_policy_name(now.policy));
	snprintf(cpu->menu_title, sizeof(cpu->menu_title), _("Policy of all threads of %s%s"),
		 cpu_targets_text(cpu, text), present);
	screen_menu(context, cpu->menu_title, items, N_POLICIES, current, choose_policy);
}

/* The classes in the order of the menu, each with its levels. */
static struct control_io io_at(unsigned index)
{
	if (index == 0)
		return (struct control_io){ CONTROL_IO_NONE, 0 };
	if (index <= CONTROL_IO_LEVELS)
		return (struct control_io){ CONTROL_IO_BEST_EFFORT, index - 1 };
	if (index <= 2 * CONTROL_IO_LEVELS)
		return (struct control_io){ CONTROL_IO_REAL_TIME, index - 1 - CONTROL_IO_LEVELS };
	return (struct control_io){ CONTROL_IO_IDLE, 0 };
}

#define N_IO (2 * CONTROL_IO_LEVELS + 2)

static void io_text(struct control_io io, char *text, size_t room)
{
	switch (io.class) {
	case CONTROL_IO_REAL_TIME:
		snprintf(text, room, _("real-time %u"), io.level);
		break;
	case CONTROL_IO_BEST_EFFORT:
		snprintf(text, room, _("best effort %u"), io.level);
		break;
	case CONTROL_IO_IDLE:
		snprintf(text, room, "%s", _("idle"));
		break;
	default:
		snprintf(text, room, "%s", _("none"));
	}
}

static const char *io_help(struct control_io io)
{
	if (io.class == CONTROL_IO_NONE)
		return _("best effort, its level follows from nice");
	if (io.class == CONTROL_IO_IDLE)
		return _("only while no other process uses the disk");
	if (io.level == 0)
		return io.class == CONTROL_IO_REAL_TIME ? _("always first; others may starve")
							: _("the highest level");
	return io.level == CONTROL_IO_LEVELS - 1 ? _("the lowest level") : NULL;
}

static void choose_io(struct pane_context *context, unsigned index)
{
	struct control_io io = io_at(index);
	char order[CPU_ORDER_MAX], name[64], text[TEXT_MAX], done[2 * TEXT_MAX];

	io_text(io, name, sizeof(name));
	snprintf(order, sizeof(order), "io %u %u", io.class, io.level);
	snprintf(done, sizeof(done), _("all threads of %s: I/O priority %s"),
		 cpu_targets_text(context->state, text), name);
	cpu_do(context, order, done);
}

void cpu_ask_io(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	struct menu_item items[N_IO];
	char texts[N_IO][64], text[TEXT_MAX], present[64] = "?";
	struct control_io now;
	bool known = control_get_io(first_pid(context), &now) == 0;
	unsigned current = 0;

	for (unsigned i = 0; i < N_IO; i++) {
		struct control_io io = io_at(i);

		io_text(io, texts[i], sizeof(texts[i]));
		items[i] = (struct menu_item){ texts[i], io_help(io) };
		if (known && io.class == now.class && (io.level == now.level || io.class == CONTROL_IO_NONE))
			current = i;
	}
	if (known)
		io_text(now, present, sizeof(present));
	snprintf(cpu->menu_title, sizeof(cpu->menu_title), _("I/O priority of all threads of %s; now %s"),
		 cpu_targets_text(cpu, text), present);
	screen_menu(context, cpu->menu_title, items, N_IO, current, choose_io);
}
