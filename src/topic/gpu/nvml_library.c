/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads NVML, and asks it for all devices and their processes. */
#include <config.h>

#include "topic/gpu/nvml_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/unknown.h"

#define LIBRARY "libnvidia-ml.so.1"
#define SAMPLES_MAX 1024

int nvml_library_open(struct nvml_library *library)
{
	void *opened = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	*library = (struct nvml_library){ .library = opened };
	if (!opened)
		return -ELIBACC;
	*(void **)&library->init = dlsym(opened, "nvmlInit_v2");
	*(void **)&library->shutdown = dlsym(opened, "nvmlShutdown");
	*(void **)&library->count = dlsym(opened, "nvmlDeviceGetCount_v2");
	*(void **)&library->by_index = dlsym(opened, "nvmlDeviceGetHandleByIndex_v2");
	*(void **)&library->pci = dlsym(opened, "nvmlDeviceGetPciInfo_v3");
	*(void **)&library->utilization = dlsym(opened, "nvmlDeviceGetUtilizationRates");
	*(void **)&library->memory = dlsym(opened, "nvmlDeviceGetMemoryInfo");
	*(void **)&library->graphics = dlsym(opened, "nvmlDeviceGetGraphicsRunningProcesses_v3");
	*(void **)&library->compute = dlsym(opened, "nvmlDeviceGetComputeRunningProcesses_v3");
	*(void **)&library->samples = dlsym(opened, "nvmlDeviceGetProcessUtilization");
	if (library->init && library->shutdown && library->count && library->by_index && library->pci)
		return 0;
	nvml_library_close(library);
	return -ELIBACC;
}

void nvml_library_close(struct nvml_library *library)
{
	if (library->library)
		dlclose(library->library);
	*library = (struct nvml_library){ 0 };
}

/* NULL: there is no room. */
static struct nvidia_process *process_of(struct nvidia_device *device, unsigned pid)
{
	struct nvidia_process *process;

	for (size_t i = 0; i < device->n_processes; i++)
		if (device->processes[i].pid == pid)
			return &device->processes[i];
	if (device->n_processes == NVIDIA_PROCESSES_MAX) {
		device->n_left_out++;
		return NULL;
	}
	process = &device->processes[device->n_processes++];
	*process = (struct nvidia_process){ .pid = pid, .memory_bytes = U64_UNKNOWN };
	return process;
}

/* A process that draws and computes is in both lists, with the same memory. */
static void take_processes(struct nvidia_device *device, nvml_device handle,
			   int (*list)(nvml_device device, unsigned *count, struct nvml_process *processes))
{
	struct nvml_process processes[NVIDIA_PROCESSES_MAX];
	unsigned count = NVIDIA_PROCESSES_MAX;

	if (!list || list(handle, &count, processes) != NVML_SUCCESS) {
		device->knows_processes = false;
		return;
	}
	for (unsigned i = 0; i < count && i < NVIDIA_PROCESSES_MAX; i++) {
		struct nvidia_process *process = process_of(device, processes[i].pid);

		if (process && processes[i].used != UINT64_MAX &&
		    (process->memory_bytes == U64_UNKNOWN || processes[i].used > process->memory_bytes))
			process->memory_bytes = processes[i].used;
	}
}

static double ratio_of(unsigned percent)
{
	return percent <= 100 ? percent / 100.0 : 0; /* seen above: nonsense of a sample without work */
}

/* A process without a sample since the last question did not use it. */
static void take_samples(struct nvidia_device *device, nvml_device handle, const struct nvml_library *library)
{
	struct nvml_sample samples[SAMPLES_MAX];
	unsigned count = SAMPLES_MAX;
	unsigned long long newest = device->seen_us;
	int error = library->samples ? library->samples(handle, samples, &count, device->seen_us)
				     : NVML_NOT_SUPPORTED;

	device->knows_ratios = error == NVML_SUCCESS || error == NVML_NOT_FOUND;
	for (unsigned i = 0; error == NVML_SUCCESS && i < count && i < SAMPLES_MAX; i++) {
		const struct nvml_sample *sample = &samples[i];
		struct nvidia_process *process =
			sample->time_us > device->seen_us ? process_of(device, sample->pid) : NULL;

		if (!process)
			continue;
		process->ratios[NVIDIA_MULTIPROCESSORS] = ratio_of(sample->multiprocessors);
		process->ratios[NVIDIA_ENCODER] = ratio_of(sample->encoder);
		process->ratios[NVIDIA_DECODER] = ratio_of(sample->decoder);
		newest = sample->time_us > newest ? sample->time_us : newest;
	}
	device->seen_us = newest;
}

static void take_device(struct nvidia_device *device, nvml_device handle, const struct nvml_library *library)
{
	struct nvml_utilization utilization;
	struct nvml_memory memory;

	device->busy_ratio = NAN;
	device->used_bytes = device->total_bytes = U64_UNKNOWN;
	device->n_processes = device->n_left_out = 0;
	if (library->utilization && library->utilization(handle, &utilization) == NVML_SUCCESS)
		device->busy_ratio = ratio_of(utilization.gpu);
	if (library->memory && library->memory(handle, &memory) == NVML_SUCCESS) {
		device->used_bytes = memory.used;
		device->total_bytes = memory.total;
	}
	device->knows_processes = true;
	take_processes(device, handle, library->graphics);
	take_processes(device, handle, library->compute);
	take_samples(device, handle, library);
}

static void name_device(struct nvidia_device *device, const struct nvml_pci *pci)
{
	char name[GPU_NAME_MAX];

	snprintf(name, sizeof(name), "%04x:%02x:%02x.0", pci->domain, pci->bus, pci->device);
	if (strcmp(name, device->name) != 0) /* another one has this index now */
		*device = (struct nvidia_device){ 0 };
	strcpy(device->name, name);
}

void nvml_library_ask(const struct nvml_library *library, struct nvidia_answer *answer)
{
	unsigned count = 0;

	answer->n_devices = 0;
	answer->error = library->count(&count);
	for (unsigned i = 0; answer->error == NVML_SUCCESS && i < count && i < NVIDIA_DEVICES_MAX; i++) {
		struct nvidia_device *device = &answer->devices[answer->n_devices];
		struct nvml_pci pci;
		nvml_device handle;

		if (library->by_index(i, &handle) != NVML_SUCCESS ||
		    library->pci(handle, &pci) != NVML_SUCCESS)
			continue;
		name_device(device, &pci);
		take_device(device, handle, library);
		answer->n_devices++;
	}
}
