/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process does with its time, in one sentence that holds only where its condition does. */
#ifndef PANETOP_PANE_PROCESS_PROCESS_STORY_H
#define PANETOP_PANE_PROCESS_PROCESS_STORY_H

#include <stdint.h>

#include "model/sentence.h"

enum process_level { PROCESS_CALM, PROCESS_SLOW, PROCESS_STUCK };

#define PROCESS_NOT_HELD SIZE_MAX

/*
 * Facts are columns of the tables process and process_detail, where they are rates as means of the last
 * seconds, and:
 *   mean_seconds                           the time of those means
 *   memory_ratio, lock_ratio, other_ratio  parts of its time account
 *   frozen, main_ended                     "yes" or not known
 *   wanted_ratio                           of CPUs: what it gets and what it waits for
 *   stuck_seconds                          for which it has been in uninterruptible sleep
 *   sleep_call                             in which it sleeps most of the time
 *   waits_for                              what it waits for there, translated
 *   hot_function, hot_ratio                which runs most of the time that it computes; its share, less
 *                                          the error
 *   exit_name, stop_name                   of signals
 *   ended_time                             when it exited, as far as that is known
 *   others                                 its threads without the main one
 * held: the sentence that held before, by the number that process_story_held() returns.
 */
enum process_level process_story(struct buffer *out, const struct facts *facts, size_t held);
size_t process_story_held(const struct facts *facts, size_t held);

/* What the call in which it sleeps waits for, translated; "": not known. */
const char *process_waits_for(const struct facts *facts);

#endif
