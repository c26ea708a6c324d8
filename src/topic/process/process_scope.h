/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the list of processes open while there is a scope. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_SCOPE_H
#define PANETOP_TOPIC_PROCESS_PROCESS_SCOPE_H

#include "topic/topic.h"

/* See struct topic. Adds notices about what is missing. */
void process_scope_find(struct sample *sample);

#endif
