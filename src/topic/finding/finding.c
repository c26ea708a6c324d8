/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "finding": rules over the columns of other topics; whoever owns the frames derives its rows. */
#include <config.h>

#include "model/finding.h"
#include "topic/topic.h"

static int sample(struct sample *sample)
{
	(void)sample;
	return 0;
}

const struct topic topic_finding = { .schema = &finding_schema, .sources = no_source, .sample = sample };
