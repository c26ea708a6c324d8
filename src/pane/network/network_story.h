/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of interfaces mean, in sentences that hold only where their condition does. */
#ifndef PANETOP_PANE_NETWORK_NETWORK_STORY_H
#define PANETOP_PANE_NETWORK_NETWORK_STORY_H

#include "model/sentence.h"

/*
 * Adds sentences about interfaces, and about what sockets dropped (the table packet_loss), a line each,
 * translated, with their evidence. A table may be NULL.
 */
void network_story(struct buffer *out, const struct table *interfaces, const struct table *losses);

/* The same of how much of the wire of an interface can be payload; nothing where that is not known. */
void network_ceiling(struct buffer *out, const struct table *interfaces, const void *row);

#endif
