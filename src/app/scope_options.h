/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scope of a run, from --in and the older options that are short for it. */
#ifndef PANETOP_APP_SCOPE_OPTIONS_H
#define PANETOP_APP_SCOPE_OPTIONS_H

#include "app/option_table.h"

/* 0; 2 after an error message. */
int scope_from_options(struct scope *scope, const struct options *options);

#endif
