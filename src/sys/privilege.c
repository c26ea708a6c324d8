/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raising a capability in a thread, lowering it again, and what a thread keeps. */
#include <config.h>

#include "sys/privilege.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/i18n.h"
#include "sys/privilege_sets.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* Of the process: written before there is a second thread. */
static bool raises;             /* nothing is effective but what is raised */
static bool has_perfmon = true; /* since Linux 5.8 */
static bool perf_takes_admin;   /* CAP_PERFMON does not open perf events */
static const char *perf_remedy; /* N_(), where CAP_SYS_ADMIN is not held, either; NULL */
static bool hidden;             /* proc hides processes of others */

/* Of each thread: what the kernel holds for it. */
static _Thread_local bool known;
static _Thread_local struct privilege_sets own;

int privilege_read_sets(struct privilege_sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (capget(&header, data) < 0)
		return -errno;
	*sets = (struct privilege_sets){
		.permitted = data[0].permitted | (uint64_t)data[1].permitted << 32,
		.effective = data[0].effective | (uint64_t)data[1].effective << 32,
		.inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32,
	};
	return 0;
}

int privilege_write_sets(const struct privilege_sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i] = (struct __user_cap_data_struct){
			.permitted = (uint32_t)(sets->permitted >> 32 * i),
			.effective = (uint32_t)(sets->effective >> 32 * i),
			.inheritable = (uint32_t)(sets->inheritable >> 32 * i),
		};
	if (capset(&header, data) < 0)
		return -errno;
	own = *sets;
	known = true;
	return 0;
}

bool privilege_is_of_use(const struct privilege_row *row)
{
	if (row->use == PRIVILEGE_HIDDEN)
		return hidden;
	if (row->use == PRIVILEGE_PERF)
		return row->capability == CAP_PERFMON ? has_perfmon : perf_takes_admin;
	return true;
}

uint64_t privilege_capabilities(uint64_t uses)
{
	uint64_t capabilities = 0;

	for (unsigned i = 0; i < n_privilege_rows; i++) {
		const struct privilege_row *row = &privilege_rows[i];

		if ((uses & PRIVILEGE_BIT(row->use)) && row->capability != PRIVILEGE_USER_0 &&
		    privilege_is_of_use(row))
			capabilities |= UINT64_C(1) << row->capability;
	}
	return capabilities;
}

void privilege_perf_takes_admin(void)
{
	struct privilege_sets sets;

	perf_takes_admin = true;
	if (privilege_read_sets(&sets) < 0 || (sets.permitted & UINT64_C(1) << CAP_SYS_ADMIN))
		return;
	perf_remedy = has_perfmon ? N_("run it as root, or: sysctl kernel.perf_event_paranoid=2 (above 2 this "
				       "kernel asks for cap_sys_admin instead of cap_perfmon)")
				  : N_("run it as root, give it the capability cap_sys_admin (cap_perfmon came "
				       "with Linux 5.8), or: sysctl kernel.perf_event_paranoid=0");
}

const char *privilege_perf_remedy(void)
{
	return perf_remedy;
}

int privilege_open(void)
{
	struct privilege_sets sets;
	int error = 0;

	has_perfmon = cap_max_bits() > CAP_PERFMON;
	if (!has_perfmon)
		privilege_perf_takes_admin();
	if (geteuid() == 0 && getuid() != 0)
		error = privilege_become(getuid(), getgid(), false);
	if (!error)
		error = privilege_read_sets(&sets);
	if (error || geteuid() == 0)
		return error;
	sets.effective = 0;
	error = privilege_write_sets(&sets);
	privilege_user_is_ordinary();
	return error;
}

void privilege_user_is_ordinary(void)
{
	raises = true;
}

void privilege_hide_processes(void)
{
	hidden = true;
}

uint64_t privilege_held(uint64_t uses)
{
	return privilege_capabilities(raises ? uses & PRIVILEGE_BIT(PRIVILEGE_HIDDEN) : uses);
}

static bool learn(void)
{
	known = known || privilege_read_sets(&own) == 0;
	return known;
}

uint64_t privilege_raise(enum privilege_use use)
{
	struct privilege_sets sets;
	uint64_t more;

	if (!raises || !learn())
		return 0;
	more = privilege_capabilities(PRIVILEGE_BIT(use)) & own.permitted & ~own.effective;
	sets = own;
	sets.effective |= more;
	return more && privilege_write_sets(&sets) == 0 ? more : 0;
}

void privilege_lower(uint64_t raised)
{
	struct privilege_sets sets = own;
	int error = errno;

	if (!raised)
		return;
	sets.effective &= ~raised;
	if (privilege_write_sets(&sets) < 0)
		abort(); /* the kernel never refuses it */
	errno = error;
}

bool privilege_may(enum privilege_use use)
{
	uint64_t wanted = privilege_capabilities(PRIVILEGE_BIT(use));
	struct privilege_sets sets;

	return privilege_read_sets(&sets) == 0 && (sets.permitted & wanted) == wanted;
}

int privilege_keep(uint64_t uses)
{
	struct privilege_sets sets, found;
	int error = privilege_read_sets(&sets);

	if (error)
		return error;
	own = sets;
	known = true;
	sets.permitted &= privilege_capabilities(uses);
	sets.effective &= privilege_held(uses);
	if (sets.permitted == own.permitted && sets.effective == own.effective)
		return 0;
	error = privilege_write_sets(&sets);
	if (!error)
		error = privilege_read_sets(&found);
	return error ? error : memcmp(&sets, &found, sizeof(sets)) == 0 ? 0 : -ENOTRECOVERABLE;
}

static uint64_t bound_set(void)
{
	uint64_t bounding = 0;

	for (int capability = 0; capability < cap_max_bits(); capability++)
		bounding |= (uint64_t)(cap_get_bound(capability) == 1) << capability;
	return bounding;
}

static uint64_t ambient_set(void)
{
	uint64_t ambient = 0;

	for (int capability = 0; capability < cap_max_bits(); capability++)
		ambient |= (uint64_t)(cap_get_ambient(capability) == 1) << capability;
	return ambient;
}

void privilege_look(struct privilege_state *state)
{
	*state = (struct privilege_state){
		.bounding = bound_set(),
		.ambient = ambient_set(),
		.user = geteuid(),
		.group = getegid(),
		.no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
	};
	privilege_read_sets(&state->sets);
}

void privilege_name(int capability, char *name, size_t room)
{
	char *known_name = cap_to_name(capability);

	snprintf(name, room, "%s", known_name ? known_name : "");
	cap_free(known_name);
}

void privilege_names(uint64_t capabilities, char *names, size_t room)
{
	size_t length = 0;

	*names = '\0';
	for (int capability = 0; capability < 64 && length + 1 < room; capability++) {
		if (!(capabilities >> capability & 1))
			continue;
		if (length > 0)
			names[length++] = ',';
		privilege_name(capability, names + length, room - length);
		length += strlen(names + length);
	}
}
