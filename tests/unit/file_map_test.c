/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of maps of files that are cut short while they are read. */
#include "suite.h"

#include "sys/profile_files.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))
#define PAGES 64

/* Without a name, full of 'x'. */
static int filled(void)
{
	char path[] = "/tmp/panetop-map-XXXXXX", *page = alloc_zeroed(PAGE, 1);
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	unlink(path);
	memset(page, 'x', PAGE);
	for (int i = 0; i < PAGES; i++)
		ck_assert_int_eq(write(fd, page, PAGE), (ssize_t)PAGE);
	free(page);
	return fd;
}

static size_t count(struct span bytes, char wanted)
{
	size_t n = 0;

	for (const char *at = bytes.at; at < bytes.end; at++)
		n += *(const volatile char *)at == wanted;
	return n;
}

START_TEST(what_is_cut_off_is_zeros)
{
	static const int protections[] = { PROT_READ, PROT_READ | PROT_WRITE };

	file_maps_open();
	for (size_t i = 0; i < 2; i++) {
		int fd = filled();
		struct span bytes = file_map(fd, protections[i], SIZE_MAX);
		struct span other = file_map(fd, PROT_READ, SIZE_MAX);

		ck_assert_uint_eq(span_length(bytes), PAGES * PAGE);
		ck_assert_uint_eq(count(bytes, 'x'), PAGES * PAGE);
		ck_assert_int_eq(ftruncate(fd, 3 * (off_t)PAGE), 0);
		ck_assert_uint_eq(count(bytes, 'x'), 3 * PAGE);
		ck_assert_uint_eq(count(bytes, '\0'), (PAGES - 3) * PAGE);
		ck_assert_int_eq(ftruncate(fd, 0), 0);
		ck_assert_uint_eq(count(other, '\0'), PAGES * PAGE); /* of its own */
		ck_assert_uint_eq(count(bytes, '\0'), PAGES * PAGE);
		file_unmap(bytes);
		file_unmap(other);
		close(fd);
	}
}

START_TEST(what_is_too_large_is_not_mapped)
{
	int fd = filled();
	struct span bytes = file_map(fd, PROT_READ, PAGES * PAGE - 1);

	ck_assert_uint_eq(span_length(bytes), 0);
	file_unmap(bytes);
	bytes = file_map(fd, PROT_READ, PAGES * PAGE);
	ck_assert_uint_eq(span_length(bytes), PAGES * PAGE);
	file_unmap(bytes);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_uint_eq(span_length(file_map(fd, PROT_READ, PAGES * PAGE)), 0);
	close(fd);
}
