/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Key sequences that the terminal description lacks: what they mean, and where they end. */
#include <config.h>

#include "screen/key_sequence.h"

#include <string.h>

#include "screen/keys.h"

#define BEL 7
#define PARAMETER_MAX 1000

/* Of the VT220 ('~'), and of the VT100 in both of its modes; terminals differ in which they send. */
static int meaning(const struct key_sequence *sequence, int last)
{
	static const struct {
		int last;
		unsigned parameter;
		int key;
	} keys[] = {
		{ '~', 1, K_HOME },
		{ '~', 7, K_HOME },
		{ 'H', 0, K_HOME },
		{ '~', 4, K_END },
		{ '~', 8, K_END },
		{ 'F', 0, K_END },
		{ '~', 5, K_PAGE_UP },
		{ '~', 6, K_PAGE_DOWN },
		{ 'A', 0, K_UP },
		{ 'B', 0, K_DOWN },
		{ 'C', 0, K_RIGHT },
		{ 'D', 0, K_LEFT },
		{ '~', 3, K_DELETE },
		{ 'Z', 0, K_BACK_TAB },
	};

	for (size_t i = 0; sequence->n_others == 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].last == last && keys[i].parameter == sequence->parameter)
			return keys[i].key;
	return 0;
}

static int begin(struct key_sequence *sequence, uint64_t now_ns)
{
	sequence->state = SEQUENCE_ESCAPE;
	sequence->began_ns = now_ns;
	sequence->parameter = 0;
	sequence->n_others = 0;
	return 0;
}

static int end(struct key_sequence *sequence, int key)
{
	sequence->state = SEQUENCE_NONE;
	return key;
}

/* Outside of a sequence. */
static int plain(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	return key == K_ESCAPE ? begin(sequence, now_ns) : end(sequence, key);
}

static int after_escape(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (key == K_ESCAPE) {
		begin(sequence, now_ns);
		return K_ESCAPE; /* the one before */
	}
	if (key == '[')
		sequence->state = SEQUENCE_CSI;
	else if (key == 'O')
		sequence->state = SEQUENCE_SS3;
	else if (key > 0 && key < 0x80 && strchr("]P_^X", key))
		sequence->state = SEQUENCE_STRING;
	else
		end(sequence, 0); /* a key with Alt */
	sequence->length = 0;
	return 0;
}

static int in_control(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (key < ' ' || key > '~')
		return plain(sequence, key, now_ns); /* it was broken off */
	if (key == '[' && sequence->state == SEQUENCE_CSI && !sequence->parameter && !sequence->n_others) {
		sequence->state = SEQUENCE_CONSOLE;
		return 0;
	}
	if (key == 'c' && sequence->state == SEQUENCE_CSI && sequence->n_others > 0)
		sequence->answer = ANSWER_DEVICE;
	if (key >= '@')
		return end(sequence, meaning(sequence, key));
	if (key >= '0' && key <= '9' && sequence->parameter < PARAMETER_MAX)
		sequence->parameter = 10 * sequence->parameter + (unsigned)(key - '0');
	else
		sequence->n_others++;
	return 0;
}

static int in_string(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (key == K_ESCAPE || key == BEL) {
		sequence->text[sequence->length] = '\0';
		sequence->answer = ANSWER_STRING;
	} else if (sequence->length + 1 < KEY_ANSWER_MAX) {
		sequence->text[sequence->length++] = (char)key;
	}
	if (key == K_ESCAPE)
		return begin(sequence, now_ns); /* its \ is taken for a key with Alt */
	return key == BEL ? end(sequence, 0) : 0;
}

int key_sequence_feed(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (sequence->state != SEQUENCE_NONE && now_ns - sequence->began_ns > KEY_SEQUENCE_NS)
		sequence->state = SEQUENCE_NONE;
	switch (sequence->state) {
	case SEQUENCE_ESCAPE:
		return after_escape(sequence, key, now_ns);
	case SEQUENCE_CSI:
	case SEQUENCE_SS3:
		return in_control(sequence, key, now_ns);
	case SEQUENCE_CONSOLE:
		return end(sequence, 0);
	case SEQUENCE_STRING:
		return in_string(sequence, key, now_ns);
	default:
		return plain(sequence, key, now_ns);
	}
}

int key_sequence_pause(struct key_sequence *sequence)
{
	return sequence->state == SEQUENCE_ESCAPE ? end(sequence, K_ESCAPE) : 0;
}
