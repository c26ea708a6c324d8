/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that several panes use. */
#ifndef PANETOP_PANE_TEXT_H
#define PANETOP_PANE_TEXT_H

#include "core/i18n.h"

/* Why an action failed: "the process has ended", "Permission denied; run it as root"; remedy may be NULL. */
char *failure_text(char text[TEXT_MAX], int error, const char *remedy);

#endif
