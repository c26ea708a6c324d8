/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: taking it over, reading keys, and restoring it however the program ends. */
#ifndef PANETOP_SCREEN_TERMINAL_H
#define PANETOP_SCREEN_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "screen/canvas.h"
#include "screen/keys.h"
#include "sys/machine.h"

/* Keys from bytes: an unfinished sequence is forgotten after this time: what comes then was typed. */
#define KEY_SEQUENCE_NS 500000000ull

#define KEY_ANSWER_MAX 32 /* a longer one is cut */

struct key_sequence {
	enum {
		SEQUENCE_NONE,
		SEQUENCE_ESCAPE,  /* an Esc: alone, or the beginning of any of these */
		SEQUENCE_CSI,     /* Esc [ parameters, and a final character */
		SEQUENCE_SS3,     /* Esc O, the same */
		SEQUENCE_CONSOLE, /* Esc [ [ and a letter: function keys of the Linux console */
		SEQUENCE_STRING,  /* Esc ] and its like: an answer of the terminal, up to BEL or Esc \ */
	} state;
	uint64_t began_ns;
	unsigned parameter;   /* of CSI and SS3: their only parameter … */
	int n_others;         /* … and how many other characters came before the final one */
	enum {
		ANSWER_NONE,
		ANSWER_STRING, /* text holds it */
		ANSWER_DEVICE, /* what the terminal is: Esc [ ? parameters c */
	} answer;              /* that the last character completed; who reads it resets it */
	char text[KEY_ANSWER_MAX]; /* of the last string, without its end */
	unsigned length;
};

/*
 * The key that this character is or completes, a character or an enum key; 0: it belongs to a sequence, which
 * is not finished or means nothing here. now_ns is a monotonic clock.
 */
int key_sequence_feed(struct key_sequence *sequence, int key, uint64_t now_ns);

/* No more characters are there: K_ESCAPE when the last one was a lone Esc, else 0. */
int key_sequence_pause(struct key_sequence *sequence);

struct terminal {
	FILE *input;  /* stdin, or /dev/tty (then owned) when stdin is a recording */
	int input_fd;
	bool color, ascii; /* ascii: draw only ASCII */
	struct key_sequence sequence;
	bool asked;        /* for its ground: the answers are not all here yet */
	bool ground_known; /* … and this is news */
	enum theme ground;
};

/*
 * Takes over the terminal. From then on a crash restores it, and signals that end the program (SIGTERM,
 * SIGINT, SIGHUP, SIGQUIT, to be blocked before) work even while output is stuck. 0, or -errno: -ENOTTY
 * without a terminal, -EINVAL when curses does not know $TERM.
 */
int terminal_open(struct terminal *terminal, enum theme theme, bool color, bool ascii);

/*
 * Asks for the colour of its ground. The answer comes among the keys, at any time or never: once it has,
 * terminal_ground() is true, once, with the theme for it.
 */
void terminal_ask_ground(struct terminal *terminal);
bool terminal_ground(struct terminal *terminal, enum theme *theme);

void terminal_close(struct terminal *terminal);

/* This signal ends the program: output to the terminal may take at most one more second. */
void terminal_hurry(int number);

/* Stops the program until it is continued; meanwhile the shell has the terminal. */
void terminal_suspend(void);

/*
 * Takes over the terminal again, which stops the program until the shell permits it. false: a signal that
 * ends the program is pending, and the terminal was not touched.
 */
bool terminal_resume(void);

/* Updates curses to the size of the terminal. */
void terminal_resize(void);

/* The whole terminal as a canvas. */
struct canvas terminal_canvas(const struct terminal *terminal, enum glyph_set glyphs);

/* Next key or mouse event without waiting; false when there is none. Unknown key sequences are left out. */
bool terminal_read(struct terminal *terminal, const struct machine_clock *clock, struct input *input);

void terminal_erase(void);   /* before drawing a screen; hides the cursor */
void terminal_show(void);    /* sends what has changed */
void terminal_redraw(void);  /* the next terminal_show() sends everything */
void terminal_cursor(int y, int x); /* the next terminal_show() puts the cursor there */

#endif
