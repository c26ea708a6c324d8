/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/interrupts and /proc/softirqs. */
#include <config.h>

#include "kernel/interrupts.h"

#include "kernel/cpu_list.h"

bool interrupt_cpu_next(struct span *heading, uint32_t *cpu)
{
	struct span rest = *heading, word;
	uint64_t number;

	if (!span_word(&rest, &word) || !span_starts(word, "CPU"))
		return false;
	word.at += 3;
	if (!span_is_u64(word, &number) || number >= CPU_LIST_MAX)
		return false;
	*heading = rest;
	*cpu = (uint32_t)number;
	return true;
}

bool interrupt_next(struct span *text, struct interrupt_line *line)
{
	struct span rest;

	while (span_line(text, &rest)) {
		if (!span_word(&rest, &line->label) || span_length(line->label) < 2 ||
		    line->label.end[-1] != ':')
			continue;
		line->label.end--;
		line->counts = rest;
		return true;
	}
	return false;
}

/* With several names, "eth0, usb1", the last word but one is the first of them. */
struct span interrupt_name(const struct interrupt_line *line)
{
	struct span rest = line->counts, word, name = line->label;

	if (*line->label.at < '0' || *line->label.at > '9')
		return line->label;
	while (span_word(&rest, &word)) {
		bool goes_on = name.end > name.at && name.end[-1] == ',' && name.at != line->label.at;

		name = (struct span){ .at = goes_on ? name.at : word.at, .end = word.end };
	}
	return name;
}
