/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several panes share: texts, parts of CPU time, rows with graphs, forms of commands; and stories. */
#ifndef PANETOP_PANE_COMMON_H
#define PANETOP_PANE_COMMON_H

#include "core/buffer.h"
#include "core/i18n.h"
#include "model/finding.h"
#include "model/frame.h"
#include "model/history.h"
#include "model/sentence.h"
#include "screen/canvas.h"
#include "screen/context.h"
#include "screen/graph.h"

/* Why an action failed: "the process has ended", "Permission denied; run it as root"; remedy may be NULL. */
char *failure_text(char text[TEXT_MAX], int error, const char *remedy);

/* Adds the largest causes of the table wall_time (may be NULL) to a title: ": lock 40 %, running 18 %". */
void add_time_by_cause(const struct table *table, char *text, size_t room);

/* Draws the first that holds, wrapped from line y on; returns how many lines it takes. */
int draw_remarks(const struct canvas *canvas, int y, enum style style, const struct remark *remarks,
		 size_t n_remarks, const struct facts *facts);

/* What the bar of a resource and its pane have the grade of. */
#define RULES_OF_CPU "cpu_busy|run_queue|stolen_time|heat"
/* swap has a bar of its own, and no pane */
#define RULES_OF_MEMORY "memory_busy|memory_short|out_of_memory|kernel_growth"
#define RULES_OF_MEMORY_PANE RULES_OF_MEMORY "|swap_full"
#define RULES_OF_MEMORY_LIMIT "memory_limit"
#define RULES_OF_GROUP_MEMORY "group_memory|group_refaults|limit_killed|memory_limit"
#define RULES_OF_DISKS "disk_busy|disk_full|disk_filling|inodes_full|io_wait"
#define RULES_OF_NETWORK "datagrams_lost|connections_lost|link_busy"
#define RULES_OF_SOCKETS "datagrams_lost|connections_lost"

/* Of one CPU, which is marked while all are: one alone is one busy thread. */
enum grade cpu_grade(const struct findings *findings, const struct frame *frame, double busy_ratio);

/* Sentences of a pane, a line each, by the grade of the findings that say the same; a hint has none. */
struct story {
	const struct findings *findings; /* borrowed, as the frame is; may be NULL */
	const struct frame *frame;
	struct buffer lines[GRADE_CRITICAL + 1];
};

/* Adds each that holds of a row of the table (NULL: none) from this one on: by remark, then by row. */
void story_say(struct story *story, const struct remark *remarks, size_t n_remarks, struct row_facts *facts,
	       size_t first);

/* Draws the worst first, as far as there is room, and frees the lines. Returns how many lines it takes. */
int story_draw(struct story *story, const struct canvas *canvas);

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

/* Makes one a part of another one, which looks the same. */
void cpu_part_join(struct graph_part *parts, enum cpu_part from, enum cpu_part to);

/* Guests are user time, interrupts system time. */
void cpu_parts_fold(struct graph_part parts[N_CPU_PARTS]);

/* Draws their past: that of other graphs, up to all CPUs. */
void cpu_parts_draw(const struct pane_context *context, const struct canvas *canvas,
		    const struct graph_part parts[N_CPU_PARTS]);

/* One of graphs side by side, all as wide, so that they have one axis of time. */
struct canvas graph_beside(const struct canvas *canvas, int graph, int n_graphs, int gap);

#define FOLLOWED_ROWS_MAX 16
#define FOLLOWED_NAME_MAX 64
#define FOLLOWED_SERIES_MAX 4

struct followed_rows {
	struct followed_row {
		char name[FOLLOWED_NAME_MAX];
		unsigned series[FOLLOWED_SERIES_MAX]; /* in the history, in the order of the columns */
	} rows[FOLLOWED_ROWS_MAX];
	unsigned n_rows;
};

/*
 * Follows the rows of this topic from first on (1: behind a sum) as they come, up to FOLLOWED_ROWS_MAX: these
 * columns of each. Rows with a longer name are left out.
 */
void followed_rows_add(struct followed_rows *followed, struct history *history, const struct frame *frame,
		       const char *topic, size_t first, const char *const *columns, unsigned n_columns);

/* NULL: it is not followed. */
const struct followed_row *followed_rows_find(const struct followed_rows *followed, const char *name);

/* What its first two graphs show at most, together. */
double followed_row_traffic(const struct pane_context *context, const struct canvas *canvas,
			    const struct followed_row *row);

/* Inserts the row by its rank, the greatest first; most: of rows that are kept. Returns the new n_shown. */
int followed_rows_rank(const struct followed_row **shown, double *ranks, int n_shown, int most,
		       const struct followed_row *row, double rank);

#define FOLLOWED_STYLE(graph) ((enum style)(STYLE_SERIES + (graph) % 2))

/* The end of an axis for values up to most, not below least: round, in tens or in powers of two. */
double axis_end(double most, double least, bool decimal);

/* Of the last minutes, from zero up. */
struct graph_line_scale past_scale(const struct pane_context *context, double most, enum style style);

#define FOLLOWED_CELLS 38
#define FOLLOWED_LINES_MIN 5 /* with its title, without times */

/* Charts of followed rows: each has the same, beside each other as far as they fit. */
struct followed_charts {
	int n; /* of each row; those that do not fit are left out */
	void (*draw)(const struct pane_context *context, const struct canvas *canvas,
		     const struct followed_row *row, unsigned chart);
};

/* How many rows have room for theirs. */
int followed_charts_fit(const struct followed_charts *charts, const struct canvas *canvas);

/*
 * Draws them, each on at most most lines; those that are low share an axis of time. n: no more than fit.
 * Returns the lines used.
 */
int followed_charts_draw(const struct followed_charts *charts, const struct pane_context *context,
			 const struct canvas *canvas, const struct followed_row *const *shown, int n,
			 int most);

/* "45%", "1.5M/s": ends of axes. */
char *percent_label(char *text, double ratio);
char *bytes_rate_label(char *text, double bytes_per_second);

/* Shows the column that the settings choose. */
void command_form_apply(const struct command_settings *settings, struct view *view);

/* For the choices "command" and "directories" of a pane. */
extern const char *const command_form_labels[], *const command_directory_labels[];

/*
 * Adds lines about a table of the topic cache_group, the most important first. Returns how many of them warn:
 * there a group disturbs others.
 */
unsigned cache_story(struct buffer *out, const struct table *table);

/* Each adds its sentences, a line each, translated, with their evidence. */

/* About devices, and file systems that are full, or on which tasks are stuck. */
void disks_story(struct story *story);

/* About what a process asks of a device: a row of disk_user. */
void disks_user_story(struct story *story, const struct table *users, const void *user);

/* The hints that this frame gives reason for, the worst first. */
void kernel_hints(struct buffer *out, const struct frame *frame);

/*
 * Is memory where the CPUs are? Adds translated sentences about tables of the topics node and locality, none
 * where nothing is known. Not whole: only how much is local.
 */
void node_story(struct buffer *out, const struct table *nodes, const struct table *processes, bool whole);

#define MEMORY_FACTS 7

/* The columns of the topic paging, those of the frame, and what is made of them. */
struct memory_facts {
	struct row_facts of;
	struct made_fact made[MEMORY_FACTS];
};

/* unwatched: why it is not known whether tasks wait; NULL: it is known */
void memory_facts_make(struct memory_facts *facts, const struct frame *frame, const char *unwatched);

/* The nearest limit of the control groups: the row with the least left of this resource; NULL: none. */
const void *memory_nearest_limit(const struct table *table, const char *resource);

#define GRADE_UNKNOWN (-1)

/*
 * Is there enough, on the machine or in the container? Adds a translated sentence, if it is known. Its grade
 * is that of the findings.
 */
int memory_verdict(struct buffer *out, const struct memory_facts *facts);

/* Adds the worst that holds of groups, with their own numbers. */
enum grade memory_group_story(struct buffer *out, const struct frame *frame, bool of_scope);

/* Was anything reclaimed that is needed, and by what? The same. */
void memory_story(struct buffer *out, const struct memory_facts *facts);

/* About interfaces, and about what sockets dropped. */
void network_story(struct story *story);

/* The same of how much of the wire of an interface can be payload; nothing where that is not known. */
void network_ceiling(struct buffer *out, const struct table *interfaces, const void *row);

/* "2.1 GiB resident, 180 MiB used in 30 s; the rest, 1.9 GiB, was not": of the row "all" of the topic. */
void touched_sentence(struct buffer *out, const struct table *table, const void *row);

enum power_level { POWER_UNKNOWN = -1, POWER_OK, POWER_HIGH, POWER_LOW, POWER_HOT, POWER_THROTTLED };

/*
 * Facts are columns of the total in the table power, and:
 *   no_watts, no_heat        why the sample does not have any, translated
 *   sensor, celsius, high_celsius, critical_celsius   of the one nearest to its limit
 *   throttled, step_seconds  CPUs slowed down for heat in the last interval
 *   battery, charge_ratio    of the one that is low
 *
 * Adds the level for people, and the sentences behind it.
 */
enum power_level power_word(struct buffer *out, const struct facts *facts);
void power_verdict(struct buffer *out, const struct facts *facts);

/* Of those that their rule calls low the one with the least charge; NULL: there is none. */
const void *power_low_battery(const struct findings *findings, const struct table *table);

/* How a line of the graph follows the load. */
struct power_relation {
	const char *kind; /* "watts", "clock", "heat" */
	const char *label;
	double correlation; /* at the lag; NaN: none */
	double lag_seconds; /* above 0: behind the load */
	double load_range;  /* a ratio: a load that hardly changed shows nothing */
};

/* Adds what follows the load, a sentence per line. */
void power_relations(struct buffer *out, const struct power_relation *relations, unsigned n_relations);

#endif
