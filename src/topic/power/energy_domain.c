/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list behind the tree, in which a domain names its parent by index. */
#include <config.h>

#include "topic/power/energy_domain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"

#define DOMAINS_MAX 4096
#define MOST_WATTS 2000 /* of a domain without a limit of its own */

struct energy_domain *energy_domain_find(const struct energy *energy, const char *name)
{
	for (size_t i = 0; i < energy->count; i++)
		if (strcmp(energy->list[i].name, name) == 0)
			return &energy->list[i];
	return NULL;
}

int energy_domain_index(const struct energy *energy, const struct energy_domain *domain)
{
	return domain ? (int)(domain - energy->list) : -1;
}

struct energy_domain *energy_domain_add(struct energy *energy, const char *name, const char *key,
					enum energy_source source)
{
	struct energy_domain *domain;

	if (energy->count == DOMAINS_MAX)
		return NULL;
	domain = VECTOR_ADD(energy->list, energy->count, energy->capacity);
	*domain = (struct energy_domain){
		.name = alloc_text(name),
		.key = alloc_text(key),
		.source = source,
		.part = ENERGY_OTHER,
		.parent = -1,
		.fd = -1,
		.range_uj = U64_UNKNOWN,
		.most_watts = MOST_WATTS,
		.joules = NAN,
		.run_joules = NAN,
		.published_joules = NAN,
		.watts = NAN,
	};
	return domain;
}

void energy_domain_place(struct energy_domain *domain, const char *kind)
{
	char text[ENERGY_NAME_BYTES];

	snprintf(text, sizeof(text), "%s %s", kind, domain->key);
	domain->place = alloc_text(text);
}

void energy_domain_free(struct energy_domain *domain, struct env *env)
{
	if (domain->fd >= 0)
		close(domain->fd);
	attribute_close(&domain->file, env);
	free(domain->name);
	free(domain->place);
	free(domain->key);
}
