/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "screen/past/past.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/derive.h"
#include "screen/session.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define FINDINGS_NS (300 * SECOND_NS) /* before a moment, which its findings are judged by … */
#define FINDINGS_FRAMES 30            /* … in at most this many samples, … */
#define FINDINGS_FRAMES_OF_MANY 10    /* … where a sample has more rows than this */
#define MANY_ROWS 2000

void past_close(struct screen *screen)
{
	if (screen->past_source.close)
		screen->past_source.close(screen->past_source.state);
	screen->past_source = (struct source){ 0 };
}

/* With all that was kept until now. */
static bool open_source(struct screen *screen)
{
	const struct past *past = screen->setup->past;
	int error;

	past_close(screen);
	screen->past_index = screen->past_judged = SIZE_MAX;
	error = past->open(past->state, &screen->past_source);
	if (error) {
		if (screen->in_past)
			past_leave(screen);
		screen_warn(screen, MESSAGE_SCREEN, "%s",
			    error == -ENODATA ? _("no sample is kept yet") : strerror(-error));
	}
	return !error;
}

bool past_extent(struct screen *screen, uint64_t *first_ns, uint64_t *last_ns)
{
	return open_source(screen) && source_extent(&screen->past_source, first_ns, last_ns) > 0;
}

static bool read_frame(struct screen *screen, int index, size_t position)
{
	const struct source *source = &screen->past_source;

	frame_clear(&screen->frames[index]);
	return source->seek(source->state, position) == 0 &&
	       source->next(source->state, &screen->frames[index]) == 1;
}

/* What they are at a sample depends on the minutes before: since when a rule holds, and how much grew. */
static void judge_before(struct screen *screen, size_t position)
{
	uint64_t first_ns, last_ns, kept_ns;
	size_t n_frames = source_extent(&screen->past_source, &first_ns, &last_ns), before, step;
	const struct frame *latest = &screen->frames[screen->latest];
	size_t n_rows = 0;

	for (unsigned i = 0; i < latest->n_tables; i++)
		n_rows += latest->tables[i].n_rows;
	kept_ns = last_ns > first_ns ? last_ns - first_ns : 1;
	before = kept_ns > FINDINGS_NS ? (size_t)((double)n_frames * (double)FINDINGS_NS / (double)kept_ns)
				       : n_frames;
	before = before < position ? before : position;
	step = before / (n_rows > MANY_ROWS ? FINDINGS_FRAMES_OF_MANY : FINDINGS_FRAMES) + 1;
	findings_forget(screen->past_findings);
	for (size_t i = position - before, n = 0; i < position; i += step, n++) {
		int now = n % 2 > 0 ? SCREEN_PAST_FRAME : SCREEN_PAST_BASE;
		int last = n % 2 > 0 ? SCREEN_PAST_BASE : SCREEN_PAST_FRAME;

		if (!read_frame(screen, now, i))
			break;
		frame_derive(&screen->frames[now], n > 0 ? &screen->frames[last] : NULL);
		findings_derive(screen->past_findings, &screen->frames[now], true);
	}
}

static bool is_judged_beside(const struct screen *screen, size_t position)
{
	return screen->past_judged != SIZE_MAX && position + 1 >= screen->past_judged &&
	       position <= screen->past_judged + 1;
}

/* Graphs and logs end at the time of the shown frame, as they do behind a paused screen. */
static void show(struct screen *screen, size_t position)
{
	struct frame *frame = &screen->frames[SCREEN_PAST_FRAME];
	bool based;

	if (!is_judged_beside(screen, position))
		judge_before(screen, position);
	based = position > 0 && read_frame(screen, SCREEN_PAST_BASE, position - 1);
	if (!read_frame(screen, SCREEN_PAST_FRAME, position)) {
		screen_warn(screen, MESSAGE_SCREEN, "%s", _("this sample cannot be read"));
		past_leave(screen);
		return;
	}
	screen->past_index = screen->past_judged = position;
	frame_derive(frame, based ? &screen->frames[SCREEN_PAST_BASE] : NULL);
	findings_derive(screen->past_findings, frame, true);
	findings_note_lack(screen->past_findings, frame);
	screen->setup->scope_split(screen->setup->request->scope, frame, true);
	session_prepare(screen, frame);
	screen->frozen = screen->in_past = true;
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_freeze_at(&screen->logs[i], "time", frame->wall_ns);
	session_show(screen, SCREEN_PAST_FRAME);
}

void past_leave(struct screen *screen)
{
	screen->in_past = false;
	past_close(screen);
	session_freeze(screen, false);
}

void past_show_at(struct screen *screen, uint64_t wall_ns)
{
	const struct source *source = &screen->past_source;

	if (open_source(screen))
		show(screen, source->find(source->state, wall_ns));
}

/* Where a clock was set back, a time does not say which sample it was. */
static size_t shown_index(const struct screen *screen, size_t n_frames)
{
	const struct source *source = &screen->past_source;

	if (screen->past_index != SIZE_MAX)
		return screen->past_index;
	if (!screen->frozen && n_frames > 0)
		return n_frames - 1;
	return source->find(source->state, session_frame(screen)->wall_ns);
}

bool past_locate(struct screen *screen, size_t *index)
{
	uint64_t first_ns, last_ns;

	if (!screen->in_past && !open_source(screen))
		return false;
	*index = shown_index(screen, source_extent(&screen->past_source, &first_ns, &last_ns));
	return true;
}

/* From the shown sample, which may be live or paused. */
void past_step(struct screen *screen, int step)
{
	const struct source *source = &screen->past_source;
	uint64_t first_ns, last_ns;
	size_t n_frames, position;

	if (step > 0 && !screen->frozen) {
		screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the latest sample"));
		return;
	}
	if (!screen->in_past && !open_source(screen))
		return;
	n_frames = source_extent(source, &first_ns, &last_ns);
	position = shown_index(screen, n_frames);
	if (step > 0 && position + 1 >= n_frames && screen->in_past) { /* what was kept meanwhile */
		if (!open_source(screen))
			return;
		n_frames = source_extent(source, &first_ns, &last_ns);
		position = shown_index(screen, n_frames);
	}
	if (step < 0 && (position == 0 || n_frames == 0))
		screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the first sample that is kept"));
	else if (step < 0)
		show(screen, position - 1);
	else if (position + 1 < n_frames)
		show(screen, position + 1);
	else
		past_leave(screen);
}

void past_step_minute(struct screen *screen, int step)
{
	uint64_t first_ns, last_ns, now_ns = session_frame(screen)->wall_ns;

	if (!past_extent(screen, &first_ns, &last_ns))
		return;
	if (step > 0 && now_ns + MINUTE_NS >= last_ns) {
		past_leave(screen);
		return;
	}
	if (step < 0 && now_ns <= first_ns + MINUTE_NS) {
		screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the first sample that is kept"));
		show(screen, 0);
		return;
	}
	past_show_at(screen, step > 0 ? now_ns + MINUTE_NS : now_ns - MINUTE_NS);
}

static void duration(char *text, size_t room, uint64_t ns)
{
	unsigned long seconds = (unsigned long)(ns / SECOND_NS);

	snprintf(text, room, "%02lu:%02lu:%02lu", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

void past_position(struct screen *screen, char *text, size_t room)
{
	uint64_t shown_ns = session_frame(screen)->mono_ns,
		 latest_ns = screen->frames[screen->latest].mono_ns;
	uint64_t first_ns = 0, last_ns = 0;
	char back[32], all[32];

	duration(back, sizeof(back), latest_ns > shown_ns ? latest_ns - shown_ns : 0);
	source_extent(&screen->past_source, &first_ns, &last_ns);
	last_ns = screen->frames[screen->latest].wall_ns;
	duration(all, sizeof(all), last_ns > first_ns ? last_ns - first_ns : 0);
	snprintf(text, room, _("-%s of %s"), back, all);
}

void past_save(struct screen *screen)
{
	const struct past *past = screen->setup->past;
	char text[TEXT_MAX];

	if (past->save(past->state, text, sizeof(text)) < 0)
		screen_warn(screen, MESSAGE_SCREEN, "%s", text);
	else
		screen_message(screen, MESSAGE_SCREEN, _("the past is saved in %s"), text);
}
