/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How panes show the command of a process: in full, its first word or its name, with or without directories.
 */
#ifndef PANETOP_PANE_CPU_COMMAND_FORM_H
#define PANETOP_PANE_CPU_COMMAND_FORM_H

#include "screen/context.h"

/* Shows the column that the settings PANE.command and PANE.directories choose. */
void command_form_apply(const struct settings *settings, const char *pane, struct view *view);

/* Keys of a pane. */
void command_form_lines(struct pane_context *context);
void command_form_programs(struct pane_context *context);
void command_form_names(struct pane_context *context);
void command_form_directories(struct pane_context *context);

#endif
