/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uprobes as perf events, which the kernel removes with their descriptors, however panetop ends. */
#include <config.h>

#include "sys/uprobe.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "core/span.h"
#include "sys/machine_perf.h"
#include "sys/privilege.h"

#define DEVICE "sys/bus/event_source/devices/uprobe/"
#define SEMAPHORE_SHIFT 32 /* in config, of 32 bits */
#define OWN_FILE_MAX 32    /* "/proc/self/fd/N" */

int uprobe_form_read(struct env *env, struct uprobe_form *form)
{
	struct span text;
	uint64_t number;
	int error = env_read(env, env_file(env, DEVICE "type"), &text);

	*form = (struct uprobe_form){ 0 };
	if (error)
		return error;
	if (!span_u64(&text, &number) || number > UINT32_MAX)
		return -ENODATA;
	form->type = (uint32_t)number;
	error = env_read(env, env_file(env, DEVICE "format/retprobe"), &text);
	if (error)
		return error;
	if (!span_starts(text, "config:"))
		return -ENODATA;
	text.at += sizeof("config:") - 1;
	if (!span_u64(&text, &number) || number > 63)
		return -ENODATA;
	form->at_return = UINT64_C(1) << number;
	form->semaphores = env_read(env, env_file(env, DEVICE "format/ref_ctr_offset"), &text) == 0 &&
			   span_starts(text, "config:32-63");
	return 0;
}

/* The path leads to the open file, whatever has its name by now. */
int uprobe_open(const struct machine_perf *perf, const struct uprobe_form *form,
		const struct uprobe_place *place, uint32_t process, int program)
{
	struct perf_event_attr attr = { .type = form->type, .size = sizeof(attr) };
	char path[OWN_FILE_MAX];
	uint64_t raised;
	int event, error;

	if (place->semaphore_offset > 0 && (!form->semaphores || place->semaphore_offset > UINT32_MAX))
		return -EOPNOTSUPP;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place->file);
	attr.config = place->semaphore_offset << SEMAPHORE_SHIFT | (place->at_return ? form->at_return : 0);
	attr.uprobe_path = (uint64_t)(uintptr_t)path;
	attr.probe_offset = place->offset;
	raised = privilege_raise(PRIVILEGE_PROBES);
	event = perf->open(perf, &attr, (int)process, -1, -1);
	error = event < 0 ? event
			  : perf->control(perf, event, PERF_EVENT_IOC_SET_BPF, (unsigned long)program);
	if (event >= 0 && error)
		close(event);
	privilege_lower(raised);
	return error ? error : event;
}
