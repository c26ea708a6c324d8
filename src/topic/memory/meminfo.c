/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "meminfo": every line of /proc/meminfo and what it means. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "topic/memory/arc.h"
#include "topic/memory/meminfo_keys.h"
#include "topic/topic.h"

struct meminfo_row {
	const char *key;
	uint64_t value_bytes, count;
	const char *part_of, *meaning;
};

static const struct column columns[] = {
	COLUMN(struct meminfo_row, key, .kind = COLUMN_KEY, .title = N_("key"), .width = 15,
	       .help = N_("name of the line as the kernel spells it"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, value_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("size"),
	       .width = 9, .rank = 1, .help = N_("its size, for lines in kB"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, count, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("count"),
	       .width = 6, .rank = 3, .optional = true,
	       .help = N_("its number, for lines without a unit (huge pages)"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, meaning, .kind = COLUMN_LABEL, .title = N_("meaning"), .width = 20,
	       .words = true, .rank = 2, .help = N_("what the line counts"), .source = "panetop"),
	COLUMN(struct meminfo_row, part_of, .kind = COLUMN_LABEL, .title = N_("part of"), .width = 8,
	       .rank = 4, .help = N_("the lines that contain it already: it must not be added to them"),
	       .source = "panetop"),
};

static const struct schema schema = {
	.name = "meminfo",
	.help = N_("every line of /proc/meminfo, with its meaning"),
	.row_size = sizeof(struct meminfo_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/meminfo", .gives = N_("sizes of all kinds of memory") },
	{ 0 },
};

static void add_row(struct table *table, struct frame *frame, struct span key, uint64_t value, bool in_bytes)
{
	const struct meminfo_key *known = meminfo_key(key);
	struct meminfo_row *row = table_add(table);

	row->key = known ? known->key : arena_copy(&frame->arena, key.at, span_length(key));
	row->value_bytes = in_bytes ? value : U64_BLANK;
	row->count = in_bytes ? U64_BLANK : value;
	row->part_of = known && known->part_of ? known->part_of : "";
	row->meaning = known ? known->meaning : N_("not known to this version of panetop");
}

static void add_arc(struct env *env, struct frame *frame, struct table *table)
{
	struct arcstats arc;

	if (!arc_read(env, &arc))
		return;
	add_row(table, frame, span_text("arcstats size"), arc.size_bytes, true);
	add_row(table, frame, span_text("arcstats c_min"), arc.minimum_bytes, true);
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct table *table = sample->table;
	struct meminfo_line line;
	struct span text;
	int error = env_read(env, env_file(env, "proc/meminfo"), &text);

	if (error)
		return error;
	while (meminfo_next(&text, &line))
		add_row(table, sample->frame, line.key, line.value, line.in_bytes);
	add_arc(env, sample->frame, table);
	return table->n_rows > 0 ? 0 : -ENODATA;
}

const struct topic topic_meminfo = { .schema = &schema, .sources = sources, .sample = sample };
