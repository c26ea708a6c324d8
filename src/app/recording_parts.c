/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins the files of a recording in a directory. */
#include <config.h>

#include "app/recording_parts.h"

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "output/recording.h"
#include "recording/block.h"
#include "sys/error_message.h"

void recording_parts_add(const struct file_series *series, struct joined *joined,
			 void (*report)(void *context, const char *why), void *context)
{
	size_t first = series->n_files > FILE_SERIES_MAX ? series->n_files - FILE_SERIES_MAX : 0;

	for (size_t i = first; i < series->n_files; i++) {
		int fd = file_series_read(series, i), error;
		const char *why = NULL;

		if (fd == -ENOENT) /* its time has come since */
			continue;
		error = fd < 0 ? fd : joined_add_file(joined, fd, &why);
		if (error)
			report(context, why              ? why
					: error == -EPERM ? _("another user may have written it")
							  : strerror(-error));
	}
}

static void report_part(void *name, const char *why)
{
	error_message(name, _("a file is left out: %s"), why);
}

int recording_parts_open(struct source *source, int directory, const char *name,
			 const struct schema *const *schemas, unsigned n_schemas)
{
	uint64_t first_ns, last_ns;
	struct file_series series;
	struct joined *joined;
	int error = file_series_open(&series, directory, RECORDING_PART_ENDING, recording_is_empty, true);

	if (error) {
		error_message(name, "%s", strerror(-error));
		return error;
	}
	joined = joined_open(source, schemas, n_schemas);
	recording_parts_add(&series, joined, report_part, (char *)name);
	file_series_close(&series);
	joined_number_boots(joined);
	if (source_extent(source, &first_ns, &last_ns) > 0)
		return 0;
	source->close(source->state);
	error_message(name, _("this directory has no recording in parts, as --record=DIRECTORY writes it"));
	return -ENODATA;
}
