/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the loop, and has it call the worker and the source. */
#include <config.h>

#include "app/source_loop.h"

#include <string.h>
#include <sys/epoll.h>

#include "sys/error_message.h"

static void on_worker(void *context, uint32_t events)
{
	(void)events;
	worker_collect(context);
}

int source_loop_open(struct loop *loop, const int *signals, struct source *source, struct worker *worker)
{
	int error = loop_open(loop, signals);

	if (error)
		error_message("epoll", "%s", strerror(-error));
	if (!error && worker)
		loop_watch(loop, worker_fd(worker), EPOLLIN, on_worker, worker);
	if (!error && source->poll)
		loop_watch(loop, source->poll_fd, EPOLLIN, source->poll, source->state);
	return error ? 1 : 0;
}
