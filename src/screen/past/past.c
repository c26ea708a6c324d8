/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The player of a live machine: a kept sample, judged again, while sampling continues behind it. */
#include <config.h>

#include "screen/past/past.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "screen/past/player.h"
#include "screen/session.h"

#define SAMPLES_MAX 14 /* from a pair with tables to the next one: 10 s, and samples a second apart */

/* Of a row of samples: those with most tables, two of which make rates. */
struct run {
	unsigned n_most, length;
};

static bool may_lack(const struct screen *screen)
{
	bool any = false;

	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		any |= screen->has_rested[i];
	return any && screen_context(screen)->pane->kept;
}

/* Does the sample at this position end a run that has the rates of all tables? */
static bool has_rates(struct screen *screen, size_t position, struct run *run)
{
	const struct frame *frame = &screen->frames[SCREEN_PAST_BASE];
	unsigned n_tables = 0;

	if (source_read(&screen->past_source, position, &screen->frames[SCREEN_PAST_BASE]) != 1)
		return false;
	for (unsigned i = 0; i < frame->n_tables; i++)
		n_tables += screen->has_rested[i] && frame->tables[i].present; /* none that is derived */
	if (n_tables > run->n_most)
		*run = (struct run){ .n_most = n_tables };
	run->length = n_tables == run->n_most ? run->length + 1 : 0;
	return run->length >= 2;
}

/*
 * The sample of the opened past to show for this one: itself, or the newest before it that has these tables
 * and their rates; none within some seconds: itself. The frame SCREEN_PAST_BASE is overwritten.
 */
static size_t gaps_before(struct screen *screen, size_t position)
{
	size_t first = position > SAMPLES_MAX ? position - SAMPLES_MAX : 0, found = position;
	struct run run = { 0 };
	unsigned n_most = 0;

	for (size_t i = first; may_lack(screen) && i <= position; i++) {
		bool rates = has_rates(screen, i, &run);

		if (run.n_most > n_most) /* what was found has fewer */
			found = position;
		n_most = run.n_most;
		if (rates)
			found = i;
	}
	return found;
}

/* The same in the other direction, up to the last sample; SIZE_MAX: none. */
static size_t gaps_behind(struct screen *screen, size_t position)
{
	size_t first = position > SAMPLES_MAX ? position - SAMPLES_MAX : 0, n_frames;
	struct run run = { 0 };
	uint64_t first_ns, last_ns;

	n_frames = source_extent(&screen->past_source, &first_ns, &last_ns);
	if (!may_lack(screen))
		return position < n_frames ? position : SIZE_MAX;
	for (size_t i = first; i < n_frames && i <= position + SAMPLES_MAX; i++)
		if (has_rates(screen, i, &run) && i >= position)
			return i;
	return n_frames > position + SAMPLES_MAX ? position : SIZE_MAX;
}

#define SECOND_NS UINT64_C(1000000000)
#define FINDINGS_FRAMES 30         /* before a moment that are read for it … */
#define FINDINGS_FRAMES_OF_MANY 10 /* … where a sample has more rows than this */
#define MANY_ROWS 2000
#define DAYS_FROM_SECONDS (100 * 3600) /* how far it is back has days where hours would have three digits */

void past_close(struct screen *screen)
{
	if (screen->past_source.close)
		screen->past_source.close(screen->past_source.state);
	screen->past_source = (struct source){ 0 };
}

/* In the frames of the past, which nothing is shown of. */
void past_recall(struct pane_context *context,
		 void (*take)(struct pane_context *context, const struct frame *frame))
{
	struct screen *screen = context->screen;
	const struct frame *newest = screen->latest < 0 ? NULL : &screen->frames[screen->latest];
	const struct frame *base = NULL;
	const struct source *source;
	size_t n_frames, first, most = FINDINGS_FRAMES;
	uint64_t first_ns, last_ns;

	if (!screen_is_live(screen) || screen->in_past || !newest || player_refuses(screen))
		return;
	source = screen->player->open(screen, true);
	n_frames = source ? source_extent(source, &first_ns, &last_ns) : 0;
	for (unsigned i = 0; i < newest->n_tables; i++)
		if (newest->tables[i].n_rows > MANY_ROWS)
			most = FINDINGS_FRAMES_OF_MANY;
	first = n_frames > most ? n_frames - most : 0;
	for (size_t i = first; i < n_frames; i++) {
		const struct pipeline rates = { .source = source };
		struct frame *frame = &screen->frames[SCREEN_PAST_FRAME + (i - first) % 2];

		if (pipeline_derive(&rates, i, frame, base) != 1)
			break;
		if (base)
			take(context, frame);
		base = frame;
	}
	past_close(screen);
}

/* Those of a service have no findings of their own, or those of another panetop. */
static void enter_earlier(struct screen *screen, bool earlier)
{
	if (screen->shows_earlier == earlier)
		return;
	session_show_earlier(screen, earlier);
	screen->past_pipeline.has_findings = !earlier;
	screen->past_judged = SIZE_MAX;
}

void past_leave(struct screen *screen)
{
	screen->in_past = screen->reaches_back = false;
	past_close(screen);
	enter_earlier(screen, false);
	session_freeze(screen, false);
}

/* Puts earlier samples in front of those of the opened source: as reach_back() of struct past. */
static int reach_back(struct screen *screen, char *why, size_t room)
{
	const struct past *past = screen->setup->past;
	struct source *source = &screen->past_source;
	uint64_t first_ns, last_ns;
	size_t n_own = source_extent(source, &screen->own_first_ns, &last_ns);
	int error;

	*why = '\0';
	error = past->reach_back ? past->reach_back(past->state, source, why, room) : -ENOENT;
	if (!error)
		screen->n_earlier = source_extent(source, &first_ns, &last_ns) - n_own;
	return error;
}

/* With all that was kept until now. */
static const struct source *open_past(struct screen *screen, bool fresh)
{
	const struct past *past = screen->setup->past;
	char why[TEXT_MAX];
	int error;

	if (screen->in_past && !fresh)
		return &screen->past_source;
	past_close(screen);
	screen->reaches_back &= screen->in_past;
	screen->n_earlier = 0;
	screen->past_index = screen->past_judged = SIZE_MAX;
	error = past->open(past->state, &screen->past_source);
	if (!error && screen->reaches_back)
		reach_back(screen, why, sizeof(why));
	if (!error)
		return &screen->past_source;
	if (screen->in_past)
		past_leave(screen);
	screen_warn(screen, MESSAGE_SCREEN, "%s",
		    error == -ENODATA ? _("no sample is kept yet") : strerror(-error));
	return NULL;
}

/* Only once a step leads there: the first screen, and whoever stays in its own past, do not wait for it. */
static bool go_on_before(struct screen *screen)
{
	char why[TEXT_MAX] = "";
	bool more = screen->n_earlier == 0 && reach_back(screen, why, sizeof(why)) == 0;

	if (more) {
		screen->reaches_back = true;
		screen->past_index += screen->past_index == SIZE_MAX ? 0 : screen->n_earlier;
		screen->past_judged = SIZE_MAX;
	}
	if (*why)
		screen_warn(screen, MESSAGE_SCREEN, "%s", why);
	else if (!more)
		screen_message(screen, MESSAGE_SCREEN, "%s",
			       screen->n_earlier > 0 ? _("this is the first sample that panetop-record kept")
						     : _("this is the first sample that is kept"));
	return more;
}

/* For the charts beside a sample that a service recorded; those of two boots have no common clock. */
static void note_earlier(void *state, const struct frame *frame, const struct frame *before)
{
	struct screen *screen = state;

	if (!before || before->boot != frame->boot)
		session_clear_earlier(screen);
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		history_add(&screen->contexts[p].history, frame);
}

/* What findings of a sample that a service recorded depend on. */
static void judge_before(struct screen *screen, size_t position)
{
	struct frame *const frames[] = { &screen->frames[SCREEN_PAST_BASE],
					 &screen->frames[SCREEN_PAST_FRAME] };

	if (!screen->shows_earlier || position == screen->past_judged + 1)
		return;
	if (position + 1 != screen->past_judged) /* the charts begin again, too */
		findings_begin(screen->past_pipeline.findings, FINDINGS_FROM_FIRST);
	pipeline_judge_before(&screen->past_pipeline, position, frames, note_earlier, screen);
}

static void say_earlier(struct screen *screen)
{
	char time[CLOCK_TEXT_MAX];

	screen_message(screen, MESSAGE_SCREEN,
		       _("recorded by panetop-record, before this screen began at %s"),
		       clock_local(time, screen->own_first_ns, "%H:%M:%S"));
}

/* Graphs and logs end at the time of the shown frame, as they do behind a paused screen. */
static void show_exactly(struct screen *screen, size_t position)
{
	struct frame *frame = &screen->frames[SCREEN_PAST_FRAME];
	bool earlier = position < screen->n_earlier, enters = earlier && !screen->shows_earlier;

	enter_earlier(screen, earlier);
	judge_before(screen, position);
	if (pipeline_read(&screen->past_pipeline, position, frame, &screen->frames[SCREEN_PAST_BASE]) != 1) {
		screen_warn(screen, MESSAGE_SCREEN, "%s", _("this sample cannot be read"));
		past_leave(screen);
		return;
	}
	for (unsigned p = 0; earlier && p < screen->setup->n_panes; p++)
		history_rewind(&screen->contexts[p].history, frame->mono_ns);
	if (earlier)
		note_earlier(screen, frame, position > 0 ? &screen->frames[SCREEN_PAST_BASE] : NULL);
	screen->past_index = screen->past_judged = position;
	findings_note_lack(screen->past_pipeline.findings, frame);
	session_prepare(screen, frame);
	screen->frozen = screen->in_past = true;
	event_logs_freeze_at(&screen->logs, frame->wall_ns);
	session_show(screen, SCREEN_PAST_FRAME);
	if (enters && !(screen->message_warns && screen_mono_ns(screen) < screen->message_until_ns))
		say_earlier(screen);
}

static void show(struct screen *screen, size_t position)
{
	show_exactly(screen, gaps_before(screen, position));
}

/* Where a clock was set back, a time does not say which sample it was. */
static size_t index_of_shown(const struct screen *screen)
{
	const struct source *source = &screen->past_source;
	uint64_t first_ns, last_ns;
	size_t n_frames = source_extent(source, &first_ns, &last_ns);

	if (screen->past_index != SIZE_MAX)
		return screen->past_index;
	if (!screen->frozen && n_frames > 0)
		return n_frames - 1;
	return source->find(source->state, screen_frame(screen)->wall_ns);
}

/* Behind the end of what was kept when it was opened lies what was kept meanwhile. */
static bool show_next(struct screen *screen)
{
	if (!screen->frozen)
		return false;
	for (int fresh = 0; fresh <= 1; fresh++) {
		const struct source *source = open_past(screen, fresh > 0);
		size_t next;

		if (!source)
			return true;
		next = gaps_behind(screen, index_of_shown(screen) + 1);
		if (next != SIZE_MAX) {
			show_exactly(screen, next);
			return true;
		}
	}
	return false;
}

static void show_end(struct screen *screen)
{
	if (screen->frozen)
		past_leave(screen);
	else
		screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the latest sample"));
}

static void pause_live(struct screen *screen)
{
	if (screen->in_past)
		past_leave(screen);
	else
		session_freeze(screen, !screen->frozen);
}

static void duration(char *text, size_t room, uint64_t ns)
{
	unsigned long seconds = (unsigned long)(ns / SECOND_NS);

	if (seconds >= DAYS_FROM_SECONDS)
		snprintf(text, room, _("%lud %02lu:%02lu:%02lu"), seconds / 86400, seconds / 3600 % 24,
			 seconds / 60 % 60, seconds % 60);
	else
		snprintf(text, room, "%02lu:%02lu:%02lu", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/* "-00:03:12 of 00:41:00" */
static void place_text(struct screen *screen, char *text, size_t room)
{
	uint64_t shown_ns = screen_frame(screen)->mono_ns,
		 latest_ns = screen->frames[screen->latest].mono_ns;
	uint64_t first_ns = 0, last_ns = 0, back_ns = 0;
	char back[32], all[32];

	if (screen_frame(screen)->boot > 0) { /* the other clock began again since */
		shown_ns = screen_frame(screen)->wall_ns;
		latest_ns = screen->frames[screen->latest].wall_ns;
		back_ns = latest_ns > shown_ns ? latest_ns - shown_ns : 0;
	} else if (latest_ns > shown_ns) {
		back_ns = sleep_past_between_ns(&screen->marks.slept, shown_ns, latest_ns);
	}
	duration(back, sizeof(back), back_ns);
	source_extent(&screen->past_source, &first_ns, &last_ns);
	last_ns = screen->frames[screen->latest].wall_ns;
	duration(all, sizeof(all), last_ns > first_ns ? last_ns - first_ns : 0);
	snprintf(text, room, _("-%s of %s"), back, all);
}

static void position(struct screen *screen, bool wide, char *text, size_t room)
{
	char place[TEXT_MAX];

	(void)wide;
	*text = '\0';
	if (screen->in_past) {
		place_text(screen, place, sizeof(place));
		snprintf(text, room, "%s ", place);
	} else if (screen->frozen) {
		snprintf(text, room, "%s", _("paused"));
	}
}

const struct player player_of_past = {
	.open = open_past,
	.reach_back = go_on_before,
	.index = index_of_shown,
	.show = show,
	.show_next = show_next,
	.show_end = show_end,
	.pause = pause_live,
	.position = position,
};

static void note(struct screen *screen, int index)
{
	struct pane_context *context = screen_context(screen);
	const struct frame *shown = context->frame;

	if (context->pane->prepare)
		context->pane->prepare(context, &screen->frames[index]);
	context->frame = &screen->frames[index];
	if (context->pane->update)
		context->pane->update(context);
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		table_note_trend(&context->tables[i], context_table(context, i));
	context->frame = shown;
}

/* Two that are neither shown nor the base of the next one's rates. */
static void find_spare(const struct screen *screen, int spare[2])
{
	int n = 0;

	for (int i = 0; i < SCREEN_ALL_FRAMES && n < 2; i++)
		if (i != screen->latest && i != screen->shown)
			spare[n++] = i;
}

/* Each is read with the sample before it, for its rates. */
static void refill(struct screen *screen, const struct source *source, size_t position)
{
	size_t first = position > ROW_TREND_CELLS ? position - ROW_TREND_CELLS : 0;
	const struct pipeline rates = { .source = source };
	const struct frame *base = NULL;
	int spare[2];

	find_spare(screen, spare);
	for (size_t i = first; i < position; i++) {
		int index = spare[(i - first) % 2];

		if (pipeline_derive(&rates, i, &screen->frames[index], base) != 1)
			break;
		if (i > first || first == 0)
			note(screen, index);
		base = &screen->frames[index];
	}
}

/* Afterwards the source stands behind the shown sample again. */
static void refill_recorded(struct screen *screen, const struct source *source, size_t position)
{
	int spare[2];

	refill(screen, source, position);
	find_spare(screen, spare);
	source_read(source, position, &screen->frames[spare[0]]);
}

/* What was sampled behind the past was not drawn. */
static void refill_live(struct screen *screen)
{
	const struct source *source = screen->player->open(screen, true);
	uint64_t first_ns, last_ns;
	size_t n_frames = source ? source_extent(source, &first_ns, &last_ns) : 0;

	if (n_frames > 0)
		refill(screen, source, n_frames - 1);
	past_close(screen);
}

static struct trends_place place_of(struct screen *screen, size_t position)
{
	const struct pane_context *context = screen_context(screen);
	struct trends_place place = { .position = position, .pane = screen->current, .view = context->view };

	for (int i = 0; context->pane->tables[i].topic; i++)
		place.sorts += (i + 1) * context->tables[i].view.sort;
	return place;
}

static bool follows(const struct trends_place *place, const struct trends_place *before)
{
	return place->pane == before->pane && place->view == before->view && place->sorts == before->sorts &&
	       (place->position == before->position || place->position == before->position + 1);
}

void trends_update(struct screen *screen)
{
	const struct trends_place before = screen->trends;
	const struct source *source = screen_recording(screen);

	if (screen->compare.on || (screen->frozen && !screen->in_past))
		return;
	screen->trends = place_of(screen, source ? screen->player->index(screen) : SIZE_MAX);
	if (!source && before.position != SIZE_MAX)
		refill_live(screen);
	if (source && !follows(&screen->trends, &before))
		refill_recorded(screen, source, screen->trends.position);
}
