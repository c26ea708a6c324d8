/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes use of graphics processors, by the fdinfo of what they have open below /dev/dri. */
#ifndef PANETOP_TOPIC_GPU_GPU_CLIENTS_H
#define PANETOP_TOPIC_GPU_GPU_CLIENTS_H

#include "core/hash.h"
#include "kernel/pid/pid_fd.h"
#include "topic/gpu/gpus.h"
#include "topic/process/process_list.h"

/* Engines of one kind, of a process or of all. */
struct gpu_engine {
	char name[DRM_NAME_MAX];
	uint64_t capacity;    /* how many they are */
	double grown_seconds; /* in this tick, all of them together */
	double busy_seconds;  /* since the process was first seen */
	bool used;            /* ever, also before that */
};

struct gpu_engines {
	struct gpu_engine *list; /* owned */
	size_t n, capacity;
};

/* A device as its clients name it. */
struct gpu_device {
	char name[GPU_NAME_MAX], driver[DRM_NAME_MAX];
	struct gpu_engines engines; /* sums over all clients */
	size_t n_users;             /* processes, in this tick */
};

/* A process on a device. */
struct gpu_user {
	uint32_t pid;
	uint64_t start_ticks;
	size_t device; /* index */
	uint64_t tick; /* the last one in which it had a client */
	struct gpu_engines engines;
	double busy_seconds; /* of the busiest engine of each tick */
	const char *busiest; /* of this tick; NULL: none */
	size_t n_clients;
	uint64_t memory_bytes, local_bytes, shared_bytes; /* U64_UNKNOWN */
};

struct gpu_clients {
	struct gpus *gpus;
	struct process_list *processes;
	struct env *env;
	uint64_t mono_ns, last_ns; /* of this update and of the one before; 0: none */
	uint64_t last_boot_ns;
	uint64_t last_tick;
	struct gpu_holder *holders, *former; /* all processes, by pid; owned */
	size_t n_holders, n_former, holder_capacity, former_capacity;
	struct gpu_client *clients; /* owned */
	size_t n_clients, client_capacity;
	struct hash client_at;
	struct gpu_device *devices; /* owned */
	size_t n_devices, device_capacity;
	struct gpu_user *users; /* owned */
	size_t n_users, user_capacity;
	struct hash user_at;
	size_t n_denied;   /* processes that may not be looked into */
	size_t n_left_out; /* descriptors of processes that have too many */
};

/* Looks into processes only where a card can render, and its driver counts for its clients. */
extern const struct reader gpu_clients_reader;

/* NULL: it has had no client. */
const struct gpu_device *gpu_clients_device(const struct gpu_clients *clients, const char *name);

/*
 * The share of the last interval in which its busiest engine worked for clients that are seen. NaN: no
 * interval yet, no engine is known, or none is seen while there are processes that may not be looked into.
 */
double gpu_clients_busy(const struct gpu_clients *clients, const struct gpu_device *device);

#endif
