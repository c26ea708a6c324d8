/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A past in a file, as the screen has it, and copies of it. */
#include <config.h>

#include "app/flight_recorder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "pane/panes.h"
#include "recording/past_file.h"
#include "sys/error_message.h"
#include "sys/user_file.h"
#include "topic/topic.h"

#define AGAIN_NS UINT64_C(60000000000) /* between messages */

struct flight_recorder {
	const struct machine_clock *clock; /* borrowed */
	const char *directory;
	struct past_file *past;
	uint64_t n_fired;
	unsigned n_saved;
	uint64_t reported_ns; /* that it could not be saved; 0: never */
};

int flight_recorder_open(struct flight_recorder **recorder, const struct machine_clock *clock,
			 const char *directory, const struct settings *settings)
{
	struct flight_recorder *opened;
	struct past_file *past = NULL;

	errno = EINVAL;
	if (settings->past_seconds > 0)
		past = past_file_open(settings->past_seconds, settings->past_bytes, topic_schemas(),
				      n_topics);
	if (!past) {
		error_message("--save-on-fire",
			      settings->past_seconds > 0 ? "%s" : _("needs a past: not --past=0"),
			      strerror(errno));
		return 1;
	}
	opened = alloc_zeroed(1, sizeof(*opened));
	*opened = (struct flight_recorder){ .clock = clock, .directory = directory, .past = past };
	*recorder = opened;
	return 0;
}

void flight_recorder_close(struct flight_recorder *recorder)
{
	if (!recorder)
		return;
	past_file_close(recorder->past);
	free(recorder);
}

static void want(const char *topic, bool *wanted)
{
	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] |= strcmp(topics[i]->schema->name, topic) == 0;
}

bool flight_recorder_want(bool *wanted)
{
	for (const struct pane_table *table = pane_find("overview")->tables; table->topic; table++)
		if (!table->scoped)
			want(table->topic, wanted);
	for (unsigned i = 0; headline_topics[i]; i++)
		want(headline_topics[i], wanted);
	return true;
}

void flight_recorder_keep(struct flight_recorder *recorder, const struct frame *frame)
{
	const char *why = past_file_keep(recorder->past, frame);

	if (why)
		error_message(_("the past"), "%s", why);
}

static int write_past(void *past, int fd)
{
	return past_file_save(past, fd);
}

static void report(struct flight_recorder *recorder, const char *path, const struct user_file *file,
		   int error)
{
	uint64_t now_ns = clock_mono_ns(recorder->clock);
	char why[TEXT_MAX];

	if (recorder->reported_ns > 0 && now_ns - recorder->reported_ns < AGAIN_NS)
		return;
	recorder->reported_ns = now_ns;
	user_file_error_text(file, error, why, sizeof(why));
	error_message(path, "%s", why);
}

/* "panetop-2026-01-31T12:03:07Z-1.recording"; one of another panetop may have the name. */
static void save(struct flight_recorder *recorder)
{
	char path[PATH_MAX], time[CLOCK_TEXT_MAX];
	struct user_file file;
	int error;

	clock_utc(time, clock_wall_ns(recorder->clock));
	do {
		snprintf(path, sizeof(path), "%s/panetop-%.19sZ-%u.recording", recorder->directory, time,
			 ++recorder->n_saved);
		error = user_file_write_new(&file, path, write_past, recorder->past);
		if (error && error != -EEXIST)
			report(recorder, path, &file, error);
		user_file_close(&file);
	} while (error == -EEXIST);
}

void flight_recorder_note(struct flight_recorder *recorder, uint64_t n_fired)
{
	if (n_fired > recorder->n_fired)
		save(recorder);
	recorder->n_fired = n_fired;
}
