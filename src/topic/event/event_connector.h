/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source "connector": the proc connector, the only source of exit codes, tracers and users. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_CONNECTOR_H
#define PANETOP_TOPIC_EVENT_EVENT_CONNECTOR_H

#include "sys/env.h"
#include "topic/event/event_raw.h"

struct event_connector;

enum event_connector_kinds {
	EVENT_CONNECTOR_ALL,
	EVENT_CONNECTOR_BESIDE_PERF, /* those that perf does not provide */
	EVENT_CONNECTOR_EXECS,
};

/*
 * No event of these kinds is missed after it returns, and the kernel drops others. NULL and *error on
 * failure: -ENOTSUP where env is not the live machine; -EPERM before Linux 6.6 without CAP_NET_ADMIN;
 * -ECONNREFUSED outside the initial network namespace; -ETIMEDOUT outside the initial pid or user namespace,
 * where the kernel accepts the request but never answers; -EPROTONOSUPPORT without CONFIG_PROC_EVENTS; or
 * another error. buffer_bytes: requested size of the socket buffer.
 */
struct event_connector *event_connector_open(struct env *env, enum event_connector_kinds kinds,
					     size_t buffer_bytes, int *error);
void event_connector_close(struct event_connector *connector); /* NULL is fine */

/* Adds the events that arrived; never blocks. */
void event_connector_drain(struct event_connector *connector, struct raw_events *events);

int event_connector_descriptor(const struct event_connector *connector); /* readable when messages arrived */
uint64_t event_connector_received(const struct event_connector *connector); /* messages */

/* Messages lost because the socket buffer was full: exact since Linux 4.12, a lower bound before. */
uint64_t event_connector_lost(struct event_connector *connector);

#endif
