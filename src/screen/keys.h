/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys and mouse events: characters are themselves, other keys are named here. */
#ifndef PANETOP_SCREEN_KEYS_H
#define PANETOP_SCREEN_KEYS_H

#include <stddef.h>

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

#endif
