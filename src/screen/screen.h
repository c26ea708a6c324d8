/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen: panes over one source, until the user quits. */
#ifndef PANETOP_SCREEN_SCREEN_H
#define PANETOP_SCREEN_SCREEN_H

#include "screen/setup.h"

/* Takes over the terminal, runs, restores it. 0, or -errno when the terminal cannot be used. */
int screen_run(const struct screen_setup *setup);

#endif
