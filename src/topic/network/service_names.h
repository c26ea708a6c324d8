/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ports are for, by /etc/services; no name server is asked. */
#ifndef PANETOP_TOPIC_NETWORK_SERVICE_NAMES_H
#define PANETOP_TOPIC_NETWORK_SERVICE_NAMES_H

#include "sys/env.h"

#define SERVICE_NAME_MAX 20

/* All zero: not read yet. */
struct service_names {
	bool read;
	struct service {
		uint32_t port; /* twice, and 1 more for TCP */
		char name[SERVICE_NAME_MAX];
	} * all; /* by port; owned */
	size_t n_all, capacity;
};

/* Of the remote port, else of the own one; NULL: neither has a name. */
const char *service_names_of(struct service_names *names, struct env *env, bool tcp, uint16_t local,
			     uint16_t remote);
void service_names_free(struct service_names *names);

#endif
