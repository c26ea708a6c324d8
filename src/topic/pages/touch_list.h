/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes whose touched memory is measured, shared by the topics touched and process: in batch those
 * that they want, from sample to sample; on the screen those that the user chose, one window or one after
 * the other.
 */
#ifndef PANETOP_TOPIC_PAGES_TOUCH_LIST_H
#define PANETOP_TOPIC_PAGES_TOUCH_LIST_H

#include "topic/pages/touch_look.h"
#include "topic/reader.h"

#define TOUCH_LOOKS_MAX 256

struct touch_list {
	struct env *env; /* borrowed, as the request */
	const struct sample_request *request;
	struct touch_look *looks[TOUCH_LOOKS_MAX];
	size_t n_looks;
	size_t n_left_out; /* in this tick, as there were too many */
	uint64_t tick;     /* of the last step */
};

/* Used while it is open: nothing of it is updated. It closes with the last topic, and so do all windows. */
extern const struct reader touch_reader;

/*
 * In batch: this process is to be measured from one sample to the next. What is due is started, and
 * touch_list_wait() waits for it. NULL: there are too many.
 */
struct touch_look *touch_list_want(struct touch_list *list, uint32_t pid, uint32_t file_pid,
				   uint64_t start_ticks, bool by_region);
void touch_list_wait(struct touch_list *list);

/* On the screen: goes on with the windows that the user started, once per tick. */
void touch_list_step(struct touch_list *list);

/* NULL: it is not among them. */
struct touch_look *touch_list_find(const struct touch_list *list, uint32_t pid, uint64_t start_ticks);

/* See act in struct topic. "look SECONDS PID START", "watch SECONDS PID START", "stop PID START". */
int touch_list_act(struct env *env, const char *action, void (*done)(void *context, int error),
		   void *context);

#endif
