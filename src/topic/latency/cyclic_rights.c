/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rights to real-time scheduling: CAP_SYS_NICE, RLIMIT_RTPRIO, and what a control group has left. */
#include <config.h>

#include "topic/latency/cyclic_rights.h"

#include <errno.h>
#include <stdio.h>

#include "core/i18n.h"
#include "topic/cgroup.h"
#include "topic/topic.h"

/* Has our control group no real-time runtime, as all have at first that are made with RT_GROUP_SCHED? */
static bool group_lacks_runtime(struct env *env, struct cgroup_place *place)
{
	struct span text;
	uint64_t runtime;

	return own_cgroup_find(env, "cpu", place) == 0 &&
	       own_cgroup_read(env, place, "cpu.rt_runtime_us", &text) == 0 && span_u64(&text, &runtime) &&
	       runtime == 0;
}

static bool is_realtime(enum cyclic_policy policy)
{
	return policy == CYCLIC_FIFO || policy == CYCLIC_RR;
}

const char *cyclic_rights_explain(struct env *env, const struct cyclic_plan *asked, int error, char *reason,
				  size_t room)
{
	int limit = cyclic_priority_limit();
	struct cgroup_place place;

	if (error == -EBUSY) {
		snprintf(reason, room, "%s", _("other deadline tasks have all of the bandwidth"));
		return _("end some of them");
	}
	if (!cyclic_may_nice() && (limit < asked->priority || !is_realtime(asked->policy))) {
		snprintf(reason, room, _("no CAP_SYS_NICE, and RLIMIT_RTPRIO is %d"), limit);
		return remedy_for_user(N_("run it as root, give it the capability cap_sys_nice, or raise "
					  "rtprio in /etc/security/limits.conf"));
	}
	if (is_realtime(asked->policy) && group_lacks_runtime(env, &place)) {
		snprintf(reason, room, _("the control group /%.80s has no real-time runtime"), place.group);
		return _("write one to its cpu.rt_runtime_us, or start panetop in the group above it");
	}
	snprintf(reason, room, "%s", _("the kernel refuses it although there are the rights for it"));
	return _("in a user namespace or a control group without real-time runtime nothing helps: start it "
		 "outside");
}

bool cyclic_rights_next(const struct cyclic_plan *asked, unsigned step, struct cyclic_plan *plan)
{
	int limit = cyclic_priority_limit();

	*plan = *asked;
	if (step == 0 && limit > 0 && (limit < asked->priority || !is_realtime(asked->policy))) {
		plan->policy = is_realtime(asked->policy) ? asked->policy : CYCLIC_FIFO;
		plan->priority = limit < asked->priority ? limit : asked->priority;
		return true;
	}
	if (step <= 1 && is_realtime(asked->policy)) {
		plan->policy = CYCLIC_DEADLINE;
		return true;
	}
	plan->policy = CYCLIC_OTHER;
	return step <= 2;
}

const char *cyclic_rights_of_awake(int error)
{
	if (error == -EACCES || error == -EPERM)
		return remedy_for_user(N_("run it as root, or give it the capability cap_dac_override"));
	return error == -ENOENT ? _("this kernel has no such device: leave the option out") : NULL;
}

const char *cyclic_rights_of_cpu(int error)
{
	if (error == -ENODEV || error == -EINVAL)
		return _("name others: 'lscpu -e' lists those that are online, /proc/self/status those we "
			 "may use");
	return NULL;
}
