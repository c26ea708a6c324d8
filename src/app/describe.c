/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds which panes show a topic, and hands topics to the writer of the chosen format. */
#include <config.h>

#include "app/describe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "output/describe.h"
#include "pane/panes.h"
#include "sys/error_message.h"
#include "topic/topic.h"

static struct described describe_topic(const struct schema *schema)
{
	struct described topic = { .schema = schema };
	unsigned n = 0;

	for (unsigned i = 0; i < n_panes && n < DESCRIBED_PANES_MAX; i++)
		if (pane_has_table(panes[i], schema->name))
			topic.panes[n++] = panes[i]->name;
	return topic;
}

void describe_topics(const struct options *options, bool json, struct buffer *out)
{
	unsigned n_chosen;
	const struct topic **chosen = options_topics(options, &n_chosen);
	struct described *described = alloc_zeroed(n_chosen, sizeof(*described));

	for (unsigned i = 0; i < n_chosen; i++)
		described[i] = describe_topic(chosen[i]->schema);
	if (json)
		describe_json(out, described, n_chosen);
	else
		describe_text(out, described, n_chosen);
	free(described);
	free(chosen);
}

int describe_run(const struct options *options)
{
	struct buffer out = { 0 };
	int error;

	if (options->format != &sink_json && options->format != &sink_text) {
		error_message("--describe", _("supports only the formats text and json"));
		return 2;
	}
	describe_topics(options, options->format == &sink_json, &out);
	error = buffer_write(&out, STDOUT_FILENO, -1);
	buffer_free(&out);
	if (!error || error == -EPIPE)
		return 0;
	error_message(_("standard output"), "%s", strerror(-error));
	return 1;
}
