/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer's entry: FUZZ_TARGET in the environment names what is fuzzed. */
#include <config.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "targets.h"

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	(void)argc;
	(void)argv;
	setlocale(LC_ALL, "C.UTF-8");
	setlocale(LC_NUMERIC, "C");
	target = name ? fuzz_find(name) : NULL;
	if (!target) {
		fprintf(stderr, "FUZZ_TARGET must name one of:");
		for (const struct fuzz_target *each = fuzz_targets; each; each = each->next)
			fprintf(stderr, " %s", each->name);
		fprintf(stderr, "\n");
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target->run(data, size);
	return 0;
}
