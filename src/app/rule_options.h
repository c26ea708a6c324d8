/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of a command line: those of its options, or of a directory. */
#ifndef PANETOP_APP_RULE_OPTIONS_H
#define PANETOP_APP_RULE_OPTIONS_H

#include "app/option_table.h"
#include "app/rule_list.h"

/* 0, or an exit status after error messages; rule_list_free() in either case. */
int rule_options_read(const struct options *options, struct rule_list *list);

#endif
