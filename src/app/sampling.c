/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches, remembers printed notices, and has a frame of its own for what comes between two samples. */
#include <config.h>

#include "app/sampling.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "core/i18n.h"
#include "sys/descriptor.h"

static void on_worker(void *context, uint32_t events)
{
	(void)events;
	worker_collect(context);
}

int source_loop_open(struct loop *loop, const int *signals, struct source *source, struct worker *worker)
{
	int error = loop_open(loop, signals);

	if (error)
		error_message("epoll", "%s", strerror(-error));
	if (!error && worker)
		loop_watch(loop, worker_fd(worker), EPOLLIN, on_worker, worker);
	if (!error && source->poll)
		loop_watch(loop, source->poll_fd, EPOLLIN, source->poll, source->state);
	return error ? 1 : 0;
}

/* Where the number ends that begins here; text itself: there is none. */
static const char *end_of_number(const char *text)
{
	const char *end = text;

	while (isdigit((unsigned char)*end) || (end > text && *end == '.' && isdigit((unsigned char)end[1])))
		end++;
	return end;
}

/* Was text printed before? Other numbers do not make it a new notice. */
static bool was_printed(struct buffer *texts, const char *text)
{
	size_t start = texts->length;

	while (*text) {
		const char *end = end_of_number(text);

		buffer_char(texts, end > text ? '#' : *text);
		text = end > text ? end : text + 1;
	}
	buffer_char(texts, '\0');
	for (size_t at = 0; at < start; at += strlen(texts->bytes + at) + 1) {
		if (strcmp(texts->bytes + at, texts->bytes + start) == 0) {
			texts->length = start;
			return true;
		}
	}
	return false;
}

void notice_printer_print(struct notice_printer *printer, const struct notice *notice)
{
	if (!was_printed(&printer->texts, notice->text))
		error_message(notice->topic, "%s%s%s", notice->text, notice->remedy ? "; " : "",
			      notice->remedy ? notice->remedy : "");
}

void notice_printer_free(struct notice_printer *printer)
{
	buffer_free(&printer->texts);
}

void event_stream_open(struct event_stream *stream, struct source *source,
		       const struct schema *const *schemas, unsigned n_schemas)
{
	*stream = (struct event_stream){ .source = source, .fd = -1 };
	frame_open(&stream->frame, schemas, n_schemas);
}

void event_stream_close(struct event_stream *stream)
{
	frame_close(&stream->frame);
}

void event_stream_watch(struct event_stream *stream, struct loop *loop,
			void (*ready)(void *context, uint32_t events), void *context)
{
	const struct source *source = stream->source;

	if (stream->fd >= 0 || !source->event_fd)
		return;
	stream->fd = source->event_fd(source->state);
	if (stream->fd >= 0 && loop_watch(loop, stream->fd, EPOLLIN, ready, context) < 0)
		stream->fd = -1;
}

bool event_stream_has_events(const struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (frame->tables[i].schema->shape == SHAPE_EVENTS && frame->tables[i].present &&
		    frame->tables[i].n_rows > 0)
			return true;
	return false;
}

const struct frame *event_stream_take(struct event_stream *stream, uint64_t before_ns)
{
	const struct source *source = stream->source;
	struct frame *frame = &stream->frame;
	uint64_t last_ns = frame->mono_ns > before_ns ? frame->mono_ns : before_ns;

	frame_clear(frame);
	if (!source->next_events || source->next_events(source->state, frame) != 1)
		return NULL;
	frame->interval_ns = last_ns && frame->mono_ns > last_ns ? frame->mono_ns - last_ns : 0;
	return event_stream_has_events(frame) || frame->n_notices > 0 ? frame : NULL;
}

bool event_stream_is_quiet(const struct table *table)
{
	return table->schema->shape == SHAPE_EVENTS && table->n_rows == 0 && !table->failed;
}

#define SAMPLE_MODE (S_IRUSR | S_IWUSR | S_IRGRP)

int sample_file_open(struct sample_file *file, const struct options *options)
{
	char why[TEXT_MAX];
	int error;

	*file = (struct sample_file){ .clock = options->clock, .name = options->write, .mode = SAMPLE_MODE };
	if (options->format->metrics && !options->arguments) /* other formats have command lines */
		file->mode |= S_IROTH;
	error = user_file_open(&file->file, file->name, USER_FILE_REGULAR);
	if (error) {
		user_file_error_text(&file->file, error, why, sizeof(why));
		error_message("--write", "'%s': %s", file->name, why);
		return 1;
	}
	if (!options_would_destroy(options, file->file.present))
		return 0;
	error_message(file->name, _("this recording is being replayed; choose another file"));
	return 1;
}

int sample_file_check(struct sample_file *file)
{
	int error = user_file_check(&file->file);

	if (!error || error == -ENOSPC || error == -EDQUOT)
		return 0; /* there may be room for the samples to come */
	error_message("--write", _("'%s': no file can be made in its directory: %s"), file->name,
		      strerror(-error));
	return 1;
}

static void note_lost(struct sample_file *file, const char *why)
{
	char text[TEXT_MAX];

	if (lost_samples_add(&file->lost, 1, why, clock_mono_ns(file->clock), text, sizeof(text)))
		error_message(file->name, "%s", text);
}

static void note_written(struct sample_file *file)
{
	char text[TEXT_MAX];

	if (lost_samples_end(&file->lost, text, sizeof(text)))
		error_message(file->name, "%s", text);
	if (!file->elsewhere && user_file_is_moved(&file->file, file->name)) {
		error_message(file->name, "%s",
			      _("this path no longer leads to the directory that was opened at the start; "
				"samples still go there; to follow the path, start panetop again"));
		file->elsewhere = true;
	}
}

int sample_file_replace(struct sample_file *file, struct buffer *sample)
{
	int error = user_file_replace(&file->file, sample, file->mode, false);
	char why[TEXT_MAX];

	if (!error) {
		note_written(file);
		return 0;
	}
	user_file_error_text(&file->file, error, why, sizeof(why));
	if (user_file_is_removed(&file->file))
		error_message(file->name, "%s", why);
	else
		note_lost(file, why);
	return user_file_is_removed(&file->file) ? error : 0;
}

int sample_file_close(struct sample_file *file)
{
	char text[TEXT_MAX];

	if (lost_samples_rest(&file->lost, text, sizeof(text)))
		error_message(file->name, "%s", text);
	user_file_close(&file->file);
	return file->lost.last_lost ? 1 : 0;
}
