/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/fdinfo of a graphics processor: what one client of its driver used (drm-usage-stats.rst). */
#ifndef PANETOP_KERNEL_PID_DRM_CLIENT_H
#define PANETOP_KERNEL_PID_DRM_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

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

/* Bytes in use, over all kinds of memory that the processor can reach. U64_UNKNOWN: no kind is known. */
uint64_t drm_client_memory(const struct drm_client *client);

/* The part of it that is memory of the device itself; U64_UNKNOWN: the driver has no kind of that name. */
uint64_t drm_client_local(const struct drm_client *client);

/* The part of all its memory that other clients share, and count, too. */
uint64_t drm_client_shared(const struct drm_client *client);

#endif
