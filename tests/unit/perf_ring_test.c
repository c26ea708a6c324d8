/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the ring of a perf event, over a file that the test writes as the kernel would. */
#include "suite.h"

#include <linux/perf_event.h>

#include "core/buffer.h"
#include "core/unknown.h"
#include "sys/perf_ring.h"

static size_t page_bytes;

/* As an event that has room for this much. */
static int open_file(size_t bytes)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)(page_bytes + bytes)), 0);
	return fd;
}

static void write_ring(struct perf_ring *ring, uint64_t at, const char *text)
{
	struct perf_event_mmap_page *page = ring->mapping;
	char *data = (char *)ring->mapping + page_bytes;

	for (; *text; text++, at++)
		data[at & (ring->bytes - 1)] = *text;
	page->data_head = at;
}

START_TEST(records_are_taken_across_its_end)
{
	static char room[65536 * 2];
	struct perf_event_mmap_page *page;
	struct perf_ring ring;
	struct span taken;
	int fd = open_file((size_t)sysconf(_SC_PAGESIZE));

	ck_assert_int_eq(perf_ring_open(&ring, fd, page_bytes), 0);
	ck_assert_uint_le(ring.bytes, sizeof(room));
	page = ring.mapping;
	ck_assert_uint_eq(span_length(perf_ring_take(&ring, room)), 0);
	page->data_tail = ring.bytes * 7 + ring.bytes - 4; /* it has gone round some times */
	write_ring(&ring, page->data_tail, "abcdefghij");
	taken = perf_ring_take(&ring, room);
	ck_assert_uint_eq(span_length(taken), 10);
	ck_assert_mem_eq(taken.at, "abcdefghij", 10);
	ck_assert_uint_eq(page->data_tail, page->data_head);
	write_ring(&ring, page->data_tail, "klm");
	taken = perf_ring_take(&ring, room);
	ck_assert_uint_eq(span_length(taken), 3);
	ck_assert_mem_eq(taken.at, "klm", 3);
	page->data_head += ring.bytes;
	ck_assert_uint_eq(span_length(perf_ring_take(&ring, room)), ring.bytes);
	page->data_head += ring.bytes + 1; /* more than there is room for */
	ck_assert_uint_eq(span_length(perf_ring_take(&ring, room)), 0);
	ck_assert_uint_eq(page->data_tail, page->data_head);
	perf_ring_close(&ring);
	ck_assert_ptr_null(ring.mapping);
	perf_ring_close(&ring);
	close(fd);
}

START_TEST(its_size_is_a_power_of_two)
{
	static const size_t pages[][2] = { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 4 }, { 7, 4 } };
	int fd = open_file(8 * (size_t)sysconf(_SC_PAGESIZE));

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		struct perf_ring ring;

		ck_assert_int_eq(perf_ring_open(&ring, fd, pages[i][0] * page_bytes), 0);
		ck_assert_uint_eq(ring.bytes, pages[i][1] * page_bytes);
		perf_ring_close(&ring);
	}
	close(fd);
	ck_assert_int_eq(perf_ring_open(&(struct perf_ring){ 0 }, fd, page_bytes), -EBADF);
}

/* What the kernel gives of an event: count, time, and since Linux 6.0 what was lost. */
static struct perf_ring_state state_of(size_t n_words)
{
	const uint64_t words[] = { 1, 22, 333 };
	struct perf_ring_state state;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], words, n_words * sizeof(words[0])),
			 (ssize_t)(n_words * sizeof(words[0])));
	close(fds[1]);
	state = perf_ring_state(fds[0]);
	close(fds[0]);
	return state;
}

START_TEST(older_kernels_know_less_of_it)
{
	ck_assert_uint_eq(state_of(3).enabled_ns, 22);
	ck_assert_uint_eq(state_of(3).lost, 333);
	ck_assert_uint_eq(state_of(2).enabled_ns, 22);
	ck_assert_uint_eq(state_of(2).lost, U64_UNKNOWN);
	ck_assert_uint_eq(state_of(1).enabled_ns, U64_UNKNOWN);
	ck_assert_uint_eq(state_of(1).lost, U64_UNKNOWN);
	ck_assert_uint_eq(perf_ring_state(-1).lost, U64_UNKNOWN);
}
