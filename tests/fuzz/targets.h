/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is fuzzed: everything that decodes bytes which somebody else wrote. */
#ifndef PANETOP_TESTS_FUZZ_TARGETS_H
#define PANETOP_TESTS_FUZZ_TARGETS_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
	const char *name; /* also of its folder in tests/fuzz/corpus */
	void (*run)(const uint8_t *data, size_t size); /* aborts when something is wrong */
	struct fuzz_target *next;
};

extern struct fuzz_target *fuzz_targets; /* the first of the list, which is there when main() begins */

const struct fuzz_target *fuzz_find(const char *name);

#endif
