/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU that comes online later starts from 0, and one that goes offline keeps its counts, so that sums never
 * jump. A new line starts from 0, too, since the kernel lists all there are.
 */
#include <config.h>

#include "topic/interrupt/counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ledger.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "kernel/system.h"

void wrapping_count_update(struct wrapping_count *count, uint64_t now, uint64_t base)
{
	count->doubtful = count->known && !count->doubtful && ledger_fell(count->last, now);
	if (count->doubtful) {
		count->fallen = now;
		return;
	}
	count->total += count->known ? ledger_growth(count->last, now, count->fallen) : base;
	count->last = now;
	count->known = true;
}

uint64_t wrapping_count_total(const struct wrapping_count *count)
{
	return count->known && !count->doubtful ? count->total : U64_UNKNOWN;
}

void counts_open(struct counts *counts, struct env *env, const char *path)
{
	*counts = (struct counts){ .env = env, .file = env_file(env, path) };
}

void counts_close(struct counts *counts)
{
	for (size_t i = 0; i < counts->n_lines; i++)
		free(counts->lines[i].cells);
	free(counts->lines);
	free(counts->cpus);
	free(counts->columns);
	hash_free(&counts->by_label);
}

size_t counts_cpu(const struct counts *counts, uint32_t cpu)
{
	if (cpu < counts->n_cpus && counts->cpus[cpu] == cpu)
		return cpu;
	for (size_t i = 0; i < counts->n_cpus; i++)
		if (counts->cpus[i] == cpu)
			return i;
	return SIZE_MAX;
}

static void find_columns(struct counts *counts, struct span heading)
{
	uint32_t cpu;

	counts->n_columns = 0;
	while (interrupt_cpu_next(&heading, &cpu)) {
		size_t place = counts_cpu(counts, cpu);

		if (place == SIZE_MAX) {
			place = counts->n_cpus;
			*VECTOR_ADD(counts->cpus, counts->n_cpus, counts->cpus_capacity) = cpu;
		}
		*VECTOR_ADD(counts->columns, counts->n_columns, counts->columns_capacity) = place;
	}
}

static uint64_t hash_label(struct span label)
{
	return hash_bytes(HASH_SEED, label);
}

static struct count_line *find_line(struct counts *counts, struct span label)
{
	uint32_t at;

	HASH_FIND(at, &counts->by_label, hash_label(label), span_is(label, counts->lines[at].label));
	return at == HASH_NONE ? NULL : &counts->lines[at];
}

struct count_line *counts_numbered(struct counts *counts, uint64_t number)
{
	char label[COUNTS_LABEL_BYTES];

	snprintf(label, sizeof(label), "%" PRIu64, number);
	return find_line(counts, span_text(label));
}

static struct count_line *add_line(struct counts *counts, struct span label)
{
	struct count_line *line = VECTOR_ADD(counts->lines, counts->n_lines, counts->capacity);

	*line = (struct count_line){ .number = U64_UNKNOWN };
	snprintf(line->label, sizeof(line->label), "%.*s", (int)span_length(label), label.at);
	if (!span_is_u64(label, &line->number))
		line->number = U64_UNKNOWN;
	hash_add(&counts->by_label, hash_label(label), (uint32_t)(counts->n_lines - 1));
	return line;
}

static void make_cells(struct count_line *line, size_t n_cells)
{
	if (line->n_cells >= n_cells)
		return;
	line->cells = alloc_resize(line->cells, n_cells, sizeof(*line->cells));
	memset(line->cells + line->n_cells, 0, (n_cells - line->n_cells) * sizeof(*line->cells));
	line->n_cells = n_cells;
}

/* What follows the counts; for a numbered one without the chip and what it calls the interrupt. */
static void set_name(struct count_line *line, struct interrupt_line *parsed)
{
	struct span name = parsed->counts;
	char text[COUNTS_NAME_BYTES];

	if (line->number != U64_UNKNOWN)
		name = interrupt_name(parsed);
	while (name.at < name.end && *name.at == ' ')
		name.at++;
	snprintf(text, sizeof(text), "%.*s", (int)span_length(name), name.at);
	line->renamed = strcmp(text, line->name) != 0;
	if (line->renamed)
		memcpy(line->name, text, sizeof(text));
}

/* is_new: the line was not there in the update before. */
static void update_line(struct counts *counts, struct count_line *line, struct interrupt_line *parsed,
			bool is_new)
{
	uint64_t value;

	make_cells(line, counts->n_cpus);
	for (size_t column = 0; column < counts->n_columns && span_u64(&parsed->counts, &value); column++)
		wrapping_count_update(&line->cells[counts->columns[column]].count, value, is_new ? value : 0);
	line->present = true;
	line->whole = typed_is(span_text(line->label), "ERR") || strcmp(line->label, "MIS") == 0;
	set_name(line, parsed);
}

int counts_update(struct counts *counts)
{
	struct interrupt_line parsed;
	struct span text, heading;
	int error = env_read(counts->env, counts->file, &text);

	if (error)
		return error;
	if (!span_line(&text, &heading))
		return -ENODATA;
	find_columns(counts, heading);
	for (size_t i = 0; i < counts->n_lines; i++)
		counts->lines[i].present = false;
	while (interrupt_next(&text, &parsed)) {
		struct count_line *line = NULL;

		if (span_length(parsed.label) >= COUNTS_LABEL_BYTES)
			continue;
		line = find_line(counts, parsed.label);
		update_line(counts, line ? line : add_line(counts, parsed.label), &parsed, !line);
	}
	counts->updates++;
	return counts->n_columns > 0 && counts->n_lines > 0 ? 0 : -ENODATA;
}

uint64_t counts_total(const struct count_line *line)
{
	uint64_t total = 0;

	for (size_t i = 0; i < line->n_cells; i++) {
		if (line->cells[i].count.doubtful)
			return U64_UNKNOWN;
		total += line->cells[i].count.total;
	}
	return total;
}

uint64_t counts_total_ns(const struct count_line *line)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < line->n_cells; i++)
		ns += line->cells[i].ns;
	return ns;
}
