/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads one sample for each cell, again only when a cell would show something else. */
#include <config.h>

#include "screen/past/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "model/pipeline.h"
#include "screen/graph.h"
#include "screen/subscriptions.h"

#define CELLS_MAX 256
#define GAP_STEPS 4 /* of the usual time between samples; longer ones are gaps */

struct timeline {
	double loads[CELLS_MAX]; /* NaN: not known, or a gap */
	int cells;               /* 0: not read yet */
	size_t n_frames;
	uint64_t first_ns, last_ns;
	int y, x;                /* of the terminal; y -1: it is not shown */
	struct frame frames[2]; /* two samples, and their indexes in the source: SIZE_MAX for none */
	size_t indexes[2];
};

static struct timeline *timeline_of(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;

	if (!screen->timeline) {
		screen->timeline = alloc_zeroed(1, sizeof(*screen->timeline));
		for (int i = 0; i < 2; i++)
			frame_open(&screen->timeline->frames[i], setup->schemas, setup->n_schemas);
	}
	return screen->timeline;
}

void timeline_close(struct screen *screen)
{
	for (int i = 0; screen->timeline && i < 2; i++)
		frame_close(&screen->timeline->frames[i]);
	free(screen->timeline);
	screen->timeline = NULL;
}

static bool read_frame(struct timeline *timeline, const struct source *source, int slot, size_t index)
{
	if (timeline->indexes[slot] == index)
		return true;
	timeline->indexes[slot] =
		source_read(source, index, &timeline->frames[slot]) == 1 ? index : SIZE_MAX;
	return timeline->indexes[slot] == index;
}

/* The machine may have slept, or its clock was set forward: the strip is of its clock. */
static bool is_pause(const struct frame *before, const struct frame *now, double most_ns)
{
	return now->wall_ns > before->wall_ns && (double)(now->wall_ns - before->wall_ns) > most_ns;
}

/* The mean between two samples. */
static double load_between(struct timeline *timeline, const struct source *source, const struct series *load,
			   size_t from, size_t to)
{
	double usual_ns = (double)(timeline->last_ns - timeline->first_ns) / (double)(timeline->n_frames - 1);
	double most_ns = GAP_STEPS * usual_ns * (double)(to - from);
	int slot = timeline->indexes[1] == from;
	struct frame *now = &timeline->frames[!slot];
	const struct frame *before = &timeline->frames[slot];

	if (!read_frame(timeline, source, slot, from) || !read_frame(timeline, source, !slot, to) ||
	    (double)(now->mono_ns - before->mono_ns) > most_ns || is_pause(before, now, most_ns))
		return NAN;
	frame_derive(now, before);
	return frame_table(now, load->topic) ? frame_number(now, load->topic, load->row, load->column) : NAN;
}

static uint64_t time_of(const struct timeline *timeline, double cell)
{
	return timeline->first_ns +
	       (uint64_t)(cell / timeline->cells * (double)(timeline->last_ns - timeline->first_ns));
}

/* A cell without a sample of its own has the load up to the next one. */
static void read_cells(struct timeline *timeline, const struct source *source, const struct series *load)
{
	size_t from = 0;

	timeline->indexes[0] = timeline->indexes[1] = SIZE_MAX;
	for (int i = 0; i < timeline->cells; i++) {
		size_t to = source->find(source->state, time_of(timeline, i + 1));
		size_t end = to == from && from + 1 < timeline->n_frames ? from + 1 : to;

		timeline->loads[i] = end > from ? load_between(timeline, source, load, from, end) : NAN;
		from = to;
	}
}

/* Afterwards the source is where it was. */
static void read_again(struct screen *screen, struct timeline *timeline)
{
	const struct source *source = screen_recording(screen);
	size_t position = source->position(source->state);

	subscriptions_only(screen, source, screen->setup->load.topic);
	read_cells(timeline, source, &screen->setup->load);
	subscriptions_only(screen, source, NULL);
	timeline->indexes[0] = SIZE_MAX;
	read_frame(timeline, source, 0, position);
}

/* Is it still right, as far as cells show it? */
static bool is_current(const struct timeline *timeline, int cells, size_t n_frames, uint64_t first_ns,
		       uint64_t last_ns)
{
	uint64_t cell_ns;

	if (timeline->cells != cells || first_ns < timeline->first_ns || last_ns < timeline->last_ns)
		return false;
	cell_ns = (timeline->last_ns - timeline->first_ns) / (uint64_t)cells;
	return n_frames == timeline->n_frames ||
	       (first_ns - timeline->first_ns <= cell_ns && last_ns - timeline->last_ns <= cell_ns);
}

static bool read_if_changed(struct screen *screen, struct timeline *timeline, int cells)
{
	const struct source *source = screen_recording(screen);
	uint64_t first_ns, last_ns;
	size_t n_frames;

	if (source->near_frames > 0 || !source->extent(source->state, &n_frames, &first_ns, &last_ns) ||
	    n_frames < 2 || last_ns <= first_ns)
		return false;
	if (is_current(timeline, cells, n_frames, first_ns, last_ns))
		return true;
	timeline->cells = cells;
	timeline->n_frames = n_frames;
	timeline->first_ns = first_ns;
	timeline->last_ns = last_ns;
	read_again(screen, timeline);
	return true;
}

static int cell_of(const struct timeline *timeline, uint64_t wall_ns)
{
	double share;

	if (wall_ns <= timeline->first_ns)
		return 0;
	share = (double)(wall_ns - timeline->first_ns) / (double)(timeline->last_ns - timeline->first_ns);
	return share < 1 ? (int)(share * timeline->cells) : timeline->cells - 1;
}

static const struct {
	const char *letter;
	enum style style;
} mark_looks[] = {
	[MARK_USER] = { "m", STYLE_STRONG },
	[MARK_FINDING] = { "!", STYLE_WARN },
	[MARK_SLEEP] = { "z", STYLE_NORMAL },
	[MARK_CLOCK] = { "c", STYLE_NORMAL },
};

static void draw_mark(const struct timeline *timeline, const struct canvas *canvas, int y, int x,
		      const struct mark *mark)
{
	enum style style = mark->is_critical ? STYLE_BAD : mark_looks[mark->kind].style;

	if (mark->wall_ns >= timeline->first_ns && mark->wall_ns <= timeline->last_ns)
		canvas_text(canvas, y, x + cell_of(timeline, mark->wall_ns), style,
			    mark_looks[mark->kind].letter, 1);
}

/* Of findings in one cell the worst one is seen. */
static void draw_marks(const struct screen *screen, const struct timeline *timeline,
		       const struct canvas *canvas, int y, int x)
{
	for (int critical = 0; critical <= 1; critical++)
		for (unsigned i = 0; i < screen->marks.n; i++)
			if (screen->marks.list[i].is_critical == (critical > 0))
				draw_mark(timeline, canvas, y, x, &screen->marks.list[i]);
}

void timeline_hide(struct screen *screen)
{
	if (screen->timeline)
		screen->timeline->y = -1;
}

void timeline_update(struct screen *screen, int y, int x, int end)
{
	int cells = end - x < CELLS_MAX ? end - x : CELLS_MAX;
	struct timeline *timeline;

	timeline_hide(screen);
	if (cells < TIMELINE_CELLS_MIN || !screen_recording(screen))
		return;
	timeline = timeline_of(screen);
	if (!read_if_changed(screen, timeline, cells))
		return;
	timeline->y = y;
	timeline->x = x;
}

void timeline_draw(const struct screen *screen, const struct canvas *canvas)
{
	const struct timeline *timeline = screen->timeline;
	int y, x;

	if (!timeline || timeline->y < 0)
		return;
	y = timeline->y - canvas->top;
	x = timeline->x - canvas->left;
	for (int i = 0; i < timeline->cells; i++)
		if (!isnan(timeline->loads[i]))
			graph_level(canvas, y, x + i,
				    marks_know(&screen->marks, time_of(timeline, i + 0.5)) ? STYLE_NORMAL
											   : STYLE_DIM,
				    timeline->loads[i]);
	draw_marks(screen, timeline, canvas, y, x);
	canvas_text(canvas, y, x + cell_of(timeline, screen_frame(screen)->wall_ns), STYLE_NOTICE,
		    canvas->ascii ? "|" : "\u2502", 1);
}

bool timeline_time_at(const struct screen *screen, int y, int x, uint64_t *wall_ns)
{
	const struct timeline *timeline = screen->timeline;

	if (!timeline || timeline->y < 0 || y != timeline->y || x < timeline->x ||
	    x >= timeline->x + timeline->cells)
		return false;
	*wall_ns = time_of(timeline, x - timeline->x + 0.5);
	return true;
}
