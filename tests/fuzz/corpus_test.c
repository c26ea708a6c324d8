/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs every file of the fuzz corpus through its target, as TAP: a plain build keeps what fuzzing found. */
#include <config.h>

#include <dirent.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "targets.h"

static void run_file(const struct fuzz_target *target, const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END) < 0 || (size = ftell(file)) < 0)
		abort();
	rewind(file);
	data = alloc_zeroed((size_t)size, 1);
	if (fread(data, 1, (size_t)size, file) != (size_t)size)
		abort();
	fclose(file);
	for (size_t length = (size_t)size; length > 0; length -= length / 7 + 1)
		target->run(data, length); /* and cut short at several places */
	target->run(data, 0);
	free(data);
}

static unsigned run_folder(const struct fuzz_target *target)
{
	char folder[2048], path[4096];
	struct dirent *entry;
	unsigned files = 0;
	DIR *directory;

	snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", SRCDIR, target->name);
	directory = opendir(folder);
	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		run_file(target, path);
		files++;
	}
	if (directory)
		closedir(directory);
	return files;
}

int main(void)
{
	unsigned number = 0;
	bool good = true;

	setlocale(LC_ALL, "C.UTF-8");
	setlocale(LC_NUMERIC, "C");
	for (const struct fuzz_target *target = fuzz_targets; target; target = target->next) {
		unsigned files = run_folder(target);

		good &= files > 0;
		printf("%s %u - corpus of %s, %u files\n", files > 0 ? "ok" : "not ok", ++number,
		       target->name, files);
	}
	printf("1..%u\n", number);
	return good ? 0 : 1;
}
