/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row for each row of the table of privileges: is its capability held, and which panes use it for what. */
#include <config.h>

#include "app/probe_privileges.h"

#include <string.h>
#include <sys/capability.h>

#include "core/buffer.h"
#include "core/i18n.h"
#include "pane/panes.h"
#include "topic/topic.h"

#define NAMES_BYTES 1024

static bool pane_uses(const struct pane *pane, enum privilege_use use)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++) {
		const struct topic *topic = topic_find(table->topic);

		if (topic &&
		    ((topic->uses | topic->opening_uses | topic->setting_uses) & PRIVILEGE_BIT(use)))
			return true;
	}
	return false;
}

/* The panes that make this use of it, with commas between. */
static const char *panes_of(struct frame *frame, enum privilege_use use)
{
	struct buffer names = { 0 };
	const char *text;

	for (unsigned i = 0; i < n_panes; i++)
		if (pane_uses(panes[i], use))
			buffer_print(&names, "%s%s", names.length > 0 ? ", " : "", panes[i]->name);
	text = arena_copy(&frame->arena, names.bytes ? names.bytes : "", names.length);
	buffer_free(&names);
	return text;
}

static struct probe_row *add_row(struct frame *frame, const char *source)
{
	struct probe_row *row = table_add(&frame->tables[0]);

	row->topic = "privilege";
	row->source = source;
	row->state = "ok";
	row->remedy = "";
	return row;
}

/* The file of a program in a snap takes no capabilities. */
static const char *remedy_for(struct frame *frame, const struct env *env, bool bounded, bool root,
			      const char *name)
{
	if (!bounded)
		return _("start it outside of this container or service");
	if (root)
		return _("it was taken from root: start panetop where root has it");
	return env->in_snap ? _("run it as root")
			    : arena_print(&frame->arena, _("run it as root, or: setcap %s+p"), name);
}

static void add_capability(struct frame *frame, const struct env *env, const struct privilege_row *wanted,
			   const struct privilege_state *before, const struct privilege_state *now)
{
	uint64_t bit = UINT64_C(1) << wanted->capability;
	struct probe_row *row;
	char name[64];

	privilege_name(wanted->capability, name, sizeof(name));
	row = add_row(frame, arena_print(&frame->arena, "%s: %s", name, wanted->call));
	row->gives = _(wanted->gives);
	row->reason = arena_print(&frame->arena,
				  now->sets.effective & bit ? _("held, effective all the time: %s")
							    : _("held, raised only around this call: %s"),
				  panes_of(frame, wanted->use));
	if (now->sets.permitted & bit)
		return;
	row->state = "missing";
	row->reason = before->bounding & bit ? _("it was not given") : _("it is not in the bounding set");
	row->remedy = remedy_for(frame, env, (before->bounding & bit) != 0, now->user == 0, name);
}

static void add_user(struct frame *frame, const struct privilege_row *wanted,
		     const struct privilege_state *now)
{
	struct probe_row *row = add_row(frame, arena_print(&frame->arena, "user 0: %s", wanted->call));

	row->gives = _(wanted->gives);
	row->reason = arena_print(&frame->arena, _("the user it runs as: %s"), panes_of(frame, wanted->use));
	if (now->user == 0)
		return;
	row->state = "missing";
	row->reason = _("no capability is enough for it");
	row->remedy = _("run it as root");
}

/* What it was started with, and what of that is gone. */
static void add_process(struct frame *frame, const struct privilege_state *before,
			const struct privilege_state *now)
{
	struct probe_row *row = add_row(frame, "process");
	char kept[NAMES_BYTES], gone[NAMES_BYTES];

	privilege_names(now->sets.permitted, kept, sizeof(kept));
	privilege_names(before->sets.permitted & ~now->sets.permitted, gone, sizeof(gone));
	row->gives = _("what it keeps of what it was started with");
	row->reason = arena_print(&frame->arena, _("user %u; permitted: %s; given up: %s%s%s"),
				  (unsigned)now->user, *kept ? kept : "-", *gone ? gone : "-",
				  now->no_new_privs ? "; no_new_privs" : "",
				  now->bounding == 0 ? _("; bounding set empty") : "");
}

/* Not of what is for another root, nor of what is of no use here, as where proc hides nothing. */
void probe_privileges_add(struct frame *frame, const struct env *env, const struct privilege_state *before)
{
	struct privilege_state now;

	if (!env->live)
		return;
	privilege_look(&now);
	add_process(frame, before, &now);
	for (unsigned i = 0; i < n_privilege_rows; i++) {
		const struct privilege_row *row = &privilege_rows[i];

		if (row->capability == PRIVILEGE_USER_0)
			add_user(frame, row, &now);
		else if (row->use != PRIVILEGE_TREE && privilege_capabilities(PRIVILEGE_BIT(row->use)) != 0)
			add_capability(frame, env, row, before, &now);
	}
}
