/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several panes share: texts, sentences, parts of CPU time, rows with graphs, forms of commands. */
#ifndef PANETOP_PANE_COMMON_H
#define PANETOP_PANE_COMMON_H

#include "core/i18n.h"
#include "model/frame.h"
#include "model/history.h"
#include "model/units.h"
#include "screen/canvas.h"
#include "screen/context.h"
#include "screen/graph.h"

/* Why an action failed: "the process has ended", "Permission denied; run it as root"; remedy may be NULL. */
char *failure_text(char text[TEXT_MAX], int error, const char *remedy);

/* Draws the first that holds, wrapped from line y on; returns how many lines it takes. */
int draw_remarks(const struct canvas *canvas, int y, enum style style, const struct remark *remarks,
		 size_t n_remarks, const struct facts *facts);

/* As canvas_text(), up to the edge, and canvas_piece(): a text with numbers, not translated yet. */
int draw_text(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	      const struct facts *facts);
int draw_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	       const struct facts *facts);

enum cpu_part {
	CPU_PART_USER,
	CPU_PART_NICE,
	CPU_PART_SYSTEM,
	CPU_PART_IRQ,
	CPU_PART_SOFTIRQ,
	CPU_PART_STEAL,
	CPU_PART_GUEST,
	CPU_PART_IOWAIT,
	N_CPU_PARTS,
};

/* Initializers of a pane's series for the parts of all CPUs, from the series first on. */
#define CPU_PART_SERIES(first)                                                                               \
	[(first) + CPU_PART_USER] = { "cpu", "all", "user_ratio" },                                          \
	[(first) + CPU_PART_NICE] = { "cpu", "all", "nice_ratio" },                                          \
	[(first) + CPU_PART_SYSTEM] = { "cpu", "all", "system_ratio" },                                      \
	[(first) + CPU_PART_IRQ] = { "cpu", "all", "irq_ratio" },                                            \
	[(first) + CPU_PART_SOFTIRQ] = { "cpu", "all", "softirq_ratio" },                                    \
	[(first) + CPU_PART_STEAL] = { "cpu", "all", "steal_ratio" },                                        \
	[(first) + CPU_PART_GUEST] = { "cpu", "all", "guest_ratio" },                                        \
	[(first) + CPU_PART_IOWAIT] = { "cpu", "all", "iowait_ratio" }

/* The parts of a row, with their values now. series are those that the pane has from first on. */
void cpu_parts_fill(const struct table *table, const void *row, const struct series *series, unsigned first,
		    struct graph_part parts[N_CPU_PARTS]);

/* Draws their past: five minutes, up to all CPUs. */
void cpu_parts_draw(const struct pane_context *context, const struct canvas *canvas,
		    const struct graph_part parts[N_CPU_PARTS]);

#define FOLLOWED_ROWS_MAX 16
#define FOLLOWED_NAME_MAX 64
#define FOLLOWED_SERIES_MAX 5

struct followed_rows {
	struct followed_row {
		char name[FOLLOWED_NAME_MAX];
		unsigned series[FOLLOWED_SERIES_MAX]; /* in the history, in the order of the columns */
	} rows[FOLLOWED_ROWS_MAX];
	unsigned n_rows;
};

/*
 * Follows the rows of this topic behind the first, which is a sum, as they come, up to FOLLOWED_ROWS_MAX:
 * these columns of each. Rows with a longer name are left out.
 */
void followed_rows_add(struct followed_rows *followed, struct history *history, const struct frame *frame,
		       const char *topic, const char *const *columns, unsigned n_columns);

/* Graphs of followed rows: side by side for each, by what the first two show at most. */
struct followed_graphs {
	unsigned table;  /* of the pane: these rows */
	int n_graphs;    /* for each, as far as all of them get … */
	int least_cells; /* … this; 0: always */
	void (*draw)(const struct pane_context *context, const struct canvas *canvas,
		     const struct followed_row *row, unsigned graph);
};

#define FOLLOWED_STYLE(graph) ((enum style)(STYLE_SERIES + (graph) % 2))

/* Of the last five minutes, from zero up. */
struct graph_line_scale past_scale(const struct pane_context *context, double most, enum style style);

/* Rows that did something in the time of the graphs, the busiest first; returns how many. */
int followed_rows_choose(const struct followed_graphs *graphs, const struct pane_context *context,
			 const struct followed_rows *followed, const struct canvas *canvas,
			 const struct followed_row *shown[FOLLOWED_ROWS_MAX]);

/* As many as fit. Returns the lines used. */
int followed_graphs_draw(const struct followed_graphs *graphs, const struct pane_context *context,
			 const struct canvas *canvas, const struct followed_row *const *shown, int n_shown);

/* Shows the column that the settings choose. */
void command_form_apply(const struct command_settings *settings, struct view *view);

/* For the choices "command" and "directories" of a pane. */
extern const char *const command_form_labels[], *const command_directory_labels[];

#endif
