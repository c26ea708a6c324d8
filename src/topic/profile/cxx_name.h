/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ functions as in the source, by libiberty, of symbols that strangers wrote. */
#ifndef PANETOP_TOPIC_PROFILE_CXX_NAME_H
#define PANETOP_TOPIC_PROFILE_CXX_NAME_H

#include <stdbool.h>

#include "core/buffer.h"

#define CXX_NAME_MAX ((size_t)512) /* bytes; a longer name is cut */

/* Sets the handler of SIGVTALRM, which ends a name that takes too long. In a process with one thread. */
void cxx_names_open(void);

/*
 * Replaces the contents of the buffer. False: another kind of symbol, or it takes too long. A symbol of a few
 * hundred bytes may stand for a name of 2^45 characters, or take years to look through.
 */
bool cxx_name(const char *symbol, struct buffer *name);

#endif
