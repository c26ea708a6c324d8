/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which system calls threads are when they are looked at, where the kernel does not count them. */
#ifndef PANETOP_TOPIC_CALL_CALL_LOOKS_H
#define PANETOP_TOPIC_CALL_CALL_LOOKS_H

#include "topic/call/call_counts.h"
#include "topic/process/process_list.h"

struct call_looks;

/* A thread that looks begins; NULL: it could not. */
struct call_looks *call_looks_open(struct env *env);
void call_looks_close(struct call_looks *looks); /* NULL: nothing */

/*
 * From now on it looks at the threads of this process, by its pid; 0: at those of the scope. Where that is
 * refused they are left out. How many there is no room for.
 */
size_t call_looks_follow(struct call_looks *looks, const struct process_list *processes, uint32_t process);

/*
 * Sets the caller's vector to what was seen so far, one of each process and call: count is how often a thread
 * was in it, sum_ns the time between looks that this stands for. None while the thread hangs.
 */
size_t call_looks_counts(struct call_looks *looks, struct call_count **counts, size_t *capacity);

#endif
