/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the threads of the user's own processes wait for, without rights: times from the kernel's records of
 * their switches, causes from looks at what each is in meanwhile.
 */
#ifndef PANETOP_TOPIC_PROFILE_WAIT_SWITCHES_H
#define PANETOP_TOPIC_PROFILE_WAIT_SWITCHES_H

#include "topic/process/process_list.h"
#include "topic/profile/wait_ledger.h"
#include "topic/topic.h"

struct wait_switches;

/* Starts the thread that looks; NULL: it cannot. */
struct wait_switches *wait_switches_open(struct env *env);
void wait_switches_close(struct wait_switches *switches); /* may be NULL */

/*
 * Adds to the ledger, in a tick of it, what this process waited or, with 0, those of the scope. The moment
 * that this is of; 0: there are none, or the thread hangs.
 */
uint64_t wait_switches_update(struct wait_switches *switches, const struct process_list *processes,
			      uint32_t process, struct wait_ledger *ledger);

/* Does it have the switches of all threads of this process? Else waits are not counted. */
bool wait_switches_has(const struct wait_switches *switches, uint32_t pid);

/* Threads that it does not follow: they are too many, or are of another user. */
size_t wait_switches_left_out(const struct wait_switches *switches);

/* For --probe: 0 or -errno. */
int wait_switches_test(struct env *env);

#endif
