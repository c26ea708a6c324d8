/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/fd and fdinfo: what a file descriptor refers to, and what a graphics processor did for it. */
#ifndef PANETOP_KERNEL_PID_PID_FD_H
#define PANETOP_KERNEL_PID_PID_FD_H

#include "core/span.h"
#include "core/unknown.h"

/* /proc/PID/fd and fdinfo: what a file descriptor refers to. */

/* The target of its link, which is text of the kernel: nothing is looked up in a file system. */
struct pid_fd_link {
	const char *kind;      /* N_(): "file", "device", "pipe", "socket", "memfd"; NULL: as of anonymous */
	struct span anonymous; /* kind of an anonymous inode, as the kernel calls it: "eventpoll" */
	struct span path;      /* of a file; else the link as it is */
	bool deleted;          /* the kernel marks it so; the file may also be called so */
	uint64_t inode;        /* of a pipe or socket; U64_UNKNOWN */
};

void pid_fd_link_parse(struct span link, struct pid_fd_link *parsed);

struct pid_fd_info {
	uint64_t position, flags; /* U64_UNKNOWN */
	uint64_t mount, inode;    /* U64_UNKNOWN before Linux 3.15 and 5.14 */
};

void pid_fd_info_parse(struct span text, struct pid_fd_info *info);

/* "rw,append,nonblock": how it was opened; at most PID_FD_FLAGS_MAX bytes with the NUL. */
#define PID_FD_FLAGS_MAX 96
char *pid_fd_flags_text(uint64_t flags, char out[PID_FD_FLAGS_MAX]);

bool pid_fd_is_directory(uint64_t flags);

/* /proc/PID/fdinfo of a graphics processor: what one client of its driver used (drm-usage-stats.rst). */
#define DRM_ENGINES_MAX 24
#define DRM_REGIONS_MAX 16
#define DRM_NAME_MAX 32 /* of an engine, a region, a driver, a device, with a NUL */

/* Engines of one kind. Time in ns, or cycles with the clock that counts them; U64_UNKNOWN. */
struct drm_engine {
	struct span name;
	uint64_t capacity; /* how many there are, at least 1 */
	uint64_t busy_ns;
	uint64_t cycles, total_cycles;
};

/* A kind of memory; U64_UNKNOWN where the driver does not say. */
struct drm_region {
	struct span name;
	uint64_t total_bytes, resident_bytes, shared_bytes;
	uint64_t memory_bytes; /* as older drivers have it: drm-memory */
};

struct drm_client {
	struct span driver, device; /* device: PCI address; empty where it is not a PCI device */
	uint64_t id;                /* U64_UNKNOWN: it has none */
	struct drm_engine engines[DRM_ENGINES_MAX];
	struct drm_region regions[DRM_REGIONS_MAX];
	size_t n_engines, n_regions;
};

/* False: the file is not that of a DRM driver with usage stats. Spans point into text. */
bool drm_client_parse(struct span text, struct drm_client *client);

/* Bytes in use, over all drm_kinds of memory that the processor can reach. U64_UNKNOWN: no kind is known. */
uint64_t drm_client_memory(const struct drm_client *client);

/* The part of it that is memory of the device itself; U64_UNKNOWN: the driver has no kind of that name. */
uint64_t drm_client_local(const struct drm_client *client);

/* The part of all its memory that other clients share, and count, too. */
uint64_t drm_client_shared(const struct drm_client *client);

#endif
