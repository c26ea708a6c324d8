/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the rules of a directory: files "*.rule" with lines "when = RULE", each followed by "run = COMMAND"
 * or not. Commands run with the rights of panetop: so each directory on the way and each file is of root or
 * of this user, others cannot write it, and no link is followed.
 */
#ifndef PANETOP_APP_RULE_FILES_H
#define PANETOP_APP_RULE_FILES_H

#include "app/rule_list.h"

/* Adds all rules of all files, in the order of their names: 0, or 1 or 2 after an error message for each
 * fault. */
int rule_files_read(struct rule_list *list, const char *directory);

#endif
