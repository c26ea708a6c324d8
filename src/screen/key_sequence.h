/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Key sequences that the terminal description lacks, so that curses passes them on byte by byte. */
#ifndef PANETOP_SCREEN_KEY_SEQUENCE_H
#define PANETOP_SCREEN_KEY_SEQUENCE_H

#include <stdint.h>

/* An unfinished sequence is forgotten after this time: what comes then was typed. */
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

#endif
