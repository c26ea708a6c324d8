/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of graphics processors: fixtures of five drivers, and clients that come, go and are shared. */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/pid/drm_client.h"
#include "rig.h"
#include "topic/gpu/nvidia.h"
#include "topic/reader.h"

#define EXACT 1e-9

/* NVIDIA's library is on no machine of these tests. */
void *dlopen(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

static const char *const both[] = { "gpu", "gpu_process", NULL };
static const char *const devices_only[] = { "gpu", NULL };

static double busy(const struct frame *frame, const char *device)
{
	return cell_f64(frame, "gpu", device, "busy_ratio");
}

/* Of a process on a device; NULL: it has no such row. */
static const void *use(const struct frame *frame, double pid, const char *device, const char *engine)
{
	const struct table *table = frame_table(frame, "gpu_process");

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_number(table, row, "pid") == pid &&
		    strcmp(table_text(table, row, "device"), device) == 0 &&
		    strcmp(table_text(table, row, "engine"), engine) == 0)
			return row;
	}
	return NULL;
}

static double number(const struct frame *frame, double pid, const char *device, const char *engine,
		     const char *column)
{
	const void *row = use(frame, pid, device, engine);

	ck_assert_msg(row != NULL, "no row %.0f %s %s", pid, device, engine);
	return table_number(frame_table(frame, "gpu_process"), row, column);
}

static double share(const struct frame *frame, double pid, const char *device, const char *engine)
{
	return number(frame, pid, device, engine, "busy_ratio");
}

static double bytes(const struct frame *frame, double pid, const char *device)
{
	return number(frame, pid, device, "all", "memory_bytes");
}

/* The first two samples of a fixture, two seconds apart. */
static const struct frame *two_ticks(struct rig *rig, const char *fixture, const char *const *names)
{
	rig_open(rig, fixture, names);
	rig_sample(rig, 2);
	rig_tick(rig, 1);
	return rig_sample(rig, 2);
}

static void put_client(struct rig *rig, unsigned pid, unsigned fd, const char *node, const char *lines)
{
	char path[160], target[64];

	snprintf(path, sizeof(path), "%s/proc/%u/fd/%u", rig->root, pid, fd);
	snprintf(target, sizeof(target), "/dev/dri/%s", node);
	unlink(path);
	ck_assert_int_eq(symlink(target, path), 0);
	snprintf(path, sizeof(path), "proc/%u/fdinfo/%u", pid, fd);
	rig_put(rig, path, "pos:\t0\nflags:\t02\n%s", lines);
}

static void close_file(struct rig *rig, unsigned pid, unsigned fd)
{
	ck_assert_int_eq(unlink(textf("%s/proc/%u/fd/%u", rig->root, pid, fd)), 0);
	ck_assert_int_eq(unlink(textf("%s/proc/%u/fdinfo/%u", rig->root, pid, fd)), 0);
}

static void start_process(struct rig *rig, unsigned pid, const char *name)
{
	rig_make(rig, textf("proc/%u/fd", pid));
	rig_make(rig, textf("proc/%u/fdinfo", pid));
	rig_put(rig, textf("proc/%u/stat", pid),
		"%u (%s) S 1 1 1 0 -1 4194304 0 0 0 0 1 1 0 0 20 0 1 0 %u 9000 50 18446744073709551615"
		" 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", pid, name, 900000 + pid);
}

static void put_gfx(struct rig *rig, unsigned pid, unsigned fd, unsigned id, unsigned milliseconds)
{
	put_client(rig, pid, fd, "renderD128",
		   textf("drm-driver:\tamdgpu\ndrm-client-id:\t%u\ndrm-pdev:\t0000:03:00.0\n"
		   "drm-memory-vram:\t%u KiB\ndrm-engine-gfx:\t%u000000 ns\n", id, id, milliseconds));
}

#define FIRST "0000:03:00.0"
#define SECOND "0000:0b:00.0"

START_TEST(time_that_goes_back_is_no_time)
{
	const struct frame *frame;
	struct rig rig;

	frame = two_ticks(&rig, "gpu-amdgpu", both); /* the compositor's went back by 10 ms */
	ck_assert_double_eq(share(frame, 102, FIRST, "gfx"), 0);
	put_gfx(&rig, 102, 9, 3, 5100);
	ck_assert_double_eq_tol(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0.1, EXACT);
	put_gfx(&rig, 102, 9, 3, 40);
	ck_assert_double_eq(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0);
	put_gfx(&rig, 102, 9, 3, 5300); /* what it had counted did not come twice */
	ck_assert_double_eq_tol(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0.2, EXACT);
	rig_close(&rig);
}

static void put_unnumbered_gfx(struct rig *rig, unsigned milliseconds)
{
	put_client(rig, 102, 9, "renderD128",
		   textf("drm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-engine-gfx:\t%u000000 ns\n",
		   milliseconds));
}

/* Of the same descriptor: the process has closed it and opened the device again. */
START_TEST(a_client_without_a_number_begins_again)
{
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", both);
	put_unnumbered_gfx(&rig, 5000);
	rig_sample(&rig, 1);
	put_unnumbered_gfx(&rig, 40);
	ck_assert_double_eq(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0);
	put_unnumbered_gfx(&rig, 240);
	ck_assert_double_eq_tol(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0.2, EXACT);
	put_unnumbered_gfx(&rig, 120); /* half of it is still the same client, of which less is seen */
	ck_assert_double_eq(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0);
	put_unnumbered_gfx(&rig, 250);
	ck_assert_double_eq_tol(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0.01, EXACT);
	put_unnumbered_gfx(&rig, 124); /* less than half is not */
	ck_assert_double_eq(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0);
	put_unnumbered_gfx(&rig, 250);
	ck_assert_double_eq_tol(share(rig_sample(&rig, 1), 102, FIRST, "gfx"), 0.126, EXACT);
	rig_close(&rig);
}

START_TEST(clients_that_go_take_nothing_back)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", both);
	put_gfx(&rig, 102, 9, 3, 1000);
	put_gfx(&rig, 102, 10, 4, 9000);
	rig_sample(&rig, 1);
	put_gfx(&rig, 102, 9, 3, 1100);
	put_gfx(&rig, 102, 10, 4, 9300);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(share(frame, 102, FIRST, "gfx"), 0.4, EXACT);
	ck_assert_double_eq_tol(number(frame, 102, FIRST, "all", "clients"), 2, EXACT);
	ck_assert_double_eq(bytes(frame, 102, FIRST), 7 * 1024.0);
	close_file(&rig, 102, 10);
	put_gfx(&rig, 102, 9, 3, 1150);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(share(frame, 102, FIRST, "gfx"), 0.05, EXACT);
	ck_assert_double_eq(bytes(frame, 102, FIRST), 3 * 1024.0);
	close_file(&rig, 102, 9);
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_eq(use(frame, 102, FIRST, "all"), NULL);
	rig_close(&rig);
}

/* A client that is first seen later has worked before that, unless it is new. */
START_TEST(what_is_new_counts_from_zero)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", both);
	rig_sample(&rig, 1);
	ck_assert_double_eq(number(rig_sample(&rig, 1), 100, FIRST, "gfx", "busy_seconds"), 0);
	start_process(&rig, 104, "renderer");
	put_gfx(&rig, 104, 5, 20, 300);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(share(frame, 104, FIRST, "gfx"), 0.3, EXACT);
	put_gfx(&rig, 103, 5, 21, 100); /* a process that was looked through before */
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(share(frame, 103, FIRST, "gfx"), 0.1, EXACT);
	rig_close(&rig);
}

START_TEST(a_shared_client_goes_on_with_who_has_it)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", both);
	close_file(&rig, 100, 6);
	rig_sample(&rig, 1);
	close_file(&rig, 100, 5);
	put_gfx(&rig, 101, 5, 11, 50500);
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_eq(use(frame, 100, FIRST, "all"), NULL);
	ck_assert_double_eq_tol(share(frame, 101, FIRST, "gfx"), 0.5, EXACT);
	put_gfx(&rig, 100, 5, 11, 50600); /* it gets it back, but the other one has it as well */
	put_gfx(&rig, 101, 5, 11, 50600);
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_eq(use(frame, 100, FIRST, "all"), NULL);
	ck_assert_double_eq_tol(share(frame, 101, FIRST, "gfx"), 0.1, EXACT);
	rig_close(&rig);
}

START_TEST(another_process_with_the_same_pid)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", both);
	rig_sample(&rig, 1);
	rig_remove(&rig, "proc/102");
	start_process(&rig, 102, "other");
	put_gfx(&rig, 102, 9, 30, 250);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(share(frame, 102, FIRST, "gfx"), 0.25, EXACT);
	rig_close(&rig);
}

/* The busiest kind of engine is that of video, of which there are two; both processes use the other one. */
START_TEST(i915_is_as_busy_as_its_clients)
{
	const struct frame *frame;
	struct rig rig;

	frame = two_ticks(&rig, "gpu-i915", both);
	check_row(frame, "gpu",
		  "busy_ratio=0.25 processes=2 hidden_processes=0 device=0000:00:02.0 card=card0 driver=i915 "
		  "state= how=clients");
	ck_assert_double_eq_tol(share(frame, 200, "0000:00:02.0", "video"), 0.25, EXACT);
	ck_assert_double_eq(number(frame, 200, "0000:00:02.0", "video", "capacity"), 2);
	ck_assert_double_eq_tol(share(frame, 200, "0000:00:02.0", "render"), 0.15, EXACT);
	ck_assert_double_eq_tol(share(frame, 201, "0000:00:02.0", "all"), 0.05, EXACT);
	ck_assert_ptr_eq(use(frame, 200, "0000:00:02.0", "copy"), NULL); /* it never worked for it */
	ck_assert_double_eq(bytes(frame, 201, "0000:00:02.0"), 77412 * 1024.0);
	rig_close(&rig);
}

static void put_cycles(struct rig *rig, unsigned cycles, const char *total)
{
	put_client(rig, 300, 4, "renderD128",
		   textf("drm-driver:\txe\ndrm-client-id:\t3\ndrm-pdev:\t0000:03:00.0\n"
		   "drm-cycles-rcs:\t%u\n%s", cycles, total));
}

START_TEST(cycles_need_a_clock_that_goes_on)
{
	struct rig rig;

	rig_open(&rig, "gpu-xe", both);
	put_cycles(&rig, 100, "");
	rig_sample(&rig, 1);
	ck_assert(isnan(share(rig_sample(&rig, 1), 300, FIRST, "all")));
	ck_assert_ptr_eq(use(&rig.frames[rig.present], 300, FIRST, "rcs"), NULL);
	put_cycles(&rig, 200, "drm-total-cycles-rcs:\t5000\n"); /* it may have grown at any time */
	ck_assert_double_eq(number(rig_sample(&rig, 1), 300, FIRST, "rcs", "busy_seconds"), 0);
	put_cycles(&rig, 300, "drm-total-cycles-rcs:\t5000\n");
	ck_assert_double_eq(share(rig_sample(&rig, 1), 300, FIRST, "rcs"), 0);
	put_cycles(&rig, 400, "drm-total-cycles-rcs:\t4000\n");
	ck_assert_double_eq(share(rig_sample(&rig, 1), 300, FIRST, "rcs"), 0);
	put_cycles(&rig, 500, "drm-total-cycles-rcs:\t4400\n");
	ck_assert_double_eq_tol(share(rig_sample(&rig, 2), 300, FIRST, "rcs"), 0.25, EXACT);
	ck_assert_double_eq_tol(number(rig_sample(&rig, 1), 300, FIRST, "rcs", "busy_seconds"), 0.5, EXACT);
	rig_close(&rig);
}

/* Of two whose processes are looked into, one sleeps. */
START_TEST(clients_do_not_say_how_busy_one_is_that_sleeps)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig_remove(&rig, "sys/devices/pci0000:00/0000:03:00.0/gpu_busy_percent");
	rig_remove(&rig, "sys/devices/pci0000:00/0000:0b:00.0/gpu_busy_percent");
	rig_put(&rig, "sys/class/drm/card1/device/power/runtime_status", "suspending\n");
	rig_sample(&rig, 2);
	rig_put(&rig, "proc/100/fdinfo/7",
		"drm-driver:\tamdgpu\ndrm-client-id:\t12\ndrm-pdev:\t0000:0b:00.0\n"
		"drm-engine-compute:\t1700000000 ns\n");
	put_gfx(&rig, 102, 9, 3, 5500);
	frame = rig_sample(&rig, 2);
	check_row(frame, "gpu",
		  "busy_ratio=0.25 memory_ratio=0.1875 memory_used_bytes=3221225472 "
		  "memory_total_bytes=17179869184 system_used_bytes=268435456 processes=2 hidden_processes=0 "
		  "device=0000:03:00.0 card=card0 driver=amdgpu state= how=clients");
	check_row(frame, "gpu",
		  "processes=1 hidden_processes=0 device=0000:0b:00.0 card=card1 driver=amdgpu state=asleep");
	rig_put(&rig, "sys/class/drm/card0/device/power/runtime_status", "suspended\n");
	frame = rig_sample(&rig, 2); /* for none of them a process is looked into */
	check_row(frame, "gpu", "device=0000:03:00.0 card=card0 driver=amdgpu state=asleep");
	rig_close(&rig);
}

/* Some drivers count a job when it ends. */
START_TEST(no_device_is_busier_than_always)
{
	struct rig rig;

	rig_open(&rig, "gpu-i915", devices_only);
	rig_put(&rig, "proc/200/fdinfo/12",
		"drm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\ndrm-engine-render:\t0 ns\n");
	ck_assert(isnan(busy(rig_sample(&rig, 1), "0000:00:02.0"))); /* no interval yet */
	rig_put(&rig, "proc/200/fdinfo/12",
		"drm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n"
		"drm-engine-render:\t1010000000 ns\n");
	ck_assert_double_eq(busy(rig_sample(&rig, 1), "0000:00:02.0"), 1);
	rig_put(&rig, "proc/200/fdinfo/12",
		"drm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n"
		"drm-engine-render:\t2000000000 ns\n");
	ck_assert_double_eq_tol(busy(rig_sample(&rig, 1), "0000:00:02.0"), 0.99, EXACT);
	rig_close(&rig);
}

/* What an engine has worked counts in one interval, whichever of them it is. */
START_TEST(each_interval_begins_without_work)
{
	static const unsigned milliseconds[][2] = { { 100, 500 }, { 300, 200 }, { 0, 400 }, { 0, 0 } };
	unsigned render = 1000, compute = 1000;
	struct rig rig;

	rig_open(&rig, "gpu-i915", both);
	for (unsigned i = 0; i < 5; i++) {
		rig_put(&rig, "proc/200/fdinfo/12",
			"drm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n"
			"drm-engine-render:\t%u000000 ns\ndrm-engine-compute:\t%u000000 ns\n",
			render, compute);
		rig_sample(&rig, 1);
		if (i > 0) {
			const struct frame *frame = &rig.frames[rig.present];
			const unsigned *grown = milliseconds[i - 1];
			double most = (grown[0] > grown[1] ? grown[0] : grown[1]) / 1000.0;

			ck_assert_double_eq_tol(busy(frame, "0000:00:02.0"), most, EXACT);
			ck_assert_double_eq_tol(share(frame, 200, "0000:00:02.0", "all"), most, EXACT);
		}
		if (i < 4) {
			render += milliseconds[i][0];
			compute += milliseconds[i][1];
		}
	}
	rig_close(&rig);
}

/* What drivers say themselves stands, also where processes are looked into for another topic. */
START_TEST(both_topics_share_one_look_into_processes)
{
	struct machine machine = { 0 };

	open_machine_at(&machine, fixture_root("gpu-amdgpu", 0), both);
	next_tick(&machine);
	check_row(machine.now, "gpu",
		  "busy_ratio=0.37 memory_ratio=0.1875 memory_used_bytes=3221225472 "
		  "memory_total_bytes=17179869184 system_used_bytes=268435456 processes=2 hidden_processes=0 "
		  "device=0000:03:00.0 card=card0 driver=amdgpu state= how=driver");
	check_row(machine.now, "gpu",
		  "busy_ratio=0.04 memory_ratio=0.125 memory_used_bytes=1073741824 "
		  "memory_total_bytes=8589934592 system_used_bytes=0 processes=1 hidden_processes=0 "
		  "device=0000:0b:00.0 card=card1 driver=amdgpu state= how=driver");
	close_machine(&machine);
}

START_TEST(without_a_card_nothing_is_read)
{
	const struct frame *frame;
	uint64_t reads;
	struct rig rig;

	rig_open(&rig, "gpu-i915", both);
	rig_remove(&rig, "sys/class/drm");
	frame = rig_sample(&rig, 1);
	reads = rig.env.reads;
	for (int i = 0; i < 10; i++)
		frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "gpu")->n_rows, 0);
	ck_assert_uint_eq(frame_table(frame, "gpu_process")->n_rows, 0);
	ck_assert_uint_eq(rig.env.reads, reads);
	rig_tick(&rig, 0); /* its driver is loaded; it is looked for again 16 samples after the first */
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "gpu")->n_rows, 0);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "gpu")->n_rows, 1);
	ck_assert_uint_eq(frame_table(frame, "gpu_process")->n_rows, 4);
	rig_close(&rig);
}

/* NVIDIA's counts nothing for its clients, and a zombie has none. */
START_TEST(clients_that_do_not_count)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", both);
	start_process(&rig, 104, "none");
	put_client(&rig, 104, 5, "renderD128",
		   "drm-driver:\tnvidia-drm\ndrm-client-id:\t40\ndrm-pdev:\t0000:03:00.0\n");
	put_client(&rig, 104, 6, "card0", "");
	rig_put(&rig, "proc/103/stat",
		"103 (sleeper) Z 1 103 103 0 -1 4194304 0 0 0 0 1 1 0 0 20 0 1 0 1103 0 0 "
		"18446744073709551615"
		" 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	put_gfx(&rig, 103, 5, 42, 100);
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_nonnull(use(frame, 102, FIRST, "all"));
	ck_assert_ptr_null(use(frame, 103, FIRST, "all"));
	ck_assert_ptr_null(use(frame, 104, FIRST, "all"));
	ck_assert_uint_eq(frame->n_notices, 0);
	rig_close(&rig);
}

START_TEST(of_very_many_descriptors_some_are_left_out)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", both);
	start_process(&rig, 104, "many");
	for (unsigned i = 0; i < 512; i++)
		put_gfx(&rig, 104, 100 + i, 1000 + i, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number(frame, 104, FIRST, "all", "clients"), 512);
	ck_assert_uint_eq(frame->n_notices, 0);
	for (unsigned i = 512; i < 515; i++)
		put_gfx(&rig, 104, 100 + i, 1000 + i, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number(frame, 104, FIRST, "all", "clients"), 512);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text,
			 "3 descriptors of graphics processors are left out, of processes with many");
	rig_close(&rig);
}

/* An answer of NVIDIA's library, which is not asked here: its first device, with nothing known. */
static struct nvidia_device *answer_of(struct rig *rig, const char *name)
{
	struct nvidia *nvidia = reader_state(&nvidia_reader, &rig->env);
	struct nvidia_device *device;

	ck_assert_ptr_nonnull(nvidia);
	if (!nvidia->last)
		nvidia->last = alloc_zeroed(1, sizeof(*nvidia->last));
	nvidia->present = true;
	nvidia->n_answers++;
	nvidia->read_ns = env_mono_ns(&rig->env);
	nvidia->last->n_devices = 1;
	device = &nvidia->last->devices[0];
	*device = (struct nvidia_device){ .busy_ratio = NAN,
					  .used_bytes = U64_UNKNOWN,
					  .total_bytes = U64_UNKNOWN };
	strcpy(device->name, name);
	return device;
}

static struct nvidia *nvidia_of(struct rig *rig)
{
	return reader_state(&nvidia_reader, &rig->env);
}

/* Of the two of the fixture, the second one is NVIDIA's, and processes are looked into for the first one. */
static void open_beside_nvidia(struct rig *rig)
{
	char path[160];

	rig_open(rig, "gpu-amdgpu", both);
	rig_remove(rig, "sys/devices/pci0000:00/0000:03:00.0/gpu_busy_percent");
	rig_remove(rig, "sys/devices/pci0000:00/0000:0b:00.0/gpu_busy_percent");
	rig_remove(rig, "sys/devices/pci0000:00/0000:0b:00.0/mem_info_vram_used");
	rig_remove(rig, "sys/devices/pci0000:00/0000:0b:00.0/mem_info_vram_total");
	rig_remove(rig, "sys/devices/pci0000:00/0000:0b:00.0/mem_info_gtt_used");
	close_file(rig, 100, 7);
	snprintf(path, sizeof(path), "%s/sys/devices/pci0000:00/0000:0b:00.0/driver", rig->root);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("../../bus/pci/drivers/nvidia", path), 0);
}

START_TEST(a_card_of_nvidia_is_what_its_library_says)
{
	struct nvidia_device *device;
	const struct frame *frame;
	struct rig rig;

	open_beside_nvidia(&rig);
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=");
	ck_assert_uint_eq(cell_u64(frame, "gpu", FIRST, "processes"), 2);
	device = answer_of(&rig, SECOND);
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
	device = answer_of(&rig, SECOND);
	device->n_processes = 2;
	frame = rig_sample(&rig, 1); /* not all of them */
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state= how=nvml");
	answer_of(&rig, "0000:0c:00.0");
	frame = rig_sample(&rig, 1); /* of another one */
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=");
	answer_of(&rig, SECOND);
	nvidia_of(&rig)->read_ns = 1; /* long ago */
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=");
	answer_of(&rig, SECOND);
	nvidia_of(&rig)->resting = true;
	frame = rig_sample(&rig, 1);
	check_row(frame, "gpu", "device=0000:0b:00.0 card=card1 driver=nvidia state=left alone");
	ck_assert_str_eq(cell_text(frame, "gpu", FIRST, "state"), "");
	answer_of(&rig, SECOND);
	rig.env.live = true;
	ck_assert_int_eq(nvidia_reader.update(nvidia_of(&rig), &rig.samples[0]), 0);
	ck_assert(!nvidia_of(&rig)->present); /* the kernel lists no device of it */
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

START_TEST(processes_of_nvidia_by_engine)
{
	struct nvidia_device *device;
	const struct frame *frame;
	struct rig rig;

	open_beside_nvidia(&rig);
	rig_sample(&rig, 1);
	device = answer_of(&rig, SECOND);
	device->knows_ratios = true;
	put_process(device, 103, 0.25, 0, 0.75);
	put_process(device, 999, 1, 1, 1); /* it has ended */
	frame = rig_sample(&rig, 1);       /* the first answer is of no interval */
	check_row(frame, "gpu_process",
		  "busy_ratio=0 memory_bytes=103000 local_bytes=103000 engine=all busiest=dec busy_seconds=0 "
		  "pid=103 "
		  "start_seconds=11.03 device=0000:0b:00.0 driver=nvidia name=sleeper "
		  "command=/usr/bin/sleeper");
	ck_assert_ptr_null(use(frame, 103, SECOND, "dec"));
	ck_assert_ptr_null(use(frame, 999, SECOND, "all"));
	device = answer_of(&rig, SECOND);
	nvidia_of(&rig)->seconds = 2;
	device->knows_ratios = true;
	put_process(device, 103, 0.25, 0, 0.75);
	frame = rig_sample(&rig, 2);
	check_row(frame, "gpu_process",
		  "busy_ratio=0.75 memory_bytes=103000 local_bytes=103000 engine=all busiest=dec "
		  "busy_seconds=1.5 pid=103 start_seconds=11.03 device=0000:0b:00.0 driver=nvidia "
		  "name=sleeper command=/usr/bin/sleeper");
	check_row(frame, "gpu_process",
		  "busy_ratio=0.25 engine=sm busiest= busy_seconds=0.5 pid=103 start_seconds=11.03 "
		  "device=0000:0b:00.0 driver=nvidia name=sleeper command=/usr/bin/sleeper");
	ck_assert_ptr_null(use(frame, 103, SECOND, "enc"));
	ck_assert_double_eq(number(frame, 103, SECOND, "dec", "busy_seconds"), 1.5);
	frame = rig_sample(&rig, 1); /* no new answer */
	ck_assert_double_eq(number(frame, 103, SECOND, "dec", "busy_seconds"), 1.5);
	device = answer_of(&rig, SECOND);
	device->knows_ratios = true;
	put_process(device, 103, 0.25, 0.25, 0);
	put_process(device, 102, 0, 0, 0);
	frame = rig_sample(&rig, 4);
	ck_assert_double_eq(number(frame, 103, SECOND, "all", "busy_seconds"), 2);
	ck_assert_double_eq(share(frame, 103, SECOND, "all"), 0.125);
	ck_assert_double_eq(number(frame, 103, SECOND, "sm", "busy_seconds"), 1);
	ck_assert_double_eq(number(frame, 103, SECOND, "enc", "busy_seconds"), 0.5);
	ck_assert_str_eq(
		table_text(frame_table(frame, "gpu_process"), use(frame, 103, SECOND, "all"), "busiest"),
		"sm");
	ck_assert_str_eq(
		table_text(frame_table(frame, "gpu_process"), use(frame, 102, SECOND, "all"), "busiest"), "");
	ck_assert_double_eq(number(frame, 102, SECOND, "all", "busy_seconds"), 0);
	ck_assert_ptr_nonnull(use(frame, 102, FIRST, "all")); /* it uses both */
	rig_close(&rig);
}

START_TEST(processes_that_nvidia_knows_no_longer)
{
	struct nvidia_device *device;
	const struct frame *frame;
	struct rig rig;

	open_beside_nvidia(&rig);
	rig.env.pids.kept_max = 0; /* files of a process that is gone would stay readable */
	rig_sample(&rig, 1);
	nvidia_of(&rig)->seconds = 1;
	device = answer_of(&rig, SECOND);
	put_process(device, 102, 0.5, 0, 0);
	put_process(device, 103, 0.5, 0, 0);
	frame = rig_sample(&rig, 1);
	ck_assert(isnan(number(frame, 102, SECOND, "all", "busy_seconds"))); /* it knows no ratios */
	ck_assert_ptr_nonnull(use(frame, 103, SECOND, "all"));
	device = answer_of(&rig, SECOND);
	put_process(device, 103, 0.5, 0, 0);
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_null(use(frame, 102, SECOND, "all"));
	ck_assert_ptr_nonnull(use(frame, 103, SECOND, "all"));
	rig_remove(&rig, "proc/103");
	start_process(&rig, 103, "other");
	frame = rig_sample(&rig, 1); /* another process than that of the answer */
	ck_assert_ptr_null(use(frame, 103, SECOND, "all"));
	device = answer_of(&rig, SECOND);
	put_process(device, 103, 0.5, 0, 0);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number(frame, 103, SECOND, "sm", "busy_seconds"), 0.5);
	nvidia_of(&rig)->read_ns = 0;
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_null(use(frame, 103, SECOND, "all"));
	device = answer_of(&rig, SECOND);
	put_process(device, 103, 0.5, 0, 0);
	frame = rig_sample(&rig, 1); /* it begins again */
	ck_assert_double_eq(number(frame, 103, SECOND, "sm", "busy_seconds"), 0.5);
	rig_close(&rig);
}

static void check_trouble(struct rig *rig, int error, const char *text, const char *remedy)
{
	const struct frame *frame;

	nvidia_of(rig)->error = error;
	frame = rig_sample(rig, 1);
	ck_assert_uint_eq(frame->n_notices, text ? 1 : 0);
	if (!text)
		return;
	ck_assert_str_eq(frame->notices[0].text, text);
	ck_assert_pstr_eq(frame->notices[0].remedy, remedy);
}

START_TEST(why_nvidia_says_nothing)
{
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig_sample(&rig, 1);
	check_trouble(&rig, NVML_NOT_FOUND, NULL, NULL); /* its driver is not loaded */
	answer_of(&rig, SECOND);
	check_trouble(&rig, 0, NULL, NULL);
	check_trouble(&rig, -ELIBACC, "NVIDIA's driver cannot be queried",
		      "install the library that belongs to the driver, in Debian libnvidia-ml1");
	check_trouble(&rig, NVML_VERSION_MISMATCH, "NVIDIA's driver cannot be queried",
		      "the driver was updated while it ran: restart the machine");
	check_trouble(&rig, NVML_NO_PERMISSION, "NVIDIA's library gives an error", NULL);
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
	struct rig rig;

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
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig_make(&rig, "proc/driver/nvidia/gpus/" DEVICE_OF_NVIDIA);
	rig_make(&rig, "proc/driver/nvidia/gpus/0000:42:00.0");
	rig_make(&rig, POWER_OF_NVIDIA);
	rig_put(&rig, POWER_OF_NVIDIA "/control", "auto\n");
	rig.env.live = true;
	ck_assert_uint_eq(rig_sample(&rig, 1)->n_notices, 1);
	nvidia = nvidia_of(&rig);
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
		ck_assert(nvidia->resting);
		ck_assert_uint_eq(nvidia->n_answers, 4);
		ck_assert_uint_eq(nvidia->read_ns, 0);
		ck_assert_uint_eq(nvidia->n_idle, 0);
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
	struct rig rig;

	rig_open(&rig, "gpu-amdgpu", devices_only);
	rig.env.live = true;
	ck_assert_int_eq(nvidia_test(&rig.env), -ENOENT);
	rig_make(&rig, "proc/driver/nvidia/gpus");
	ck_assert_int_eq(nvidia_test(&rig.env), -ELIBACC);
	rig.env.live = false;
	ck_assert_int_eq(nvidia_test(&rig.env), -ENOENT);
	rig_close(&rig);
}

static struct drm_client parsed;

static bool parse(const char *text)
{
	return drm_client_parse(span_text(text), &parsed);
}

START_TEST(what_no_driver_writes)
{
	char text[16384] = "drm-driver:\tmany\n";
	size_t length = strlen(text);

	ck_assert(!parse("pos:\t0\nflags:\t02\nmnt_id:\t15\n"));
	ck_assert(!parse("drm-engine-gfx:\t5 ns\n"));
	ck_assert(parse("drm-driver:\ta\ndrm-client-id:\tx\ndrm-engine-:\t5 ns\ndrm-engine-gfx:\t5 hours\n"
			"drm-engine-dec:\t-5 ns\ndrm-engine-capacity-enc:\t0\ndrm-engine-enc:\t4 ns\n"
			"drm-total-vram:\t18446744073709551615 KiB\ndrm-total-gtt:\t18446744073709551615\n"));
	ck_assert_uint_eq(parsed.id, U64_UNKNOWN);
	ck_assert_uint_eq(parsed.n_engines, 1);
	ck_assert_uint_eq(parsed.engines[0].capacity, 1);
	ck_assert_uint_eq(drm_client_memory(&parsed), U64_UNKNOWN);
	ck_assert(parse("drm-driver:\ta\ndrm-total-one:\t18446744073709551614\ndrm-total-two:\t9\n"));
	ck_assert_uint_eq(drm_client_memory(&parsed), U64_UNKNOWN); /* the sum has no room */
	for (int i = 0; i < 100; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "drm-engine-e%d:\t1 ns\ndrm-total-r%d:\t1\n", i, i);
	ck_assert(parse(text));
	ck_assert_uint_eq(parsed.n_engines, DRM_ENGINES_MAX);
	ck_assert_uint_eq(parsed.n_regions, DRM_REGIONS_MAX);
	ck_assert(parse("drm-driver:\ta\ndrm-engine-a-name-that-is-longer-than-any-driver-has:\t1 ns\n"));
	ck_assert_uint_eq(parsed.n_engines, 0);
}

/* A library of one device, in place of NVIDIA's. */
static struct nvml_sample samples[3];
static unsigned n_samples, n_listed;

static int one_device(unsigned *count)
{
	*count = 1;
	return NVML_SUCCESS;
}

static int any_handle(unsigned index, nvml_device *device)
{
	(void)index;
	*device = NULL;
	return NVML_SUCCESS;
}

static int its_place(nvml_device device, struct nvml_pci *pci)
{
	(void)device;
	*pci = (struct nvml_pci){ .domain = 1, .bus = 0xab, .device = 2 };
	return NVML_SUCCESS;
}

static int not_supported(nvml_device device, struct nvml_utilization *utilization)
{
	(void)device;
	utilization->gpu = 77;
	return NVML_NOT_SUPPORTED;
}

static int listed(nvml_device device, unsigned *count, struct nvml_process *processes)
{
	(void)device;
	for (unsigned i = 0; i < n_listed && i < *count; i++)
		processes[i] = (struct nvml_process){ .pid = 100 + i, .used = i == 0 ? UINT64_MAX : i };
	*count = n_listed;
	return n_listed > NVIDIA_PROCESSES_MAX ? NVML_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

static int sampled(nvml_device device, struct nvml_sample *to, unsigned *count, unsigned long long since_us)
{
	unsigned n = 0;

	(void)device;
	for (unsigned i = 0; i < n_samples; i++)
		if (samples[i].time_us > since_us)
			to[n++] = samples[i];
	*count = n;
	return n > 0 ? NVML_SUCCESS : NVML_NOT_FOUND;
}

START_TEST(what_the_library_of_nvidia_says)
{
	static const struct nvml_library library = {
		.count = one_device, .by_index = any_handle, .pci = its_place, .utilization = not_supported,
		.compute = listed,   .samples = sampled,
	};
	static struct nvidia_answer answer;
	const struct nvidia_device *device = &answer.devices[0];

	n_listed = 2;
	n_samples = 2;
	samples[0] = (struct nvml_sample){ .pid = 101, .time_us = 5, .multiprocessors = 40, .decoder = 250 };
	samples[1] = (struct nvml_sample){ .pid = 300, .time_us = 7, .encoder = 20 };
	nvml_library_ask(&library, &answer);
	ck_assert_int_eq(answer.error, NVML_SUCCESS);
	ck_assert_uint_eq(answer.n_devices, 1);
	ck_assert_str_eq(device->name, "0001:ab:02.0");
	ck_assert(isnan(device->busy_ratio));
	ck_assert_uint_eq(device->used_bytes, U64_UNKNOWN);
	ck_assert_uint_eq(device->n_processes, 3); /* the last one is not in the list any more */
	ck_assert_uint_eq(device->processes[0].memory_bytes, U64_UNKNOWN);
	ck_assert_uint_eq(device->processes[1].memory_bytes, 1);
	ck_assert(device->knows_ratios);
	ck_assert_double_eq(device->processes[1].ratios[NVIDIA_MULTIPROCESSORS], 0.4);
	ck_assert_double_eq(device->processes[1].ratios[NVIDIA_DECODER], 0); /* 250 % is nonsense */
	ck_assert_double_eq(device->processes[2].ratios[NVIDIA_ENCODER], 0.2);
	nvml_library_ask(&library, &answer); /* no new sample */
	ck_assert(device->knows_ratios);
	ck_assert_uint_eq(device->n_processes, 2);
	ck_assert_double_eq(device->processes[1].ratios[NVIDIA_MULTIPROCESSORS], 0);
	n_listed = 1000; /* more than there is room for */
	nvml_library_ask(&library, &answer);
	ck_assert_uint_eq(device->n_processes, 0);
}

static unsigned n_present, n_broken, percent, bus;

static int many_devices(unsigned *count)
{
	*count = n_present;
	return n_present > 0 ? NVML_SUCCESS : NVML_DRIVER_NOT_LOADED;
}

static int some_handle(unsigned index, nvml_device *device)
{
	*device = NULL;
	return index < n_broken ? NVML_NO_PERMISSION : NVML_SUCCESS;
}

static int some_place(nvml_device device, struct nvml_pci *pci)
{
	(void)device;
	*pci = (struct nvml_pci){ .domain = 0x10000, .bus = bus, .device = 0x1f };
	return NVML_SUCCESS;
}

static int utilized(nvml_device device, struct nvml_utilization *utilization)
{
	(void)device;
	*utilization = (struct nvml_utilization){ .gpu = percent, .memory = 3 };
	return NVML_SUCCESS;
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

/* All that there ever were. */
static int old_samples(nvml_device device, struct nvml_sample *to, unsigned *count,
		       unsigned long long since_us)
{
	(void)device;
	(void)since_us;
	for (unsigned i = 0; i < n_samples; i++)
		to[i] = samples[i];
	*count = n_samples;
	return NVML_SUCCESS;
}

static const struct nvml_library whole_library = {
	.count = many_devices,
	.by_index = some_handle,
	.pci = some_place,
	.utilization = utilized,
	.memory = remembered,
	.graphics = drawn,
	.compute = listed,
	.samples = old_samples,
};

START_TEST(a_process_that_draws_and_computes)
{
	static struct nvidia_answer said;
	const struct nvidia_device *device = &said.devices[0];

	n_present = 1;
	n_broken = 0;
	percent = 100;
	bus = 10;
	n_listed = 3;
	n_samples = 2;
	samples[0] = (struct nvml_sample){ .pid = 101, .time_us = 7, .multiprocessors = 100, .decoder = 101 };
	samples[1] = (struct nvml_sample){ .pid = 102, .time_us = 5, .encoder = 1 };
	nvml_library_ask(&whole_library, &said);
	ck_assert_str_eq(device->name, "10000:0a:1f.0");
	ck_assert_double_eq(device->busy_ratio, 1);
	ck_assert_uint_eq(device->used_bytes, 3);
	ck_assert_uint_eq(device->total_bytes, 8);
	ck_assert(device->knows_processes);
	ck_assert_uint_eq(device->n_processes, 3);
	ck_assert_uint_eq(device->n_left_out, 0);
	ck_assert_uint_eq(device->processes[0].pid, 101);
	ck_assert_uint_eq(device->processes[0].memory_bytes, 7); /* not 8: it is the same */
	ck_assert_uint_eq(device->processes[1].pid, 102);
	ck_assert_uint_eq(device->processes[1].memory_bytes, 2);
	ck_assert_uint_eq(device->processes[2].pid, 100);
	ck_assert_uint_eq(device->processes[2].memory_bytes, U64_UNKNOWN);
	ck_assert_double_eq(device->processes[0].ratios[NVIDIA_MULTIPROCESSORS], 1);
	ck_assert_double_eq(device->processes[0].ratios[NVIDIA_DECODER], 0);
	ck_assert_double_eq(device->processes[1].ratios[NVIDIA_ENCODER], 0.01);
	ck_assert_uint_eq(device->seen_us, 7);
	samples[1].time_us = 8;
	percent = 101;
	nvml_library_ask(&whole_library, &said);
	ck_assert_double_eq(device->busy_ratio, 0);
	ck_assert_double_eq(device->processes[0].ratios[NVIDIA_MULTIPROCESSORS], 0); /* heard before */
	ck_assert_double_eq(device->processes[1].ratios[NVIDIA_ENCODER], 0.01);
	bus = 11; /* another one, whose samples begin again */
	nvml_library_ask(&whole_library, &said);
	ck_assert_str_eq(device->name, "10000:0b:1f.0");
	ck_assert_double_eq(device->processes[0].ratios[NVIDIA_MULTIPROCESSORS], 1);
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
