/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames are steps of query_range, some at a time: a jump on the screen reads the five minutes before, too.
 */
#include <config.h>

#include "fleet/prometheus.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "fleet/stored_series.h"
#include "sys/env.h"
#include "sys/http_client.h"

#define ANSWER_MAX ((size_t)64 << 20)
#define STEPS_MAX 60                /* of one query */
#define PAST_SECONDS (15 * 86400.0) /* that Prometheus keeps by default */
#define BEHIND_SECONDS 5.0          /* what is scraped now can be asked then */
#define INSTANCES_SHOWN 5

struct prometheus {
	struct http_client *client;
	char *url, *instance, *matcher; /* matcher: a part of the query, encoded */
	double first, step_seconds;     /* of frame 0; seconds since 1970 */
	struct stored_series *stored;
	size_t loaded, n_loaded; /* frames that stored has */
	size_t next;             /* index of the frame that is given next */
	int timer_fd;
	struct buffer answer;
	char remark[256]; /* what was wrong with the last answer; "": nothing */
};

char *prometheus_shown_url(const char *url)
{
	const char *begin = strstr(url, "://"), *end, *at;
	struct buffer out = { 0 };

	begin = begin ? begin + 3 : url;
	end = begin + strcspn(begin, "/?#");
	at = memrchr(begin, '@', (size_t)(end - begin));
	buffer_add(&out, url, (size_t)(begin - url));
	buffer_text(&out, at ? at + 1 : begin);
	buffer_char(&out, '\0');
	return out.bytes;
}

static void add_encoded(struct buffer *out, const char *text)
{
	for (; *text; text++)
		if (strchr("-._~", *text) || (*text >= '0' && *text <= '9') ||
		    (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z'))
			buffer_char(out, *text);
		else
			buffer_print(out, "%%%02X", (unsigned char)*text);
}

/* A text of the query language. */
static char *quoted(const char *text)
{
	struct buffer out = { 0 };

	buffer_char(&out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buffer_char(&out, '\\');
		buffer_char(&out, *text == '\n' ? ' ' : *text);
	}
	buffer_char(&out, '"');
	buffer_char(&out, '\0');
	return out.bytes;
}

/* parameters: behind the query, "&time=…". 0 or -errno with *why. */
static int ask(struct prometheus *prometheus, const char *call, const char *query, const char *parameters,
	       const char **why)
{
	struct buffer url = { 0 };
	int error;

	buffer_print(&url, "%s/api/v1/%s?query=", prometheus->url, call);
	add_encoded(&url, query);
	buffer_text(&url, parameters);
	buffer_char(&url, '\0');
	buffer_empty(&prometheus->answer);
	error = http_client_get(prometheus->client, url.bytes, ANSWER_MAX, &prometheus->answer, why);
	buffer_free(&url);
	return error;
}

/* Of machines with a panetop, in the order of the answer. */
static int find_instance(struct prometheus *prometheus, const char **why)
{
	int error = ask(prometheus, "query",
			"count by (instance) "
			"({__name__=~\"panetop_(self_sample_time_seconds|build_info|memory_total_bytes)\"})",
			"", why);
	const json_t *results, *result;
	struct buffer names = { 0 };
	const char *only = NULL;
	json_t *root;
	size_t i, n;

	if (error)
		return error;
	root = json_loadb(prometheus->answer.bytes, prometheus->answer.length, 0, NULL);
	results = json_object_get(json_object_get(root, "data"), "result");
	n = json_array_size(results);
	json_array_foreach(results, i, result)
	{
		only = json_string_value(json_object_get(json_object_get(result, "metric"), "instance"));
		if (only && i < INSTANCES_SHOWN)
			buffer_print(&names, "%s%s", i > 0 ? ", " : "", only);
	}
	if (n == 1 && only)
		prometheus->instance = alloc_text(only);
	buffer_char(&names, '\0');
	if (!json_is_array(results))
		*why = _("the answer is not one of Prometheus");
	else if (n == 0)
		*why = _("it has no metrics of panetop");
	else if (n > 1) {
		snprintf(prometheus->remark, sizeof(prometheus->remark),
			 _("it has %zu machines: choose one with ?instance=NAME: %s%s"), n, names.bytes,
			 n > INSTANCES_SHOWN ? " …" : "");
		*why = prometheus->remark;
	}
	buffer_free(&names);
	json_decref(root);
	return prometheus->instance ? 0 : -ENODATA;
}

static double now_seconds(void)
{
	return (double)env_wall_ns() / 1e9 - BEHIND_SECONDS;
}

static size_t n_frames(const struct prometheus *prometheus)
{
	return (size_t)((now_seconds() - prometheus->first) / prometheus->step_seconds) + 1;
}

static double time_of(const struct prometheus *prometheus, size_t index)
{
	return prometheus->first + (double)index * prometheus->step_seconds;
}

/* So that the frame at this index is among those of stored. */
static int load(struct prometheus *prometheus, size_t index, const char **why)
{
	size_t left = n_frames(prometheus) - index;
	struct stored_steps steps = {
		.first = time_of(prometheus, index),
		.seconds = prometheus->step_seconds,
		.n = (unsigned)(left < STEPS_MAX ? left : STEPS_MAX),
	};
	char parameters[128];
	int error;

	snprintf(parameters, sizeof(parameters), "&start=%.3f&end=%.3f&step=%.3f", steps.first,
		 steps.first + (steps.n - 1) * steps.seconds, steps.seconds);
	prometheus->n_loaded = 0;
	error = ask(prometheus, "query_range", prometheus->matcher, parameters, why);
	if (!error)
		error = stored_series_take(prometheus->stored,
					   span_of(prometheus->answer.bytes, prometheus->answer.length),
					   &steps, why);
	prometheus->loaded = index;
	prometheus->n_loaded = error ? 0 : steps.n;
	snprintf(prometheus->remark, sizeof(prometheus->remark), "%s", error ? *why : "");
	return error;
}

/* What cannot be read is a notice: the next frame may be there. */
static int next(void *state, struct frame *frame)
{
	struct prometheus *prometheus = state;
	const char *why = NULL;
	size_t index = prometheus->next;

	if (index >= n_frames(prometheus))
		return -EAGAIN;
	if (index < prometheus->loaded || index - prometheus->loaded >= prometheus->n_loaded)
		load(prometheus, index, &why);
	prometheus->next++;
	frame->host = arena_copy(&frame->arena, prometheus->instance, strlen(prometheus->instance));
	frame->wall_ns = frame->mono_ns = (uint64_t)(time_of(prometheus, index) * 1e9);
	if (why)
		frame_notice(frame, "self", NULL, _("Prometheus: %s"), why);
	else if (stored_series_fill(prometheus->stored, (unsigned)(index - prometheus->loaded), frame) == 0)
		frame_notice(frame, "self", NULL, _("Prometheus has nothing of %s at this time"),
			     prometheus->instance);
	return 1;
}

static int seek(void *state, size_t index)
{
	struct prometheus *prometheus = state;
	size_t n = n_frames(prometheus);

	prometheus->next = index < n ? index : n - 1;
	return 0;
}

static size_t position(void *state)
{
	const struct prometheus *prometheus = state;

	return prometheus->next > 0 ? prometheus->next - 1 : 0;
}

static size_t find(void *state, uint64_t wall_ns)
{
	const struct prometheus *prometheus = state;
	double steps = ((double)wall_ns / 1e9 - prometheus->first) / prometheus->step_seconds;
	size_t n = n_frames(prometheus);

	return steps < 0 ? 0 : steps < (double)(n - 1) ? (size_t)steps : n - 1;
}

static bool extent(void *state, size_t *n, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct prometheus *prometheus = state;

	*n = n_frames(prometheus);
	*first_ns = (uint64_t)(prometheus->first * 1e9);
	*last_ns = (uint64_t)(time_of(prometheus, *n - 1) * 1e9);
	return true;
}

static int wait_fd(void *state)
{
	const struct prometheus *prometheus = state;

	return prometheus->timer_fd;
}

static bool pull(void *state)
{
	const struct prometheus *prometheus = state;
	uint64_t times;

	return read(prometheus->timer_fd, &times, sizeof(times)) >= 0 || errno == EAGAIN;
}

static const char *remark(void *state)
{
	const struct prometheus *prometheus = state;

	return *prometheus->remark ? prometheus->remark : NULL;
}

static void close_prometheus(void *state)
{
	struct prometheus *prometheus = state;

	http_client_close(prometheus->client);
	if (prometheus->stored)
		stored_series_close(prometheus->stored);
	if (prometheus->timer_fd >= 0)
		close(prometheus->timer_fd);
	buffer_free(&prometheus->answer);
	free(prometheus->url);
	free(prometheus->instance);
	free(prometheus->matcher);
	free(prometheus);
}

/* Readable once a step, when there may be another frame. */
static int start_timer(struct prometheus *prometheus)
{
	double whole, part = modf(prometheus->step_seconds, &whole);
	const struct timespec step = { (time_t)whole, (long)(part * 1e9) };
	const struct itimerspec times = { step, step };

	prometheus->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	return prometheus->timer_fd < 0 || timerfd_settime(prometheus->timer_fd, 0, &times, NULL) < 0 ? -errno
												      : 0;
}

static char *matcher_of(const char *instance)
{
	char *text = quoted(instance);
	struct buffer out = { 0 };

	buffer_print(&out, "{instance=%s,__name__=~\"panetop_.+\",__name__!~\".+_bucket\"}", text);
	buffer_char(&out, '\0');
	free(text);
	return out.bytes;
}

static int begin(struct prometheus *prometheus, const struct prometheus_plan *plan, const char **why)
{
	int error;

	prometheus->client = http_client_open(why);
	if (!prometheus->client)
		return -ELIBACC;
	if (plan->instance)
		prometheus->instance = alloc_text(plan->instance);
	error = plan->instance ? 0 : find_instance(prometheus, why);
	if (!error) {
		prometheus->matcher = matcher_of(prometheus->instance);
		error = start_timer(prometheus);
	}
	if (!error)
		prometheus->next = n_frames(prometheus) - 2; /* which gives the last one its rates */
	return error;
}

int prometheus_open(struct source *source, const struct prometheus_plan *plan, const char **why)
{
	static char remark_of_last[256];
	struct prometheus *prometheus = alloc_zeroed(1, sizeof(*prometheus));
	size_t length = strlen(plan->url);
	int error;

	prometheus->url = alloc_text(plan->url);
	while (length > 0 && prometheus->url[length - 1] == '/')
		prometheus->url[--length] = '\0';
	prometheus->timer_fd = -1;
	prometheus->step_seconds = plan->step_seconds;
	prometheus->first = now_seconds() - PAST_SECONDS;
	prometheus->stored = stored_series_open(plan->schemas, plan->n_schemas);
	*why = NULL;
	error = begin(prometheus, plan, why);
	if (error) {
		snprintf(remark_of_last, sizeof(remark_of_last), "%s", *why ? *why : strerror(-error));
		*why = remark_of_last;
		close_prometheus(prometheus);
		return error;
	}
	*source = (struct source){
		.next = next,
		.poll_fd = -1,
		.seek = seek,
		.position = position,
		.find = find,
		.extent = extent,
		.wait_fd = wait_fd,
		.pull = pull,
		.remark = remark,
		.close = close_prometheus,
		.state = prometheus,
	};
	return 0;
}
