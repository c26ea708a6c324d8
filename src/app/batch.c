/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch mode: one loop for the live machine (paced by a timer) and recordings (read as fast as possible). */
#include <config.h>

#include "app/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/assertion.h"
#include "app/options.h"
#include "app/privileges.h"
#include "app/recordings.h"
#include "app/rule_watch.h"
#include "app/sampling.h"
#include "core/i18n.h"
#include "core/rate_limit.h"
#include "model/difference.h"
#include "model/pipeline.h"
#include "output/recording.h"
#include "recording/block.h"
#include "sys/descriptor.h"
#include "sys/loop.h"
#include "sys/user_file.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

/* All zero before the first frame. */
struct settle {
	bool asked; /* the panes were asked how long to wait */
	bool waiting;
	unsigned long refused; /* samples that a pane rejected */
};

/* Seconds to wait before the first sample; asks the panes once, with the first frame. */
static double settle_wait(struct settle *settle, const struct run_plan *run, const struct frame *frame)
{
	double seconds = 0;

	for (unsigned i = 0; !settle->asked && i < run->print.n_panes; i++)
		if (run->panes[i]->settle_seconds)
			seconds = fmax(seconds, run->panes[i]->settle_seconds(run->settings, frame));
	settle->asked = true;
	settle->waiting = seconds > 0;
	if (settle->waiting)
		error_message(PACKAGE, _("waiting %.0f s before the first sample"), seconds);
	return seconds;
}

/* Does a pane reject this sample? Prints the reason the first time. */
static bool settle_refuses(struct settle *settle, const struct run_plan *run, const struct frame *frame)
{
	for (unsigned i = 0; i < run->print.n_panes; i++) {
		const struct pane *pane = run->panes[i];
		const char *why = pane->rejects ? pane->rejects(run->settings, frame) : NULL;

		if (!why)
			continue;
		if (settle->refused++ == 0)
			error_message(pane->name, _("%s: such samples are repeated"), why);
		return true;
	}
	return false;
}

#define SINKS_MAX 2
#define SERVICE_SHARE 160 /* of a recording in a directory, which goes on for days: below 1 % of a CPU */

struct batch {
	const struct options *options;
	struct run_plan *run;
	struct source *source;
	struct source *against; /* of --against; NULL: none */
	struct worker *worker; /* NULL: none */
	struct loop loop;
	struct frame frames[2];              /* the second one only of a recording, where one may be held */
	unsigned present;                    /* index of the next frame to fill */
	struct derive_base base;             /* of the latest frame of a live machine */
	unsigned long sampled;               /* frames got from the source */
	unsigned long printed;               /* frames given to the sinks, without the priming one */
	bool any_table, any_row, any_notice; /* in, or about, printed tables */
	bool holds, held_is_printed;         /* the last frame is not given yet: it may be the last one */
	bool named_there, named_absent;      /* in any frame */
	bool interrupted;                    /* by a signal */
	struct sink sinks[SINKS_MAX];
	unsigned n_sinks;
	struct file_series parts; /* of a recording in a directory */
	struct user_file record;  /* of a recording in a file, … */
	bool record_is_open;      /* … if there is one */
	struct sample_file file; /* of --write */
	struct event_stream stream;
	struct settle settle;
	struct rate_limit rate_limit;
	struct assertion assertion;
	struct child_command child;
	struct notice_printer notices;
	struct pipeline pipeline;
	struct rule_watch *rules; /* NULL: there are none */
	int status;
};

enum step {
	STEP_ON,   /* more may be available */
	STEP_WAIT, /* the source has nothing yet */
	STEP_END,
};

static bool is_live(const struct batch *batch)
{
	return !source_is_recording(batch->source);
}

static const char *source_name(const struct batch *batch)
{
	const struct options *options = batch->options;

	return options->replay ? options->replay : options->source ? options->source : PACKAGE;
}

/* Is it a topic of this run? Any other name is about the recording itself. */
static bool is_of_run(const struct batch *batch, const char *topic)
{
	for (unsigned t = 0; t < n_topics; t++)
		if (strcmp(topics[t]->schema->name, topic) == 0)
			return batch->run->asked[t];
	return true;
}

/* JSON holds its notices; with other formats they go to stderr. */
static void print_notices(struct batch *batch, const struct frame *frame)
{
	if (batch->options->format == &sink_json && batch->options->print)
		return;
	for (unsigned i = 0; i < frame->n_notices; i++) /* a recording has those of all its tables */
		if (is_of_run(batch, frame->notices[i].topic))
			notice_printer_print(&batch->notices, &frame->notices[i]);
}

/* A closed pipe and a cancelled write end the run quietly; other errors are reported. */
static void fail(struct batch *batch, struct sink *sink, int error)
{
	loop_stop(&batch->loop);
	sink->failed = true;
	if (error == -ECANCELED || (error == -EPIPE && sink->fd == STDOUT_FILENO))
		return;
	batch->status = 1;
	if (sink->replace || sink->reported)
		return;
	if (sink->format->records)
		error_message(sink->name,
			      P_("%s; the recording ends after %lu sample",
				 "%s; the recording ends after %lu samples", sink->frames),
			      strerror(-error), sink->frames);
	else
		error_message(sink->name, "%s", strerror(-error));
}

static void give(struct batch *batch, const struct frame *frame, bool printed)
{
	for (unsigned i = 0; i < batch->n_sinks && !batch->loop.stopped; i++) {
		struct sink *sink = &batch->sinks[i];
		int error;

		if (!printed && !sink->format->records)
			continue;
		error = sink_frame(sink, frame);
		if (error)
			fail(batch, sink, error);
	}
}

/*
 * The status depends on the tables that are printed, not on what findings read and recordings hold beside
 * them. An empty derived table says that nothing was found, also where a notice says what it does not cover.
 */
static void note_rows(struct batch *batch, const struct frame *frame)
{
	const struct print_plan *print = &batch->run->print;

	batch->named_there |= frame->named_there;
	batch->named_absent |= frame->named_absent;
	for (unsigned i = 0; i < print->n_views; i++) {
		const struct schema *schema = print->views[i].schema;
		const struct table *table = frame_table(frame, schema->name);

		batch->any_table |= table != NULL;
		batch->any_row |= table && (table->n_rows > 0 || event_stream_is_quiet(table));
		batch->any_notice |= !schema->derived && frame_newest_notice(frame, schema->name) != NULL;
	}
}

/*
 * The priming frame, which only serves the rates of the next one, is not printed. With a command only the
 * last frame is: its counts cover the whole run.
 */
static bool is_printed(const struct batch *batch)
{
	if (batch->child.command)
		return batch->child.phase == CHILD_AFTER;
	return batch->sampled > 0 || !batch->run->covers_delay;
}

/* If the frame itself is not printed, its events still are. */
static void give_frame(struct batch *batch, struct frame *frame, bool printed)
{
	frame->only_events = !printed;
	give(batch, frame, printed || (batch->run->streams && event_stream_has_events(frame)));
	frame->only_events = false;
}

static void give_held(struct batch *batch)
{
	if (batch->holds)
		give_frame(batch, &batch->frames[1 - batch->present], batch->held_is_printed);
	batch->holds = false;
}

/* A recording does not announce its last sample, which has more tables: each one waits for the next. */
static void give_sample(struct batch *batch, struct frame *frame, bool printed)
{
	unsigned long count = batch->options->count;

	give_held(batch);
	if (!is_live(batch) && batch->run->ends) {
		batch->holds = true;
		batch->held_is_printed = printed;
		return;
	}
	if (count > 0 && printed && batch->printed + 1 == count)
		batch->run->print.phase = PRINT_LAST;
	give_frame(batch, frame, printed);
}

static bool is_last(const struct batch *batch)
{
	const struct source *source = batch->source;

	if (batch->child.command)
		return batch->child.phase == CHILD_AFTER;
	if (source->has_finished && source->has_finished(source->state))
		return true;
	return batch->options->count > 0 && batch->printed >= batch->options->count;
}

static uint64_t wanted_delay_ns(const struct batch *batch)
{
	return (uint64_t)(batch->run->settings->delay_seconds * 1e9);
}

/* Has the pane a table of the scope, and prints nothing else, or lines that say so? */
static bool prints_scope(const struct batch *batch, const struct pane *pane)
{
	bool scoped = false, others = false;

	for (const struct pane_table *table = pane->tables; table->topic; table++) {
		scoped |= table->scoped;
		others |= table->headline && !table->scoped && !table->of_machine;
	}
	return scoped && (!others || pane->lines) && batch->options->format == &sink_text;
}

/* Passes one frame from the source to the sinks. */
static enum step step(struct batch *batch)
{
	struct frame *now = &batch->frames[batch->present];
	const struct frame *before = is_live(batch) ? &batch->base.frame : &batch->frames[1 - batch->present];
	bool printed = is_printed(batch);
	double wait_seconds = 0;
	int got;

	error_message_retry();
	got = pipeline_next(&batch->pipeline, now, batch->sampled > 0 ? before : NULL);
	if (got == -EAGAIN)
		return STEP_WAIT;
	if (got == -EINTR) /* the loop handles the signal */
		return STEP_ON;
	if (got < 0) {
		error_message(source_name(batch), "%s", strerror(-got));
		batch->status = 1;
	}
	if (got != 1)
		return STEP_END;
	run_plan_notice_scope(batch->run, now);
	if (is_of_run(batch, finding_schema.name)) {
		if (is_live(batch))
			findings_note_empty(batch->pipeline.findings, now, batch->run->asked);
		else if (!batch->options->record)
			findings_note_lack(batch->pipeline.findings, now);
	}
	for (unsigned i = 0; i < batch->run->print.n_panes && batch->options->n_tables == 0; i++)
		if (!prints_scope(batch, batch->run->panes[i]))
			pane_notice_scope(batch->run->panes[i], batch->run->request->scope, now);
	note_rows(batch, now);
	if (is_live(batch))
		wait_seconds = settle_wait(&batch->settle, batch->run, now);
	if (wait_seconds > 0) {
		loop_set_tick(&batch->loop, (uint64_t)(wait_seconds * 1e9));
		return STEP_ON;
	}
	printed = printed && !settle_refuses(&batch->settle, batch->run, now);
	give_sample(batch, now, printed);
	if (printed)
		assertion_take(&batch->assertion, now);
	print_notices(batch, now);
	batch->sampled++;
	batch->printed += printed ? 1 : 0;
	if (is_live(batch))
		derive_base_take(&batch->base, now);
	else
		batch->present = 1 - batch->present;
	return is_last(batch) ? STEP_END : STEP_ON;
}

/* Lengthens the delay, with a notice, if sampling takes more of the time than it may. */
static void keep_pace(struct batch *batch, uint64_t cost_ns)
{
	uint64_t wanted_ns = wanted_delay_ns(batch), delay_ns;
	struct notice notice = { .topic = "--delay" };
	char text[TEXT_MAX];
	bool changed;

	delay_ns = rate_limit_delay(&batch->rate_limit, cost_ns, wanted_ns, &changed);
	if (!changed)
		return;
	loop_set_tick(&batch->loop, delay_ns);
	if (delay_ns <= wanted_ns)
		return;
	snprintf(text, sizeof(text),
		 _("a sample takes %.3g s of CPU time; sampling every %.3g s instead of %.3g s"),
		 (double)batch->rate_limit.cost_ns / 1e9, (double)delay_ns / 1e9, (double)wanted_ns / 1e9);
	notice.text = text;
	notice_printer_print(&batch->notices, &notice);
}

/* Events that came between two samples. */
static void on_events(void *context, uint32_t events)
{
	struct batch *batch = context;
	const struct frame *frame = event_stream_take(&batch->stream, batch->base.frame.mono_ns);

	(void)events;
	if (!frame)
		return;
	note_rows(batch, frame);
	give(batch, frame, true);
	print_notices(batch, frame);
}

/* Not while recording: replays need whole samples to derive rates. */
static void watch_events(struct batch *batch)
{
	if (batch->run->streams && !batch->options->record)
		event_stream_watch(&batch->stream, &batch->loop, on_events, batch);
}

static void on_tick(void *context)
{
	struct batch *batch = context;
	uint64_t cpu_ns = clock_self_cpu_ns(batch->options->clock);

	if (batch->settle.waiting) { /* until now: what topics have accumulated does not count */
		batch->settle.waiting = false;
		if (batch->source->restart)
			batch->source->restart(batch->source->state, NULL);
		loop_set_tick(&batch->loop, wanted_delay_ns(batch));
	}
	if (step(batch) == STEP_END)
		loop_stop(&batch->loop);
	else
		keep_pace(batch, clock_self_cpu_ns(batch->options->clock) - cpu_ns);
	if (batch->child.command && batch->child.phase == CHILD_BEFORE && !batch->loop.stopped &&
	    child_command_start(&batch->child, batch->source) != 0)
		loop_stop(&batch->loop);
	watch_events(batch);
}

static void give_last(struct batch *batch)
{
	batch->run->print.phase = PRINT_LAST;
	give_held(batch);
}

/* On a signal: prints the events so far, and what only the last sample shows. */
static void finish(struct batch *batch)
{
	if (!is_live(batch)) {
		give_last(batch);
	} else if (batch->run->ends && batch->sampled > 0) {
		batch->run->print.phase = PRINT_LAST;
		step(batch);
	} else if (batch->run->streams && !batch->options->record) {
		on_events(batch, 0);
	}
}

/* The command has ended: one more delay shows its after-effects, unless it was interrupted. */
static void on_child(struct batch *batch)
{
	if (!child_command_reap(&batch->child, batch->source))
		return;
	if (batch->child.interrupted)
		on_tick(batch);
	else
		loop_set_tick(&batch->loop, wanted_delay_ns(batch));
}

static void on_signal(void *context, int number, bool of_terminal)
{
	struct batch *batch = context;

	if (number == SIGCHLD) {
		on_child(batch);
		return;
	}
	batch->interrupted = true;
	if (!child_command_signal(&batch->child, number, of_terminal)) {
		finish(batch);
		loop_stop(&batch->loop);
	}
}

/* Only called for EPOLLHUP and EPOLLERR: the reader of a pipe closed it. */
static void on_hangup(void *context, uint32_t events)
{
	struct batch *batch = context;

	(void)events;
	loop_stop(&batch->loop);
}

static void run_live(struct batch *batch)
{
	batch->source->want(batch->source->state, batch->run->wanted);
	if (step(batch) == STEP_END)
		return;
	if (drop_after_open(batch->options, batch->run->settings, batch->run->request, batch->run->wanted)) {
		batch->status = 1;
		return;
	}
	if (!batch->settle.waiting)
		loop_set_tick(&batch->loop, wanted_delay_ns(batch));
	watch_events(batch);
	loop_run(&batch->loop);
}

static void on_more(void *context, uint32_t events)
{
	struct batch *batch = context;
	enum step got;

	(void)events;
	do {
		got = step(batch);
	} while (got == STEP_ON && loop_poll_signals(&batch->loop));
	if (got != STEP_END)
		return;
	give_last(batch);
	loop_stop(&batch->loop);
}

/* The sample before it comes first, for the rates, and is not printed; those before that are judged, too. */
static int go_to(struct batch *batch)
{
	struct frame *const frames[] = { &batch->frames[0], &batch->frames[1] };
	struct source *source = batch->source;
	const struct frame *before = NULL;
	size_t index;

	batch->status = moment_find(source, source_name(batch), batch->options->at, &index);
	if (batch->status != 0)
		return batch->status;
	batch->run->covers_delay = index > 0;
	if (is_of_run(batch, finding_schema.name))
		before = pipeline_judge_before(&batch->pipeline, index, frames, NULL, NULL);
	batch->sampled = before ? 1 : 0;
	batch->present = before == frames[0] ? 1 : 0;
	source->seek(source->state, index > 0 && !before ? index - 1 : index);
	return 0;
}

/* Of --between or --against; judged by the samples before it, if findings are compared. */
static int read_sample(const struct pipeline *pipeline, const char *name, size_t index, bool judged,
		       struct frame *frame, struct frame *base)
{
	struct frame *const frames[] = { frame, base };
	int got;

	if (judged)
		pipeline_judge_before(pipeline, index, frames, NULL, NULL);
	got = pipeline_read(pipeline, index, frame, base);
	if (got == 1)
		return 0;
	if (got != -EINTR)
		error_message(name, "%s", got < 0 ? strerror(-got) : _("this sample cannot be read"));
	return 1;
}

/* Takes both samples into frames[0] and [1]: 0, or the exit status after an error message. */
static int read_both(const struct batch *batch, struct frame frames[2], struct frame *base)
{
	const struct options *options = batch->options;
	const struct source *source = batch->source, *later = batch->against ? batch->against : source;
	const char *later_name = batch->against ? options->against : options->replay;
	const char *at = options->at ? options->at : "-0";
	struct pipeline second = batch->pipeline;
	size_t index[2];
	bool judged;
	int status;

	if (batch->against)
		status = moment_find(source, options->replay, at, &index[0]) ||
			 moment_find(later, later_name, at, &index[1]);
	else
		status = moment_find_both(source, options->replay, options->between, index);
	if (status != 0)
		return status;
	if (source->want)
		source->want(source->state, batch->run->wanted);
	if (later->want)
		later->want(later->state, batch->run->wanted);
	second.source = later;
	judged = is_of_run(batch, finding_schema.name);
	return read_sample(&batch->pipeline, options->replay, index[0], judged, &frames[0], base) ||
	       read_sample(&second, later_name, index[1], judged, &frames[1], base);
}

/* One frame: the difference of two samples. */
static void run_comparison(struct batch *batch)
{
	const struct schema *const *schemas = topic_schemas();
	struct frame base, frames[2], difference; /* which borrows texts of both */

	frame_open(&base, schemas, n_topics);
	frame_open(&frames[0], schemas, n_topics);
	frame_open(&frames[1], schemas, n_topics);
	frame_open(&difference, differences_schemas(batch->run->differences), n_topics);
	batch->run->print.phase = PRINT_LAST;
	batch->status = read_both(batch, frames, &base);
	if (batch->status == 0) {
		frame_difference(batch->run->differences, &difference, &frames[0], &frames[1],
				 !batch->against);
		batch->sampled = batch->printed = 1;
		note_rows(batch, &difference);
		give(batch, &difference, true);
		print_notices(batch, &difference);
	}
	frame_close(&base);
	frame_close(&frames[0]);
	frame_close(&frames[1]);
	frame_close(&difference);
}

/* Waits for more of a recording in a pipe; reads a file to its end. */
static void run_replay(struct batch *batch)
{
	const struct source *source = batch->source;
	int fd = source->wait_fd ? source->wait_fd(source->state) : -1;

	if (source->want && !batch->options->record && !batch->options->assertion)
		source->want(source->state, batch->run->wanted); /* others need not be decoded */
	if (batch->options->at && go_to(batch) != 0)
		return;
	on_more(batch, 0);
	if (!batch->loop.stopped && fd >= 0 && loop_watch(&batch->loop, fd, EPOLLIN, on_more, batch) == 0)
		loop_run(&batch->loop);
}

/*
 * A run fails if it showed nothing, or if nothing that options name was found; the reason is in the notices
 * or printed here. Otherwise a failed command decides the status, then the assertion.
 */
static void judge(struct batch *batch)
{
	if (batch->status == 0)
		batch->status = batch->child.status;
	if (batch->status != 0)
		return;
	if (batch->sampled == 0 && !is_live(batch)) {
		if (!batch->interrupted)
			error_message(source_name(batch), _("the recording has no samples"));
	} else if (batch->sampled > 0 && !batch->any_table) {
		if (!batch->options->is_stored || batch->notices.texts.length == 0) /* no notice says why */
			error_message(source_name(batch), _("the recording has none of the requested tables; "
							    "name a recorded pane"));
	} else if (batch->printed == 0 && !is_live(batch) && batch->options->print)
		error_message(source_name(batch), _("the recording has only one sample; rates need two"));
	else if ((batch->any_row || !batch->any_notice) && (batch->named_there || !batch->named_absent)) {
		batch->status = assertion_judge(&batch->assertion);
		return;
	}
	batch->status = 1;
}

/* Opening a pipe waits for its reader. */
static int open_record_file(struct batch *batch)
{
	struct user_file *file = &batch->record;
	int error = user_file_open(file, batch->options->record, 0), fd = -1;
	char why[TEXT_MAX];

	batch->record_is_open = true;
	if (!error)
		fd = user_file_create(file, S_IRUSR | S_IWUSR);
	if (error || fd < 0) {
		user_file_error_text(file, error ? error : fd, why, sizeof(why));
		error_message("--record", "'%s': %s", batch->options->record, why);
	}
	return fd;
}

/* Not the replayed one. */
static int take_record_file(struct batch *batch)
{
	int fd;

	if (strcmp(batch->options->record, "-") == 0)
		return STDOUT_FILENO;
	fd = open_record_file(batch);
	if (fd < 0 || !options_would_destroy(batch->options, fd))
		return fd;
	error_message(batch->options->record, _("this recording is being replayed; choose another file"));
	close(fd);
	return -1;
}

/*
 * What is in the file stays until there are new samples, if files can be made beside it; else it goes now, as
 * there is one name for both.
 */
static int take_over(struct batch *batch, struct sink *sink)
{
	struct stat status;
	int error;

	if (fstat(sink->fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
		return 0;
	error = batch->record.by_kernel ? -ENOTSUP : user_file_check(&batch->record);
	if (!error || error == -ENOSPC || error == -EDQUOT) {
		close(sink->fd);
		sink->fd = -1;
		sink->old = &batch->record;
		return 0;
	}
	if (ftruncate(sink->fd, 0) == 0)
		return 0;
	error_message(sink->name, "%s", strerror(errno));
	return 1;
}

static struct sink *add_record(struct batch *batch, const struct sink_format *format, int fd)
{
	struct sink *sink = &batch->sinks[batch->n_sinks++];

	sink_open(sink, format, &batch->run->print, fd, batch->options->record);
	sink->clock = batch->options->clock;
	sink->own_file = fd != STDOUT_FILENO;
	sink->keep_bytes = batch->options->record_size;
	sink->keep_ns = (uint64_t)(batch->options->record_seconds * 1e9);
	return sink;
}

/* Said at once, not when it is too late. Tried behind the end, as the file may be one that stays. */
static int check_dropping(struct sink *sink)
{
	struct stat status;
	int error = 0;

	if (sink->keep_bytes > 0 || sink->keep_ns > 0)
		error = fstat(sink->fd, &status) < 0 ? -errno
						     : sink_drop(sink, (uint64_t)status.st_size,
								 (uint64_t)status.st_size + 1);

	if (!error)
		return 0;
	error_message(sink->keep_bytes > 0 ? "--record-size" : "--record-age", "'%s': %s", sink->name,
		      error == -EOPNOTSUPP || error == -ENODEV || error == -ESPIPE
			      ? _("its start cannot be dropped there; choose a file of another file system")
			      : strerror(-error));
	return 1;
}

/* This run makes new files there; those of earlier runs count where a size or an age is given. */
static int open_record_directory(struct batch *batch)
{
	const char *name = batch->options->record, *why = NULL;
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = fd < 0 ? -errno
			   : file_series_open(&batch->parts, fd, RECORDING_PART_ENDING, recording_is_empty,
					      false);

	if (error == -EPERM)
		why = _("others than its owner may write into it");
	else if (!error && (error = file_series_lock(&batch->parts)) == -EWOULDBLOCK)
		why = _("another panetop records into it");
	if (error) {
		error_message("--record", "'%s': %s", name, why ? why : strerror(-error));
		return 1;
	}
	add_record(batch, &sink_record, -1)->parts = &batch->parts;
	batch->rate_limit.share = SERVICE_SHARE;
	return 0;
}

static int open_record(struct batch *batch)
{
	const bool lines = recording_is_lines(batch->options->record);
	int fd = take_record_file(batch);
	struct sink *sink;

	if (fd < 0)
		return 1;
	sink = add_record(batch, lines ? &sink_record_lines : &sink_record, fd);
	sink->nameless = record_is_removed(sink);
	return check_dropping(sink);
}

static int replace_file(void *context, struct buffer *sample)
{
	return sample_file_replace(context, sample);
}

static int open_printed(struct batch *batch)
{
	struct sink *sink = &batch->sinks[batch->n_sinks++];
	const char *file = batch->options->write;

	sink_open(sink, batch->options->format, &batch->run->print, file ? -1 : STDOUT_FILENO,
		  file ? file : _("standard output"));
	if (!file)
		return 0;
	sink->replace = replace_file;
	sink->replace_context = &batch->file;
	return sample_file_open(&batch->file, batch->options);
}

static int open_sinks(struct batch *batch)
{
	const char *record = batch->options->record;
	int status = batch->options->print ? open_printed(batch) : 0;
	struct stat is;

	if (status != 0 || !record)
		return status;
	if (strcmp(record, "-") != 0 && stat(record, &is) == 0 && S_ISDIR(is.st_mode))
		return open_record_directory(batch);
	return open_record(batch);
}

/* From here on signals end blocked writes, and a closed stdout ends the run. */
static void begin_sinks(struct batch *batch)
{
	for (unsigned i = 0; i < batch->n_sinks && !batch->loop.stopped; i++) {
		struct sink *sink = &batch->sinks[i];
		int error;

		sink->cancel_fd = batch->loop.signal_fd;
		sink->interrupted = is_live(batch) ? NULL : loop_signal_waits;
		if (sink->fd == STDOUT_FILENO) /* fails for a regular file: harmless */
			loop_watch(&batch->loop, sink->fd, 0, on_hangup, batch);
		error = sink_begin(sink);
		if (error)
			fail(batch, sink, error);
	}
}

/* A recording is ended in order whatever else went wrong. */
static void end_sinks(struct batch *batch)
{
	for (unsigned i = 0; i < batch->n_sinks; i++) {
		struct sink *sink = &batch->sinks[i];
		int error;

		if (sink->failed || (batch->status != 0 && !sink->format->records))
			continue;
		error = sink_end(sink);
		if (error)
			fail(batch, sink, error);
	}
}

/* A file that was made for samples, none of which could be written. */
static bool is_left_empty(const struct batch *batch, const struct sink *sink)
{
	return batch->record_is_open && sink->format->records && sink->own_file && sink->good_bytes == 0 &&
	       !batch->record.has_access && !batch->record.by_kernel;
}

static void close_sinks(struct batch *batch)
{
	for (unsigned i = 0; i < batch->n_sinks; i++) {
		struct sink *sink = &batch->sinks[i];

		if (sink->own_file && sink->fd >= 0 && close(sink->fd) < 0 && batch->status == 0)
			fail(batch, sink, -errno);
		if (is_left_empty(batch, sink))
			user_file_remove(&batch->record);
		sink_close(sink);
	}
	if (batch->parts.ending)
		file_series_close(&batch->parts);
	if (batch->record_is_open)
		user_file_close(&batch->record);
}

static void judge_rules(void *state, struct frame *frame)
{
	const struct batch *batch = state;

	rule_watch_take(batch->rules, frame);
}

static int open_loop(struct batch *batch)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };
	static const int with_command[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };
	int status = source_loop_open(&batch->loop, batch->child.command ? with_command : signals,
				      batch->source, batch->worker);

	if (status == 0 && batch->rules && rule_watch_join(batch->rules, &batch->loop) != 0)
		status = 1;
	batch->loop.tick = on_tick;
	batch->loop.signal = on_signal;
	batch->loop.context = batch;
	return status;
}

static void run_frames(struct batch *batch)
{
	const struct schema *const *schemas = run_plan_schemas(batch->run);

	frame_open(&batch->frames[0], schemas, n_topics);
	if (!is_live(batch))
		frame_open(&batch->frames[1], schemas, n_topics);
	else
		derive_base_open(&batch->base, schemas, n_topics);
	event_stream_open(&batch->stream, batch->source, schemas, n_topics);
	batch->pipeline = (struct pipeline){
		.source = batch->source,
		.scope = batch->run->request->scope,
		.findings = findings_open(finding_rules, n_finding_rules, batch->run->settings),
		.judge = batch->rules ? judge_rules : NULL,
		.judge_state = batch,
	};
	begin_sinks(batch);
	if (!batch->loop.stopped) {
		if (batch->run->differences)
			run_comparison(batch);
		else
			is_live(batch) ? run_live(batch) : run_replay(batch);
		child_command_close(&batch->child);
		end_sinks(batch);
		if (batch->settle.refused > 0)
			error_message(PACKAGE,
				      P_("%lu sample was repeated", "%lu samples were repeated",
					 batch->settle.refused),
				      batch->settle.refused);
		judge(batch);
	}
	frame_close(&batch->frames[0]);
	frame_close(&batch->frames[1]);
	derive_base_close(&batch->base);
	event_stream_close(&batch->stream);
	findings_close(batch->pipeline.findings);
}

/* What is written during the run is checked with what is left. */
static int drop_to_run(struct batch *batch)
{
	const struct run_plan *run = batch->run;
	int status = drop_privileges(batch->options, run->settings, run->request, run->wanted);

	if (status == 0 && batch->file.name)
		status = sample_file_check(&batch->file);
	if (status == 0 && batch->record_is_open)
		status = take_over(batch, &batch->sinks[batch->n_sinks - 1]);
	return status;
}

int batch_run(const struct options *options, struct run_plan *run, struct source *source,
	      struct source *against, struct worker *worker, struct rule_watch *rules)
{
	struct batch batch = { .options = options,
			       .run = run,
			       .source = source,
			       .against = against,
			       .worker = worker,
			       .rules = rules };

	batch.status = assertion_open(&batch.assertion, options, run);
	batch.child.clock = options->clock;
	batch.child.command = options->command;
	for (unsigned i = 0; i < options->n_panes; i++)
		if (options->panes[i]->assertion)
			batch.child.assertion = options->panes[i]->assertion;
	/* before the loop blocks signals: opening a pipe may wait for its reader */
	if (batch.status == 0)
		batch.status = open_sinks(&batch);
	if (batch.status == 0)
		batch.status = drop_to_run(&batch);
	if (batch.status == 0)
		batch.status = open_loop(&batch);
	if (batch.status == 0) {
		run_frames(&batch);
		loop_close(&batch.loop);
	}
	close_sinks(&batch);
	assertion_close(&batch.assertion);
	if (batch.file.name && sample_file_close(&batch.file) != 0 && batch.status == 0)
		batch.status = 1;
	notice_printer_free(&batch.notices);
	return batch.status;
}
