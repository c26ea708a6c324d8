/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a snap has to be connected to, to read what topics read. */
#ifndef PANETOP_TOPIC_SNAP_H
#define PANETOP_TOPIC_SNAP_H

/* The commands that connect what gives a source (path of its source_spec); NULL where no interface does. */
const char *snap_remedy(const char *path);

#endif
