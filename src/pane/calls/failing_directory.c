/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up rows of the same directory and error. */
#include <config.h>

#include "pane/calls/failing_directory.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

/* A result is the word for a success, in small letters, or the name or number of an error. */
static bool is_error(const char *result)
{
	return *result && !(*result >= 'a' && *result <= 'z');
}

static struct span directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return span_of(path, slash == path ? 1 : slash ? (size_t)(slash - path) : 0);
}

static bool is_same(struct span one, struct span other)
{
	size_t length = span_length(one);

	return length == span_length(other) && (length == 0 || memcmp(one.at, other.at, length) == 0);
}

static struct failing_directory *find(struct failing_directories *directories, struct span directory,
				      const char *result)
{
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, directory), span_text(result));
	struct failing_directory *list = directories->list;
	uint32_t at;

	HASH_FIND(at, &directories->by_directory, hash,
		  strcmp(list[at].result, result) == 0 && is_same(list[at].directory, directory));
	if (at != HASH_NONE)
		return &list[at];
	hash_add(&directories->by_directory, hash, (uint32_t)directories->n);
	list = VECTOR_ADD(directories->list, directories->n, directories->capacity);
	*list = (struct failing_directory){ .directory = directory, .result = result, .command = "" };
	return list;
}

const struct failing_directory *failing_directory_find(struct failing_directories *directories,
						       const struct table *table)
{
	const struct failing_directory *worst = NULL;

	directories->n = 0;
	hash_clear(&directories->by_directory);
	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *result = table_text(table, row, "result");
		double per_second = table_number(table, row, "opens_per_second");
		struct failing_directory *of;

		if (!is_error(result) || !(per_second > 0))
			continue;
		of = find(directories, directory_of(table_text(table, row, "path")), result);
		of->per_second += per_second;
		if (per_second <= of->most_per_second)
			continue;
		of->most_per_second = per_second;
		of->command = table_text(table, row, "command");
	}
	for (size_t i = 0; i < directories->n; i++)
		if (!worst || directories->list[i].per_second > worst->per_second)
			worst = &directories->list[i];
	return worst;
}

void failing_directories_free(struct failing_directories *directories)
{
	free(directories->list);
	hash_free(&directories->by_directory);
	*directories = (struct failing_directories){ 0 };
}
