/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading sys/bus/event_source/devices: once, when the counters are opened. */
#include <config.h>

#include "topic/counter_pmu.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/cpu_list.h"

#define TEXT_MAX 4096

/* The first line of DEVICE/NAME; false when there is none. */
static bool read_line(int devices_fd, const char *device, const char *name, char *text)
{
	char path[512];
	struct span line = span_of(NULL, 0), bytes;
	ssize_t length = -1;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", device, name) >= (int)sizeof(path))
		return false;
	fd = openat(devices_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, TEXT_MAX - 1);
		close(fd);
	}
	if (length <= 0)
		return false;
	bytes = span_of(text, (size_t)length);
	span_line(&bytes, &line);
	text[span_length(line)] = '\0';
	return span_length(line) > 0;
}

static void add_pmu(struct counter_pmus *pmus, int devices_fd, const char *name)
{
	char type_text[TEXT_MAX], cpus[TEXT_MAX];
	struct counter_pmu *pmu;
	struct span text;
	uint64_t type;
	bool has_cores;

	if (!read_line(devices_fd, name, "type", type_text))
		return;
	text = span_text(type_text);
	if (!span_u64(&text, &type) || type > UINT32_MAX)
		return;
	has_cores = read_line(devices_fd, name, "cpus", cpus);
	if (!has_cores && !read_line(devices_fd, name, "cpumask", cpus))
		return;
	pmus->list = alloc_resize(pmus->list, pmus->count + 1, sizeof(*pmus->list));
	pmu = &pmus->list[pmus->count++];
	*pmu = (struct counter_pmu){
		.type = (uint32_t)type,
		.is_core = has_cores && strncmp(name, "cpu_", 4) == 0,
		.cpus = alloc_text(cpus),
	};
}

void counter_pmus_read(struct counter_pmus *pmus, struct env *env)
{
	int fd = openat(env->root_fd, "sys/bus/event_source/devices", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	*pmus = (struct counter_pmus){ 0 };
	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			add_pmu(pmus, fd, entry->d_name);
	if (directory)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
}

void counter_pmus_free(struct counter_pmus *pmus)
{
	for (size_t i = 0; i < pmus->count; i++)
		free(pmus->list[i].cpus);
	free(pmus->list);
	*pmus = (struct counter_pmus){ 0 };
}

bool counter_pmu_counts_on(const struct counter_pmus *pmus, uint32_t type, uint32_t cpu)
{
	for (size_t i = 0; i < pmus->count; i++)
		if (pmus->list[i].type == type)
			return cpu_list_has(span_text(pmus->list[i].cpus), cpu);
	return true;
}

uint32_t counter_pmu_of_core(const struct counter_pmus *pmus, uint32_t cpu)
{
	for (size_t i = 0; i < pmus->count; i++)
		if (pmus->list[i].is_core && cpu_list_has(span_text(pmus->list[i].cpus), cpu))
			return pmus->list[i].type;
	return 0;
}
