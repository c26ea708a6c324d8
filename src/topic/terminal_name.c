/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as the kernel assigns them: pts, consoles and serial lines have names, others their numbers. */
#include <config.h>

#include "topic/terminal_name.h"

/* Device numbers as in Documentation/admin-guide/devices.txt. */
const char *terminal_name(struct arena *arena, int64_t device)
{
	unsigned major = (unsigned)(device >> 8) & 0xfff;
	unsigned minor = (unsigned)(device & 0xff) | (unsigned)(device >> 12 & 0xfff00);

	if (device < 0)
		return NULL;
	if (device == 0)
		return "";
	if (major >= 136 && major <= 143)
		return arena_print(arena, "pts/%u", (major - 136) * 256 + minor);
	if (major == 4)
		return minor < 64 ? arena_print(arena, "tty%u", minor)
				  : arena_print(arena, "ttyS%u", minor - 64);
	if (major == 5 && minor == 1)
		return "console";
	return arena_print(arena, "%u:%u", major, minor);
}
