/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: taking it, reading keys, and giving it back on every way out. */
#ifndef PANETOP_SCREEN_TERMINAL_H
#define PANETOP_SCREEN_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "screen/canvas.h"
#include "screen/keys.h"

struct terminal {
	FILE *input;  /* stdin, or /dev/tty when stdin is a recording; owned in that case */
	int input_fd;
	bool color, ascii; /* ascii: it takes nothing else, or must not get it */
};

/*
 * Takes the terminal. From then on the signals of a crash put it back before they kill, and those that end
 * the program (SIGTERM, SIGINT, SIGHUP, SIGQUIT, to be blocked before) do so even while it is stuck. 0, or
 * -errno: -ENOTTY without a terminal, -EINVAL when curses does not know $TERM.
 */
int terminal_open(struct terminal *terminal, bool color, bool ascii);
void terminal_close(struct terminal *terminal);

/* The program has to end, because of this signal: the terminal is waited for no longer than a second more. */
void terminal_hurry(int number);

/* Stops the program until it is continued; meanwhile the shell has the terminal. */
void terminal_suspend(void);

/*
 * Takes the terminal again, for which the program stops until the shell lets it. false: a signal that ends
 * the program waits instead, and the terminal is left alone.
 */
bool terminal_resume(void);

/* Asks the terminal for its size and tells curses. */
void terminal_resize(void);

/* The whole of it as a canvas. */
struct canvas terminal_canvas(const struct terminal *terminal, enum glyph_set glyphs);

/* Next key or mouse event, without waiting; false when there is none. */
bool terminal_read(struct input *input);

void terminal_erase(void);   /* before drawing a screen: it begins without cursor */
void terminal_show(void);    /* sends what has changed */
void terminal_redraw(void);  /* the next show sends everything */
void terminal_cursor(int y, int x); /* the next show has the cursor there */

#endif
