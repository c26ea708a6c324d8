/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file: $XDG_CONFIG_HOME/panetop/config, written only when the user asks. */
#ifndef PANETOP_APP_CONFIG_FILE_H
#define PANETOP_APP_CONFIG_FILE_H

#include <stddef.h>

#include "model/settings.h"
#include "screen/palette.h"

/*
 * Adds the settings of the file, if it exists, that no option has set. Reports unknown names and wrong values
 * with their lines, and ignores them.
 */
void config_load(struct settings *settings);

/*
 * The colours of $XDG_CONFIG_HOME/panetop/NAME.theme; those that it does not name stay. Reports unknown names
 * and wrong colours with their lines. 0 or -errno; path, of PATH_MAX bytes, is the file, or "".
 */
int config_theme_load(const char *name, struct palette *palette, char *path);

/*
 * Replaces the file as a whole; a new one has mode 0600. Its comments and unchanged lines stay. 0, and its
 * path in text; or -errno, and what went wrong, as a translated sentence.
 */
int config_save(const struct settings *settings, char *text, size_t room);

#endif
