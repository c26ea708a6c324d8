/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts that a CPU served: the growth of /proc/interrupts or /proc/softirqs. */
#include <config.h>

#include "topic/cpu/interrupt_growth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/system.h"

#define NAME_MAX_BYTES 32
#define SHOWN 3

struct interrupt_kind {
	char label[NAME_MAX_BYTES], name[NAME_MAX_BYTES];
	bool is_new; /* it was not in the last update */
};

void interrupt_growth_open(struct interrupt_growth *growth, struct env *env, const char *path,
			   const uint32_t *cpus, size_t n_cpus)
{
	*growth = (struct interrupt_growth){
		.env = env,
		.file = env_file(env, path),
		.cpus = cpus,
		.n_cpus = n_cpus,
		.listed = alloc_zeroed(n_cpus, sizeof(*growth->listed)),
	};
}

void interrupt_growth_close(struct interrupt_growth *growth)
{
	free(growth->listed);
	free(growth->owners);
	free(growth->kinds);
	free(growth->counts);
}

/* The count of a kind on a CPU: now (0) or in the last update (1). */
static uint64_t *count_of(const struct interrupt_growth *growth, size_t kind, size_t cpu, unsigned when)
{
	return &growth->counts[(kind * growth->n_cpus + cpu) * 2 + when];
}

/* Finds the CPU of the next column. */
static void add_column(struct interrupt_growth *growth, uint32_t number)
{
	size_t *owner;

	owner = VECTOR_ADD(growth->owners, growth->n_columns, growth->columns_capacity);
	*owner = SIZE_MAX;
	for (size_t i = 0; i < growth->n_cpus && *owner == SIZE_MAX; i++)
		if (growth->cpus[i] == number)
			*owner = i;
	if (*owner != SIZE_MAX)
		growth->listed[*owner] = true;
}

static void find_columns(struct interrupt_growth *growth, struct span heading)
{
	uint32_t number;

	growth->n_columns = 0;
	for (size_t i = 0; i < growth->n_cpus; i++)
		growth->listed[i] = false;
	while (interrupt_cpu_next(&heading, &number))
		add_column(growth, number);
}

/* A line with another label than the last update had at this place starts from zero. */
static void place_line(struct interrupt_growth *growth, size_t index, struct span label)
{
	char text[NAME_MAX_BYTES];

	span_copy(text, sizeof(text), label);
	if (index == growth->n_kinds) {
		VECTOR_ADD(growth->kinds, growth->n_kinds, growth->capacity)->label[0] = '\0';
		VECTOR_RESERVE(growth->counts, growth->n_kinds * growth->n_cpus * 2,
			       growth->counts_capacity);
	}
	growth->kinds[index].is_new = strcmp(growth->kinds[index].label, text) != 0;
	memcpy(growth->kinds[index].label, text, sizeof(text));
}

static void parse_line(struct interrupt_growth *growth, size_t index, struct interrupt_line *line)
{
	uint64_t value;

	place_line(growth, index, line->label);
	for (size_t i = 0; i < growth->n_cpus; i++) {
		*count_of(growth, index, i, 1) =
			growth->kinds[index].is_new ? U64_UNKNOWN : *count_of(growth, index, i, 0);
		*count_of(growth, index, i, 0) = U64_UNKNOWN;
	}
	for (size_t column = 0; column < growth->n_columns && span_u64(&line->counts, &value); column++)
		if (growth->owners[column] != SIZE_MAX)
			*count_of(growth, index, growth->owners[column], 0) = value;
	span_copy(growth->kinds[index].name, NAME_MAX_BYTES, interrupt_name(line));
}

void interrupt_growth_update(struct interrupt_growth *growth)
{
	struct interrupt_line line;
	struct span text, heading;
	size_t index = 0;

	if (env_read(growth->env, growth->file, &text) < 0 || !span_line(&text, &heading)) {
		growth->updates = 0;
		growth->n_kinds = 0;
		return;
	}
	find_columns(growth, heading);
	while (interrupt_next(&text, &line))
		parse_line(growth, index++, &line);
	growth->n_kinds = index;
	growth->updates++;
}

static uint64_t grown(const struct interrupt_growth *growth, size_t kind, size_t cpu)
{
	uint64_t now = *count_of(growth, kind, cpu, 0), before = *count_of(growth, kind, cpu, 1);

	return now == U64_UNKNOWN || before == U64_UNKNOWN || now < before ? 0 : now - before;
}

uint64_t interrupt_growth_text(const struct interrupt_growth *growth, size_t index, char *text, size_t room)
{
	size_t most[SHOWN] = { 0 }, length = 0;
	uint64_t sum = 0;

	*text = '\0';
	if (growth->updates < 2 || !growth->listed[index])
		return U64_UNKNOWN;
	for (size_t k = 0; k < growth->n_kinds; k++) {
		uint64_t own = grown(growth, k, index);
		size_t place = SHOWN;

		sum += own;
		while (place > 0 && own > (most[place - 1] ? grown(growth, most[place - 1] - 1, index) : 0))
			place--;
		if (place == SHOWN)
			continue;
		memmove(&most[place + 1], &most[place], (SHOWN - 1 - place) * sizeof(most[0]));
		most[place] = k + 1;
	}
	for (size_t i = 0; i < SHOWN && most[i] && length < room; i++)
		length +=
			(size_t)snprintf(text + length, room - length, "%s%s %" PRIu64, i > 0 ? ", " : "",
					 growth->kinds[most[i] - 1].name, grown(growth, most[i] - 1, index));
	return sum;
}
