/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sockets that clients connect to: opened here, or handed over by systemd. */
#ifndef PANETOP_SYS_LISTEN_SOCKET_H
#define PANETOP_SYS_LISTEN_SOCKET_H

#include "sys/listen_address.h"
#include "sys/user_file.h"

struct listen_socket {
	int fd;                               /* owned, until it is given away; -1: none */
	const struct listen_address *address; /* borrowed */
	struct user_file *file;               /* of a UNIX socket; owned; NULL: none */
	ino_t inode;                          /* of that file; 0: not made */
};

/*
 * Opens the sockets of this address, non-blocking and close-on-exec, at most room. How many, or -1 after an
 * error message. What a UNIX socket leaves behind when its program is killed is replaced.
 */
int listen_socket_open(struct listen_socket *sockets, unsigned room, const struct listen_address *address);

/* Closes it, if it was not given away, and removes the file of a UNIX socket. */
void listen_socket_close(struct listen_socket *socket);

#endif
