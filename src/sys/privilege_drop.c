/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops privileges in the order that the kernel demands, and verifies the result. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/span.h"
#include "sys/privilege.h"

struct drop {
	const struct privilege_plan *plan;
	struct privilege_sets before, after;
	uid_t user;
	gid_t group;
	bool to_invoker, bounded;
	const char *what; /* the current call */
};

static int error_if(bool failed)
{
	return failed ? -errno : 0;
}

static bool read_id(const char *name, uint32_t *id)
{
	const char *value = secure_getenv(name);
	uint64_t number;

	if (!value || !span_whole_number(value, 0, UINT32_MAX - 1, &number))
		return false;
	*id = (uint32_t)number;
	return true;
}

/* The user who called sudo, if it was not root itself. */
static bool find_invoker(uid_t *user, gid_t *group)
{
	return getuid() == 0 && geteuid() == 0 && read_id("SUDO_UID", user) && read_id("SUDO_GID", group) &&
	       *user != 0;
}

uid_t privilege_caller(void)
{
	uid_t user;
	gid_t group;

	return find_invoker(&user, &group) ? user : getuid();
}

/*
 * Needs CAP_SETPCAP, and no confinement as in a snap; otherwise only no_new_privs prevents that an exec gains
 * privileges.
 */
static int drop_bounding(struct drop *drop)
{
	const uint64_t changes_bound = UINT64_C(1) << CAP_SETPCAP;
	struct privilege_sets sets = drop->before;
	int error;

	sets.effective |= changes_bound & sets.permitted;
	error = privilege_write_sets(&sets);
	drop->bounded = !error && (sets.permitted & changes_bound) && cap_drop_bound(0) == 0;
	for (int capability = 1; drop->bounded && !error && capability < cap_max_bits(); capability++)
		error = error_if(cap_drop_bound(capability) < 0);
	return error;
}

/* Where the kernel or a confinement refuses this, the process stays root, with fewer capabilities. */
static int become_invoker(struct drop *drop)
{
	int error = privilege_become(drop->user, drop->group, true);

	drop->to_invoker = geteuid() != 0;
	if (!error)
		privilege_raise_on_demand();
	return error == -EPERM || error == -EINVAL ? 0 : error;
}

/* A command inherits the ambient set, which is a subset of the permitted set. */
static int keep_sets(struct drop *drop)
{
	uint64_t uses = drop->plan->uses;

	drop->after.permitted = privilege_capabilities(uses);
	drop->after.effective = privilege_effective(uses) & drop->before.permitted;
	drop->after.inheritable = 0;
	if (drop->plan->for_command) {
		struct privilege_state state;

		privilege_query(&state);
		drop->after.permitted |= state.ambient;
		drop->after.inheritable = drop->before.inheritable;
	}
	drop->after.permitted &= drop->before.permitted;
	return privilege_write_sets(&drop->after);
}

static int drop_all(struct drop *drop)
{
	bool all = !drop->plan->for_command;
	int error = 0;

	drop->what = "PR_CAPBSET_DROP";
	if (all)
		error = drop_bounding(drop);
	if (!error && all && CAP_AMBIENT_SUPPORTED()) {
		drop->what = "PR_CAP_AMBIENT_CLEAR_ALL";
		error = error_if(cap_reset_ambient() < 0);
	}
	if (!error && drop->to_invoker) {
		drop->what = "setgroups, setresgid, setresuid";
		error = become_invoker(drop);
	}
	if (!error) {
		drop->what = "capset";
		error = keep_sets(drop);
	}
	if (!error && all) {
		drop->what = "PR_SET_NO_NEW_PRIVS";
		error = error_if(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0);
	}
	return error;
}

static bool sets_are(const struct privilege_sets *sets, const struct privilege_sets *wanted)
{
	return sets->permitted == wanted->permitted && sets->effective == wanted->effective &&
	       sets->inheritable == wanted->inheritable;
}

static bool is_dropped(struct drop *drop)
{
	bool all = !drop->plan->for_command;
	struct privilege_state found;

	privilege_query(&found);
	drop->what = "capget";
	if (!sets_are(&found.sets, &drop->after))
		return false;
	drop->what = "PR_CAPBSET_READ";
	if (drop->bounded && found.bounding != 0)
		return false;
	drop->what = "PR_CAP_AMBIENT_IS_SET";
	if (all && found.ambient != 0)
		return false;
	drop->what = "PR_GET_NO_NEW_PRIVS";
	return !all || found.no_new_privs;
}

int privilege_drop(const struct privilege_plan *plan, const char **what)
{
	struct drop drop = { .plan = plan, .what = "capget" };
	int error = privilege_read_sets(&drop.before);

	drop.to_invoker = plan->to_invoker && find_invoker(&drop.user, &drop.group);
	if (!error)
		error = drop_all(&drop);
	if (!error && !is_dropped(&drop))
		error = -ENOTRECOVERABLE;
	*what = drop.what;
	return error;
}
