/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the sample of a time, and joins files. */
#include <config.h>

#include "app/recordings.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/span.h"
#include "output/recording.h"
#include "recording/block.h"
#include "sys/descriptor.h"
#include "sys/loop.h"

#define SECOND_NS UINT64_C(1000000000)
#define DAY_NS (86400 * SECOND_NS)
#define DISTANCE_MAX 1e9 /* seconds */

static bool is_distance(const char *text, double *seconds)
{
	return *text == '-' && span_whole_seconds(text + 1, 0, DISTANCE_MAX, seconds);
}

bool moment_is_valid(const char *text)
{
	struct clock_time time;
	double seconds;

	return is_distance(text, &seconds) || clock_parse(text, 2 * DAY_NS, &time);
}

/* A signal that the loop has blocked ends the run while it waits for a pipe. */
void moment_read_all(const struct source *source, uint64_t *first_ns, uint64_t *last_ns)
{
	size_t n_frames, before = SIZE_MAX;
	sigset_t none;

	sigemptyset(&none);
	while (!source->extent(source->state, &n_frames, first_ns, last_ns)) {
		struct pollfd pipe = { .fd = source->wait_fd(source->state), .events = POLLIN };

		if (pipe.fd >= 0)
			ppoll(&pipe, 1, NULL, &none);
		else if (n_frames == before)
			return;
		before = n_frames;
	}
}

/* A time without a date is the last such time before the end. */
static struct clock_time resolve(const char *text, uint64_t last_ns)
{
	struct clock_time time = { 0 };
	double seconds;

	if (is_distance(text, &seconds)) {
		uint64_t away_ns = (uint64_t)(seconds * 1e9);

		return (struct clock_time){ away_ns < last_ns ? last_ns - away_ns : 0, 1, true };
	}
	clock_parse(text, last_ns, &time);
	if (!time.dated && time.from_ns > last_ns && last_ns > DAY_NS)
		clock_parse(text, last_ns - DAY_NS, &time);
	return time;
}

int moment_find(const struct source *source, const char *name, const char *text, size_t *index)
{
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];
	uint64_t first_ns = 0, last_ns = 0;
	struct clock_time time;

	moment_read_all(source, &first_ns, &last_ns);
	if (loop_signal_waits())
		return 1;
	time = resolve(text, last_ns);
	if (last_ns == 0) {
		error_message(name, "%s", _("the recording has no samples"));
		return 1;
	}
	if (time.from_ns + time.whole_ns <= first_ns || time.from_ns > last_ns) {
		error_message(name, _("nothing was recorded at '%s': the recording is %s to %s"), text,
			      clock_local(first, first_ns, "%Y-%m-%dT%H:%M:%S"),
			      clock_local(last, last_ns, "%Y-%m-%dT%H:%M:%S"));
		return 1;
	}
	if (time.whole_ns > SECOND_NS && time.from_ns >= first_ns) /* 12:03 is 12:03:00 */
		time.whole_ns = SECOND_NS;
	*index = source->find(source->state, time.from_ns + time.whole_ns - 1);
	return 0;
}

int moment_find_both(const struct source *source, const char *name, const char *between, size_t index[2])
{
	const char *comma = strchr(between, ',');
	char *first = alloc_text(between);
	const char *second = comma + 1;
	int status;

	first[comma - between] = '\0';
	status = moment_find(source, name, first, &index[0]);
	if (status == 0)
		status = moment_find(source, name, second, &index[1]);
	if (status == 0 && index[1] < index[0])
		error_message("--between", _("%s is before %s: name the earlier time first"), second, first);
	else if (status == 0 && index[1] == index[0])
		error_message("--between", _("%s and %s are the same sample, the last one until then"), first,
			      second);
	free(first);
	return status == 0 && index[1] <= index[0] ? 1 : status;
}

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
