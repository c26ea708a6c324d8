/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of devices mean, in sentences that hold only where their condition does. */
#ifndef PANETOP_PANE_DISKS_DISKS_STORY_H
#define PANETOP_PANE_DISKS_DISKS_STORY_H

#include "model/grade.h"
#include "model/sentence.h"

/* Each adds its sentences, a line each, translated, with their evidence. A table may be NULL. */

/* About devices: rows of the table disk. latency: disk_latency. */
void disks_story(struct buffer *out, const struct table *disks, const struct table *latency);

/* About what a process asks of a device: a row of disk_user. */
void disks_user_story(struct buffer *out, const struct table *users, const void *user,
		      const struct table *disks);

/* About file systems that are full. */
void disks_space_story(struct buffer *out, const struct table *filesystems, const struct findings *findings);

#endif
