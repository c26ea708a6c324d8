/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process of a page comes first, then a scope that is one process, which costs others less. */
#include <config.h>

#include "topic/call/call_target.h"

#include "topic/trace/trace_scope.h"

bool call_target_update(struct call_target *target, const struct sample_request *request)
{
	struct call_target before = *target;
	bool has_scope = scope_is_set(request->scope);

	*target = (struct call_target){ .is_known = true,
					.process = request->profiled_pid,
					.epoch = has_scope ? request->scope->epoch : 0 };
	if (!target->process && has_scope)
		target->process = wait_scope_process(request);
	target->of_scope = has_scope && !target->process;
	return !before.is_known || before.process != target->process || before.of_scope != target->of_scope ||
	       before.epoch != target->epoch;
}
