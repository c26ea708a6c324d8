/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the service panetop-record has recorded before the live screen began. */
#ifndef PANETOP_APP_RECORDED_PAST_H
#define PANETOP_APP_RECORDED_PAST_H

#include "model/frame.h"

/* As reach_back() of struct past; below the directory of --root, or "/". */
int recorded_past_join(const char *root, const struct schema *const *schemas, unsigned n_schemas,
		       struct source *source, char *why, size_t room);

#endif
