/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the privileges that the topics of a run can use, and drops the others. */
#include <config.h>

#include "app/privileges.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "kernel/mounts.h"
#include "sys/descriptor.h"
#include "sys/env.h"
#include "sys/helper.h"
#include "sys/perf_ring.h"
#include "sys/privilege.h"
#include "topic/topic.h"

static bool is_live(const struct options *options)
{
	return !options_are_recorded(options) && (!options->root || strcmp(options->root, "/") == 0);
}

static uint64_t opening_uses_of(const struct topic *topic, const struct options *options,
				const struct settings *settings)
{
	bool more = topic->setting && (options->probe || settings_has(settings, topic->setting));

	return topic->opening_uses | (more ? topic->setting_uses : 0);
}

static uint64_t request_uses_of(const struct topic *topic, const struct sample_request *request)
{
	return !request || sample_request_wants_any(request, topic->schema) ? topic->request_uses : 0;
}

/* They name regular files, for which only root has special rights. */
static uint64_t uses_of_options(const struct options *options)
{
	bool tree = !options_are_recorded(options) && !is_live(options);

	if (geteuid() != 0)
		return 0;
	return (tree ? PRIVILEGE_BIT(PRIVILEGE_TREE) : 0) |
	       (options->write ? PRIVILEGE_BIT(PRIVILEGE_WRITE) : 0);
}

static uint64_t uses_of_run(const struct options *options, const struct settings *settings,
			    const struct sample_request *request, const bool *wanted, bool opening)
{
	bool touches = request && (request->touches || request->touches_all);
	uint64_t uses = uses_of_options(options);

	if (!is_live(options))
		return uses;
	for (unsigned i = 0; i < n_topics; i++)
		if (!wanted || wanted[i])
			uses |= topics[i]->uses | request_uses_of(topics[i], request) |
				(opening ? opening_uses_of(topics[i], options, settings) : 0);
	/* only the screen acts on processes; --probe reports what it could do */
	if (options->probe || (!options->batch && !options->read_only))
		return uses;
	return (uses & ~privilege_acting(uses)) | (touches ? PRIVILEGE_BIT(PRIVILEGE_MARKS) : 0);
}

/* What a command inherits: root stays root; commands of rules get nothing from panetop of another user. */
static bool lends_rights(const struct options *options)
{
	return options->command || (geteuid() == 0 && options_start_commands(options));
}

/* True if nothing is left that only UID 0 can do: no action, no command, no files that an option names. */
static bool may_go_back(const struct options *options, uint64_t uses)
{
	return !(uses & PRIVILEGE_BIT(PRIVILEGE_DROP_CACHES)) && !options_start_commands(options) &&
	       uses_of_options(options) == 0;
}

/* The privilege to see hidden processes is only useful if proc is mounted with hidepid. */
static bool hides_processes(struct env *env)
{
	struct span text, value;

	return env_read(env, env_file(env, "proc/mounts"), &text) == 0 &&
	       mounts_option(text, "proc", "/proc", "hidepid", &value) && !span_is(value, "0") &&
	       !span_is(value, "off");
}

/* The privileges for some uses depend on this machine, whatever --root says. */
static void look_at_machine(uint64_t uses)
{
	bool hiding = (uses & PRIVILEGE_BIT(PRIVILEGE_HIDDEN)) &&
		      (geteuid() == 0 || privilege_may(PRIVILEGE_MAPS));
	bool perf = uses & PRIVILEGE_BIT(PRIVILEGE_PERF);
	struct env env;

	if ((!hiding && !perf) || env_open(&env, "/") < 0)
		return;
	if (hiding && hides_processes(&env))
		privilege_hide_processes();
	if (perf && perf_takes_admin(&env))
		privilege_perf_takes_admin();
	env_close(&env);
}

/* A monitor that could not drop its privileges does not go on. */
static int privilege_error(const char *what, int error)
{
	if (error == -ENOTRECOVERABLE)
		error_message(what, "%s", _("dropped privileges are still held"));
	else
		error_message(what, _("cannot drop privileges: %s"), strerror(-error));
	return 1;
}

int drop_privileges(const struct options *options, const struct settings *settings,
		    const struct sample_request *request, const bool *wanted)
{
	struct privilege_plan plan = { .uses = uses_of_run(options, settings, request, wanted, true),
				       .for_command = lends_rights(options) };
	const char *what;
	int error;

	look_at_machine(plan.uses);
	plan.to_invoker = may_go_back(options, plan.uses);
	error = privilege_drop(&plan, &what);
	if (error)
		return privilege_error(what, error);
	if (!options_are_recorded(options))
		helper_start(options->root ? options->root : "/"); /* without it, slow calls are made here */
	error = plan.for_command ? 0 : privilege_end_lending();
	return error ? privilege_error("capset", error) : 0;
}

int drop_after_open(const struct options *options, const struct settings *settings,
		    const struct sample_request *request, const bool *wanted)
{
	uint64_t uses = uses_of_run(options, settings, request, wanted, false);
	int error = options->command ? 0 : privilege_limit(uses);

	return error ? privilege_error("capset", error) : 0;
}
