/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine as rows of topics through time, in lines of text:
 *
 *   at SECOND TOPIC KEY[/OTHER] COLUMN=VALUE...    from that second on the row has these; KEY -X: it has none
 *   at FIRST..LAST TOPIC KEY ...                   it is there to that second
 *   at SECOND TOPIC KEY gone                       it is there no longer
 *   at SECOND TOPIC rests, fails or works          the table is not sampled, has failed, is as usual
 *   at SECOND TOPIC works 9..10 of 10              it is sampled in two of ten seconds
 *   at SECOND clock - mono=N wall=N boot=N         the clocks are so much ahead of the second
 *
 * A VALUE is "-" (unknown), a text, or a number: "2MiB"; "5+0.9", which grows by 0.9 each second from then
 * on; "+0.9", which goes on from what it was; "5~0.3", which varies by so much; "@60", the time of that
 * second; and "VALUE@3:VALUE@9:VALUE", which is another one from second 3 on, and another from 9. A key with
 * {FIRST..LAST} in it is as many rows; "#" is the number: in a text, and behind a number a factor.
 */
#ifndef PANETOP_TESTS_SCENE_H
#define PANETOP_TESTS_SCENE_H

#include "model/frame.h"

#define SCENE_WALL_NS (UINT64_C(1732095000) * UINT64_C(1000000000)) /* of second 0; mono_ns is 1000 s then */

/* All zero is empty. */
struct scene {
	struct said *facts;
	size_t n_facts, capacity;
	size_t *rows, n_rows; /* 1 is the first one in its table of a frame; 0: it is not there yet */
};

/* text: what is behind "at ". Nothing may be added or changed when the first frame has been filled. */
void scene_add(struct scene *scene, char *text);

/* "[KEY.]COLUMN=VALUE...": each in place of the last value of such a column. */
void scene_change(struct scene *scene, char *text);

void scene_empty(struct scene *scene);
unsigned scene_last_second(const struct scene *scene);

/* Clears the frame and fills it as it is in this second. */
void scene_fill(struct scene *scene, struct frame *frame, unsigned second);

#endif
