/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages between processes of panetop, over a socket of whole messages, that may pass a descriptor. */
#ifndef PANETOP_SYS_DESCRIPTOR_MESSAGE_H
#define PANETOP_SYS_DESCRIPTOR_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

/* fd: -1: none; it stays open here, too. 0 or -errno. */
int descriptor_message_send(int socket, const void *bytes, size_t length, int fd);

/*
 * The length, 0 at the end, or -errno; -EAGAIN where flags have MSG_DONTWAIT and there is no message. *fd is
 * close-on-exec, and the caller's; -1: none.
 */
ssize_t descriptor_message_receive(int socket, void *bytes, size_t room, int flags, int *fd);

#endif
