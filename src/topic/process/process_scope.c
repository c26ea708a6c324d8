/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/process/process_scope.h"

#include "topic/process/missing_targets.h"
#include "topic/process/process_list.h"

void process_scope_find(struct env *env, const struct sample_request *request, struct frame *frame)
{
	struct process_list *list = process_list_opened(env);
	bool wanted = frame && scope_is_set(request->scope);

	if (wanted && !(list && list->of_scope)) {
		list = process_list_open(env);
		list->of_scope = true;
	}
	if (wanted) {
		list->request = request;
		missing_targets_want_programs(list, request);
		if (process_list_update(list) == 0)
			missing_targets_find(frame, request, "scope", list);
	} else if (list && list->of_scope) {
		list->of_scope = false;
		process_list_close(list);
	}
}
