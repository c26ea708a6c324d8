/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns what was typed for the scope into its terms, and refuses what names nothing or cannot be combined. */
#include <config.h>

#include "app/scope_options.h"

#include "core/i18n.h"
#include "sys/error_message.h"

static int refuse(const char *option, const char *value, const char *why)
{
	error_message(option, "'%s': %s", value, why);
	return 2;
}

static int add(struct scope *scope, const char *option, const char *value, const struct scope_term *term)
{
	return scope_add(scope, term) ? 0 : refuse(option, value, _("there are too many"));
}

/* Batch of panes that show one process: no other is read. */
static bool pid_is_target(const struct options *options)
{
	bool target = options->batch && options->n_panes > 0 && options->n_topics == 0 &&
		      options->n_tables == 0;

	for (unsigned i = 0; i < options->n_panes; i++)
		target &= options->panes[i]->of_process;
	return target;
}

int scope_from_options(struct scope *scope, const struct options *options)
{
	const struct {
		const char *name, *value;
		enum scope_kind kind;
	} older[] = { { "--pid", options->pid, SCOPE_PROCESSES },
		      { "--user", options->user, SCOPE_USER },
		      { "--tree", options->tree, SCOPE_TREE },
		      { "--cgroup", options->cgroup, SCOPE_GROUP } };
	struct scope_term term;
	char why[TEXT_MAX];
	int status = 0;

	for (unsigned i = 0; i < options->n_in && status == 0; i++)
		status = scope_term_parse(&term, options->in[i], why, sizeof(why))
				 ? add(scope, "--in", options->in[i], &term)
				 : refuse("--in", options->in[i], why);
	for (unsigned i = 0; i < sizeof(older) / sizeof(older[0]) && status == 0; i++)
		if (older[i].value && !(older[i].kind == SCOPE_PROCESSES && pid_is_target(options)))
			status = scope_term_set(&term, older[i].kind, older[i].value, why, sizeof(why))
					 ? add(scope, older[i].name, older[i].value, &term)
					 : refuse(older[i].name, older[i].value, why);
	return status;
}
