/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys mean: one letter for one idea, in all panes. */
#ifndef PANETOP_SCREEN_ACTION_H
#define PANETOP_SCREEN_ACTION_H

#include "screen/keys.h"

/* In the order of the help page. */
enum action {
	ACTION_HELP,
	ACTION_PANES,
	ACTION_QUIT,
	ACTION_UP,
	ACTION_NEXT_PANE,
	ACTION_PREVIOUS_PANE,
	ACTION_NEXT_VIEW,
	ACTION_PREVIOUS_VIEW,
	ACTION_VIEWS,
	ACTION_OPEN,
	ACTION_SEARCH,
	ACTION_SEARCH_NEXT,
	ACTION_FILTER,
	ACTION_TREE,
	ACTION_MORE,
	ACTION_LESS,
	ACTION_SORT,
	ACTION_SORT_LEFT,
	ACTION_SORT_RIGHT,
	ACTION_REVERSE,
	ACTION_SORT_MEMORY,
	ACTION_SORT_CPU,
	ACTION_SORT_TIME,
	ACTION_ACT,
	ACTION_LESS_NICE,
	ACTION_NICER,
	ACTION_USER,
	ACTION_SCOPE,
	ACTION_TAG,
	ACTION_THREADS,
	ACTION_COLUMNS,
	ACTION_OPTIONS,
	ACTION_UNIT,
	ACTION_DELAY,
	ACTION_WHY,
	ACTION_WRITE,
	ACTION_PAUSE,
	ACTION_STEP_BACK,
	ACTION_STEP_ON,
	ACTION_MINUTE_BACK,
	ACTION_MINUTE_ON,
	ACTION_GO_TO,
	ACTION_NOW,
	ACTION_SAVE,
	ACTION_MARK,
	ACTION_COMPARE,
	ACTION_EXPLAIN,
	ACTION_REGION_BACK,
	ACTION_REGION_ON,
	ACTION_REDRAW,
	N_ACTIONS,
};

#define ACTION_KEYS 3

struct action_info {
	int keys[ACTION_KEYS]; /* a character or one of enum key; 0: none */
	const char *label;     /* N_(): a word or two for the footer, shared by neighbours with the same
				* label; NULL: help page only */
	const char *help;      /* N_() */
};

extern const struct action_info actions[N_ACTIONS];

/* Keys that are no action; ended by one without keys. */
struct other_keys {
	const char *keys, *help; /* N_() */
};

extern const struct other_keys other_keys[];

/* The action of a key; N_ACTIONS: none. */
enum action action_of_key(int key);

#define ACTION_KEYS_TEXT_MAX (ACTION_KEYS * KEY_NAME_MAX)

/* "F1 ? h"; returns out. */
char *action_keys_text(char out[ACTION_KEYS_TEXT_MAX], enum action action);

#endif
