/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file is read when a port is first looked up, and sorted by port. */
#include <config.h>

#include "topic/network/service_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/vector.h"

#define PATH "etc/services"

static int compare(const void *one, const void *other)
{
	const struct service *a = one, *b = other;

	return (a->port > b->port) - (a->port < b->port);
}

/* "https  443/tcp  # comment" */
static void take_line(struct service_names *names, struct span line)
{
	struct service *service;
	struct span name, protocol;
	uint64_t port;

	if (!span_word(&line, &name) || *name.at == '#' || !span_u64(&line, &port) || port > UINT16_MAX ||
	    !span_char(&line, '/') || !span_word(&line, &protocol) ||
	    (!span_is(protocol, "tcp") && !span_is(protocol, "udp")))
		return;
	service = VECTOR_ADD(names->all, names->n_all, names->capacity);
	service->port = (uint32_t)(2 * port) + span_is(protocol, "tcp");
	snprintf(service->name, sizeof(service->name), "%.*s", (int)span_length(name), name.at);
}

static void read_names(struct service_names *names, struct env *env)
{
	struct span text, line;

	names->read = true;
	if (env_read(env, env_file(env, PATH), &text) < 0)
		return;
	while (span_line(&text, &line))
		take_line(names, line);
	if (names->n_all > 0)
		qsort(names->all, names->n_all, sizeof(*names->all), compare);
}

static const char *find(const struct service_names *names, bool tcp, uint16_t port)
{
	uint32_t wanted = 2 * (uint32_t)port + tcp;
	size_t at;

	VECTOR_BOUND(at, names->n_all, names->all[at].port < wanted);
	return at < names->n_all && names->all[at].port == wanted ? names->all[at].name : NULL;
}

const char *service_names_of(struct service_names *names, struct env *env, bool tcp, uint16_t local,
			     uint16_t remote)
{
	const char *name;

	if (!names->read)
		read_names(names, env);
	name = remote ? find(names, tcp, remote) : NULL;
	return name ? name : find(names, tcp, local);
}

void service_names_free(struct service_names *names)
{
	free(names->all);
}
