/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of frames that are made of answers of Prometheus, of the questions, and of the moments. */
#include "suite.h"

#include <sys/timerfd.h>

#include "core/buffer.h"
#include "fleet/prometheus_api.h"
#include "fleet/stored_fleet.h"
#include "fleet/stored_series.h"
#include "model/pipeline.h"
#include "sys/env.h"
#include "topic/topic.h"

static const struct stored_steps steps = { .first = 1000, .seconds = 15, .n = 3 };
static struct stored_series *stored;
static struct frame frame, earlier;
static struct buffer text;
static struct prometheus_answer answer;
static const char *why;

static void begin(void)
{
	stored = stored_series_open(topic_schemas(), n_topics);
	frame_open(&frame, topic_schemas(), n_topics);
	frame_open(&earlier, topic_schemas(), n_topics);
	buffer_empty(&text);
}

static void finish(void)
{
	frame_close(&frame);
	frame_close(&earlier);
	stored_series_close(stored);
	buffer_free(&text);
}

/* With ' for ", which is easier to read here. */
static void add_text(const char *more)
{
	for (; *more; more++)
		buffer_char(&text, *more == '\'' ? '"' : *more);
}

static void add_series(const char *labels, const char *values)
{
	add_text(text.length == 0 ? "{'data':{'result':[" : ",");
	add_text("{'metric':{");
	add_text(labels);
	add_text("},'values':[");
	add_text(values);
	add_text("]}");
}

/* In pieces of this many bytes. */
static int add_answer(prometheus_take *take_one, void *context, size_t piece)
{
	int error = 0;

	prometheus_answer_free(&answer);
	answer = (struct prometheus_answer){ .take = take_one, .context = context };
	for (size_t at = 0; at < text.length && !error; at += piece)
		error = prometheus_answer_add(
			&answer,
			span_of(text.bytes + at, text.length - at < piece ? text.length - at : piece), &why);
	return error ? error : prometheus_answer_end(&answer, &why);
}

static int take(void)
{
	stored_series_begin(stored, &steps);
	return add_answer(stored_series_take, stored, SIZE_MAX);
}

static void take_series(void)
{
	add_text("]}}");
	ck_assert_int_eq(take(), 0);
}

/* So many values of this step, of all machines, in the frame. */
static size_t fill(unsigned step)
{
	frame_clear(&frame);
	return stored_series_fill(stored, STORED_ALL, step, &frame);
}

static void check_number(const char *topic, const char *row, const char *column, double expected)
{
	double number = frame_table(&frame, topic) ? frame_number(&frame, topic, row, column) : NAN;

	ck_assert_msg(isnan(expected) ? isnan(number) : fabs(number - expected) < 1e-9,
		      "%s(%s).%s: %g, not %g", topic, row, column, number, expected);
}

static int take_text(const char *of)
{
	buffer_empty(&text);
	add_text(of);
	return take();
}

static const void *only_row(const char *topic)
{
	const struct table *table = frame_table(&frame, topic);

	ck_assert_ptr_nonnull(table);
	ck_assert_uint_eq(table->n_rows, 1);
	return table->rows;
}

#define TOTAL "'__name__':'panetop_memory_total_bytes','name':'mem'"
#define USED "'__name__':'panetop_memory_used_bytes','name':'mem'"

START_TEST(series_are_rows)
{
	begin();
	add_series(TOTAL ",'instance':'a'", "[1000,'1024'],[1030,'2.048e+03']");
	add_series(USED, "[1015,'7'],[1000,'NaN']");
	add_series("'__name__':'panetop_memory_used_bytes','name':'swap'", "[1015,'8']");
	add_series("'__name__':'node_memory_total_bytes'", "[1000,'1']");
	take_series();
	ck_assert_uint_eq(fill(0), 1);
	ck_assert_uint_eq(frame.wall_ns, 1000000000000);
	check_number("memory", "mem", "total_bytes", 1024);
	check_number("memory", "mem", "used_bytes", NAN);
	only_row("memory");
	ck_assert_uint_eq(fill(1), 2);
	check_number("memory", "mem", "used_bytes", 7);
	check_number("memory", "swap", "used_bytes", 8);
	check_number("memory", "mem", "total_bytes", NAN);
	ck_assert_uint_eq(fill(2), 1);
	check_number("memory", "mem", "total_bytes", 2048);
	ck_assert_ptr_null(frame_table(&frame, "cpu"));
	finish();
}

START_TEST(another_answer_adds_to_the_same_rows)
{
	begin();
	add_series(TOTAL ",'instance':'a'", "[1000,'1024']");
	take_series();
	buffer_empty(&text);
	add_series(USED ",'instance':'a'", "[1000,'7']");
	add_series(USED ",'instance':'b'", "[1000,'8']");
	add_text("]}}");
	ck_assert_int_eq(add_answer(stored_series_take, stored, 1), 0);
	ck_assert_uint_eq(stored_series_machines(stored), 2);
	ck_assert_uint_eq(stored_series_fill(stored, 0, 0, &frame), 2);
	check_number("memory", "mem", "total_bytes", 1024);
	check_number("memory", "mem", "used_bytes", 7);
	frame_clear(&frame);
	stored_series_fill(stored, 1, 0, &frame);
	check_number("memory", "mem", "used_bytes", 8);
	finish();
}

/* Bits were stored as bytes; counters have rates, and sums by command had them already. */
START_TEST(units_and_rates_are_those_of_columns)
{
	begin();
	add_series("'__name__':'panetop_interface_speed_bytes','name':'eth0'", "[1000,'-1'],[1015,'125e6']");
	add_series("'__name__':'panetop_cpu_user_seconds_total','cpu':'all'", "[1000,'100'],[1015,'103']");
	add_series("'__name__':'panetop_cpu_total_seconds_total','cpu':'all'", "[1000,'200'],[1015,'215']");
	add_series("'__name__':'panetop_process_cpu_ratio','command':'make'", "[1000,'0.5'],[1015,'0.75']");
	take_series();
	ck_assert_uint_eq(fill(0), 4);
	check_number("interface", "eth0", "speed_bits", NAN); /* there is none below 0 */
	stored_series_fill(stored, STORED_ALL, 0, &earlier);
	fill(1);
	frame_derive(&frame, &earlier);
	check_number("interface", "eth0", "speed_bits", 1e9);
	check_number("cpu", "all", "user_seconds", 103);
	check_number("cpu", "all", "user_ratio", 3 / 15.0);
	check_row(&frame, "process", "cpu_ratio=0.75 command=make command_base=make program=make name=make");
	finish();
}

START_TEST(texts_of_a_row_are_those_of_its_info)
{
	begin();
	add_series("'__name__':'panetop_disk_read_bytes_total','device':'sda'", "[1000,'5']");
	add_series("'__name__':'panetop_disk_row_info','device':'sda','kind':'Fast \\u003cone\\u003e'",
		   "[1000,'1']");
	take_series();
	fill(0);
	ck_assert_str_eq(table_text(frame_table(&frame, "disk"), only_row("disk"), "kind"), "Fast <one>");
	finish();
}

START_TEST(other_answers_are_sentences)
{
	static const char *const strange[] = {
		"", "{", "[]", "null", "{'status':'success'}", "{'data':{'result':{}}}", "<html>",
	};

	begin();
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++) {
		ck_assert_int_eq(take_text(strange[i]), -EBADMSG);
		ck_assert_str_eq(why, "the answer is not one of Prometheus");
		ck_assert_uint_eq(fill(0), 0);
	}
	ck_assert_int_eq(take_text("{'status':'error','error':'out of\\nmemory\\u001b'}"), -EBADMSG);
	ck_assert_str_eq(why, "out of memory ");
	finish();
}

START_TEST(what_is_no_value_is_left_out)
{
	begin();
	add_series(TOTAL, "[999999,'1'],[-5,'1'],['x','1'],[1000],[1000,1],[1000,'1x'],[1000,'+Inf'],7");
	add_text(",{'metric':{'__name__':7}},{'metric':[]},7,null,{'values':[[1000,'1']]}");
	add_series("'__name__':'panetop_memory_total_bytes','name':7", "[1000,'-3']");
	take_series();
	ck_assert_uint_eq(fill(0), 1); /* that of a row without a name, which is none */
	ck_assert(isnan(table_number(frame_table(&frame, "memory"), only_row("memory"), "total_bytes")));
	finish();
}

START_TEST(a_value_belongs_to_the_nearest_step)
{
	static const struct {
		const char *pair;
		int step; /* -1: none */
	} cases[] = {
		{ "[992.4,'5']", -1 },  { "[992.6,'5']", 0 },  { "[1007.4,'5']", 0 },
		{ "[1007.6,'5']", 1 },  { "[1037.4,'5']", 2 }, { "[1037.6,'5']", -1 },
		{ "['1000','5']", -1 }, { "[1000,'5 ']", -1 }, { "[1000,'']", -1 },
		{ "[1000,'nan']", -1 }, { "[1000,'0x5']", 0 }, { "[1000,'-Inf']", -1 },
		{ "[1030,'-5']", -1 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		begin();
		add_series(TOTAL, cases[c].pair);
		take_series();
		for (int step = 0; step < 3; step++) {
			fill((unsigned)step);
			check_number("memory", "mem", "total_bytes", step == cases[c].step ? 5 : NAN);
			ck_assert_uint_eq(frame.wall_ns, (1000 + 15 * (uint64_t)step) * 1000000000);
			ck_assert_uint_eq(frame.mono_ns, frame.wall_ns);
		}
		finish();
	}
}

/* Bytes come in pieces of any size. */
START_TEST(an_answer_may_come_in_pieces)
{
	for (size_t piece = 1; piece < 40; piece++) {
		begin();
		add_text(" {'status' : 'succ\\\\', ");
		add_text("'infos' : [ 'data', '\\'result\\':[', [ ] ] ,'data':{ 'result' :\n[ ");
		add_text("{'metric':{'__name__':'panetop_memory_total_bytes','name':'m]},{\\\"[e'},");
		add_text("'values':[[1000,'1024']]} , {'metric':{'__name__':'panetop_memory_total_bytes',");
		add_text("'name':'swap'},'values':[[1000,'8']]}\t] , 'result2':[ 1, {} ] } }\n");
		stored_series_begin(stored, &steps);
		ck_assert_int_eq(add_answer(stored_series_take, stored, piece), 0);
		ck_assert_uint_eq(fill(0), 2);
		check_number("memory", "m]},{\"[e", "total_bytes", 1024);
		check_number("memory", "swap", "total_bytes", 8);
		finish();
	}
}

static int count_element(void *n, const json_t *element, const char **unused)
{
	(void)element;
	(void)unused;
	++*(unsigned *)n;
	return 0;
}

/* Elements are those of the list alone, and what is between is one answer. */
START_TEST(elements_are_those_of_the_list)
{
	static const struct {
		const char *text;
		int n; /* -1: it is none */
	} cases[] = {
		{ "{'data':[]}", 0 },
		{ "{'data':['a',7,null,[1,2],{'a':[1,2]}]}", 5 },
		{ "{'data':{'result':[{},{}],'x':[1,2,3]}}", 2 },
		{ "{'x':[1,2],'data':{'y':[[1],2],'result':[1]},'z':[1,2]}", 1 },
		{ "{'data':{'result':[]},'warnings':['a','b']}", 0 },
		{ "{'data':[1,]}", -1 },        { "{'data':[,1]}", -1 },     { "{'data':[1,,1]}", -1 },
		{ "{'data':[1", -1 },           { "{'data':[1]", -1 },       { "{'data':[1]}}", -1 },
		{ "{'data':[1}]", -1 },         { "{'data':[[1},2]}", -1 },  { "{'data':[x]}", -1 },
		{ "[1,2]", -1 },                { "{'result':[1]}", -1 },    { "{'x\\'data':[1]}", -1 },
		{ "{'x':{'result':[1]}}", -1 }, { "{'data':{'data':[1]}}", -1 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++)
		for (size_t piece = 1; piece < 4; piece++) {
			unsigned n = 0;
			int error;

			buffer_empty(&text);
			add_text(cases[c].text);
			error = add_answer(count_element, &n, piece);
			ck_assert_msg(error == (cases[c].n < 0 ? -EBADMSG : 0), "%s: %d", cases[c].text,
				      error);
			ck_assert_msg(error || n == (unsigned)cases[c].n, "%s: %u", cases[c].text, n);
		}
	prometheus_answer_free(&answer);
	buffer_free(&text);
}

/* What would take too much memory ends the answer. */
START_TEST(what_is_too_long_ends_the_answer)
{
	static char many[300000];
	unsigned n = 0;
	int error = 0;

	memset(many, 'a', sizeof(many) - 1);
	begin();
	for (unsigned outside = 0; outside < 2; outside++) {
		buffer_empty(&text);
		add_text(outside ? "{'x':'" : "{'data':['");
		add_text(many);
		ck_assert_int_eq(add_answer(count_element, &n, 1000), -EMSGSIZE);
		ck_assert_str_eq(why, "the answer is too long");
	}
	stored_series_begin(stored, &steps);
	for (n = 0; n < 1000000 && !error; n++) {
		json_t *series = json_pack("{s:{s:s},s:[[i,s]]}", "metric", "__name__",
					   "panetop_memory_total_bytes", "values", 1000, "1");

		json_object_set_new(json_object_get(series, "metric"), "name", json_sprintf("%u", n));
		error = stored_series_take(stored, series, &why);
		json_decref(series);
	}
	ck_assert_int_eq(error, -EMSGSIZE);
	ck_assert_uint_gt(n, 20000);
	ck_assert_uint_gt(fill(0), 1000);
	ck_assert_uint_lt(frame_table(&frame, "memory")->n_rows, n);
	ck_assert_uint_eq(frame.n_notices, 1);
	ck_assert_str_eq(frame.notices[0].text, "Prometheus: the answer is too long");
	finish();
}

START_TEST(machines_are_told_apart_by_their_label)
{
	static const struct {
		const char *name;
		unsigned n_values, n_rows;
		double total;
	} machines[] = { { "a", 2, 1, 1 }, { "", 1, 1, 2 }, { "b", 2, 2, 8 } };

	begin();
	add_series(TOTAL ",'instance':'a'", "[1000,'1']");
	add_series(TOTAL, "[1000,'2']");
	add_series(USED ",'instance':'a'", "[1000,'4']");
	add_series(TOTAL ",'instance':'b'", "[1000,'8']");
	add_series("'__name__':'panetop_memory_total_bytes','name':'swap','instance':'b'", "[1000,'16']");
	take_series();
	ck_assert_uint_eq(stored_series_machines(stored), 3);
	for (size_t machine = 0; machine < 3; machine++) {
		ck_assert_str_eq(stored_series_machine(stored, machine), machines[machine].name);
		frame_clear(&frame);
		ck_assert_uint_eq(stored_series_fill(stored, machine, 0, &frame), machines[machine].n_values);
		ck_assert_uint_eq(frame_table(&frame, "memory")->n_rows, machines[machine].n_rows);
		ck_assert_uint_eq(frame_table(&frame, "memory")->mono_ns, frame.mono_ns);
		check_number("memory", "mem", "total_bytes", machines[machine].total);
	}
	check_number("memory", "swap", "total_bytes", 16);
	ck_assert_uint_eq(fill(0), 5);
	ck_assert_uint_eq(frame_table(&frame, "memory")->n_rows, 4);
	ck_assert_int_eq(take_text("{'data':{'result':[]}}"), 0); /* in place of what it had */
	ck_assert_uint_eq(stored_series_machines(stored), 0);
	ck_assert_uint_eq(fill(0), 0);
	finish();
}

/* The server: what it is asked, and answers, one after the other. */
static char asked[2048];
static const char *const *answers;
static int answer_error;
static unsigned n_closed;

static int give_answer(struct http_client *of, const char *url, size_t most, http_take *take_bytes,
		       void *context, const char **why_not)
{
	size_t length = strlen(asked);
	int error = 0;

	(void)of;
	ck_assert_uint_ge(most, 1 << 20);
	snprintf(asked + length, sizeof(asked) - length, "%s\n", url);
	if (!*answers) {
		*why_not = "it is gone";
		return answer_error;
	}
	for (const char *at = *answers++; *at && !error; at++)
		error = take_bytes(context, span_of(*at == '\'' ? "\"" : at, 1), why_not);
	return error;
}

static void count_closed(struct http_client *closed)
{
	(void)closed;
	n_closed++;
}

static struct http_client client = { give_answer, count_closed };
static struct prometheus_api api;

static void ask_server(const char *const *with)
{
	answers = with;
	*asked = '\0';
	n_closed = 0;
	ck_assert_int_eq(prometheus_api_open(&api, &real_clock, &client, "http://box:9090/x//"), 0);
}

static void leave_server(void)
{
	prometheus_api_close(&api);
	ck_assert_uint_eq(n_closed, 1);
}

#define MATCH \
	"panetop_%28self_sample_time_seconds%7Cbuild_info%7Cmemory_total_bytes%29%22%7D"

START_TEST(machines_of_now_are_before_those_that_were)
{
	static const char *const with[] = {
		"{'data':{'result':[{'metric':{'instance':'b'}},{'metric':{}},7,{'metric':{'instance':'a'}},"
		"{'metric':{'instance':'b'}}]}}",
		"{'data':['d','a','c',7]}",
		"{'data':{'result':[]}}", "{'data':['old']}",
		"{'data':{'result':[]}}", "{'data':[]}",
		"{'data':{}}",
		"{'data':{'result':[{'metric':{'instance':'b'}}]}}", "<html>", /* the second one may be */
		NULL,
	};
	static const struct {
		int error;
		const char *names; /* or why */
	} cases[] = {
		{ 0, "a b c d" }, { 0, "old" }, { -ENODATA, "it has no metrics of panetop" },
		{ -EBADMSG, "the answer is not one of Prometheus" }, { 0, "b" },
	};

	ask_server(with);
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct prometheus_names names = { 0 };
		const char *all = "";

		ck_assert_int_eq(prometheus_api_machines(&api, &names, &why), cases[c].error);
		for (size_t i = 0; i < names.n; i++)
			all = textf("%s%s%s", all, i > 0 ? " " : "", names.list[i]);
		ck_assert_str_eq(cases[c].error ? why : all, cases[c].names);
		prometheus_names_free(&names);
		if (c > 0)
			continue;
		ck_assert_str_eq(asked, "http://box:9090/x/api/v1/query?query=count%20by%20%28instance%29%20"
					"%28%7B__name__%3D~%22" MATCH "%29\n"
					"http://box:9090/x/api/v1/label/instance/values?match[]="
					"%7B__name__%3D~%22" MATCH "\n");
	}
	leave_server();
}

START_TEST(the_oldest_sample_is_where_time_begins)
{
	static const char *const with[] = {
		"{'data':{'result':[{'metric':{},'value':[9,'1700000000.5']}]}}",
		"{'data':{'result':[]}}",
		"{'data':{'result':[{'metric':{},'value':[9,'NaN']}]}}",
		"{'data':{'result':[{'metric':{},'value':[9,'-5']}]}}",
		"{'data':{'result':[{'metric':{},'value':[9]}]}}",
		"<html>",
		NULL,
	};

	ask_server(with);
	answer_error = -ETIMEDOUT;
	ck_assert_double_eq(prometheus_api_oldest(&api, "a\"b"), 1700000000.5);
	ck_assert_ptr_nonnull(strstr(asked, "instance%3D%22a%5C%22b%22%7D%5B15d%5D"));
	for (unsigned i = 0; i < 5; i++)
		ck_assert_double_eq(prometheus_api_oldest(&api, NULL), 0);
	ck_assert_double_eq(prometheus_api_oldest(&api, NULL), 0); /* it is gone */
	ck_assert_uint_eq(api.rests_until_ns, 0);
	leave_server();
}

START_TEST(a_machine_is_asked_for_by_its_name)
{
	static const char *const with[] = { "{'data':['a']}", "{'data':[]}", "{}", NULL };

	ask_server(with);
	ck_assert_int_eq(prometheus_api_find(&api, "a\"b\\\n", &why), 0);
	ck_assert_str_eq(
		asked,
		"http://box:9090/x/api/v1/label/instance/values?match[]=%7Binstance%3D%22a%5C%22b%5C%5C%20"
		"%22%2C__name__%3D~%22panetop_.%2B%22%7D\n");
	ck_assert_int_eq(prometheus_api_find(&api, "box", &why), -ENODATA);
	ck_assert_ptr_nonnull(strstr(why, "no metrics of panetop of 'box'"));
	ck_assert_int_eq(prometheus_api_find(&api, "box", &why), -EBADMSG);
	ck_assert_str_eq(why, "the answer is not one of Prometheus");
	leave_server();
}

/* Of a server that does not answer nothing is asked for some seconds. */
START_TEST(a_silent_server_rests)
{
	static const char *const none[] = { NULL };
	static const char *const with[] = { "{'data':['a']}", NULL };
	uint64_t begun_ns = real_mono_ns();

	ask_server(none);
	answer_error = -ETIMEDOUT;
	ck_assert_int_eq(prometheus_api_find(&api, "a", &why), -ETIMEDOUT);
	ck_assert_str_eq(why, "it is gone");
	ck_assert_uint_ge(api.rests_until_ns, begun_ns + 5000000000);
	ck_assert_uint_le(api.rests_until_ns, real_mono_ns() + 5000000000);
	*asked = '\0';
	answers = with;
	ck_assert_int_eq(prometheus_api_find(&api, "a", &why), -ETIMEDOUT);
	ck_assert_str_eq(why, "it is gone");
	ck_assert_str_eq(asked, "");
	api.rests_until_ns = begun_ns;
	ck_assert_int_eq(prometheus_api_find(&api, "a", &why), 0);
	leave_server();
	ck_assert_int_eq(prometheus_api_open(&api, &real_clock, NULL, "http://box"), -ELIBACC);
	prometheus_api_close(&api);
}

#define RANGE "http://box:9090/x/api/v1/query_range?query="
#define STEPS "&start=1000.000&end=1030.000&step=15.000\n"

START_TEST(each_selector_adds_to_a_range)
{
	static const char *const selectors[] = { "a{b}", "-._~09azAZ/:@[`{\xc3\xa9", "d", NULL };
	static const char *const with[] = {
		"{'data':{'result':[{'metric':{" TOTAL "},'values':[[1015,'1']]}]}}",
		"{'data':{'result':[{'metric':{" USED "},'values':[[1015,'2']]}]}}",
		"{'data':{'result':[{'metric':{" TOTAL ",'instance':'b'},'values':[[1015,'4']]}]}}",
		"{'data':{'result':[]}}",
		"{'status':'error','error':'too much'}",
		NULL,
	};

	begin();
	ask_server(with);
	ck_assert_int_eq(prometheus_api_range(&api, selectors, &steps, stored, &why), 0);
	ck_assert_str_eq(asked,
			 RANGE "a%7Bb%7D" STEPS
			 RANGE "-._~09azAZ%2F%3A%40%5B%60%7B%C3%A9" STEPS RANGE "d" STEPS);
	ck_assert_uint_eq(fill(1), 3);
	*asked = '\0';
	ck_assert_int_eq(prometheus_api_range(&api, selectors, &steps, stored, &why), -EBADMSG);
	ck_assert_str_eq(why, "too much");
	ck_assert_uint_eq(fill(1), 0);
	ck_assert_ptr_nonnull(strstr(asked, "query=-._~"));
	ck_assert_ptr_null(strstr(asked, "query=d&")); /* the second one has failed */
	leave_server();
	finish();
}

START_TEST(a_url_is_shown_without_its_user)
{
	static const struct {
		const char *url, *shown, *hidden;
	} cases[] = {
		{ "http://box:9090", "http://box:9090", "http://box:9090" },
		{ "http://me:pass@box/x", "http://box/x", "http://*******@box/x" },
		{ "me:p@ss/w@box", "box", "*********@box" },
		{ "https://u@box?instance=a@b", "https://box?instance=a@b", "https://*@box?instance=a@b" },
		{ "https://box?instance=a@b", "https://box?instance=a@b", "https://box?instance=a@b" },
		{ "http://@box", "http://box", "http://@box" },
		{ "", "", "" },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		char *shown = prometheus_shown_url(cases[c].url), hidden[64];

		ck_assert_str_eq(shown, cases[c].shown);
		strcpy(hidden, cases[c].url);
		prometheus_hide_user(hidden);
		ck_assert_str_eq(hidden, cases[c].hidden);
		free(shown);
	}
}

#define PAST_SECONDS (15 * 86400.0)

START_TEST(moments_are_steps_of_the_last_days)
{
	static const double seconds[] = { 1000, 0.5, 61 };

	for (unsigned i = 0; i < 3; i++) {
		double step = seconds[i],
		       now = (double)clock_wall_ns(&real_clock) / 1e9 - 5; /* what is scraped now is later */
		struct stored_axis axis;
		struct itimerspec timer;
		size_t n;

		ck_assert_int_eq(stored_axis_open(&axis, &real_clock, step, 0), 0);
		n = stored_axis_moments(&axis);
		ck_assert(fmod(axis.first, step) == 0);
		ck_assert(axis.first <= now - PAST_SECONDS + 60 && axis.first > now - PAST_SECONDS - step);
		ck_assert_uint_ge(n, (size_t)(PAST_SECONDS / step));
		ck_assert(stored_axis_time(&axis, n - 1) > now - step);
		ck_assert(stored_axis_time(&axis, n - 1) <= (double)clock_wall_ns(&real_clock) / 1e9 - 5);
		ck_assert_uint_le(axis.next, n - 2); /* some may have come meanwhile */
		ck_assert(stored_axis_time(&axis, axis.next + 1) > now - step);
		ck_assert_int_eq(timerfd_gettime(axis.timer_fd, &timer), 0);
		ck_assert_int_eq(timer.it_interval.tv_sec, (long)step);
		ck_assert_int_eq(timer.it_interval.tv_nsec, i == 1 ? 500000000 : 0);
		ck_assert(timer.it_value.tv_sec > 0 || timer.it_value.tv_nsec > 0);
		stored_axis_close(&axis);
		ck_assert_int_eq(axis.timer_fd, -1);
		stored_axis_close(&axis);
	}
}

/* Eleven so far, of which the last one was half a step ago. */
START_TEST(moments_are_found_by_time_and_index)
{
	const uint64_t step_ns = UINT64_C(1000000000000);
	struct stored_axis axis = { .clock = &real_clock, .step = 1000, .timer_fd = -1 };
	uint64_t first_ns, last_ns;
	struct source source;
	size_t n;

	axis.first = floor((double)clock_wall_ns(&real_clock) / 1e9) - 5 - 10500;
	stored_axis_give(&axis, &source);
	ck_assert(source.extent(&axis, &n, &first_ns, &last_ns));
	ck_assert_uint_eq(n, 11);
	ck_assert_uint_eq(first_ns, (uint64_t)axis.first * 1000000000);
	ck_assert_uint_eq(last_ns, first_ns + 10 * step_ns);
	ck_assert_uint_eq(source.find(&axis, 0), 0);
	ck_assert_uint_eq(source.find(&axis, first_ns - step_ns / 2), 0);
	ck_assert_uint_eq(source.find(&axis, UINT64_MAX), 10);
	for (size_t i = 0; i <= 10; i++) {
		uint64_t at_ns = first_ns + i * step_ns;

		ck_assert_double_eq(stored_axis_time(&axis, i), axis.first + 1000. * (double)i);
		ck_assert_uint_eq(stored_axis_ns(&axis, i), at_ns);
		ck_assert_uint_eq(source.find(&axis, at_ns), i);
		ck_assert_uint_eq(source.find(&axis, at_ns + step_ns - 1000000000), i);
		ck_assert_int_eq(source.seek(&axis, i), 0);
		ck_assert_uint_eq(axis.next, i);
		ck_assert_uint_eq(source.position(&axis), i > 0 ? i - 1 : 0);
	}
	ck_assert_int_eq(source.seek(&axis, 11), 0);
	ck_assert_uint_eq(axis.next, 10);
	ck_assert_int_eq(source.wait_fd(&axis), -1);
	ck_assert_int_eq(source.poll_fd, -1);
}
