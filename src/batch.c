/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch mode: one loop for the live machine, paced by a timer, and for a recording, as fast as it reads. */
#include <config.h>

#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/loop.h"
#include "model/derive.h"
#include "topic/topic.h"

#define SINKS_MAX 2

struct batch {
	const struct options *options;
	struct batch_plan *plan;
	struct source *source;
	struct loop loop;
	struct frame frames[2];
	unsigned present;      /* the frame that is filled next */
	unsigned long sampled; /* frames got from the source */
	unsigned long printed; /* frames given to the sinks, the priming one not counted */
	bool any_table, any_row, any_notice; /* of those that are printed */
	struct sink sinks[SINKS_MAX];
	unsigned n_sinks;
	struct buffer told;    /* notices already on stderr, NUL after each */
	int status;
};

static bool was_told(const struct batch *batch, const char *text)
{
	for (size_t at = 0; at < batch->told.length; at += strlen(batch->told.bytes + at) + 1)
		if (strcmp(batch->told.bytes + at, text) == 0)
			return true;
	return false;
}

/* JSON carries its notices; with every other format they go to stderr, each once. */
static void tell_notices(struct batch *batch, const struct frame *frame)
{
	if (batch->options->format == &sink_json && batch->options->print)
		return;
	for (unsigned i = 0; i < frame->n_notices; i++) {
		const struct notice *notice = &frame->notices[i];

		if (was_told(batch, notice->text))
			continue;
		buffer_add(&batch->told, notice->text, strlen(notice->text) + 1);
		complain(notice->topic, "%s%s%s", notice->text, notice->remedy ? "; " : "",
			 notice->remedy ? notice->remedy : "");
	}
}

/* A reader that went away ends the run quietly; every other failure is said. */
static void fail(struct batch *batch, const struct sink *sink, int error)
{
	if (error != -EPIPE || sink->fd != STDOUT_FILENO) {
		batch->status = 1;
		if (sink->format == &sink_record)
			complain(sink->name, _("%s; the recording ends after %lu samples"), strerror(-error),
				 sink->frames);
		else
			complain(sink->name, "%s", strerror(-error));
	}
	loop_stop(&batch->loop);
}

/* The priming frame, from which only the next one's rates are derived, goes into the recording alone. */
static void give(struct batch *batch, const struct frame *frame, bool priming)
{
	for (unsigned i = 0; i < batch->n_sinks && !batch->loop.stopped; i++) {
		struct sink *sink = &batch->sinks[i];
		int error;

		if (priming && sink->format != &sink_record)
			continue;
		error = sink_frame(sink, frame);
		if (error)
			fail(batch, sink, error);
	}
}

static void note_rows(struct batch *batch, const struct frame *frame)
{
	batch->any_notice |= frame->n_notices > 0;
	for (unsigned i = 0; i < batch->plan->plan.n_views; i++) {
		const struct table *table = frame_table(frame, batch->plan->plan.views[i].schema->name);

		batch->any_table |= table != NULL;
		batch->any_row |= table && table->n_rows > 0;
	}
}

/* Takes one frame from the source; false at its end. */
static bool step(struct batch *batch)
{
	struct frame *now = &batch->frames[batch->present], *before = &batch->frames[1 - batch->present];
	bool priming = batch->sampled == 0 && batch->plan->covers_delay;
	int got;

	frame_clear(now);
	got = batch->source->next(batch->source->state, now);
	if (got < 0) {
		complain(batch->options->replay ? batch->options->replay : "panetop", "%s", strerror(-got));
		batch->status = 1;
	}
	if (got != 1)
		return false;
	frame_derive(now, batch->sampled > 0 ? before : NULL);
	note_rows(batch, now);
	give(batch, now, priming);
	tell_notices(batch, now);
	batch->sampled++;
	batch->printed += priming ? 0 : 1;
	batch->present = 1 - batch->present;
	return batch->options->count == 0 || batch->printed < batch->options->count;
}

static void on_tick(void *context, uint64_t late)
{
	struct batch *batch = context;

	(void)late;
	if (!step(batch))
		loop_stop(&batch->loop);
}

static void on_signal(void *context, int number)
{
	struct batch *batch = context;

	(void)number;
	loop_stop(&batch->loop);
}

/* Only ever called for a hang-up or an error: the reader of a pipe went away. */
static void on_hangup(void *context, uint32_t events)
{
	struct batch *batch = context;

	(void)events;
	loop_stop(&batch->loop);
}

static void run_live(struct batch *batch)
{
	double delay = batch->options->delay_seconds > 0 ? batch->options->delay_seconds : 1;

	batch->source->want(batch->source->state, batch->plan->wanted);
	loop_watch(&batch->loop, STDOUT_FILENO, 0, on_hangup, batch); /* a plain file is refused: no matter */
	if (!step(batch))
		return;
	loop_set_tick(&batch->loop, (uint64_t)(delay * 1e9));
	loop_run(&batch->loop);
}

static bool signal_waits(struct batch *batch)
{
	loop_poll(&batch->loop);
	return batch->loop.stopped;
}

static void run_replay(struct batch *batch)
{
	while (!signal_waits(batch) && step(batch))
		;
}

/* A run that could show nothing at all has failed; the notices have said why. */
static void judge(struct batch *batch)
{
	if (batch->status != 0 || batch->sampled == 0)
		return;
	if (!batch->any_table)
		complain(batch->options->replay ? batch->options->replay : "panetop",
			 _("it holds none of the tables that were asked for"));
	if (!batch->any_table || (!batch->any_row && batch->any_notice))
		batch->status = 1;
}

static int open_sinks(struct batch *batch)
{
	const struct options *options = batch->options;
	int fd = STDOUT_FILENO;

	if (options->print)
		sink_open(&batch->sinks[batch->n_sinks++], options->format, &batch->plan->plan, STDOUT_FILENO,
			  _("standard output"));
	if (options->record && strcmp(options->record, "-") != 0)
		fd = open(options->record, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		complain(options->record, "%s", strerror(errno));
		return 1;
	}
	if (options->record)
		sink_open(&batch->sinks[batch->n_sinks++], &sink_record, &batch->plan->plan, fd, options->record);
	for (unsigned i = 0; i < batch->n_sinks; i++) {
		int error = sink_begin(&batch->sinks[i]);

		if (error) {
			fail(batch, &batch->sinks[i], error);
			return batch->status;
		}
	}
	return 0;
}

static void close_sinks(struct batch *batch)
{
	for (unsigned i = 0; i < batch->n_sinks; i++) {
		struct sink *sink = &batch->sinks[i];

		if (sink->fd != STDOUT_FILENO && close(sink->fd) < 0 && batch->status == 0)
			fail(batch, sink, -errno);
		sink_close(sink);
	}
}

int batch_run(const struct options *options, struct batch_plan *plan, struct source *source, bool live)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, 0 };
	struct batch batch = { .options = options, .plan = plan, .source = source };
	const struct schema *schemas[TOPICS_MAX];
	int error = loop_open(&batch.loop, signals);

	if (error) {
		complain("epoll", "%s", strerror(-error));
		return 1;
	}
	batch.loop.tick = on_tick;
	batch.loop.signal = on_signal;
	batch.loop.context = &batch;
	topic_schemas(schemas);
	frame_open(&batch.frames[0], schemas, n_topics);
	frame_open(&batch.frames[1], schemas, n_topics);
	batch.status = open_sinks(&batch);
	if (batch.status == 0 && !batch.loop.stopped) {
		live ? run_live(&batch) : run_replay(&batch);
		judge(&batch);
	}
	close_sinks(&batch);
	frame_close(&batch.frames[0]);
	frame_close(&batch.frames[1]);
	buffer_free(&batch.told);
	loop_close(&batch.loop);
	return batch.status;
}
