/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of keys for footer and help page. */
#include <config.h>

#include "screen/keys.h"

#include <stdio.h>

#include "core/utf8.h"

char *key_label(char *out, int key)
{
	static const struct {
		int key;
		const char *name;
	} names[] = {
		{ ' ', "Space" },
		{ K_TAB, "Tab" },
		{ K_ENTER, "Enter" },
		{ K_ESCAPE, "Esc" },
		{ K_UP, "Up" },
		{ K_DOWN, "Down" },
		{ K_LEFT, "Left" },
		{ K_RIGHT, "Right" },
		{ K_PAGE_UP, "PgUp" },
		{ K_PAGE_DOWN, "PgDn" },
		{ K_HOME, "Home" },
		{ K_END, "End" },
		{ K_BACKSPACE, "Bksp" },
		{ K_DELETE, "Del" },
		{ K_BACK_TAB, "S-Tab" },
		{ K_WHEEL_UP, "wheel" },
		{ K_CLICK, "click" },
		{ K_SHIFT_LEFT, "S-Left" },
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
