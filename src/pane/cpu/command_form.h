/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How panes show the command of a process: in full, its first word or its name, with or without directories.
 */
#ifndef PANETOP_PANE_CPU_COMMAND_FORM_H
#define PANETOP_PANE_CPU_COMMAND_FORM_H

#include "screen/context.h"

/* Shows the column that the settings choose. */
void command_form_apply(const struct command_settings *settings, struct view *view);

/* For the choices "command" and "directories" of a pane. */
extern const char *const command_form_labels[], *const command_directory_labels[];

#endif
