/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of counters for each CPU, which follows CPUs as they come online and go, and sums over all of them.
 */
#include <config.h>

#include "topic/counter/counter_machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/system.h"

static void remove_cpu(struct counter_machine *machine, size_t index)
{
	counter_set_close(machine->cpus[index]);
	free(machine->cpus[index]);
	machine->n_cpus--;
	memmove(&machine->cpus[index], &machine->cpus[index + 1],
		(machine->n_cpus - index) * sizeof(*machine->cpus));
}

static void insert_cpu(struct counter_machine *machine, size_t index, uint32_t number)
{
	VECTOR_RESERVE(machine->cpus, machine->n_cpus + 1, machine->capacity);
	memmove(&machine->cpus[index + 1], &machine->cpus[index],
		(machine->n_cpus - index) * sizeof(*machine->cpus));
	machine->cpus[index] = alloc_zeroed(1, sizeof(**machine->cpus));
	machine->cpus[index]->env = machine->env;
	machine->cpus[index]->place.cpu = number;
	machine->n_cpus++;
}

/* Adds CPUs that came online, and removes those that went offline. */
static void update_cpus(struct counter_machine *machine, struct span online)
{
	uint32_t first, last;
	size_t at = 0;

	while (cpu_list_next(&online, &first, &last)) {
		for (uint32_t number = first; number <= last; number++, at++) {
			while (at < machine->n_cpus && machine->cpus[at]->place.cpu < number)
				remove_cpu(machine, at);
			if (at == machine->n_cpus || machine->cpus[at]->place.cpu != number)
				insert_cpu(machine, at, number);
		}
	}
	while (at < machine->n_cpus)
		remove_cpu(machine, at);
}

static void open_cpus(struct counter_machine *machine)
{
	for (size_t i = 0; i < machine->n_cpus; i++)
		counter_set_open(machine->cpus[i], &machine->events, &machine->pmus);
}

static void add_up(struct counter_sum *sum, const struct counter_cell *cell)
{
	sum->known &= cell->fd >= 0 ? cell->known : !counter_is_lost(cell->fd);
	if (cell->fd < 0) {
		sum->error = sum->error ? sum->error : cell->fd;
		return;
	}
	sum->n_open++;
	if (!cell->known)
		return;
	sum->total += cell->grown;
	sum->times.enabled_ns += cell->grown_times.enabled_ns;
	sum->times.running_ns += cell->grown_times.running_ns;
}

/* False when no CPU counts any event. */
static bool read_cpus(struct counter_machine *machine)
{
	bool any = false;

	for (unsigned e = 0; e < machine->events.count; e++)
		machine->sums[e] = (struct counter_sum){ .total = machine->sums[e].total, .known = true };
	for (size_t i = 0; i < machine->n_cpus; i++) {
		counter_set_read(machine->cpus[i], &machine->events);
		for (unsigned e = 0; e < machine->events.count; e++)
			if (!machine->events.list[e].why)
				add_up(&machine->sums[e], &machine->cpus[i]->cells[e]);
	}
	for (unsigned e = 0; e < machine->events.count; e++)
		any |= machine->sums[e].n_open > 0;
	return any;
}

static int first_error(const struct counter_machine *machine)
{
	for (unsigned e = 0; e < machine->events.count; e++)
		if (machine->sums[e].error)
			return machine->sums[e].error;
	return -ENODATA;
}

static void choose(struct counter_machine *machine, enum counter_choice choice)
{
	counter_events_free(&machine->events);
	memset(machine->sums, 0, sizeof(machine->sums));
	machine->choice = choice;
	if (choice == COUNTER_HARDWARE)
		counter_events_hardware(&machine->events);
	else
		counter_events_software(&machine->events);
}

/* Only opening shows whether an event exists. */
static int count(struct counter_machine *machine)
{
	int error;

	open_cpus(machine);
	if (read_cpus(machine) || machine->choice == COUNTER_NAMED)
		return 0;
	error = first_error(machine);
	if (machine->choice == COUNTER_HARDWARE) {
		machine->no_hardware = error;
		choose(machine, COUNTER_SOFTWARE);
		open_cpus(machine);
		if (read_cpus(machine))
			return 0;
		error = first_error(machine);
	}
	choose(machine, COUNTER_HARDWARE);
	return error;
}

int counter_machine_read(struct counter_machine *machine, struct span online)
{
	update_cpus(machine, online);
	return count(machine);
}

int counter_machine_test(struct env *env, void (*fill)(struct counter_events *events))
{
	struct counter_events events = { 0 };
	struct counter_pmus pmus;
	struct span online;
	uint32_t cpu, last;
	int error = env->live ? env_read(env, env_file(env, COUNTER_ONLINE), &online) : -ENOTSUP;
	int fd = -ENODEV;

	if (error)
		return error;
	if (!cpu_list_next(&online, &cpu, &last))
		return -EBADMSG;
	fill(&events);
	counter_pmus_read(&pmus, env);
	for (unsigned i = 0; i < events.count && fd == -ENODEV; i++)
		fd = counter_open(env->perf, &events.list[i], &pmus, &(struct counter_place){ .cpu = cpu },
				  -1);
	counter_pmus_free(&pmus);
	counter_events_free(&events);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void counter_machine_open(struct counter_machine *machine, struct env *env, const char *names)
{
	*machine = (struct counter_machine){ .env = env, .choice = COUNTER_NAMED };
	counter_pmus_read(&machine->pmus, env);
	if (names)
		counter_events_named(&machine->events, env, names);
	if (machine->events.count == 0)
		choose(machine, COUNTER_HARDWARE);
}

void counter_machine_close(struct counter_machine *machine)
{
	while (machine->n_cpus > 0)
		remove_cpu(machine, machine->n_cpus - 1);
	free(machine->cpus);
	counter_pmus_free(&machine->pmus);
	counter_events_free(&machine->events);
}
