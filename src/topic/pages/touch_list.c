/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts clearings and readings when they are due; nothing is read of a process that was not requested. */
#include <config.h>

#include "topic/pages/touch_list.h"

#include <errno.h>

#include "sys/loop.h"
#include "topic/process/process_find.h"

#define BATCH_WAIT_NS UINT64_C(30000000000) /* for a process whose memory is locked, or huge */
#define SCREEN_WAIT_NS UINT64_C(20000000)
#define EARLY_PART 100 /* before the first window ends, readings take at most this fraction of the time */

static int open_list(void *state, const struct sample *sample)
{
	struct touch_list *list = state;

	list->env = sample->env;
	list->request = sample->request;
	list->tick = ENV_NEVER;
	return 0;
}

static void close_list(void *state)
{
	struct touch_list *list = state;

	for (size_t i = 0; i < list->n_looks; i++)
		touch_look_close(list->looks[i]);
}

const struct reader touch_reader = {
	.name = "touched memory",
	.state_size = sizeof(struct touch_list),
	.open = open_list,
	.close = close_list,
};

struct touch_look *touch_list_find(const struct touch_list *list, uint32_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < list->n_looks; i++)
		if (list->looks[i]->pid == pid && list->looks[i]->start_ticks == start_ticks)
			return list->looks[i];
	return NULL;
}

static void remove_look(struct touch_list *list, size_t index)
{
	touch_look_close(list->looks[index]);
	list->looks[index] = list->looks[--list->n_looks];
}

static struct touch_look *add_look(struct touch_list *list, uint32_t pid, uint32_t file_pid,
				   uint64_t start_ticks, bool by_region)
{
	struct touch_look *look = touch_look_open(list->env, pid, file_pid, start_ticks, by_region);

	list->looks[list->n_looks++] = look;
	return look;
}

static void begin_tick(struct touch_list *list)
{
	if (list->tick == list->env->tick)
		return;
	list->tick = list->env->tick;
	list->n_left_out = 0;
	device_poll_collect(list->env);
	for (size_t i = 0; i < list->n_looks; i++)
		touch_look_take(list->looks[i]);
}

/* In batch each sample ends a window, and begins the next one unless it is the last. */
static void start_due(const struct touch_list *list, struct touch_look *look)
{
	look->again = !list->request->once;
	if (look->poll.in_flight)
		return;
	if (look->state == TOUCH_REPLACED)
		touch_look_begin(look);
	else if (look->state == TOUCH_OPEN)
		touch_look_read(look, true);
}

struct touch_look *touch_list_want(struct touch_list *list, uint32_t pid, uint32_t file_pid,
				   uint64_t start_ticks, bool by_region)
{
	struct touch_look *look;

	begin_tick(list);
	look = touch_list_find(list, pid, start_ticks);
	if (!look && list->n_looks == TOUCH_LOOKS_MAX) {
		list->n_left_out++;
		return NULL;
	}
	if (!look)
		look = add_look(list, pid, file_pid, start_ticks, by_region);
	if (by_region && !look->by_region && !look->poll.in_flight) {
		look->by_region = true;
		touch_look_begin(look);
	}
	if (look->wanted_tick != list->env->tick)
		start_due(list, look);
	look->wanted_tick = list->env->tick;
	return look;
}

static void wait_for(struct touch_look *look)
{
	uint64_t until_ns = env_mono_ns(look->env) + BATCH_WAIT_NS;

	while (look->poll.in_flight && env_mono_ns(look->env) < until_ns && !loop_signal_waits())
		device_poll_wait_for(&look->poll, SCREEN_WAIT_NS);
	touch_look_take(look);
	if (look->state == TOUCH_REPLACED) /* the next window begins now */
		touch_look_begin(look);
}

void touch_list_wait(struct touch_list *list)
{
	begin_tick(list);
	for (size_t i = 0; i < list->n_looks; i++)
		if (list->looks[i]->wanted_tick == list->tick)
			wait_for(list->looks[i]);
	for (size_t i = list->n_looks; i-- > 0;) /* another topic may want one later in this tick */
		if (list->looks[i]->wanted_tick + 1 < list->tick)
			remove_look(list, i);
}

static bool is_window_over(const struct touch_look *look)
{
	return (double)(env_mono_ns(look->env) - look->cleared_ns) / 1e9 >= look->window_wanted_seconds;
}

/* Early numbers of the first window, as far as they cost next to nothing. */
static bool is_early_due(const struct touch_look *look)
{
	uint64_t last_ns = look->read_ns > look->cleared_ns ? look->read_ns : look->cleared_ns;
	uint64_t cost_ns = look->read_cpu_ns > look->clear_cpu_ns ? look->read_cpu_ns : look->clear_cpu_ns;

	return look->n_windows == 0 && env_mono_ns(look->env) - last_ns >= EARLY_PART * cost_ns;
}

static void step(struct touch_look *look)
{
	if (look->poll.in_flight)
		return;
	if (look->state == TOUCH_REPLACED)
		touch_look_begin(look);
	else if (look->state == TOUCH_OPEN && is_window_over(look))
		touch_look_read(look, true);
	else if (look->state == TOUCH_OPEN && is_early_due(look))
		touch_look_read(look, false);
}

/* What is read soon is of this tick. */
static void wait_until(struct touch_look *look, uint64_t until_ns)
{
	uint64_t now_ns = env_mono_ns(look->env);

	if (!look->poll.in_flight || look->cost_ns > SCREEN_WAIT_NS || now_ns >= until_ns)
		return;
	device_poll_wait_for(&look->poll, until_ns - now_ns);
	touch_look_take(look);
}

void touch_list_step(struct touch_list *list)
{
	uint64_t until_ns;

	if (list->n_looks == 0 || list->tick == list->env->tick)
		return;
	begin_tick(list);
	for (size_t i = 0; i < list->n_looks; i++)
		step(list->looks[i]);
	until_ns = env_mono_ns(list->env) + SCREEN_WAIT_NS;
	for (size_t i = 0; i < list->n_looks; i++)
		wait_until(list->looks[i], until_ns);
}

struct order {
	bool stop, again;
	double seconds;
	uint32_t pid;
	double start_seconds;
};

static bool parse_order(struct span text, struct order *order)
{
	struct span verb;
	uint64_t pid;

	*order = (struct order){ 0 };
	if (!span_word(&text, &verb))
		return false;
	order->stop = span_is(verb, "stop");
	order->again = span_is(verb, "watch");
	if (!order->stop && !order->again && !span_is(verb, "look"))
		return false;
	if (!order->stop && (!span_f64(&text, &order->seconds) || !span_char(&text, ' ')))
		return false;
	if (!span_u64(&text, &pid) || pid > UINT32_MAX || !span_char(&text, ' ') ||
	    !span_f64(&text, &order->start_seconds) || span_length(text) > 0)
		return false;
	order->pid = (uint32_t)pid;
	return true;
}

static void stop(struct touch_list *list, const struct touch_look *look)
{
	for (size_t i = list->n_looks; i-- > 0;)
		if (list->looks[i] == look)
			remove_look(list, i);
}

static void make_room(struct touch_list *list)
{
	size_t oldest = 0;

	if (list->n_looks < TOUCH_LOOKS_MAX)
		return;
	for (size_t i = 1; i < list->n_looks; i++)
		if (list->looks[i]->begun_ns < list->looks[oldest]->begun_ns)
			oldest = i;
	remove_look(list, oldest);
}

/* Ages of an earlier watch of the process go on. */
static int start(struct touch_list *list, const struct order *order, uint32_t file_pid, uint64_t start_ticks)
{
	struct touch_look *look = touch_list_find(list, order->pid, start_ticks);

	if (look && look->poll.in_flight)
		return -EBUSY;
	if (!look) {
		make_room(list);
		look = add_look(list, order->pid, file_pid, start_ticks, true);
	}
	if (look->state != TOUCH_OPEN)
		look->begun_ns = 0; /* it was not watched since */
	look->again = order->again;
	look->window_wanted_seconds = order->seconds;
	look->n_windows = 0;
	look->report.read_ns = 0; /* its numbers are of another window */
	touch_look_begin(look);
	return look->state == TOUCH_CLEARING ? 0 : look->error;
}

int touch_list_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context)
{
	struct touch_list *list = reader_state(&touch_reader, env);
	struct order order;
	struct pid_stat stat;
	const char *path;
	uint32_t living;
	int error;

	if (!parse_order(span_text(action), &order))
		return -EINVAL;
	if (!list)
		return -EAGAIN;
	error = process_find(env, order.pid, order.start_seconds, &stat);
	if (error)
		return error;
	if (stat.flags & PID_FLAG_KERNEL_THREAD) {
		env_note_failure(env, TOUCH_SMAPS, -ENXIO);
		return -ENXIO;
	}
	living = process_living_thread(env, order.pid, &stat);
	if (order.stop && done) {
		stop(list, touch_list_find(list, order.pid, stat.start_ticks));
	} else if (done) {
		error = start(list, &order, living ? living : order.pid, stat.start_ticks);
	} else {
		error = touch_look_try(env, order.pid, living ? living : order.pid, stat.start_ticks, &path);
		if (error && error != -ESRCH)
			env_note_failure(env, path, error);
	}
	if (!error && done)
		done(context, 0);
	return error;
}
