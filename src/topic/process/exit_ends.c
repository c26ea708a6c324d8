/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A circle: each end takes the place of the oldest one, and the memory of its command. */
#include <config.h>

#include "topic/process/exit_ends.h"

#include "core/unknown.h"

static uint64_t oldest(const struct exit_ends *ends)
{
	return ends->newest > EXIT_ENDS_MAX ? ends->newest - EXIT_ENDS_MAX + 1 : 1;
}

void exit_ends_add(struct exit_ends *ends, const struct exit_end *end, const char *command)
{
	size_t place = ++ends->newest % EXIT_ENDS_MAX;

	ends->all[place] = *end;
	ends->all[place].number = ends->newest;
	buffer_empty(&ends->commands[place]);
	buffer_text(&ends->commands[place], command ? command : "");
	buffer_char(&ends->commands[place], '\0');
}

const struct exit_end *exit_ends_get(const struct exit_ends *ends, uint64_t number)
{
	const struct exit_end *end = &ends->all[number % EXIT_ENDS_MAX];

	return number > 0 && end->number == number ? end : NULL;
}

const char *exit_ends_command(const struct exit_ends *ends, const struct exit_end *end)
{
	return ends->commands[end->number % EXIT_ENDS_MAX].bytes;
}

const struct exit_end *exit_ends_find(const struct exit_ends *ends, uint32_t pid, uint64_t start_ticks,
				      uint64_t lived_at_ns)
{
	for (uint64_t number = oldest(ends); number <= ends->newest; number++) {
		const struct exit_end *end = exit_ends_get(ends, number);

		if (!end || end->pid != pid)
			continue;
		if (start_ticks == U64_UNKNOWN ? end->seen_ns >= lived_at_ns
					       : end->start_ticks == start_ticks)
			return end;
	}
	return NULL;
}

void exit_ends_date(struct exit_ends *ends, uint32_t pid, uint64_t start_ticks)
{
	for (uint64_t number = ends->newest; number >= oldest(ends); number--) {
		struct exit_end *end = &ends->all[number % EXIT_ENDS_MAX];

		if (end->number != number || end->pid != pid)
			continue;
		if (end->start_ticks == U64_UNKNOWN)
			end->start_ticks = start_ticks;
		return;
	}
}

/* Numbers go on. */
void exit_ends_clear(struct exit_ends *ends)
{
	for (size_t i = 0; i < EXIT_ENDS_MAX; i++)
		ends->all[i].number = 0;
}

void exit_ends_free(struct exit_ends *ends)
{
	for (size_t i = 0; i < EXIT_ENDS_MAX; i++)
		buffer_free(&ends->commands[i]);
}
