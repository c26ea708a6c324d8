/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: the topics of --table, of the panes that are named, or all. */
#include <config.h>

#include "describe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/complain.h"
#include "core/i18n.h"
#include "output/describe.h"
#include "pane/panes.h"
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

struct chosen {
	struct described topics[TOPICS_MAX];
	unsigned n_topics;
};

static void choose(struct chosen *chosen, const struct topic *topic)
{
	for (unsigned i = 0; i < chosen->n_topics; i++)
		if (chosen->topics[i].schema == topic->schema)
			return;
	chosen->topics[chosen->n_topics++] = describe_topic(topic->schema);
}

/* Those of a pane in its order: --columns and --sort speak of the first one. */
static void choose_topics(struct chosen *chosen, const struct options *options)
{
	if (options->table)
		choose(chosen, topic_find(options->table));
	for (unsigned p = 0; p < options->n_panes && !options->table; p++)
		for (const struct pane_table *table = options->panes[p]->tables; table->topic; table++)
			choose(chosen, topic_find(table->topic));
	for (unsigned i = 0; i < n_topics && !options->table && options->n_panes == 0; i++)
		choose(chosen, topics[i]);
}

int describe_run(const struct options *options)
{
	struct chosen chosen = { 0 };
	struct buffer out = { 0 };
	int error;

	choose_topics(&chosen, options);
	if (options->format == &sink_json) {
		describe_json(&out, chosen.topics, chosen.n_topics);
	} else if (options->format == &sink_text) {
		describe_text(&out, chosen.topics, chosen.n_topics);
	} else {
		complain("--describe", _("knows the formats text and json only"));
		return 2;
	}
	error = buffer_write(&out, STDOUT_FILENO, -1);
	buffer_free(&out);
	if (!error || error == -EPIPE)
		return 0;
	complain(_("standard output"), "%s", strerror(-error));
	return 1;
}
