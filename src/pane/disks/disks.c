/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disks pane: devices, and the file systems on them. */
#include <config.h>

#include "core/i18n.h"
#include "screen/context.h"

enum disks_table {
	DISKS_TABLE_DISK,
	DISKS_TABLE_FILESYSTEM,
};

static const struct pane_table tables[] = {
	[DISKS_TABLE_DISK] = { .topic = "disk", .headline = true },
	[DISKS_TABLE_FILESYSTEM] = { .topic = "filesystem", .headline = true, .lazy = true },
	{ 0 },
};

static const struct pane_view views[] = {
	{ "devices", N_("Devices"), N_("what each device reads and writes, and how long that takes"),
	  DISKS_TABLE_DISK },
	{ "filesystems", N_("File systems"), N_("space and inodes, growth, and when it is full"),
	  DISKS_TABLE_FILESYSTEM },
	{ 0 },
};

const struct pane pane_disks = {
	.name = "disks",
	.digit = '4',
	.title = N_("Disks"),
	.question = N_("Is the device slow, full, or badly asked?"),
	.tables = tables,
	.views = views,
};
