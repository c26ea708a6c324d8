/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --probe-call names: a file and a function in it. */
#ifndef PANETOP_TOPIC_PROBE_PROBE_NAME_H
#define PANETOP_TOPIC_PROBE_PROBE_NAME_H

#include <stdbool.h>

#include "core/span.h"

struct probe_name {
	struct span file;     /* a path, or … */
	bool is_path;         /* … the name of a file that processes have mapped */
	struct span provider; /* of a probe of the program's authors (USDT); empty: any */
	struct span function; /* or the name of such a probe */
};

/* "FILE:FUNCTION", "FILE:PROVIDER:PROBE". False: a part is missing. */
bool probe_name_parse(struct probe_name *name, struct span text);

/* How well a name without a slash names the file with this path; "libfoo" stands for libfoo.so.1. */
enum probe_file_match { PROBE_FILE_OTHER, PROBE_FILE_BEGINS, PROBE_FILE_IS };
enum probe_file_match probe_name_matches(const struct probe_name *name, struct span path);

#endif
