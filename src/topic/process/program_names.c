/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of programs, as the kernel cuts them. */
#include <config.h>

#include "topic/process/program_names.h"

#include <string.h>

#include "sys/pids.h"

void program_names_add(struct program_names *names, const char *name)
{
	strncpy(names->list[names->n++], name, PROGRAM_NAME_BYTES - 1);
}

size_t program_names_find(const struct program_names *names, const char *name)
{
	size_t i = 0;

	while (i < names->n && strncmp(names->list[i], name, PROGRAM_NAME_BYTES) != 0)
		i++;
	return i;
}

size_t program_names_of(const struct program_names *names, struct env *env, uint32_t pid, int *error)
{
	char comm[PROGRAM_NAME_BYTES + 1];
	long length = pids_read(env, pid, "comm", comm, sizeof(comm) - 1);

	*error = length < 0 ? (int)length : 0;
	if (length <= 0)
		return names->n;
	comm[length] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	return program_names_find(names, comm);
}
