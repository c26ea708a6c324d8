/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/mountinfo: a line per mount, as that process sees them. */
#ifndef PANETOP_KERNEL_MOUNTINFO_H
#define PANETOP_KERNEL_MOUNTINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct mount_info {
	uint64_t id, parent;
	uint64_t device;   /* of the file system: major << 32 | minor */
	struct span root;  /* the directory of the file system that is mounted; escaped, as all texts here */
	struct span point; /* where */
	struct span type, source;
	struct span options; /* of the file system: "rw,cpu,cpuacct"; empty: none */
	bool read_only;  /* the file system: where only the mount is, it can be written to elsewhere */
	bool is_written; /* by this mount: neither is read-only */
};

/* The next mount; skips malformed lines. */
bool mountinfo_next(struct span *text, struct mount_info *info);

/* Takes the next byte of a text that is not empty, or of its escape. */
char mountinfo_byte(struct span *escaped);

/*
 * A new string, with "\040" and other octal escapes as bytes. Escaped zeros and malformed escapes are kept
 * unchanged.
 */
char *mountinfo_text(struct span escaped);

#endif
