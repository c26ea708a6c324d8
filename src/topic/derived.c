/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "host", "finding" and "scope_use": whoever owns the frames derives their rows from other topics. */
#include <config.h>

#include "model/finding.h"
#include "model/host.h"
#include "model/scope.h"
#include "topic/topic.h"

static int sample(struct sample *sample)
{
	(void)sample;
	return 0;
}

const struct topic topic_host = { .schema = &host_schema, .sources = no_source, .sample = sample };
const struct topic topic_finding = { .schema = &finding_schema, .sources = no_source, .sample = sample };
const struct topic topic_scope_use = { .schema = &scope_use_schema, .sources = no_source, .sample = sample };
