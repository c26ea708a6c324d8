/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name of a terminal, from the device number in /proc/PID/stat. */
#ifndef PANETOP_TOPIC_TERMINAL_NAME_H
#define PANETOP_TOPIC_TERMINAL_NAME_H

#include <stdint.h>

#include "core/arena.h"

/* "pts/3"; "": none; NULL: not known. */
const char *terminal_name(struct arena *arena, int64_t device);

#endif
