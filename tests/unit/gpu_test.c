/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of graphics processors: of NVIDIA, whose library answers; others are in tests/rows/gpu.txt. */
#include "rig.h"

#include "core/alloc.h"
#include "kernel/pid/pid_fd.h"
#include "topic/gpu/gpus.h"
#include "topic/reader.h"

static struct rig rig;

#define FIRST "0000:03:00.0"
#define SECOND "0000:0b:00.0"

static const char *const both[] = { "gpu", "gpu_process", NULL };
static const char *const devices_only[] = { "gpu", NULL };

/* How busy an engine of a device is with a process: share, seconds, and the busiest one; "none": no row. */
static const char *use(const struct frame *frame, double pid, const char *device, const char *engine)
{
	const struct table *table = frame_table(frame, "gpu_process");

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_number(table, row, "pid") == pid &&
		    strcmp(table_text(table, row, "device"), device) == 0 &&
		    strcmp(table_text(table, row, "engine"), engine) == 0)
			return textf("%g %g %s", table_number(table, row, "busy_ratio"),
				     table_number(table, row, "busy_seconds"),
				     table_text(table, row, "busiest"));
	}
	return "none";
}

static void start_process(unsigned pid, const char *name)
{
	rig_make(&rig, textf("proc/%u/fd", pid));
	rig_make(&rig, textf("proc/%u/fdinfo", pid));
	rig_put(&rig, textf("proc/%u/stat", pid),
		"%u (%s) S 1 1 1 0 -1 4194304 0 0 0 0 1 1 0 0 20 0 1 0 %u 0 0\n", pid, name, 900000 + pid);
}

/* What drivers say themselves stands, also where processes are looked into for another topic. */
START_TEST(both_topics_share_one_look_into_processes)
{
	rig_open(&rig, "gpu-amdgpu", both);
	rig_sample(&rig, 1);
	check_row(rig.now, "gpu",
		  "busy_ratio=0.37 memory_ratio=0.1875 memory_used_bytes=3221225472 "
		  "memory_total_bytes=17179869184 system_used_bytes=268435456 processes=2 hidden_processes=0 "
		  "device=0000:03:00.0 card=card0 driver=amdgpu state= how=driver");
	rig_close(&rig);
}

START_TEST(without_a_card_nothing_is_read)
{
	const struct frame *frame;
	uint64_t reads;

	rig_open(&rig, "gpu-i915", both);
	rig_remove(&rig, "sys/class/drm");
	rig_sample(&rig, 1);
	reads = rig.env.reads;
	for (int i = 0; i < 15; i++) {
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(
			frame_table(frame, "gpu")->n_rows + frame_table(frame, "gpu_process")->n_rows, 0);
		ck_assert_uint_eq(rig.env.reads, reads);
		if (i == 9)
			rig_tick(&rig, 0); /* its driver is loaded; it is looked for again 16 samples after
					      the first */
	}
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "gpu")->n_rows, 1);
	ck_assert_uint_eq(frame_table(frame, "gpu_process")->n_rows, 4);
	rig_close(&rig);
}

START_TEST(of_very_many_descriptors_some_are_left_out)
{
	const struct frame *frame;

	rig_open(&rig, "gpu-amdgpu", both);
	start_process(104, "many");
	for (unsigned i = 0; i < 515; i++) {
		rig_link(&rig, textf("proc/104/fd/%u", i), "/dev/dri/renderD128");
		rig_put(&rig, textf("proc/104/fdinfo/%u", i),
			"drm-driver:\tamdgpu\ndrm-client-id:\t%u\ndrm-pdev:\t" FIRST "\n", 1000 + i);
		if (i == 511)
			ck_assert_uint_eq(rig_sample(&rig, 1)->n_notices, 0);
	}
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu_process",
		  "engine=all busiest= clients=512 pid=104 start_seconds=9001.04 device=0000:03:00.0 "
		  "driver=amdgpu name=many command=many");
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text,
			 "3 descriptors of graphics processors are left out, of processes with many");
	rig_close(&rig);
}

/* An answer of NVIDIA's library, which is not asked here: its first device, with nothing known. */
static struct nvidia_device *answer_of(const char *name)
{
	struct nvidia *nvidia = reader_state(&nvidia_reader, &rig.env);
	struct nvidia_device *device;

	ck_assert_ptr_nonnull(nvidia);
	if (!nvidia->last)
		nvidia->last = alloc_zeroed(1, sizeof(*nvidia->last));
	nvidia->present = true;
	nvidia->n_answers++;
	nvidia->read_ns = rig.clock.ns;
	nvidia->last->n_devices = 1;
	device = &nvidia->last->devices[0];
	*device = (struct nvidia_device){ .busy_ratio = NAN,
					  .used_bytes = U64_UNKNOWN,
					  .total_bytes = U64_UNKNOWN };
	strcpy(device->name, name);
	return device;
}

static struct nvidia *nvidia_of(void)
{
	return reader_state(&nvidia_reader, &rig.env);
}

/* Of the two of the fixture, the second one is NVIDIA's, and processes are looked into for the first one. */
static void open_beside_nvidia(void)
{
	static const char *const gone[] = {
		FIRST "/gpu_busy_percent",    SECOND "/gpu_busy_percent",    SECOND "/driver",
		SECOND "/mem_info_vram_used", SECOND "/mem_info_vram_total", SECOND "/mem_info_gtt_used"
	};

	rig_open(&rig, "gpu-amdgpu", both);
	for (unsigned i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		rig_remove(&rig, textf("sys/devices/pci0000:00/%s", gone[i]));
	rig_remove(&rig, "proc/100/fd/7");
	rig_link(&rig, "sys/devices/pci0000:00/" SECOND "/driver", "../../bus/pci/drivers/nvidia");
}

START_TEST(a_card_of_nvidia_is_what_its_library_says)
{
	struct nvidia_device *device;
	const struct frame *frame;
	struct sample sample;

	open_beside_nvidia();
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=");
	ck_assert_uint_eq(cell_u64(frame, "gpu", FIRST, "processes"), 2);
	device = answer_of(SECOND);
	device->busy_ratio = 0.42;
	device->used_bytes = 2147483648;
	device->total_bytes = 8589934592;
	device->knows_processes = true;
	device->n_left_out = 3;
	device->n_processes = 2;
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu",
		  "busy_ratio=0.42 memory_ratio=0.25 memory_used_bytes=2147483648 "
		  "memory_total_bytes=8589934592 processes=5 device=0000:0b:00.0 card=card1 driver=nvidia "
		  "state= how=nvml");
	device = answer_of(SECOND);
	device->n_processes = 2;
	frame = rig_sample(&rig, 1); /* not all of them */
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state= how=nvml");
	answer_of("0000:0c:00.0");
	frame = rig_sample(&rig, 1); /* of another one */
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=");
	answer_of(SECOND);
	nvidia_of()->read_ns = 1; /* long ago */
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=");
	answer_of(SECOND);
	nvidia_of()->resting = true;
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=left alone");
	ck_assert_str_eq(cell_text(frame, "gpu", FIRST, "state"), "");
	answer_of(SECOND);
	rig.env.live = true;
	sample = rig_sample_for(&rig, NULL);
	ck_assert_int_eq(nvidia_reader.update(nvidia_of(), &sample), 0);
	ck_assert(!nvidia_of()->present); /* the kernel lists no device of it */
	rig.env.live = false;
	rig_close(&rig);
}

static void put_process(struct nvidia_device *device, uint32_t pid, double multiprocessors, double encoder,
			double decoder)
{
	device->processes[device->n_processes++] = (struct nvidia_process){
		.pid = pid, .memory_bytes = pid * 1000, .ratios = { multiprocessors, encoder, decoder }
	};
}

/* An answer with one process. */
static void answer_with(uint32_t pid, double multiprocessors, double encoder, double decoder)
{
	struct nvidia_device *device = answer_of(SECOND);

	device->knows_ratios = true;
	put_process(device, pid, multiprocessors, encoder, decoder);
}

START_TEST(processes_of_nvidia_by_engine)
{
	const struct frame *frame;

	open_beside_nvidia();
	rig_sample(&rig, 1);
	answer_with(103, 0.25, 0, 0.75);
	put_process(&nvidia_of()->last->devices[0], 999, 1, 1, 1); /* it has ended */
	frame = rig_sample(&rig, 1); /* the first answer is of no interval */
	ck_assert_str_eq(use(frame, 103, SECOND, "all"), "0 0 dec");
	ck_assert_str_eq(use(frame, 103, SECOND, "dec"), "none");
	ck_assert_str_eq(use(frame, 999, SECOND, "all"), "none");
	answer_with(103, 0.25, 0, 0.75);
	nvidia_of()->seconds = 2;
	frame = rig_sample(&rig, 2);
	check_row(frame, "gpu_process",
		  "busy_ratio=0.75 memory_bytes=103000 local_bytes=103000 engine=all busiest=dec "
		  "busy_seconds=1.5 pid=103 start_seconds=11.03 device=0000:0b:00.0 driver=nvidia "
		  "name=sleeper command=/usr/bin/sleeper");
	ck_assert_str_eq(use(frame, 103, SECOND, "sm"), "0.25 0.5 ");
	ck_assert_str_eq(use(frame, 103, SECOND, "enc"), "none");
	ck_assert_str_eq(use(frame, 103, SECOND, "dec"), "0.75 1.5 ");
	frame = rig_sample(&rig, 1); /* no new answer */
	ck_assert_str_eq(use(frame, 103, SECOND, "dec"), "0 1.5 ");
	answer_with(103, 0.25, 0.25, 0);
	put_process(&nvidia_of()->last->devices[0], 102, 0, 0, 0);
	frame = rig_sample(&rig, 4);
	ck_assert_str_eq(use(frame, 103, SECOND, "all"), "0.125 2 sm");
	ck_assert_str_eq(use(frame, 103, SECOND, "sm"), "0.125 1 ");
	ck_assert_str_eq(use(frame, 103, SECOND, "enc"), "0.125 0.5 ");
	ck_assert_str_eq(use(frame, 102, SECOND, "all"), "0 0 ");
	ck_assert_str_ne(use(frame, 102, FIRST, "all"), "none"); /* it uses both */
	rig_close(&rig);
}

START_TEST(processes_that_nvidia_knows_no_longer)
{
	const struct frame *frame;

	open_beside_nvidia();
	rig.env.pids.kept_max = 0; /* files of a process that is gone would stay readable */
	rig_sample(&rig, 1);
	nvidia_of()->seconds = 1;
	answer_with(102, 0.5, 0, 0);
	put_process(&nvidia_of()->last->devices[0], 103, 0.5, 0, 0);
	nvidia_of()->last->devices[0].knows_ratios = false;
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(use(frame, 102, SECOND, "all"), "nan nan sm");
	ck_assert_str_ne(use(frame, 103, SECOND, "all"), "none");
	answer_with(103, 0.5, 0, 0);
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(use(frame, 102, SECOND, "all"), "none");
	ck_assert_str_ne(use(frame, 103, SECOND, "all"), "none");
	rig_remove(&rig, "proc/103");
	start_process(103, "other");
	frame = rig_sample(&rig, 1); /* another process than that of the answer */
	ck_assert_str_eq(use(frame, 103, SECOND, "all"), "none");
	answer_with(103, 0.5, 0, 0);
	ck_assert_str_eq(use(rig_sample(&rig, 1), 103, SECOND, "sm"), "0.5 0.5 ");
	nvidia_of()->read_ns = 0;
	ck_assert_str_eq(use(rig_sample(&rig, 1), 103, SECOND, "all"), "none");
	answer_with(103, 0.5, 0, 0);
	ck_assert_str_eq(use(rig_sample(&rig, 1), 103, SECOND, "sm"), "0.5 0.5 "); /* it begins again */
	rig_close(&rig);
}

static void check_trouble(int error, const char *text, const char *remedy)
{
	const struct frame *frame;

	nvidia_of()->error = error;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame->n_notices, text ? 1 : 0);
	if (!text)
		return;
	ck_assert_str_eq(frame->notices[0].text, text);
	ck_assert_pstr_eq(frame->notices[0].remedy, remedy);
}

START_TEST(why_nvidia_says_nothing)
{
	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig_sample(&rig, 1);
	check_trouble(NVML_NOT_FOUND, NULL, NULL); /* its driver is not loaded */
	answer_of(SECOND);
	check_trouble(0, NULL, NULL);
	check_trouble(-ELIBACC, "NVIDIA's driver cannot be queried",
		      "install the library that belongs to the driver, in Debian libnvidia-ml1");
	check_trouble(NVML_VERSION_MISMATCH, "NVIDIA's driver cannot be queried",
		      "the driver was updated while it ran: restart the machine");
	check_trouble(NVML_NO_PERMISSION, "NVIDIA's library gives an error", NULL);
	rig_close(&rig);
}

static const char *name_at(const struct frame *frame, size_t index)
{
	const struct table *table = frame_table(frame, "gpu");

	ck_assert_uint_gt(table->n_rows, index);
	return table_text(table, table_row(table, index), "device");
}

/* As one of them sleeps, none is asked. The driver is looked for in every 16th sample, on the live machine.
 */
START_TEST(while_one_of_nvidia_sleeps_the_others_are_left_alone)
{
	const struct frame *frame;

	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig_make(&rig, "proc/driver/nvidia/gpus/0000:41:00.0");
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "gpu")->n_rows, 2);
	rig_remove(&rig, "proc/driver/nvidia");
	rig.env.live = true;
	for (int i = 0; i < 16; i++) {
		ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "gpu")->n_rows, 2);
		rig_make(&rig, "proc/driver/nvidia/gpus/0000:41:00.0");
	}
	rig_make(&rig, "proc/driver/nvidia/gpus/0000:21:00.0");
	rig_make(&rig, "proc/driver/nvidia/gpus/0000:31:00.0");
	rig_make(&rig, "proc/driver/nvidia/gpus/0000:0b:00.0"); /* that has a card */
	rig_make(&rig, "sys/bus/pci/devices/0000:31:00.0/power");
	rig_put(&rig, "sys/bus/pci/devices/0000:31:00.0/power/runtime_status", "suspended\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "gpu")->n_rows, 5);
	check_row(frame, "gpu", "device=0000:21:00.0 card= driver=nvidia state=left alone");
	check_row(frame, "gpu", "device=0000:31:00.0 card= driver=nvidia state=asleep");
	check_row(frame, "gpu", "device=0000:41:00.0 card= driver=nvidia state=left alone");
	ck_assert_str_eq(name_at(frame, 2), "0000:21:00.0");
	ck_assert_str_eq(name_at(frame, 3), "0000:31:00.0");
	ck_assert_str_eq(name_at(frame, 4), "0000:41:00.0");
	rig_remove(&rig, "proc/driver/nvidia"); /* it is unloaded */
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "gpu")->n_rows, 2);
	rig.env.live = false;
	rig_close(&rig);
}

#define DEVICE_OF_NVIDIA "0000:41:00.0"
#define POWER_OF_NVIDIA "sys/bus/pci/devices/" DEVICE_OF_NVIDIA "/power"

/* After five idle answers it may sleep for thirty samples, where it may at all. */
START_TEST(nvidia_is_asked_until_it_is_idle)
{
	struct nvidia *nvidia;
	uint64_t asked_ns;

	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig_make(&rig, "proc/driver/nvidia/gpus/" DEVICE_OF_NVIDIA);
	rig_make(&rig, "proc/driver/nvidia/gpus/0000:42:00.0");
	rig_make(&rig, POWER_OF_NVIDIA);
	rig_put(&rig, POWER_OF_NVIDIA "/control", "auto\n");
	rig.env.live = true;
	ck_assert_uint_eq(rig_sample(&rig, 1)->n_notices, 1);
	nvidia = nvidia_of();
	ck_assert(nvidia->present && !nvidia->asleep);
	ck_assert_uint_eq(nvidia->n_answers, 1);
	ck_assert_int_eq(nvidia->error, -ELIBACC);
	ck_assert_uint_gt(nvidia->read_ns, 0);
	ck_assert(isnan(nvidia->seconds));
	asked_ns = nvidia->read_ns;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(nvidia->n_answers, 2);
	ck_assert_double_eq(nvidia->seconds, (double)(nvidia->read_ns - asked_ns) / 1e9);
	nvidia->n_idle = 4;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(nvidia->n_answers, 3);
	ck_assert_uint_eq(nvidia->n_idle, 0); /* an error says nothing of it */
	nvidia->n_idle = 5;
	rig_put(&rig, POWER_OF_NVIDIA "/control", "on\n");
	rig_sample(&rig, 1);
	ck_assert_uint_eq(nvidia->n_answers, 4);
	nvidia->n_idle = 5;
	rig_put(&rig, POWER_OF_NVIDIA "/control", "auto\n");
	for (unsigned i = 0; i < 30; i++) {
		ck_assert_uint_eq(rig_sample(&rig, 1)->n_notices, 1);
		ck_assert(nvidia->resting && nvidia->n_answers == 4 && nvidia->read_ns == 0);
	}
	rig_sample(&rig, 1);
	ck_assert(!nvidia->resting);
	ck_assert_uint_eq(nvidia->n_answers, 5);
	ck_assert(isnan(nvidia->seconds)); /* no interval goes over the pause */
	rig.env.live = false;
	rig_close(&rig);
}

START_TEST(what_a_probe_says_of_nvidia)
{
	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig.env.live = true;
	ck_assert_int_eq(nvidia_test(&rig.env), -ENOENT);
	rig_make(&rig, "proc/driver/nvidia/gpus");
	ck_assert_int_eq(nvidia_test(&rig.env), -ELIBACC);
	rig.env.live = false;
	ck_assert_int_eq(nvidia_test(&rig.env), -ENOENT);
	rig_close(&rig);
}

/* Others are in tests/parsers/gpu.txt. */
START_TEST(a_client_with_more_engines_than_there_is_room_for)
{
	struct buffer text = { 0 };
	struct drm_client client;

	buffer_text(&text, "drm-driver:\tmany\n");
	for (int i = 0; i < 100; i++)
		buffer_print(&text, "drm-engine-e%d:\t1 ns\ndrm-total-r%d:\t1\n", i, i);
	ck_assert(drm_client_parse(span_of(text.bytes, text.length), &client));
	ck_assert_uint_eq(client.n_engines, DRM_ENGINES_MAX);
	ck_assert_uint_eq(client.n_regions, DRM_REGIONS_MAX);
	buffer_free(&text);
}

/* In place of NVIDIA's library. */
static unsigned n_present, n_broken, n_listed, n_samples, percent, bus;
static struct nvml_sample samples[3];

static int counted(unsigned *count)
{
	*count = n_present;
	return n_present > 0 ? NVML_SUCCESS : NVML_DRIVER_NOT_LOADED;
}

static int some_handle(unsigned index, nvml_device *device)
{
	*device = NULL;
	return index < n_broken ? NVML_NO_PERMISSION : NVML_SUCCESS;
}

static int placed(nvml_device device, struct nvml_pci *pci)
{
	(void)device;
	*pci = (struct nvml_pci){ .domain = 0x10000, .bus = bus, .device = 0x1f };
	return NVML_SUCCESS;
}

static int utilized(nvml_device device, struct nvml_utilization *utilization)
{
	(void)device;
	*utilization = (struct nvml_utilization){ .gpu = percent, .memory = 3 };
	return percent < 200 ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}

static int remembered(nvml_device device, struct nvml_memory *memory)
{
	(void)device;
	*memory = (struct nvml_memory){ .total = 8, .free = 5, .used = 3 };
	return NVML_SUCCESS;
}

static int drawn(nvml_device device, unsigned *count, struct nvml_process *processes)
{
	(void)device;
	processes[0] = (struct nvml_process){ .pid = 101, .used = 7 };
	processes[1] = (struct nvml_process){ .pid = 102, .used = UINT64_MAX };
	*count = 2;
	return NVML_SUCCESS;
}

static int listed(nvml_device device, unsigned *count, struct nvml_process *processes)
{
	(void)device;
	for (unsigned i = 0; i < n_listed && i < *count; i++)
		processes[i] = (struct nvml_process){ .pid = 100 + i, .used = i == 0 ? UINT64_MAX : i };
	*count = n_listed;
	return n_listed > NVIDIA_PROCESSES_MAX ? NVML_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

/* Those since then, as of a library that keeps its word … */
static int new_samples(nvml_device device, struct nvml_sample *to, unsigned *count,
		       unsigned long long since_us)
{
	unsigned n = 0;

	(void)device;
	for (unsigned i = 0; i < n_samples; i++)
		if (samples[i].time_us > since_us)
			to[n++] = samples[i];
	*count = n;
	return n > 0 ? NVML_SUCCESS : NVML_NOT_FOUND;
}

/* … or all that there ever were. */
static int all_samples(nvml_device device, struct nvml_sample *to, unsigned *count,
		       unsigned long long since_us)
{
	(void)since_us;
	return new_samples(device, to, count, 0);
}

static const struct nvml_library small_library = {
	.count = counted,
	.by_index = some_handle,
	.pci = placed,
	.utilization = utilized,
	.compute = listed,
	.samples = new_samples,
};
static const struct nvml_library whole_library = {
	.count = counted,
	.by_index = some_handle,
	.pci = placed,
	.utilization = utilized,
	.memory = remembered,
	.graphics = drawn,
	.compute = listed,
	.samples = all_samples,
};

/* What the first device is said to be, and then its processes: pid, bytes, ratios of its three engines. */
static const char *answered(const struct nvml_library *library)
{
	static struct nvidia_answer answer;
	const struct nvidia_device *device = &answer.devices[0];
	const char *text;

	nvml_library_ask(library, &answer);
	ck_assert_int_eq(answer.error, NVML_SUCCESS);
	ck_assert_uint_eq(answer.n_devices, 1);
	text = textf("%s %g %lld/%lld%s", device->name, device->busy_ratio, (long long)device->used_bytes,
		     (long long)device->total_bytes, device->knows_ratios ? "" : " without ratios");
	for (unsigned i = 0; i < device->n_processes; i++)
		text = textf("%s, %u %lld %g/%g/%g", text, device->processes[i].pid,
			     (long long)device->processes[i].memory_bytes, device->processes[i].ratios[0],
			     device->processes[i].ratios[1], device->processes[i].ratios[2]);
	return text;
}

START_TEST(what_a_library_without_memory_says)
{
	n_present = 1;
	n_broken = 0;
	percent = 200; /* which is not supported */
	bus = 0xab;
	n_listed = 2;
	n_samples = 2;
	samples[0] = (struct nvml_sample){ .pid = 101, .time_us = 5, .multiprocessors = 40, .decoder = 250 };
	samples[1] = (struct nvml_sample){ .pid = 300, .time_us = 7, .encoder = 20 };
	/* the last one is not in the list any more, and 250 % are nonsense */
	ck_assert_str_eq(answered(&small_library),
			 "10000:ab:1f.0 nan -1/-1, 100 -1 0/0/0, 101 1 0.4/0/0, 300 -1 0/0.2/0");
	/* no new sample */
	ck_assert_str_eq(answered(&small_library), "10000:ab:1f.0 nan -1/-1, 100 -1 0/0/0, 101 1 0/0/0");
	n_listed = 1000; /* more than there is room for */
	ck_assert_str_eq(answered(&small_library), "10000:ab:1f.0 nan -1/-1");
}

START_TEST(a_process_that_draws_and_computes)
{
	n_present = 1;
	n_broken = 0;
	percent = 100;
	bus = 10;
	n_listed = 3;
	n_samples = 2;
	samples[0] = (struct nvml_sample){ .pid = 101, .time_us = 7, .multiprocessors = 100, .decoder = 101 };
	samples[1] = (struct nvml_sample){ .pid = 102, .time_us = 5, .encoder = 1 };
	/* 7 bytes, not 8: it is the same */
	ck_assert_str_eq(answered(&whole_library),
			 "10000:0a:1f.0 1 3/8, 101 7 1/0/0, 102 2 0/0.01/0, 100 -1 0/0/0");
	samples[1].time_us = 8; /* the other one was heard before */
	percent = 101;
	ck_assert_str_eq(answered(&whole_library),
			 "10000:0a:1f.0 0 3/8, 101 7 0/0/0, 102 2 0/0.01/0, 100 -1 0/0/0");
	bus = 11; /* another one, whose samples begin again */
	ck_assert_str_eq(answered(&whole_library),
			 "10000:0b:1f.0 0 3/8, 101 7 1/0/0, 102 2 0/0.01/0, 100 -1 0/0/0");
}

START_TEST(more_devices_and_processes_than_there_is_room_for)
{
	static struct nvidia_answer said;
	const struct nvidia_device *device = &said.devices[0];

	bus = 1;
	n_listed = NVIDIA_PROCESSES_MAX; /* 101 and 102 are among them */
	n_samples = 3;
	for (unsigned i = 0; i < 3; i++)
		samples[i] = (struct nvml_sample){ .pid = 354 + i, .time_us = 1, .encoder = 50 };
	n_present = NVIDIA_DEVICES_MAX + 1;
	n_broken = 0;
	nvml_library_ask(&whole_library, &said);
	ck_assert_int_eq(said.error, NVML_SUCCESS);
	ck_assert_uint_eq(said.n_devices, NVIDIA_DEVICES_MAX);
	ck_assert(device->knows_processes);
	ck_assert_uint_eq(device->n_processes, NVIDIA_PROCESSES_MAX);
	ck_assert_uint_eq(device->n_left_out, 1);
	ck_assert_uint_eq(device->processes[NVIDIA_PROCESSES_MAX - 1].pid, 355);
	ck_assert_double_eq(device->processes[NVIDIA_PROCESSES_MAX - 1].ratios[NVIDIA_ENCODER], 0.5);
	n_listed = NVIDIA_PROCESSES_MAX + 1;
	nvml_library_ask(&whole_library, &said);
	ck_assert(!device->knows_processes);
	n_present = 3;
	n_broken = 2; /* the first two */
	nvml_library_ask(&whole_library, &said);
	ck_assert_uint_eq(said.n_devices, 1);
	n_present = 0;
	nvml_library_ask(&whole_library, &said);
	ck_assert_int_eq(said.error, NVML_DRIVER_NOT_LOADED);
	ck_assert_uint_eq(said.n_devices, 0);
}
