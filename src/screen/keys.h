/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys and mouse events: characters are themselves, others have names. And what they mean, in all panes. */
#ifndef PANETOP_SCREEN_KEYS_H
#define PANETOP_SCREEN_KEYS_H

enum key {
	K_TAB = '\t',
	K_ENTER = '\n',
	K_ESCAPE = 27,
	K_NAMED = 0x200000, /* above every character */
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_HOME,
	K_END,
	K_BACKSPACE,
	K_DELETE,
	K_BACK_TAB,
	K_SHIFT_LEFT,
	K_SHIFT_RIGHT,
	K_F1,
	K_F2,
	K_F3,
	K_F4,
	K_F5,
	K_F6,
	K_F7,
	K_F8,
	K_F9,
	K_F10,
	K_F12 = K_F1 + 11,
	K_CLICK, /* first button pressed */
	K_WHEEL_UP,
	K_WHEEL_DOWN,
};

struct input {
	int key;
	int y, x; /* of the mouse, in cells */
};

/* Bytes for the longest name with its NUL. */
#define KEY_NAME_MAX 12

/* "F4", "Space", "PgUp", "e"; returns out. */
char *key_label(char *out, int key);

/* One letter for one idea, in the order of the help page. */
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
	ACTION_FOLD_ALL,
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
	ACTION_AFFINITY,
	ACTION_FILES,
	ACTION_ENVIRONMENT,
	ACTION_USER,
	ACTION_SCOPE,
	ACTION_TAG,
	ACTION_THREADS,
	ACTION_KERNEL_THREADS,
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
