/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graphics cards of the machine, and what drivers say of them in sysfs. A sleeping card is not woken. */
#ifndef PANETOP_TOPIC_GPU_GPUS_H
#define PANETOP_TOPIC_GPU_GPUS_H

#include <stddef.h>
#include <stdint.h>

#include "core/i18n.h"
#include "sys/attribute.h"
#include "topic/process/process_list.h"
#include "topic/reader.h"

#define GPU_NAME_MAX 64

/* Files of one card. */
enum gpu_file {
	GPU_FREQUENCY,
	GPU_FREQUENCY_LOW,
	GPU_FREQUENCY_HIGH,
	GPU_BUSY,
	GPU_MEMORY_USED,
	GPU_MEMORY_TOTAL,
	GPU_SYSTEM_USED, /* memory of the machine that it uses */
	N_GPU_FILES,
};

struct gpu {
	char card[32];           /* "card0" */
	char name[GPU_NAME_MAX]; /* of its device: "0000:03:00.0", which stays from boot to boot */
	char driver[32];         /* empty: not known */
	char render[32];         /* "renderD128"; empty: it only displays */
	double hertz;            /* per unit of its files of frequencies; 0: it has none */
	struct attribute runtime, files[N_GPU_FILES];
	bool asleep; /* in this tick: its files are not read */
};

struct gpus {
	struct env *env; /* borrowed */
	struct listing cards;
	uint64_t tick; /* when they were listed last; ENV_NEVER */
	struct gpu *list;
	size_t count, capacity;
};

/* Where the machine has no card, it is looked for again every 16 ticks only. */
extern const struct reader gpus_reader;

/* NULL: no card has this name, is called so in /dev/dri, or has this node for rendering. */
const struct gpu *gpus_find(const struct gpus *gpus, struct span name);

/* Does it have NVIDIA's own driver, which counts nothing for its clients? */
bool gpu_is_of_nvidia(const struct gpu *gpu);

/* A number from one of its files, times scale; NaN: not known, or it sleeps. */
double gpu_read(struct gpus *gpus, struct gpu *gpu, enum gpu_file file, double scale);
uint64_t gpu_read_bytes(struct gpus *gpus, struct gpu *gpu, enum gpu_file file); /* U64_UNKNOWN */

/* libnvidia-ml (NVML): functions and structs as its reference has them. */
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

#define NVIDIA_NO_LIBRARY N_("install the library that belongs to the driver, in Debian libnvidia-ml1")

/* A process on a device. */
struct nvidia_user {
	uint32_t pid;
	uint64_t start_ticks;
	char device[GPU_NAME_MAX];
	uint64_t answer;       /* number of the last answer that had it */
	uint64_t memory_bytes; /* U64_UNKNOWN */
	bool knows_ratios;
	double busy_seconds[N_NVIDIA_ENGINES]; /* since it was first seen … */
	double busiest_seconds;                /* … and of the busiest one of each interval */
	int busiest;                           /* of the last interval; -1: none */
};

struct nvidia {
	struct env *env;
	struct process_list *processes;
	bool present;       /* the driver is loaded … */
	uint64_t look_tick; /* … as it was seen last; ENV_NEVER */
	struct nvidia_name {
		char name[GPU_NAME_MAX];
		bool asleep;
	} * names; /* its devices, sorted; owned */
	size_t n_names, name_capacity;
	struct nvidia_poll *poll;
	struct nvidia_answer *last; /* owned; NULL: none yet */
	uint64_t n_answers;
	uint64_t read_ns;          /* when the last one was begun; 0: none */
	double seconds;            /* between the last two answers; NaN */
	int error;                 /* 0; -ELIBACC: no library; or an enum nvml_result */
	bool asleep, resting;      /* a device sleeps, or is left alone so that it may: nothing is asked */
	uint64_t rest_until;       /* a tick */
	unsigned n_idle;           /* answers in a row without anything in use */
	uint64_t credited;         /* number of the last answer that is in users */
	struct nvidia_user *users; /* owned */
	size_t n_users, capacity;
};

/* Where there is no such driver, it is looked for in every 16th tick. */
extern const struct reader nvidia_reader;

/* What is known of the device now; NULL: it is not in the last answer, that is too old, or nothing is asked.
 */
const struct nvidia_device *nvidia_find(const struct nvidia *nvidia, const char *name);

/* Adds what the last answer says to the sums of the processes. */
void nvidia_update_users(struct nvidia *nvidia, const struct sample *sample);

/* Why nothing is known, translated, and *remedy; NULL: something is, or there is no such device. */
const char *nvidia_trouble(const struct nvidia *nvidia, const char **remedy);

extern const char *const nvidia_engine_names[N_NVIDIA_ENGINES];

/* For --probe: 0, -ENOENT without the driver, or why its library cannot be asked. */
int nvidia_test(struct env *env);

#endif
