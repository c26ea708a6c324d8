/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands in for NVIDIA's library: two devices, the first one used by the process that NVML_FAKE_PID names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pci {
	char legacy_address[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char address[32];
};

struct memory {
	unsigned long long total, free, used;
};

struct utilization {
	unsigned gpu, memory;
};

struct process {
	unsigned pid;
	unsigned long long used;
	unsigned gpu_instance, compute_instance;
};

struct sample {
	unsigned pid;
	unsigned long long time_us;
	unsigned multiprocessors, memory, encoder, decoder;
};

#define SUCCESS 0
#define NOT_SUPPORTED 3
#define NOT_FOUND 6
#define VERSION_MISMATCH 18
#define GIB (1ULL << 30)

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci);
int nvmlDeviceGetUtilizationRates(void *device, struct utilization *utilization);
int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory);
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, struct process *processes);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *processes);
int nvmlDeviceGetProcessUtilization(void *device, struct sample *samples, unsigned *count,
				    unsigned long long since_us);

static char devices[2];

/* Writes what is called into the file that NVML_FAKE_LOG names. */
static void note(const char *call)
{
	const char *path = getenv("NVML_FAKE_LOG");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%s\n", call);
	fclose(file);
}

static unsigned user(void)
{
	const char *pid = getenv("NVML_FAKE_PID");

	return pid ? (unsigned)atoi(pid) : 0;
}

int nvmlInit_v2(void)
{
	note("init");
	return getenv("NVML_FAKE_MISMATCH") ? VERSION_MISMATCH : SUCCESS;
}

int nvmlShutdown(void)
{
	note("shutdown");
	return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	note("count");
	*count = 2;
	return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
	*device = &devices[index];
	return SUCCESS;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci)
{
	memset(pci, 0, sizeof(*pci));
	pci->bus = device == &devices[0] ? 1 : 0x41;
	return SUCCESS;
}

int nvmlDeviceGetUtilizationRates(void *device, struct utilization *utilization)
{
	*utilization = (struct utilization){ .gpu = device == &devices[0] && user() ? 42 : 0 };
	return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory)
{
	*memory = (struct memory){ .total = 8 * GIB, .used = device == &devices[0] ? 2 * GIB : 0 };
	return SUCCESS;
}

/* It draws and computes: both lists have it. */
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, struct process *processes)
{
	unsigned n = device == &devices[0] && user() ? 1 : 0;

	if (n > 0 && *count > 0)
		processes[0] = (struct process){ .pid = user(), .used = GIB };
	*count = n;
	return SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *processes)
{
	return nvmlDeviceGetGraphicsRunningProcesses_v3(device, count, processes);
}

int nvmlDeviceGetProcessUtilization(void *device, struct sample *samples, unsigned *count,
				    unsigned long long since_us)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (device != &devices[0] || !user())
		return NOT_FOUND;
	samples[0] = (struct sample){ .pid = user(),
				      .time_us = (unsigned long long)now.tv_sec * 1000000 +
						 (unsigned long long)now.tv_nsec / 1000,
				      .multiprocessors = 30,
				      .encoder = 10 };
	*count = samples[0].time_us > since_us;
	return SUCCESS;
}
