/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by topics of system calls: whose are looked at, those of a process, of the scope, or all; opened
 * files.
 */
#ifndef PANETOP_TOPIC_CALL_CALL_TARGET_H
#define PANETOP_TOPIC_CALL_CALL_TARGET_H

#include "core/i18n.h"
#include "model/sample_request.h"
#include "topic/trace/trace_scope.h"

#define CALL_TARGET_REMEDY _("select one process (Enter) or a scope (@) with fewer calls")

#define CALL_RETURNS "sys_exit" /* the tracepoint at which all of them count */

/* Of the source TRACE_SOURCE. */
#define CALL_NEEDS N_("this needs Linux 5.14 with BTF, on x86 or arm64")
#define CALL_REMEDIES                                                                                        \
	TRACE_REMEDIES, TRACE_REMEDY_PIDS, { ENOENT, CALL_NEEDS },                                           \
	{                                                                                                    \
		ENODATA, CALL_NEEDS                                                                          \
	}

/* All zero: none is known. */
struct call_target {
	bool is_known, of_scope;
	uint32_t process; /* only this one; 0: the scope, or all */
	unsigned epoch;   /* of the scope */
};

/* What the request wants now. True: that is another one than before. */
bool call_target_update(struct call_target *target, const struct sample_request *request);

#define OPENED_OK N_("opened") /* the result; else the name of the error */
#define OPENED_UNREAD "(unreadable)"
#define OPENED_PATH_HELP                                                                                     \
	N_("path as the program gave it: a relative one begins in its directory, or in that of a "           \
	   "descriptor; (unreadable): it was not in memory")

struct opened_file {
	uint64_t time_ns; /* CLOCK_MONOTONIC of the kernel */
	uint32_t pid, tid;
	int32_t result;            /* a descriptor, or a negative error */
	struct span command, path; /* path: empty: it could not be read */
	bool is_unread;
};

/* What a sample of a ring holds; false: it is malformed. */
bool opened_file_parse(struct span raw, struct opened_file *file);

#endif
