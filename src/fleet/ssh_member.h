/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A member whose samples come through ssh(1), from panetop there. */
#ifndef PANETOP_FLEET_SSH_MEMBER_H
#define PANETOP_FLEET_SSH_MEMBER_H

#include "fleet/member.h"
#include "fleet/ssh_words.h"

struct ssh_plan {
	const struct ssh_record *record; /* borrowed, as the following */
	char *const *variables;          /* of ssh; ends with NULL */
	int epoll_fd;                    /* becomes readable when it is to be pulled */
	uint64_t back_bytes;             /* kept on the disk, to go back in */
	unsigned *serials;               /* of the last part of any member */
};

/* Starts with the first pull. host is borrowed. */
void ssh_member_open(struct member *member, const char *host, const struct ssh_plan *ssh,
		     const struct member_plan *plan);

#endif
