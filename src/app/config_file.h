/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file: $XDG_CONFIG_HOME/panetop/config, written only when the user asks. */
#ifndef PANETOP_APP_CONFIG_FILE_H
#define PANETOP_APP_CONFIG_FILE_H

#include <stddef.h>

#include "core/settings.h"

/* Adds the settings of the file, if it exists. Reports lines that it cannot parse. */
void config_load(struct settings *settings);

/* Replaces the file atomically, mode 0600. 0 or -errno; sets path in either case. */
int config_save(const struct settings *settings, char *path, size_t room);

#endif
