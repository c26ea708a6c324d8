/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Giving up rights in the order that the kernel demands, each read back, none to be regained. */
#include <config.h>

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/span.h"
#include "sys/privilege_sets.h"

struct drop {
	const struct privilege_plan *plan;
	struct privilege_sets before, after;
	uid_t user;
	gid_t group;
	bool goes_back, bounded;
	const char *what; /* the call that is being made */
};

static int error_if(bool failed)
{
	return failed ? -errno : 0;
}

static int set_group(gid_t group, bool set_groups)
{
	gid_t real, effective, saved, alone;

	if (set_groups && setgroups(1, &group) < 0)
		return -errno;
	if (set_groups && (getgroups(1, &alone) != 1 || alone != group))
		return -ENOTRECOVERABLE;
	if (setresgid(group, group, group) < 0 || getresgid(&real, &effective, &saved) < 0)
		return -errno;
	return real == group && effective == group && saved == group ? 0 : -ENOTRECOVERABLE;
}

static int set_user(uid_t user)
{
	uid_t real, effective, saved;

	if (setresuid(user, user, user) < 0 || getresuid(&real, &effective, &saved) < 0)
		return -errno;
	return real == user && effective == user && saved == user ? 0 : -ENOTRECOVERABLE;
}

/* Groups first: without user 0 they could not be changed any more. */
int privilege_become(uid_t user, gid_t group, bool set_groups)
{
	int error = error_if(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0), last;

	if (!error)
		error = set_group(group, set_groups);
	if (!error)
		error = set_user(user);
	last = error_if(prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0);
	return error ? error : last;
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

/*
 * Takes CAP_SETPCAP, and that nothing confines it, as a snap does; without it no_new_privs alone keeps an
 * exec from giving anything.
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

/* Where the kernel or a confinement refuses that to root it stays root, without what else it gives up. */
static int go_back(struct drop *drop)
{
	int error = privilege_become(drop->user, drop->group, true);

	drop->goes_back = geteuid() != 0;
	if (!error)
		privilege_user_is_ordinary();
	return error == -EPERM || error == -EINVAL ? 0 : error;
}

/* A command inherits the ambient set, which holds nothing that is not permitted. */
static int keep_sets(struct drop *drop)
{
	uint64_t uses = drop->plan->uses;

	drop->after.permitted = privilege_capabilities(uses);
	drop->after.effective = privilege_held(uses) & drop->before.permitted;
	drop->after.inheritable = 0;
	if (drop->plan->for_command) {
		struct privilege_state state;

		privilege_look(&state);
		drop->after.permitted |= state.ambient;
		drop->after.inheritable = drop->before.inheritable;
	}
	drop->after.permitted &= drop->before.permitted;
	return privilege_write_sets(&drop->after);
}

static int give_up(struct drop *drop)
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
	if (!error && drop->goes_back) {
		drop->what = "setgroups, setresgid, setresuid";
		error = go_back(drop);
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

/* Does what the kernel tells agree with what was asked of it? */
static bool is_given_up(struct drop *drop)
{
	bool all = !drop->plan->for_command;
	struct privilege_state found;

	privilege_look(&found);
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

/* Tries to get back each capability that is gone, and user 0. */
static bool can_be_regained(struct drop *drop)
{
	uint64_t gone = drop->before.permitted & ~drop->after.permitted;

	drop->what = "capset";
	for (int capability = 0; capability < 64; capability++) {
		struct privilege_sets wanted = drop->after;

		wanted.permitted |= UINT64_C(1) << capability;
		if ((gone >> capability & 1) && privilege_write_sets(&wanted) == 0)
			return true;
	}
	drop->what = "setresuid";
	if (!drop->goes_back)
		return false;
	return setresuid((uid_t)-1, 0, (uid_t)-1) == 0 ||
	       (drop->group != 0 && setresgid((gid_t)-1, 0, (gid_t)-1) == 0);
}

int privilege_give_up(const struct privilege_plan *plan, const char **what)
{
	struct drop drop = { .plan = plan, .what = "capget" };
	int error = privilege_read_sets(&drop.before);

	drop.goes_back = plan->goes_back && find_invoker(&drop.user, &drop.group);
	if (!error)
		error = give_up(&drop);
	if (!error && (!is_given_up(&drop) || can_be_regained(&drop)))
		error = -ENOTRECOVERABLE;
	*what = drop.what;
	return error;
}
