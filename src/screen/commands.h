/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys that work everywhere. */
#ifndef PANETOP_SCREEN_COMMANDS_H
#define PANETOP_SCREEN_COMMANDS_H

#include "screen/state.h"

struct keymap commands_keymap(bool replay);

#endif
