/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of NUMA nodes: machines of up to eight in files, looks at pages of processes, and sentences. */
#include "rig.h"

#include "topic/node/locality_list.h"

#define MIB 1048576.0

/* 4,096 pages of which 1,024 are on the node where it runs: 2 * sqrt(0.25 * 0.75 / 4096). */
START_TEST(the_error_of_a_sample)
{
	struct node two[2] = { { .number = 0 }, { .number = 1 } };
	uint16_t distances[4] = { 10, 21, 21, 10 };
	struct node_list nodes = { .nodes = two, .n_nodes = 2, .distances = distances };
	struct env env = { .page_bytes = 4096 };
	struct locality_list list = { .env = &env, .nodes = &nodes };
	uint64_t pages[2] = { 3072, 1024 };
	double cpu[2] = { 0, 50 }, error;
	struct located process = { .pages = pages, .threads.cpu = cpu, .resident_bytes = 1 << 30 };
	struct locality locality = locality_of(&list, &process);

	ck_assert_double_eq(located_share(&list, &process, 1, &error), 0.25);
	ck_assert_double_eq_tol(error, 2 * sqrt(0.25 * 0.75 / 4096), 1e-9);
	ck_assert_double_eq(located_bytes(&list, &process, 1), 1 << 28);
	ck_assert_double_eq_tol(locality.local_ratio, 0.25, 1e-9);
	ck_assert_double_eq_tol(locality.error_ratio, error, 1e-9);
	pages[1] = 0;    /* another one might still be there: 3 / n */
	pages[0] = 4096; /* cppcheck-suppress unreadVariable ; through process */
	ck_assert_double_eq(located_share(&list, &process, 1, &error), 0);
	ck_assert_double_eq_tol(error, 3.0 / 4096, 1e-9);
	process.part.unseen = 0.5; /* half of all was not located, and may be on node 1 */
	ck_assert_double_eq(located_share(&list, &process, 1, &error), 0);
	ck_assert_double_eq_tol(error, 3.0 / 4096 + 0.5, 1e-9);
	ck_assert_double_eq_tol(locality_of(&list, &process).error_ratio, 3.0 / 4096 + 0.5, 1e-9);
	process.part.unseen = NAN;
	ck_assert_double_eq(located_share(&list, &process, 1, &error), 0);
	ck_assert_double_nan(error);
	process.part = (struct page_nodes_part){ .whole = true };
	ck_assert_double_eq(located_share(&list, &process, 1, &error), 0);
	ck_assert_double_eq(error, 0);
	process.error = -EACCES;
	ck_assert_double_nan(located_share(&list, &process, 1, &error));
	ck_assert_double_nan(error);
	ck_assert_double_nan(locality_of(&list, &process).local_ratio);
	ck_assert_double_nan(locality_of(&list, &process).error_ratio);
}

static struct {
	struct env env;
	struct sample_request request;
	struct sample sample;
	struct node_list *nodes;
	struct page_nodes look;
	uint64_t pages[NODES_MAX];
	struct page_nodes_part part;
} looks;

static void open_looks(void)
{
	ck_assert_int_eq(env_open(&looks.env, "/"), 0);
	looks.sample = (struct sample){ .env = &looks.env, .request = &looks.request };
	looks.nodes = reader_open(&node_reader, &looks.sample, NULL);
	if (reader_update(&node_reader, &looks.sample))
		skip_test("this kernel has no NUMA nodes");
	looks.look = (struct page_nodes){ .env = &looks.env, .nodes = looks.nodes, .random = 1 };
}

static void close_looks(void)
{
	page_nodes_free(&looks.look);
	reader_close(&node_reader, &looks.env);
	env_close(&looks.env);
}

static uint64_t sum_of(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < looks.nodes->n_nodes; i++)
		sum += looks.pages[i];
	return sum;
}

static int look_at(pid_t pid, uint64_t resident_pages)
{
	int error = page_nodes_look(&looks.look, (uint32_t)pid, resident_pages, looks.pages, &looks.part);

	if (error == -ENOSYS || error == -EPERM)
		skip_test("move_pages(2) is refused: %s", strerror(-error));
	return error;
}

/* 64 MiB present, and four times that much absent, which must not count. */
START_LIVE_TEST(pages_of_a_large_process)
{
	size_t present = (size_t)64 << 20, absent = 4 * present;
	long page_bytes = sysconf(_SC_PAGESIZE);
	char *memory =
		mmap(NULL, present + absent, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(memory != MAP_FAILED);
	memset(memory, 1, present);
	open_looks();
	ck_assert_int_eq(look_at(getpid(), present / (size_t)page_bytes), 0);
	ck_assert(!looks.part.whole);
	ck_assert_double_eq(looks.part.unseen, 0);
	ck_assert_uint_ge(sum_of(), PAGE_NODES_SAMPLE);
	ck_assert_uint_lt(sum_of(), 2 * PAGE_NODES_SAMPLE);
	/* as if it was large and dense: chosen from regions, so that some are absent */
	ck_assert_int_eq(look_at(getpid(), (present + absent) / (size_t)page_bytes), 0);
	ck_assert_uint_ge(sum_of(), PAGE_NODES_SAMPLE);
	close_looks();
	munmap(memory, present + absent);
}

/*
 * 32 MiB that are located, and 32 that are present and not: those of the zero page stand for marked ones. A
 * kernel that locates marked pages hides none.
 */
START_TOLERANCE_TEST(pages_that_are_not_located)
{
	size_t length = (size_t)32 << 20;
	char *memory = mmap(NULL, 2 * length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char sum = 0;

	ck_assert(memory != MAP_FAILED);
	madvise(memory, 2 * length, MADV_NOHUGEPAGE);
	memset(memory, 1, length);
	for (size_t at = length; at < 2 * length; at += 4096)
		sum = (char)(sum + memory[at]);
	open_looks();
	ck_assert_int_eq(look_at(getpid(), 2 * length / 4096), 0);
	for (int blind = 0; blind < 2; blind++) {
		looks.look.is_blind = blind;
		ck_assert_int_eq(look_at(getpid(), 2 * length / 4096), 0);
		ck_assert_uint_ge(sum_of(), PAGE_NODES_SAMPLE);
		if (!blind)
			ck_assert_double_eq(looks.part.unseen, 0);
		else
			ck_assert_double_eq_tol(looks.part.unseen, 0.5, 0.15);
	}
	close_looks();
	munmap(memory, 2 * length);
}

/* Every page of it counts, and after its end none. */
START_LIVE_TEST(all_pages_of_a_small_process)
{
	int started[2];
	pid_t pid;
	char byte;

	ck_assert_int_eq(pipe2(started, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(started[1]);
	ck_assert_int_eq(read(started[0], &byte, 1), 0); /* the exec has closed it */
	close(started[0]);
	open_looks();
	while (look_at(pid, 100) || sum_of() < 50) /* it maps libc only then */
		usleep(1000);
	ck_assert(looks.part.whole);
	ck_assert_uint_lt(sum_of(), PAGE_NODES_SAMPLE);
	end_child(pid);
	ck_assert_int_lt(look_at(pid, 100), 0);
	close_looks();
}

/* As a request of the screen: the same as a count at once, of memory that does not change meanwhile. */
START_LIVE_TEST(a_count_in_a_helper)
{
	uint64_t now[NODES_MAX], bytes[NODES_MAX], start_ticks, size = 16 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct maps_count *count;
	uint32_t pid;
	int error;

	ck_assert(memory != MAP_FAILED);
	memset(memory, 1, size);
	open_looks();
	count = maps_count_open(&looks.env);
	ck_assert(!maps_count_take(count, looks.nodes, &pid, &start_ticks, bytes, &error));
	error = maps_count_begin(count, (uint32_t)getpid(), 77);
	if (error == -ENOENT)
		skip_test("this kernel has no numa_maps");
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(maps_count_begin(count, (uint32_t)getpid(), 77), -EBUSY);
	while (!maps_count_take(count, looks.nodes, &pid, &start_ticks, bytes, &error)) {
		looks.env.tick++;
		usleep(1000);
	}
	ck_assert_int_eq(error, 0);
	ck_assert_uint_eq(pid, (uint32_t)getpid());
	ck_assert_uint_eq(start_ticks, 77);
	ck_assert_int_eq(maps_count_now(count, looks.nodes, pid, now), 0);
	ck_assert_uint_ge(bytes[0], looks.nodes->n_nodes == 1 ? size : 0);
	ck_assert_double_eq_tol((double)bytes[0], (double)now[0], MIB);
	ck_assert_int_lt(maps_count_now(count, looks.nodes, INT32_MAX, now), 0);
	maps_count_close(count);
	close_looks();
	munmap(memory, size);
}

/* 40 more processes: the 32 with the most memory are looked at, of whichever order. */
START_TEST(the_largest_processes)
{
	struct rig rig;
	const struct frame *frame;

	rig_open(&rig, "nodes-2", TOPICS("node", "locality", "node_process", "node_thread"));
	for (unsigned i = 1; i <= 40; i++) {
		unsigned pages = 1000 * (1 + i * 7 % 41);

		rig_make(&rig, textf("proc/%u", 10000 + i));
		rig_put(&rig, textf("proc/%u/stat", 10000 + i),
			"%u (p%u) S 1 1 1 0 -1 4 0 0 0 0 5 0 0 0 20 0 1 0 500 1000 %u 0 0 0 0 0 0 0 0 0 0 0 "
			"0 0 17 0\n", 10000 + i, i, pages);
		rig_put(&rig, textf("proc/%u/statm", 10000 + i), "%u %u 0 0 0 0 0\n", pages, pages);
		rig_put(&rig, textf("proc/%u/numa_maps", 10000 + i),
			"7f00 default N0=%u kernelpagesize_kB=4\n", pages);
	}
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame_table(frame, "locality")->n_rows, 32);
	ck_assert(find_number(frame, "locality", "pid", 4711));
	ck_assert(!find_number(frame, "locality", "pid", 812));
	for (unsigned i = 1; i <= 40; i++) /* three of the fixture are larger than all of these */
		ck_assert_int_eq(find_number(frame, "locality", "pid", 10000 + i) != NULL,
				 i * 7 % 41 > 40 - 29);
	rig_close(&rig);
}
