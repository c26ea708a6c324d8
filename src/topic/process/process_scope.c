/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the list for the scope alone where no topic has it open, and closes it with the scope. */
#include <config.h>

#include "topic/process/process_scope.h"

#include "topic/process/missing_targets.h"
#include "topic/process/process_list.h"

void process_scope_find(struct sample *sample)
{
	const struct sample_request *request = sample->request;
	struct process_list *list = reader_state(&process_reader, sample->env);
	bool wanted = sample->frame && scope_is_set(request->scope);

	if (wanted && !(list && list->of_scope)) {
		list = reader_open(&process_reader, sample, NULL);
		list->of_scope = true;
	}
	if (wanted) {
		missing_targets_want_programs(list, request);
		if (reader_update(&process_reader, sample) == 0)
			missing_targets_find(sample->frame, request, "scope", list);
	} else if (list && list->of_scope) {
		list->of_scope = false;
		reader_close(&process_reader, sample->env);
	}
}
