/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the list of processes open while there is a scope, and notices what options name in vain. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_SCOPE_H
#define PANETOP_TOPIC_PROCESS_PROCESS_SCOPE_H

#include "model/frame.h"
#include "model/settings.h"
#include "topic/topic.h"

struct process_list;

/* Adds a notice, and sets named_absent of the frame. The name is copied. */
void missing_targets_add_process(struct frame *frame, const struct sample_request *request, const char *topic,
				 const char *name);
void missing_targets_add_group(struct frame *frame, const struct sample_request *request, const char *topic,
			       const char *group);

/* Where --pid names a program, the next update of the list reads all command lines. */
void missing_targets_want_programs(struct process_list *processes, const struct sample_request *request);

/* Adds a notice where the scope of the request has no process, or lacks one that --pid lists. */
void missing_targets_find(struct frame *frame, const struct sample_request *request, const char *topic,
			  const struct process_list *processes);

/* See struct topic. Adds notices about what is missing. */
void process_scope_find(struct sample *sample);

#endif
