/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One attribute of a device that may keep its reader waiting. */
#ifndef PANETOP_SYS_DEVICE_POLL_TEXT_H
#define PANETOP_SYS_DEVICE_POLL_TEXT_H

#include "sys/attribute.h"
#include "sys/device_poll.h"

struct late_text {
	struct late late;
	struct env *env; /* borrowed */
	struct attribute file;
	void (*came)(void *owner, size_t number, const struct late_text *text);
	void *owner;
	size_t number, room;
	long length; /* of bytes without a newline at the end, or -errno */
	char bytes[];
};

/* came is called with owner and number in the main thread, whenever a text, or an error, has arrived. */
struct late_text *late_text_open(struct env *env, const char *path, size_t room,
				 void (*came)(void *owner, size_t number, const struct late_text *text),
				 void *owner, size_t number);
void late_text_drop(struct late_text *text);

/* As late_ask(). */
void late_text_ask(struct late_text *text);

#endif
