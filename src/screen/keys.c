/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of keys, and the table of actions that panes bind from; footer, help and manual are made of both. */
#include <config.h>

#include "screen/keys.h"

#include <stdio.h>

#include "core/i18n.h"
#include "core/utf8.h"

char *key_label(char *out, int key)
{
	static const struct {
		int key;
		const char *name;
	} names[] = {
		{ ' ', "Space" },             { K_TAB, "Tab" },     { K_ENTER, "Enter" },
		{ K_ESCAPE, "Esc" },          { K_UP, "Up" },       { K_DOWN, "Down" },
		{ K_LEFT, "Left" },           { K_RIGHT, "Right" }, { K_PAGE_UP, "PgUp" },
		{ K_PAGE_DOWN, "PgDn" },      { K_HOME, "Home" },   { K_END, "End" },
		{ K_BACKSPACE, "Bksp" },      { K_DELETE, "Del" },  { K_BACK_TAB, "S-Tab" },
		{ K_WHEEL_UP, "wheel" },      { K_CLICK, "click" }, { K_SHIFT_LEFT, "S-Left" },
		{ K_SHIFT_RIGHT, "S-Right" },
	};
	size_t length;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].key == key) {
			snprintf(out, KEY_NAME_MAX, "%s", names[i].name);
			return out;
		}
	}
	if (key >= K_F1 && key <= K_F12) {
		snprintf(out, KEY_NAME_MAX, "F%d", key - K_F1 + 1);
		return out;
	}
	if (key > 0 && key < ' ') {
		snprintf(out, KEY_NAME_MAX, "^%c", key + '@');
		return out;
	}
	length = utf8_put(out, key > 0 && key < K_NAMED ? (uint32_t)key : '?');
	out[length] = '\0';
	return out;
}

/* The first key is the one in the footer. */
const struct action_info actions[N_ACTIONS] = {
	[ACTION_HELP] = { { K_F1, '?', 'h' },
			  N_("Help"),
			  N_("all keys, and the purpose of this pane and its views") },
	[ACTION_PANES] = { { K_F2 }, N_("Panes"), N_("list of panes") },
	[ACTION_QUIT] = { { 'q', K_F10 }, N_("Quit"), N_("quit panetop") },
	[ACTION_UP] = { { K_ESCAPE },
			NULL,
			N_("back: close a prompt, list, filter, view or selection, then to the previous "
			   "pane") },
	[ACTION_NEXT_PANE] = { { K_SHIFT_RIGHT }, NULL, N_("next pane") },
	[ACTION_PREVIOUS_PANE] = { { K_SHIFT_LEFT }, NULL, N_("previous pane") },
	[ACTION_NEXT_VIEW] = { { K_TAB, ']' }, NULL, N_("next view of the pane") },
	[ACTION_PREVIOUS_VIEW] = { { '[', K_BACK_TAB }, NULL, N_("previous view of the pane") },
	[ACTION_VIEWS] = { { 'v' }, NULL, N_("list of the views of the pane") },
	[ACTION_OPEN] = { { K_ENTER }, N_("Open"), N_("open what is selected") },
	[ACTION_SEARCH] = { { '/', K_F3 }, N_("Search"), N_("search for a row") },
	[ACTION_SEARCH_NEXT] = { { 'n' }, NULL, N_("search for the next match") },
	[ACTION_FILTER] = { { '\\', K_F4 },
			    N_("Filter"),
			    N_("filter rows (regex, as you type); empty: all") },
	[ACTION_TREE] = { { 't', K_F5 }, N_("Tree"), N_("a tree, or a list") },
	[ACTION_MORE] = { { '+' }, NULL, N_("unfold a row of the tree; in a map, more detail") },
	[ACTION_LESS] = { { '-' }, NULL, N_("fold a row of the tree; in a map, less detail") },
	[ACTION_FOLD_ALL] = { { '*' }, NULL, N_("fold the whole tree, or unfold it") },
	[ACTION_SORT] = { { 's', K_F6 }, N_("Sort"), N_("choose the column to sort by") },
	[ACTION_SORT_LEFT] = { { '<' }, NULL, N_("sort by the next column to the left") },
	[ACTION_SORT_RIGHT] = { { '>' }, NULL, N_("sort by the next column to the right") },
	[ACTION_REVERSE] = { { 'I' }, NULL, N_("reverse the order") },
	[ACTION_SORT_MEMORY] = { { 'M' }, NULL, N_("sort by memory") },
	[ACTION_SORT_CPU] = { { 'P' }, NULL, N_("sort by CPU use") },
	[ACTION_SORT_TIME] = { { 'T' }, NULL, N_("sort by CPU time") },
	[ACTION_ACT] = { { K_F9, 'k' },
			 N_("Actions"),
			 N_("send a signal to a process; elsewhere a menu of actions") },
	[ACTION_LESS_NICE] = { { K_F7 },
			       N_("Nice"),
			       N_("give the selected process more CPU time (nice - 1)") },
	[ACTION_NICER] = { { K_F8 }, N_("Nice"), N_("give the selected process less CPU time (nice + 1)") },
	[ACTION_AFFINITY] = { { 'a' }, NULL, N_("choose the CPUs on which the selected process may run") },
	[ACTION_FILES] = { { 'l' }, NULL, N_("open files of the selected process") },
	[ACTION_ENVIRONMENT] = { { 'e' },
				 NULL,
				 N_("environment and whole command of the selected process") },
	[ACTION_USER] = { { 'u' }, N_("User"), N_("show only the processes of one user") },
	[ACTION_SCOPE] = { { '@' },
			   NULL,
			   N_("scope: all panes show only the selected process, tree, user or group; again: "
			      "all") },
	[ACTION_TAG] = { { ' ' }, NULL, N_("tag a row") },
	[ACTION_THREADS] = { { 'H' }, N_("Threads"), N_("threads, or processes") },
	[ACTION_KERNEL_THREADS] = { { 'K' }, NULL, N_("hide kernel threads, or show them") },
	[ACTION_COLUMNS] = { { 'c' }, N_("Columns"), N_("choose columns and their order") },
	[ACTION_OPTIONS] = { { 'o' }, N_("Options"), N_("options of this pane and of the screen") },
	[ACTION_UNIT] = { { 'U' }, NULL, N_("unit of sizes") },
	[ACTION_DELAY] = { { 'd' }, NULL, N_("delay between samples") },
	[ACTION_WHY] = { { 'i' },
			 N_("Info"),
			 N_("source, formula and age of the number under the cursor; all notices") },
	[ACTION_WRITE] = { { 'w' }, NULL, N_("write the configuration file") },
	[ACTION_PAUSE] = { { 'Z' },
			   N_("Pause"),
			   N_("pause the display, or go on; sampling continues; in a replay: play, or "
			      "pause") },
	[ACTION_STEP_BACK] = { { ',' }, N_("Step"), N_("one sample back") },
	[ACTION_STEP_ON] = { { '.' }, N_("Step"), N_("one sample forward") },
	[ACTION_MINUTE_BACK] = { { '{' }, N_("Back"), N_("one minute back") },
	[ACTION_MINUTE_ON] = { { '}' }, NULL, N_("one minute forward") },
	[ACTION_GO_TO] = { { 'g' }, N_("Go to"), N_("go to a time: 12:03:07, or seconds: +60, -60") },
	[ACTION_NOW] = { { 'G' }, N_("Now"), N_("go to the latest sample") },
	[ACTION_SAVE] = { { 'S' },
			  NULL,
			  N_("save the past as a recording or a page for others (.html), or what is seen as "
			     "text (.txt) or a picture (.svg)") },
	[ACTION_MARK] = { { 'm' }, N_("Mark"), N_("mark the shown moment, to compare others with it") },
	[ACTION_COMPARE] = { { '=' },
			     N_("Compare"),
			     N_("compare: all tables show the difference between the shown moment and the "
				"marked one; again: leave") },
	[ACTION_EXPLAIN] = { { 'x' },
			     N_("Explain"),
			     N_("explain this moment: what changed around it, the most important first") },
	[ACTION_REGION_BACK] = { { '(' }, NULL, N_("the previous region of the map") },
	[ACTION_REGION_ON] = { { ')' }, NULL, N_("the next region of the map") },
	[ACTION_REDRAW] = { { 'L' - '@' }, NULL, N_("redraw the screen") },
};

const struct other_keys other_keys[] = {
	{ "1-9 0", N_("choose a pane; again: its first view") },
	{ N_("arrows"), N_("select a row and a column; PgUp PgDn Home End") },
	{ N_("mouse"),
	  N_("click a pane, a view, a heading (sorts), a row, a key in the footer; the wheel scrolls") },
	{ NULL, NULL },
};

char *action_keys_text(char out[ACTION_KEYS_TEXT_MAX], enum action action)
{
	char name[KEY_NAME_MAX];
	size_t used = 0;

	for (unsigned k = 0; k < ACTION_KEYS && actions[action].keys[k]; k++)
		used += (size_t)snprintf(out + used, ACTION_KEYS_TEXT_MAX - used, "%s%s", k > 0 ? " " : "",
					 key_label(name, actions[action].keys[k]));
	return out;
}

enum action action_of_key(int key)
{
	for (unsigned i = 0; i < N_ACTIONS; i++)
		for (unsigned k = 0; k < ACTION_KEYS; k++)
			if (key && actions[i].keys[k] == key)
				return (enum action)i;
	return N_ACTIONS;
}
