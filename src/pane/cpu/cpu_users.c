/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The menu of users: only the processes of one of them, or all. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/cpu/cpu.h"

#define USERS_MAX 64

static bool is_listed(const char *const *users, unsigned n_users, const char *user)
{
	for (unsigned i = 0; i < n_users; i++)
		if (strcmp(users[i], user) == 0)
			return true;
	return false;
}

/* Of all processes, shown or not, in the order of their first ones. */
static unsigned list_users(const struct table *processes, const char **users)
{
	unsigned n_users = 0;

	for (size_t i = 0; processes && i < processes->n_rows && n_users < USERS_MAX; i++) {
		const char *user = table_text(processes, table_row(processes, i), "user");

		if (*user && !is_listed(users, n_users, user))
			users[n_users++] = user;
	}
	return n_users;
}

/* Item 0 is everybody. */
static void show_user(struct pane_context *context, unsigned index)
{
	struct cpu_state *cpu = context_state(context);
	const char *user = cpu->users.bytes;

	context_request(context)->shown_user = NULL;
	for (unsigned i = 1; i < index; i++)
		user += strlen(user) + 1;
	if (index > 0) {
		snprintf(cpu->user, sizeof(cpu->user), "%s", user);
		context_request(context)->shown_user = cpu->user;
		if (context->view == CPU_VIEW_PROCESSES)
			screen_show_view(context, CPU_VIEW_ALL); /* all of them may be idle */
	}
	screen_adjust(context);
}

bool cpu_show_all_users(struct pane_context *context)
{
	if (!context->request->shown_user)
		return false;
	show_user(context, 0);
	return true;
}

void cpu_choose_user(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	const struct table *processes = context_table(context, CPU_TABLE_PROCESS);
	struct menu_item items[USERS_MAX + 1] = { { _("all users"), NULL } };
	const char *users[USERS_MAX], *shown = context->request->shown_user;
	unsigned n_users = list_users(processes, users), current = 0;

	buffer_empty(&cpu->users);
	for (unsigned i = 0; i < n_users; i++) {
		buffer_add(&cpu->users, users[i], strlen(users[i]) + 1);
		items[i + 1] = (struct menu_item){ users[i], NULL };
		if (shown && strcmp(shown, users[i]) == 0)
			current = i + 1;
	}
	screen_menu(context, _("Show the processes of"), items, n_users + 1, current, show_user);
}
