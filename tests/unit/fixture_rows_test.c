/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of whole rows of the machine over two samples of a fixture, against values found by hand. */
#include <config.h>

#include "rig.h"

static const struct frame *two_samples(struct rig *rig, const char *topic)
{
	const char *const names[] = { topic, NULL };

	rig_open(rig, "linux-6.1", names);
	rig_sample(rig, 0);
	rig_tick(rig, 1);
	return rig_sample(rig, 2);
}

/* sda: 10 reads of 2048 sectors in 2 s, 40 writes of 8192 in 0.4 s, and 60 that were merged. */
START_TEST(disks_by_device_and_together)
{
	struct rig rig;
	const struct frame *frame = two_samples(&rig, "disk");

	check_row(frame, "disk",
		  "device=sda read_bytes_per_second=524288 write_bytes_per_second=2097152 "
		  "reads_per_second=5 writes_per_second=20 merged_ratio=0.5454545455 "
		  "read_wait_seconds=0.2 write_wait_seconds=0.01 queue=1.2 busy_ratio=0.5 "
		  "read_request_bytes=104857.6 write_request_bytes=104857.6 discards_per_second=0 "
		  "discard_bytes_per_second=0 flushes_per_second=0 reads=1010 writes=2040 "
		  "read_bytes=42008576 write_bytes=86114304 merges=660 submissions=3710 read_seconds=7 "
		  "write_seconds=30.4 busy_seconds=13 queue_seconds=37.4 discards=0 discard_bytes=0 "
		  "flushes=0 flush_seconds=0");
	check_row(frame, "disk",
		  "device=all read_bytes_per_second=524288 write_bytes_per_second=2097152 "
		  "reads_per_second=5 writes_per_second=20 merged_ratio=0.5454545455 "
		  "read_wait_seconds=0.2 write_wait_seconds=0.01 queue=1.2 busy_ratio=0.5 "
		  "read_request_bytes=104857.6 write_request_bytes=104857.6 discards_per_second=0 "
		  "discard_bytes_per_second=0 flushes_per_second=0 reads=5010 writes=2140 "
		  "read_bytes=246808576 write_bytes=90210304 merges=660 submissions=7810 "
		  "read_seconds=7.8 write_seconds=30.45 busy_seconds=13.6 queue_seconds=38.25 "
		  "discards=0 discard_bytes=0 flushes=0 flush_seconds=0");
	check_row(frame, "disk",
		  "device=dm-0 kind=dm read_bytes_per_second=524288 write_bytes_per_second=2097152 "
		  "reads_per_second=5 writes_per_second=20 merged_ratio=0 read_wait_seconds=0.2 "
		  "write_wait_seconds=0.01 queue=1.2 busy_ratio=0.5 read_request_bytes=104857.6 "
		  "write_request_bytes=104857.6 discards_per_second=0 discard_bytes_per_second=0 "
		  "flushes_per_second=0 reads=910 writes=1940 read_bytes=37912576 write_bytes=80994304 "
		  "merges=0 submissions=2850 read_seconds=6.6 write_seconds=29.9 busy_seconds=12 "
		  "queue_seconds=36.5 discards=0 discard_bytes=0 flushes=0 flush_seconds=0");
	check_row(frame, "disk",
		  "device=loop0 kind=loop read_bytes_per_second=0 write_bytes_per_second=0 "
		  "reads_per_second=0 writes_per_second=0 queue=0 busy_ratio=0 discards_per_second=0 "
		  "discard_bytes_per_second=0 flushes_per_second=0 reads=30 writes=0 "
		  "read_bytes=1024000 write_bytes=0 merges=0 submissions=30 read_seconds=0.01 "
		  "write_seconds=0 busy_seconds=0.01 queue_seconds=0.01 discards=0 discard_bytes=0 "
		  "flushes=0 flush_seconds=0");
	rig_close(&rig);
}

START_TEST(interfaces_by_name_and_together)
{
	struct rig rig;
	const struct frame *frame = two_samples(&rig, "interface");

	check_row(frame, "interface",
		  "name=eth0 received_bits_per_second=1000000 sent_bits_per_second=100000 "
		  "received_packets_per_second=100 sent_packets_per_second=10 errors_per_second=1 "
		  "drops_per_second=5 received_drops_per_second=2 sent_drops_per_second=3 "
		  "fifo_errors_per_second=0 frame_errors_per_second=0 carrier_errors_per_second=0 "
		  "collisions_per_second=0 received_bytes=1250000 sent_bytes=225000 "
		  "received_packets=1200 sent_packets=520 errors=2 drops=10 received_drops=4 "
		  "sent_drops=6 received_errors=2 sent_errors=0 fifo_errors=0 frame_errors=0 "
		  "carrier_errors=0 collisions=0");
	check_row(frame, "interface",
		  "name=all received_bits_per_second=1000000 sent_bits_per_second=100000 "
		  "received_packets_per_second=100 sent_packets_per_second=10 errors_per_second=1 "
		  "drops_per_second=5 received_drops_per_second=2 sent_drops_per_second=3 "
		  "fifo_errors_per_second=0 frame_errors_per_second=0 carrier_errors_per_second=0 "
		  "collisions_per_second=0 received_bytes=1250000 sent_bytes=225000 "
		  "received_packets=1200 sent_packets=520 errors=2 drops=10 received_drops=4 "
		  "sent_drops=6 received_errors=2 sent_errors=0 fifo_errors=0 frame_errors=0 "
		  "carrier_errors=0 collisions=0");
	check_row(frame, "interface",
		  "name=docker0 received_bits_per_second=400000 sent_bits_per_second=36000 "
		  "received_packets_per_second=50 sent_packets_per_second=10 errors_per_second=0 "
		  "drops_per_second=0 received_drops_per_second=0 sent_drops_per_second=0 "
		  "fifo_errors_per_second=0 frame_errors_per_second=0 carrier_errors_per_second=0 "
		  "collisions_per_second=0 received_bytes=500000 sent_bytes=99000 received_packets=500 "
		  "sent_packets=320 errors=0 drops=0 received_drops=0 sent_drops=0 received_errors=0 "
		  "sent_errors=0 fifo_errors=0 frame_errors=0 carrier_errors=0 collisions=0");
	rig_close(&rig);
}

/* 90 of 200 ticks in programs, 30 in the kernel. */
START_TEST(shares_of_the_time_of_a_cpu)
{
	struct rig rig;
	const struct frame *frame = two_samples(&rig, "cpu");

	check_row(frame, "cpu",
		  "cpu=0 busy_ratio=0.6 user_ratio=0.45 nice_ratio=0 system_ratio=0.15 idle_ratio=0.4 "
		  "iowait_ratio=0 irq_ratio=0 softirq_ratio=0 steal_ratio=0 guest_ratio=0 "
		  "user_seconds=5.9 nice_seconds=0.1 system_seconds=2.8 idle_seconds=450.8 "
		  "iowait_seconds=0.2 irq_seconds=0 softirq_seconds=0.06 steal_seconds=0 "
		  "guest_seconds=0 busy_seconds=8.86 total_seconds=459.86");
	check_row(frame, "cpu",
		  "cpu=all busy_ratio=0.6 user_ratio=0.45 nice_ratio=0 system_ratio=0.15 "
		  "idle_ratio=0.4 iowait_ratio=0 irq_ratio=0 softirq_ratio=0 steal_ratio=0 "
		  "guest_ratio=0 user_seconds=11.8 nice_seconds=0.2 system_seconds=5.6 "
		  "idle_seconds=901.6 iowait_seconds=0.4 irq_seconds=0 softirq_seconds=0.12 "
		  "steal_seconds=0 guest_seconds=0 busy_seconds=17.72 total_seconds=919.72");
	rig_close(&rig);
}

START_TEST(rates_of_the_machine)
{
	struct rig rig;
	const struct frame *frame = two_samples(&rig, "system");

	check_row(frame, "system",
		  "load1=0.43 load5=0.31 load15=0.2 cpus=2 tasks=0 threads=214 running=2 blocked=1 "
		  "context_switches_per_second=2400 context_switches=659121 interrupts_per_second=800 "
		  "interrupts=125056 forks_per_second=17 forks=4355 uptime_seconds=273122.25");
	rig_close(&rig);
}

/* 100, 5 and 2.5 ms more in two seconds. */
START_TEST(pressure_by_resource)
{
	struct rig rig;
	const struct frame *frame = two_samples(&rig, "pressure");

	check_row(frame, "pressure",
		  "resource=cpu kind=some stalled_ratio=0.05 avg10_ratio=0.0125 avg60_ratio=0.005 "
		  "avg300_ratio=0.001 stalled_seconds=5.1");
	check_row(frame, "pressure",
		  "resource=io kind=some stalled_ratio=0.0025 avg10_ratio=0 avg60_ratio=0.005 "
		  "avg300_ratio=0.001 stalled_seconds=0.905");
	check_row(frame, "pressure",
		  "resource=io kind=full stalled_ratio=0.00125 avg10_ratio=0 avg60_ratio=0 "
		  "avg300_ratio=0 stalled_seconds=0.4525");
	check_row(frame, "pressure",
		  "resource=memory kind=some stalled_ratio=0 avg10_ratio=0 avg60_ratio=0.005 "
		  "avg300_ratio=0.001 stalled_seconds=0");
	rig_close(&rig);
}

static const struct frame *check_meminfo(struct rig *rig, const char *text)
{
	rig_put(rig, "proc/meminfo", "%s", text);
	return rig_sample(rig, 2);
}

static void assert_not_checked(const struct frame *frame)
{
	const struct table *table = frame_slot((struct frame *)frame, "memory_check");

	ck_assert(table->failed);
	ck_assert_uint_eq(table->n_rows, 0);
}

/* A check needs its total and the parts that every kernel prints; other parts may be absent. */
START_TEST(checks_of_meminfo)
{
#define ACTIVE "formula=Active(anon) + Active(file) = Active "
	const char *const names[] = { "memory_check", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "linux-6.1", names);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame_table(frame, "memory_check")->n_rows, 5);
	check_row(frame, "memory_check",
		  ACTIVE "sum_bytes=681558016 total_bytes=681558016 error_bytes=0 error_ratio=0");
	check_row(frame, "memory_check",
		  "formula=MemFree + Active + Inactive + Slab + Unevictable + KernelStack + PageTables + "
		  "SecPageTables + Percpu + VmallocUsed + Hugetlb + Zswap + Bounce = MemTotal "
		  "sum_bytes=2612047872 total_bytes=2608857088 error_bytes=3190784 "
		  "error_ratio=0.001223058179");
	check_row(frame, "memory_check",
		  "formula=MemFree + Buffers + Cached + AnonPages + Slab + SwapCached + KernelStack + "
		  "PageTables + SecPageTables + Percpu + VmallocUsed + Hugetlb + Zswap + Bounce = MemTotal "
		  "sum_bytes=2612047872 total_bytes=2608857088 error_bytes=3190784 "
		  "error_ratio=0.001223058179");
	frame = check_meminfo(&rig, "Active: 30 kB\nActive(anon): 10 kB\nActive(file): 21 kB\n");
	ck_assert_uint_eq(frame_table(frame, "memory_check")->n_rows, 1);
	check_row(frame, "memory_check",
		  ACTIVE "sum_bytes=31744 total_bytes=30720 error_bytes=1024 error_ratio=0.03333333333");
	frame = check_meminfo(&rig, "Active: 0 kB\nActive(anon): 0 kB\nActive(file): 0 kB\n");
	check_row(frame, "memory_check", ACTIVE "sum_bytes=0 total_bytes=0 error_bytes=0");
	frame = check_meminfo(&rig, "Active: 1 kB\nActive(anon): 0 kB\nActive(file): 0 kB\n");
	check_row(frame, "memory_check",
		  ACTIVE "sum_bytes=0 total_bytes=1024 error_bytes=-1024 error_ratio=-1");
	frame = check_meminfo(&rig, "MemTotal: 100 kB\nMemFree: 10 kB\nActive: 20 kB\nInactive: 30 kB\n"
				    "Slab: 15 kB\n");
	ck_assert_uint_eq(frame_table(frame, "memory_check")->n_rows, 1);
	check_row(frame, "memory_check",
		  "formula=MemFree + Active + Inactive + Slab = MemTotal sum_bytes=76800 "
		  "total_bytes=102400 error_bytes=-25600 error_ratio=-0.25");
	assert_not_checked(check_meminfo(&rig, "MemTotal: 100 kB\nMemFree: 10 kB\nActive: 20 kB\n"
					       "Inactive: 30 kB\n"));
	assert_not_checked(check_meminfo(&rig, "Active: 30 kB\nActive(anon): 10 kB\n"));
	assert_not_checked(check_meminfo(&rig, "Active(anon): 10 kB\nActive(file): 21 kB\n"));
	rig_close(&rig);
}
