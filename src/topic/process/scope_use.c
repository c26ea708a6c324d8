/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "scope_use": derived from other topics by whoever owns the frames. */
#include <config.h>

#include "model/scope_frame.h"
#include "topic/topic.h"

static int sample(struct sample *sample)
{
	(void)sample;
	return 0;
}

const struct topic topic_scope_use = { .schema = &scope_use_schema, .sources = no_source, .sample = sample };
