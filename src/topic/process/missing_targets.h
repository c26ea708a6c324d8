/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What options name by --pid, --tree, --group and --cgroup: it need not be there, and is waited for then. */
#ifndef PANETOP_TOPIC_PROCESS_MISSING_TARGETS_H
#define PANETOP_TOPIC_PROCESS_MISSING_TARGETS_H

#include "model/frame.h"
#include "model/sample_request.h"

struct process_list;

/* Each tells that it is not there, and notes so in the frame. name is copied. */
void missing_targets_add_process(struct frame *frame, const struct sample_request *request, const char *topic,
				 const char *name);
void missing_targets_add_group(struct frame *frame, const struct sample_request *request, const char *topic,
			       const char *group);
void missing_targets_add_cgroup(struct frame *frame, const struct sample_request *request, const char *topic,
				const char *path);

/* A process that --pid names may be known by its program alone: the next update of tasks reads those. */
void missing_targets_want_programs(struct process_list *processes, const struct sample_request *request);

/* Notes which processes of --pid are among the tasks, and tells the first one that is not. */
void missing_targets_find(struct frame *frame, const struct sample_request *request, const char *topic,
			  const struct process_list *processes);

#endif
