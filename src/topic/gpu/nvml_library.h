/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libnvidia-ml (NVML), loaded where NVIDIA's driver is: functions and structs as its reference has them. */
#ifndef PANETOP_TOPIC_GPU_NVML_LIBRARY_H
#define PANETOP_TOPIC_GPU_NVML_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "topic/gpu/gpus.h"

/* nvmlReturn_t, of which these matter. */
enum nvml_result {
	NVML_SUCCESS = 0,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_NOT_FOUND = 6,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_VERSION_MISMATCH = 18, /* the library is newer or older than the driver that runs */
};

typedef struct nvml_device_handle *nvml_device;

struct nvml_pci { /* nvmlPciInfo_t */
	char legacy_address[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char address[32];
};

struct nvml_memory { /* nvmlMemory_t */
	unsigned long long total, free, used;
};

struct nvml_utilization { /* nvmlUtilization_t; in percent */
	unsigned gpu, memory;
};

struct nvml_process { /* nvmlProcessInfo_v2_t */
	unsigned pid;
	unsigned long long used; /* NVML_VALUE_NOT_AVAILABLE is all ones */
	unsigned gpu_instance, compute_instance;
};

struct nvml_sample { /* nvmlProcessUtilizationSample_t; in percent */
	unsigned pid;
	unsigned long long time_us;
	unsigned multiprocessors, memory, encoder, decoder;
};

/* Without the last ones what they tell is not known. */
struct nvml_library {
	void *library;
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned *count);
	int (*by_index)(unsigned index, nvml_device *device);
	int (*pci)(nvml_device device, struct nvml_pci *pci);
	int (*utilization)(nvml_device device, struct nvml_utilization *utilization);
	int (*memory)(nvml_device device, struct nvml_memory *memory);
	int (*graphics)(nvml_device device, unsigned *count, struct nvml_process *processes);
	int (*compute)(nvml_device device, unsigned *count, struct nvml_process *processes);
	int (*samples)(nvml_device device, struct nvml_sample *samples, unsigned *count,
		       unsigned long long since_us);
};

/* 0, or -ELIBACC: it is not installed, or too old. */
int nvml_library_open(struct nvml_library *library);
void nvml_library_close(struct nvml_library *library);

#define NVIDIA_DEVICES_MAX 16
#define NVIDIA_PROCESSES_MAX 256 /* of a device */

enum nvidia_engine { NVIDIA_MULTIPROCESSORS, NVIDIA_ENCODER, NVIDIA_DECODER, N_NVIDIA_ENGINES };

struct nvidia_process {
	uint32_t pid;
	uint64_t memory_bytes;           /* U64_UNKNOWN */
	double ratios[N_NVIDIA_ENGINES]; /* since the last question */
};

/* What was heard of a device. */
struct nvidia_device {
	char name[GPU_NAME_MAX];          /* as in sysfs */
	double busy_ratio;                /* NaN: not known */
	uint64_t used_bytes, total_bytes; /* U64_UNKNOWN */
	bool knows_processes;             /* all of them */
	bool knows_ratios;                /* of processes */
	struct nvidia_process processes[NVIDIA_PROCESSES_MAX];
	size_t n_processes, n_left_out;
	unsigned long long seen_us; /* time of the newest sample */
};

struct nvidia_answer {
	int error; /* enum nvml_result */
	struct nvidia_device devices[NVIDIA_DEVICES_MAX];
	size_t n_devices;
};

/* Asks for everything; answer keeps from question to question what the next one needs. May block. */
void nvml_library_ask(const struct nvml_library *library, struct nvidia_answer *answer);

#endif
