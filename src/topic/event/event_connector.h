/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source "connector": the proc connector, the only source of exit codes, tracers and users. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_CONNECTOR_H
#define PANETOP_TOPIC_EVENT_EVENT_CONNECTOR_H

#include "topic/event/event_source.h"

/*
 * No event of these kinds is missed after it returns, and the kernel drops others. NULL and *error on
 * failure: -ENOTSUP where env is not the live machine; -EPERM before Linux 6.6 without CAP_NET_ADMIN;
 * -ECONNREFUSED outside the initial network namespace; -ETIMEDOUT outside the initial pid or user namespace,
 * where the kernel accepts the request but never answers; -EPROTONOSUPPORT without CONFIG_PROC_EVENTS; or
 * another error. buffer_bytes: requested size of the socket buffer.
 */
struct event_source *event_connector_open(struct env *env, enum event_connector_kinds kinds,
					  size_t buffer_bytes, int *error);

#endif
