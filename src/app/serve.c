/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sample answers all requests while it is young enough: it is written once in each requested form,
 * and all clients get the same bytes. What other users than panetop's own can reach shows no arguments of
 * commands, and of what is not public only the processes of that user, or sums of commands.
 */
#include <config.h>

#include "app/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "app/privileges.h"
#include "app/sampling.h"
#include "core/alloc.h"
#include "core/http_header.h"
#include "core/i18n.h"
#include "core/rate_limit.h"
#include "model/pipeline.h"
#include "model/scope.h"
#include "output/command_sums.h"
#include "sys/descriptor.h"
#include "sys/http_server.h"
#include "sys/privilege.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define TEXT_TYPE "text/plain; charset=utf-8"
#define JSON_TYPE "application/json"
#define FIRST_NS UINT64_C(1000000000) /* at most, from the first sample to the first answer */
#define PATHS "/metrics, /frame.json, /describe, /healthz"

/* What is printed of a sample. */
enum plan {
	PLAN_METRICS,
	PLAN_OWN, /* JSON, of processes only those of panetop's user */
	PLAN_ALL, /* JSON */
	N_PLANS
};

enum page {
	PAGE_TEXT,
	PAGE_OPENMETRICS,
	PAGE_OWN,
	PAGE_ALL,
	N_SAMPLE_PAGES, /* those above are of one sample */
	PAGE_DESCRIBE = N_SAMPLE_PAGES,
	PAGE_HEALTH,
	PAGE_UNKNOWN,
	PAGE_METHOD,
	PAGE_HOST,
	PAGE_FAILED,
	N_PAGES
};

static const struct form {
	enum plan plan;
	const struct sink_format *format;
	const char *type;
} forms[N_SAMPLE_PAGES] = {
	[PAGE_TEXT] = { PLAN_METRICS, &sink_prometheus, "text/plain; version=0.0.4; charset=utf-8" },
	[PAGE_OPENMETRICS] = { PLAN_METRICS, &sink_openmetrics,
			       "application/openmetrics-text; version=1.0.0; charset=utf-8" },
	[PAGE_OWN] = { PLAN_OWN, &sink_json, JSON_TYPE },
	[PAGE_ALL] = { PLAN_ALL, &sink_json, JSON_TYPE },
};

struct serve {
	const struct options *options;
	struct options json_options; /* the same, for JSON */
	const struct settings *settings;
	struct source *source;
	struct worker *worker;
	struct run_plan plans[N_PLANS];
	bool planned[N_PLANS];
	struct sink sinks[N_PLANS];
	bool *wanted;     /* by index of topic: what any plan wants */
	struct scope own; /* that of the run, and panetop's user */
	struct loop loop;
	struct http_server server;
	struct http_page pages[N_PAGES];
	enum page page; /* that is being written */
	struct frame frame;
	struct derive_base base;
	struct pipeline pipeline;
	struct rate_limit rate_limit;
	struct notice_printer notices;
	char host[sizeof(((struct utsname *)0)->nodename)];
	unsigned long sampled;
	uint64_t sampled_ns, delay_ns;
	bool for_others; /* other users can ask */
	bool has_others; /* there are rows of processes of which they get some */
	bool has_rates;  /* in some plan, so that the first answer comes after a delay */
	int status;
};

/* The sink has written a sample in the form of this page. */
static int take_page(void *context, struct buffer *sample)
{
	struct serve *serve = context;

	http_page_open(&serve->server, &serve->pages[serve->page], 200, forms[serve->page].type, sample);
	if (forms[serve->page].plan == PLAN_METRICS)
		http_page_header(&serve->server, &serve->pages[serve->page], "Vary", "Accept");
	return 0;
}

/* If it takes more than a tenth of the time, the next one comes later, with a notice. */
static void keep_pace(struct serve *serve, uint64_t cost_ns)
{
	uint64_t wanted_ns = (uint64_t)(serve->settings->delay_seconds * 1e9);
	bool changed;

	serve->delay_ns = rate_limit_delay(&serve->rate_limit, cost_ns, wanted_ns, &changed);
	if (changed && serve->delay_ns > wanted_ns)
		error_message("--delay",
			      _("a sample takes %.3g s of CPU time; sampling every %.3g s at most, "
				"instead of %.3g s"),
			      (double)serve->rate_limit.cost_ns / 1e9, (double)serve->delay_ns / 1e9,
			      (double)wanted_ns / 1e9);
}

/* Not what only findings read. */
static bool is_of_run(const struct serve *serve, const char *topic)
{
	int index = schema_index(topic_schemas(), n_topics, topic);

	return index < 0 || serve->plans[PLAN_METRICS].asked[index];
}

static void print_notices(struct serve *serve)
{
	for (unsigned i = 0; i < serve->frame.n_notices; i++)
		if (is_of_run(serve, serve->frame.notices[i].topic))
			notice_printer_print(&serve->notices, &serve->frame.notices[i]);
}

/* False: a signal waits, or there is none. */
static bool sample(struct serve *serve)
{
	uint64_t cpu_ns = clock_self_cpu_ns(serve->options->clock);
	int got;

	error_message_retry();
	for (unsigned i = 0; i < N_SAMPLE_PAGES; i++)
		http_page_close(&serve->server, &serve->pages[i]);
	got = pipeline_next(&serve->pipeline, &serve->frame, serve->sampled > 0 ? &serve->base.frame : NULL);
	if (got != 1)
		return false;
	serve->sampled_ns = clock_mono_ns(serve->options->clock);
	serve->sampled++;
	if (serve->has_others)
		scope_read_frame(&serve->own, &serve->frame, true);
	run_plan_notice_scope(&serve->plans[PLAN_METRICS], &serve->frame);
	print_notices(serve);
	derive_base_take(&serve->base, &serve->frame);
	keep_pace(serve, clock_self_cpu_ns(serve->options->clock) - cpu_ns);
	return true;
}

static bool is_stale(const struct serve *serve)
{
	bool has_all = serve->sampled > (serve->has_rates ? 1 : 0);

	return !has_all || clock_mono_ns(serve->options->clock) - serve->sampled_ns >= serve->delay_ns;
}

/* Of a sample that is not too old. */
static const struct http_page *sample_page(struct serve *serve, enum page page)
{
	struct sink *sink = &serve->sinks[forms[page].plan];

	if (is_stale(serve) && !sample(serve))
		return &serve->pages[PAGE_FAILED];
	if (!serve->pages[page].response) {
		serve->page = page;
		sink->format = forms[page].format;
		sink_frame(sink, &serve->frame);
	}
	return &serve->pages[page];
}

/* Does the client call this host by a name that is ours? */
static bool is_called_so(const struct serve *serve, const struct http_request *request)
{
	struct span host;

	if (!request->host || request->address->kind == LISTEN_UNIX)
		return true;
	host = span_text(request->host);
	return http_host_is_known(host, request->address->names) || http_host_is_known(host, serve->host);
}

static enum page page_of(const struct http_request *request, bool arguments)
{
	const char *path = request->path;

	if (strcmp(path, "/metrics") == 0)
		return http_prefers_openmetrics(span_text(request->accept ? request->accept : ""))
			       ? PAGE_OPENMETRICS
			       : PAGE_TEXT;
	if (strcmp(path, "/frame.json") == 0)
		return arguments || request->address->kind == LISTEN_UNIX ? PAGE_ALL : PAGE_OWN;
	if (strcmp(path, "/describe") == 0)
		return PAGE_DESCRIBE;
	return strcmp(path, "/healthz") == 0 ? PAGE_HEALTH : PAGE_UNKNOWN;
}

static const struct http_page *answer(void *context, const struct http_request *request)
{
	struct serve *serve = context;
	enum page page;

	if (!is_called_so(serve, request))
		return &serve->pages[PAGE_HOST];
	page = page_of(request, serve->options->arguments);
	if (page == PAGE_UNKNOWN)
		return &serve->pages[page];
	if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
		return &serve->pages[PAGE_METHOD];
	return page < N_SAMPLE_PAGES ? sample_page(serve, page) : &serve->pages[page];
}

static void add_page(struct serve *serve, enum page page, unsigned status, const char *text)
{
	struct buffer body = { 0 };

	buffer_text(&body, text);
	http_page_open(&serve->server, &serve->pages[page], status, TEXT_TYPE, &body);
	buffer_free(&body);
}

/* The pages of no sample. */
static void add_pages(struct serve *serve)
{
	struct buffer body = { 0 };

	describe_topics(serve->options, true, &body);
	http_page_open(&serve->server, &serve->pages[PAGE_DESCRIBE], 200, JSON_TYPE, &body);
	buffer_free(&body);
	add_page(serve, PAGE_HEALTH, 200, "ok\n");
	add_page(serve, PAGE_UNKNOWN, 404, "unknown path; there are " PATHS "\n");
	add_page(serve, PAGE_METHOD, 405, "only GET and HEAD are allowed\n");
	http_page_header(&serve->server, &serve->pages[PAGE_METHOD], "Allow", "GET, HEAD");
	add_page(serve, PAGE_HOST, 421,
		 "this is not a name of this host; name it behind the address of --listen\n");
	add_page(serve, PAGE_FAILED, 503, "there is no sample\n");
}

/* Does the plan show all rows to all, or sums of them? */
static bool is_for_all(const struct schema *schema, enum plan plan)
{
	return schema->is_public || (plan == PLAN_METRICS && command_sums_apply(schema));
}

/* Only rows of processes say whose they are, and not those of events and of secrets. */
static bool is_by_user(const struct schema *schema)
{
	return schema_find(schema, "pid") && schema->shape != SHAPE_EVENTS && !schema->has_secrets;
}

/* 0, or 2 after an error message: nothing is left. */
static int leave_out_others(struct serve *serve, enum plan plan)
{
	struct print_plan *print = &serve->plans[plan].print;
	const char *left_out = NULL;
	unsigned n_left = 0;

	for (unsigned i = 0; i < print->n_views; i++) {
		struct view *view = &print->views[i];
		bool for_all = is_for_all(view->schema, plan);

		if (!for_all && !is_by_user(view->schema)) {
			left_out = view->schema->shape == SHAPE_EVENTS ? left_out : view->schema->name;
			view_close(view);
			continue;
		}
		if (!for_all)
			view_choose_scope(view, &serve->own);
		serve->has_others |= !for_all;
		if (n_left != i)
			print->views[n_left] = *view;
		n_left++;
	}
	print->n_views = n_left;
	if (n_left > 0 || !left_out)
		return 0;
	error_message("--listen", _("the table %s has what only --arguments shows, or a UNIX socket alone"),
		      left_out);
	return 2;
}

static int open_plan(struct serve *serve, enum plan plan, struct sample_request *request)
{
	const struct options *options = plan == PLAN_METRICS ? serve->options : &serve->json_options;
	struct run_plan *run = &serve->plans[plan];
	struct sink *sink = &serve->sinks[plan];
	int status = run_plan_open(run, options, serve->settings, request);

	serve->planned[plan] = true;
	if (status != 0)
		return status;
	if (plan != PLAN_ALL && serve->for_others && leave_out_others(serve, plan) != 0)
		return 2;
	if (serve->has_others) /* the scope knows users by this table */
		schema_want(topic_schemas(), n_topics, "process", serve->wanted);
	run->print.phase = PRINT_LAST; /* each sample is all that its client gets */
	serve->has_rates |= run->covers_delay;
	run_plan_request(run, options, request);
	for (unsigned t = 0; t < n_topics; t++)
		serve->wanted[t] |= run->wanted[t];
	sink_open(sink, options->format, &run->print, -1, "--listen");
	sink->replace = take_page;
	sink->replace_context = serve;
	return 0;
}

/* Terms of the run hold, too. */
static int open_own_scope(struct serve *serve, const struct scope *of_run)
{
	struct scope_term user = { .kind = SCOPE_USER, .users = { privilege_caller() }, .n_users = 1 };
	bool fits = true;

	snprintf(user.text, sizeof(user.text), "%u", (unsigned)user.users[0]);
	for (unsigned i = 0; of_run && i < of_run->n_terms; i++)
		fits &= scope_add(&serve->own, &of_run->terms[i]);
	if (fits && scope_add(&serve->own, &user))
		return 0;
	error_message("--in", _("there are too many"));
	return 2;
}

static int open_plans(struct serve *serve, struct sample_request *request)
{
	bool all = serve->options->arguments;
	int status = open_own_scope(serve, request->scope);

	for (unsigned i = 0; i < serve->options->n_listen; i++) {
		serve->for_others |= serve->options->listen[i].kind != LISTEN_UNIX &&
				     !serve->options->arguments;
		all |= serve->options->listen[i].kind == LISTEN_UNIX;
	}
	serve->wanted = alloc_zeroed(n_topics, sizeof(*serve->wanted));
	if (status == 0)
		status = open_plan(serve, PLAN_METRICS, request);
	if (status == 0 && serve->for_others)
		status = open_plan(serve, PLAN_OWN, request);
	if (status == 0 && all)
		status = open_plan(serve, PLAN_ALL, request);
	return status;
}

static void start(void *context)
{
	struct serve *serve = context;

	loop_set_tick(&serve->loop, 0);
	if (http_server_start(&serve->server, &serve->loop) == 0)
		return;
	serve->status = 1;
	loop_stop(&serve->loop);
}

static void on_wake(void *context)
{
	struct serve *serve = context;

	http_server_wake(&serve->server);
}

static void on_signal(void *context, int number, bool of_terminal)
{
	struct serve *serve = context;

	(void)number;
	(void)of_terminal;
	loop_stop(&serve->loop);
}

static int open_loop(struct serve *serve)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };

	serve->loop.tick = start;
	serve->loop.wake = on_wake;
	serve->loop.signal = on_signal;
	serve->loop.context = serve;
	return source_loop_open(&serve->loop, signals, serve->source, serve->worker);
}

/* The first sample is for the rates of the next: with rates, who asks at once waits for a moment. */
static void answer_until_signal(struct serve *serve, struct sample_request *request)
{
	const struct schema *const *schemas = topic_schemas();

	frame_open(&serve->frame, schemas, n_topics);
	derive_base_open(&serve->base, schemas, n_topics);
	serve->pipeline = (struct pipeline){
		.source = serve->source,
		.scope = request->scope,
		.findings = findings_open(finding_rules, n_finding_rules, serve->settings),
	};
	serve->source->want(serve->source->state, serve->wanted);
	add_pages(serve);
	if (sample(serve) && drop_after_open(serve->options, serve->settings, request, serve->wanted) != 0)
		serve->status = 1;
	if (serve->status == 0 && serve->has_rates)
		loop_set_tick(&serve->loop, serve->delay_ns < FIRST_NS ? serve->delay_ns : FIRST_NS);
	else if (serve->status == 0)
		start(serve);
	if (serve->status == 0)
		loop_run(&serve->loop);
	for (unsigned i = 0; i < N_PAGES; i++)
		http_page_close(&serve->server, &serve->pages[i]);
	frame_close(&serve->frame);
	derive_base_close(&serve->base);
	findings_close(serve->pipeline.findings);
}

static void close_serve(struct serve *serve)
{
	http_server_close(&serve->server);
	for (unsigned i = 0; i < N_PLANS; i++) {
		if (!serve->planned[i])
			continue;
		run_plan_close(&serve->plans[i]);
		sink_close(&serve->sinks[i]);
	}
	scope_free(&serve->own);
	notice_printer_free(&serve->notices);
	free(serve->wanted);
	free(serve);
}

int serve_run(const struct options *options, const struct settings *settings, struct sample_request *request,
	      struct source *source, struct worker *worker)
{
	struct serve *serve = alloc_zeroed(1, sizeof(*serve));
	struct utsname machine;
	int status;

	serve->options = options;
	serve->json_options = *options;
	serve->json_options.format = &sink_json;
	serve->settings = settings;
	serve->source = source;
	serve->worker = worker;
	serve->server.answer = answer;
	serve->server.context = serve;
	if (uname(&machine) == 0)
		snprintf(serve->host, sizeof(serve->host), "%s", machine.nodename);
	status = open_plans(serve, request);
	if (status == 0)
		status = http_server_open(&serve->server, options->listen, options->n_listen);
	if (status == 0)
		status = drop_privileges(options, settings, request, serve->wanted);
	if (status == 0)
		status = open_loop(serve);
	if (status == 0) {
		answer_until_signal(serve, request);
		status = serve->status;
		loop_close(&serve->loop);
	}
	close_serve(serve);
	return status;
}
