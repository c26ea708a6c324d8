/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process does with its time, in one sentence that holds only where its condition does. */
#ifndef PANETOP_PANE_PROCESS_PROCESS_STORY_H
#define PANETOP_PANE_PROCESS_PROCESS_STORY_H

#include "model/sentence.h"

enum process_level { PROCESS_SILENT = -1, PROCESS_CALM, PROCESS_SLOW };

/*
 * Facts are columns of the tables process and process_detail, and:
 *   memory_ratio, lock_ratio, other_ratio  parts of its time account
 *   frozen, main_ended                     "yes" or not known
 *   wanted_ratio                           of CPUs: what it gets and what it waits for
 *   hot_function, hot_ratio                which runs most of the time that it computes; its share, less
 *                                          the error
 *   exit_name, stop_name                   of signals
 *   waits_for                              what its system call waits for, translated
 *   others                                 its threads without the main one
 */
enum process_level process_story(struct buffer *out, const struct facts *facts);

/* What its system call waits for, translated; "": not known. */
const char *process_waits_for(const struct facts *facts);

#endif
