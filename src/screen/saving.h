/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key S. */
#ifndef PANETOP_SCREEN_SAVING_H
#define PANETOP_SCREEN_SAVING_H

#include "screen/state.h"

/* Asks for a name, and saves what its ending says: the past, or what is seen now as text or as a picture. */
void saving_ask(struct pane_context *context);

#endif
