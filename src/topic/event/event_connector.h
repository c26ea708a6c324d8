/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source "connector": messages of the proc connector, which alone tells exit codes, tracers and users. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_CONNECTOR_H
#define PANETOP_TOPIC_EVENT_EVENT_CONNECTOR_H

#include "sys/env.h"
#include "topic/event/event_raw.h"

struct event_connector;

/*
 * From its return on nothing is missed. some: only what perf does not tell is wanted. NULL and *error
 * otherwise: -ENOTSUP where env is not the live machine; -EPERM before Linux 6.6 without CAP_NET_ADMIN;
 * -ECONNREFUSED in another network namespace than the first; -ETIMEDOUT in another pid or user namespace,
 * where the kernel takes the request and answers nothing; -EPROTONOSUPPORT without CONFIG_PROC_EVENTS; or
 * of what else failed. buffer_bytes: what the socket asks for.
 */
struct event_connector *event_connector_open(struct env *env, bool some, size_t buffer_bytes, int *error);
void event_connector_close(struct event_connector *connector); /* NULL is fine */

/* Adds what has come: only the kinds that perf does not tell where it was opened for some. Never blocks. */
void event_connector_drain(struct event_connector *connector, struct raw_events *events);

int event_connector_descriptor(const struct event_connector *connector); /* readable when something came */
uint64_t event_connector_received(const struct event_connector *connector); /* messages */

/* Messages that found the buffer of the socket full: exact since Linux 4.12, before that a lower bound. */
uint64_t event_connector_lost(struct event_connector *connector);

#endif
