/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs without a screen share: their loop, the notices they print, events between two samples, and the
 * file of --write, which each sample replaces; it outlasts a full disk.
 */
#ifndef PANETOP_APP_SAMPLING_H
#define PANETOP_APP_SAMPLING_H

#include "app/options.h"
#include "core/buffer.h"
#include "core/lost_samples.h"
#include "model/frame.h"
#include "sys/loop.h"
#include "sys/machine_thread.h"
#include "sys/user_file.h"

/* Watches source and worker (NULL: none). Signals as for loop_open(). 0, or 1 after an error message. */
int source_loop_open(struct loop *loop, const int *signals, struct source *source, struct worker *worker);

/* Prints notices on standard error, each of them once. All zero: nothing printed yet. */
struct notice_printer {
	struct buffer texts; /* ended by NUL each; numbers replaced by # */
};

void notice_printer_print(struct notice_printer *printer, const struct notice *notice);
void notice_printer_free(struct notice_printer *printer);

/* The events of a live source as they happen, between two samples. */
struct event_stream {
	struct source *source; /* borrowed */
	struct frame frame;    /* the latest events */
	int fd;                /* watched; -1: none yet */
};

void event_stream_open(struct event_stream *stream, struct source *source,
		       const struct schema *const *schemas, unsigned n_schemas);
void event_stream_close(struct event_stream *stream);

/* Calls ready when there are events, once the source can signal them. Call it after each sample. */
void event_stream_watch(struct event_stream *stream, struct loop *loop,
			void (*ready)(void *context, uint32_t events), void *context);

/*
 * The events since the last frame, which was taken at before_ns (CLOCK_MONOTONIC) if it was a sample; NULL if
 * there are none. Valid until the next call.
 */
const struct frame *event_stream_take(struct event_stream *stream, uint64_t before_ns);

/* Is it a table of events in which nothing happened? That is not a failure. */
bool event_stream_is_quiet(const struct table *table);

/* Are there rows in a table of events? */
bool event_stream_has_events(const struct frame *frame);

struct sample_file {
	const struct machine_clock *clock; /* borrowed */
	struct user_file file;
	const char *name;
	mode_t mode;    /* of a new file */
	bool elsewhere; /* reported: the path leads to another directory */
	struct lost_samples lost;
};

/* Opens its directory. 0, or the exit status after an error message. close() in either case. */
int sample_file_open(struct sample_file *file, const struct options *options);

/* Can it be written with the privileges that were not dropped? As sample_file_open(). */
int sample_file_check(struct sample_file *file);

/*
 * Replaces it by the sample, which is emptied. A sample that cannot be written is lost, and the run goes on:
 * 0. -errno after a message if no later one can be written.
 */
int sample_file_replace(struct sample_file *file, struct buffer *sample);

/* The exit status: 1 if the last sample was lost. */
int sample_file_close(struct sample_file *file);

#endif
