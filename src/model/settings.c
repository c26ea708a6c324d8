/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all settings, and the one place where their texts become values. */
#include <config.h>

#include "model/settings.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/system.h"
#include "model/units.h"

const char *const latency_policy_names[] = { "fifo", "rr", "deadline", "other", NULL };
const char *const latency_method_names[] = { "clock_ns", "posix_ns", "itimer", "poll", "timerfd", NULL };
const char *const theme_names[] = { "dark", "light", "contrast", "warm", "terminal", NULL };
const char *const glyph_set_names[] = { "block", "braille", "ascii", NULL };

static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const yes_no[] = { "yes", "no", NULL };
static const char *const shown_hidden[] = { "shown", "hidden", NULL };
static const char *const automatic[] = { "auto", NULL };
static const char *const command_names[] = { "line", "program", "name", NULL };
static const char *const span_names[] = { "5min", "1h", "sample", NULL };
static const char *const window_names[] = { "start", "10s", "60s", "600s", NULL };
static const char *const log_linear[] = { "logarithmic", "linear", NULL };
static const char *const linear_log[] = { "linear", "logarithmic", NULL };
static const char *const axis_names[] = { "zero", "fit", NULL };
static const char *const used_names[] = {
	[USED_PROCPS] = "procps",
	[USED_TOTAL_FREE] = "total-free",
	[USED_HTOP] = "htop",
	[USED_NOT_CHOSEN] = NULL,
};
static const char *const event_names[] = {
	[CHOSEN_FORK] = "fork",     [CHOSEN_EXEC] = "exec",
	[CHOSEN_EXIT] = "exit",     [CHOSEN_CORE] = "core",
	[CHOSEN_PTRACE] = "ptrace", [CHOSEN_UID] = "uid",
	[CHOSEN_SID] = "sid",       [CHOSEN_EXITNONZERO] = "exitnonzero",
	[CHOSEN_COMM] = "comm",     [CHOSEN_CLONE] = "clone",
	[N_EVENT_CHOICES] = NULL,
};

#define FILE_NAME_MAX 64

#define USUAL_EVENTS ((1U << CHOSEN_EXITNONZERO) - 1)
#define ALL_EVENTS (((1U << N_EVENT_CHOICES) - 1) & ~(1U << CHOSEN_EXITNONZERO))

static bool is_cpu_list(const char *text)
{
	struct span list = span_text(text);
	uint32_t first, last;
	bool any = false;

	while (cpu_list_next(&list, &first, &last))
		any = true;
	return any && list.at == list.end && list.end[-1] != ',' && !strchr(text, ' ');
}

static bool is_one_event(const char *text)
{
	return *text != '\0' && !strchr(text, ',');
}

static bool is_file_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	return length > 0 && length <= FILE_NAME_MAX && text[length] == '\0';
}

/* Earlier versions wrote a letter and a colour before the word. */
static bool is_shown_or_hidden(const char *text)
{
	const char *blank = strrchr(text, ' '), *word = blank ? blank + 1 : text;

	return strcmp(word, "shown") == 0 || strcmp(word, "hidden") == 0;
}

static const char an_address[] = N_("use an address in hexadecimal digits, such as 0x7f96d3e36000");
static const char not_empty[] = N_("it must not be empty");
static const char one_event[] = N_("use the name of one event");

/* Both are of the same type, or this does not compile. */
#define FIELD(kind, member)                                                                                  \
	offsetof(struct settings, member) +                                                                  \
		0 * sizeof((kind *)NULL == &((struct settings *)NULL)->member)
#define FLAG(member) .type = SETTING_FLAG, .field = FIELD(bool, member), .choices = no_yes
#define CHOICE(member, names) .type = SETTING_CHOICE, .field = FIELD(unsigned, member), .choices = (names)
#define RANGE(kind, holds, member, low, high, default)                                                       \
	.type = kind, .field = FIELD(holds, member), .least = (low), .most = (high), .usual = (default)
#define COUNT(...) RANGE(SETTING_COUNT, uint64_t, __VA_ARGS__)
#define NUMBER(...) RANGE(SETTING_NUMBER, double, __VA_ARGS__)
#define SECONDS(...) RANGE(SETTING_SECONDS, double, __VA_ARGS__)
#define ADDRESS(member)                                                                                      \
	.type = SETTING_ADDRESS, .field = FIELD(uint64_t, member), .expected = an_address
#define TEXT(member) .type = SETTING_TEXT, .field = FIELD(const char *, member)

#define SETTING(key, ...) { .name = key, __VA_ARGS__ }

const struct setting all_settings[] = {
	/* The screen. */
	SETTING("pane", TEXT(pane)),
	SETTING("delay", SECONDS(delay_seconds, DELAY_MIN, DELAY_MAX, 1), .argument = N_("SECONDS"),
		.help = N_("time between samples (default 1)"),
		.expected = N_("use 0.05 to 86400 seconds, or a unit, as in 500ms, 1m, 1h")),
	SETTING("unit", CHOICE(unit, size_unit_names), .argument = "auto|B|KiB|MiB|GiB|percent",
		.help = N_("unit of sizes (default auto)"),
		.expected = N_("use auto, B, KiB, MiB, GiB or percent")),
	SETTING("past", SECONDS(past_seconds, 0, PAST_SECONDS_MAX, 3600), .argument = N_("DURATION"),
		.help = N_("how far back the screen can go (default 1h); 0 keeps nothing"),
		.expected = N_("use seconds, or a unit, as in 30m, 2h")),
	SETTING("past-size", .type = SETTING_BYTES, .field = FIELD(uint64_t, past_bytes),
		.least = PAST_BYTES_MIN, .most = 0x1p63, .usual = PAST_BYTES, .argument = N_("SIZE"),
		.help = N_("at most this much of the past, on the disk (default 64MiB)"),
		.expected = N_("use a number of bytes, or a unit, as in 64MiB")),
	SETTING("probe-cost", NUMBER(topic.probe.cost_percent, 0, 100000, 5), .argument = N_("PERCENT"),
		.help = N_("what a --probe-call may cost, of a CPU (default 5)"),
		.expected = N_("use a number of percent, as in 50; more than 100 is more than a CPU")),
	SETTING("theme", TEXT(theme), .valid = is_file_name,
		.argument = "dark|light|contrast|warm|terminal|NAME",
		.help = N_("colors of the screen (default by the terminal); NAME: of the file NAME.theme"),
		.expected = N_("use dark, light, contrast, warm, terminal, or a name of letters, digits, - "
			       "and _")),
	SETTING("glyphs", CHOICE(glyphs, glyph_set_names)),
	SETTING("kernel-threads", CHOICE(kernel_threads, shown_hidden)),

	SETTING("memory.used", CHOICE(memory.used, used_names), .usual = USED_NOT_CHOSEN,
		.argument = "total-free|procps|htop",
		.help = N_("definition of used: in text (default total-free) and in the graph (default "
			   "procps)"),
		.expected = N_("use total-free, procps or htop")),
	SETTING("memory.span", CHOICE(memory.span, span_names)),
	SETTING("memory.axis", CHOICE(memory.axis, axis_names)),
	SETTING("memory.numa-maps", FLAG(memory.numa_maps),
		.help = N_("count the pages of the processes of --pid by NUMA node, where a sample is "
			   "usual")),

	SETTING("cpu.idle", FLAG(cpu.idle), .help = N_("show idle processes, too")),
	SETTING("cpu.threads", FLAG(cpu.threads), .help = N_("show CPU use by thread")),
	SETTING("cpu.threshold", NUMBER(cpu.threshold, -INFINITY, 1e6, NAN), .argument = N_("PERCENT"),
		.help = N_("only processes that used at least this much of a CPU"),
		.expected = N_("use a percentage, such as 5")),
	SETTING("cpu.per-machine", FLAG(cpu.per_machine),
		.help = /* xgettext:no-c-format */ N_("100 % is the whole machine, not one CPU")),
	SETTING("cpu.distribution", FLAG(cpu.distribution), .help = N_("show the distribution of CPU use")),
	SETTING("cpu.totals", FLAG(cpu.totals),
		.help = N_("show the mean use of each process over the run, including exited ones")),
	SETTING("cpu.hide-self", FLAG(cpu.hide_self), .help = N_("hide panetop itself")),
	SETTING("cpu.calibration", .type = SETTING_FIT, .field = FIELD(struct power_fit, topic.fit),
		.argument = N_("FILE"),
		.help = N_("estimate watts of processes from the output of --calibrate -o json"),
		.expected = not_empty),
	SETTING("cpu.perf", TEXT(topic.counters), .argument = "auto|EVENT[,...]",
		.help = N_("count these libpfm4 events on every CPU, or with --pid in processes"),
		.expected = not_empty),
	SETTING("cpu.tree", FLAG(cpu.tree)),
	SETTING("cpu.graph", FLAG(cpu.graph)),
	SETTING("cpu.command", CHOICE(cpu.command.shown, command_names)),
	SETTING("cpu.directories", CHOICE(cpu.command.directories, yes_no)),

	SETTING("groups.list", FLAG(groups.list)),

	SETTING("events.events", .type = SETTING_SET, .field = FIELD(unsigned, topic.event.kinds),
		.most = ALL_EVENTS, .usual = USUAL_EVENTS, .choices = event_names,
		.argument = "fork,exec,exit,exitnonzero,core,comm,clone,ptrace,uid,sid|all",
		.help = N_("only these kinds of events"),
		.expected = N_("use fork, exec, exit, exitnonzero, core, comm, clone, ptrace, uid, sid, or "
			       "all")),
	SETTING("events.group", COUNT(topic.event.group, 1, INT32_MAX, 0), .argument = N_("PGID"),
		.help = N_("only processes of this process group"),
		.expected = N_("use the number of a process group")),
	SETTING("events.statistics", FLAG(events.statistics),
		.help = N_("print sums by command and parent, and lifetimes, at the end")),
	SETTING("events.real-time", FLAG(topic.event.real_time),
		.help = N_("read events with real-time priority")),
	SETTING("events.command", CHOICE(events.command.shown, command_names)),
	SETTING("events.directories", CHOICE(events.command.directories, yes_no)),

	SETTING("power.settle", SECONDS(power.settle_seconds, 0, 86400, 0), .choices = automatic,
		.argument = "auto|SECONDS",
		.help = N_("wait before the first sample; auto: 180 s if a battery is measured, else none"),
		.expected = N_("use seconds, or a unit, as in 3m, or auto")),
	SETTING("power.idle-least", NUMBER(power.least_idle, 0, 100, NAN), .argument = N_("PERCENT"),
		.help = N_("repeat samples in which the CPUs were less idle than this"),
		.expected = N_("use a number of percent")),
	SETTING("power.calibrate", FLAG(power.calibrate),
		.help = N_("measure what CPU load costs in watts, print the result, and exit")),
	SETTING("power.per-count", FLAG(power.per_count),
		.help = N_("calibrate with 1, 2 ... all CPUs loaded")),
	SETTING("power.step-seconds", SECONDS(power.step_seconds, 0.2, 3600, 5), .argument = N_("SECONDS"),
		.help = N_("duration of each calibration step (default 5)"),
		.expected = N_("use 0.2 to 3600 seconds, or a unit, as in 1m")),
	SETTING("power.cycles", TEXT(power.cycles), .valid = is_one_event, .argument = N_("EVENT"),
		.help = N_("libpfm4 event that a calibration counts as cycles"), .expected = one_event),
	SETTING("power.instructions", TEXT(power.instructions), .valid = is_one_event,
		.argument = N_("EVENT"),
		.help = N_("libpfm4 event that a calibration counts as instructions"), .expected = one_event),
	SETTING("power.no-forks", FLAG(power.no_forks),
		.help = N_("repeat samples in which processes were started")),
	SETTING("power.span", CHOICE(power.span, span_names)),
	SETTING("power.line.", .type = SETTING_EACH, .choices = shown_hidden, .valid = is_shown_or_hidden),

	SETTING("profile.rate", COUNT(topic.profile.rate, 1, 10000, 97), .argument = N_("HZ"),
		.help = N_("samples a second of each busy CPU (default 97); an even rate may keep step with "
			   "what it samples"),
		.expected = N_("use 1 to 10000")),

	SETTING("latency.period", SECONDS(topic.latency.period_seconds, 49.9999e-6, 1, 1e-3),
		.argument = N_("SECONDS"), .help = N_("time between wake-ups (default 1ms)"),
		.expected = N_("use 50us to 1s: 0.001, 1e-3 or 1ms")),
	SETTING("latency.policy", CHOICE(topic.latency.policy, latency_policy_names),
		.argument = "fifo|rr|deadline|other",
		.help = N_("scheduling policy of the threads (default fifo)"),
		.expected = N_("use fifo, rr, deadline or other")),
	SETTING("latency.priority", COUNT(topic.latency.priority, 1, 99, 80), .argument = N_("N"),
		.help = N_("real-time priority of fifo and rr (default 80)"), .expected = N_("use 1 to 99")),
	SETTING("latency.method", CHOICE(topic.latency.method, latency_method_names),
		.argument = "clock_ns|posix_ns|itimer|poll|timerfd",
		.help = N_("how the threads wait (default clock_ns)"),
		.expected = N_("use clock_ns, posix_ns, itimer, poll or timerfd")),
	SETTING("latency.cpus", TEXT(topic.latency.cpus), .valid = is_cpu_list,
		.argument = N_("CPU[-CPU][,...]"),
		.help = N_("measure on these CPUs (default: all that panetop may use)"),
		.expected = N_("use numbers as in 0,2-3")),
	SETTING("latency.slack", SECONDS(topic.latency.slack_seconds, 1e-9, 1, 1e-9),
		.argument = N_("SECONDS"), .help = N_("timer slack of the policy other (default 1ns)"),
		.expected = N_("use 1ns to 1s")),
	SETTING("latency.bucket", SECONDS(topic.latency.bucket_seconds, 1e-9, 1, 0),
		.argument = N_("SECONDS"), .help = N_("also print the distribution in buckets of this width"),
		.expected = N_("use 1ns to 1s: 1e-6 or 1us")),
	SETTING("latency.duration", SECONDS(topic.latency.duration_seconds, 1e-3, 1e8, 0),
		.argument = N_("SECONDS"), .help = N_("stop measuring after this time"),
		.expected = N_("use seconds from 0.001 to 1e8")),
	SETTING("latency.samples", COUNT(topic.latency.samples, 1, UINT32_MAX, 0), .argument = N_("N"),
		.help = N_("stop measuring after N wake-ups on each CPU"),
		.expected = N_("use a whole number from 1")),
	SETTING("latency.cpu-dma-latency", FLAG(topic.latency.cpu_dma_latency),
		.help = N_("keep the CPUs out of deep idle states meanwhile")),
	SETTING("latency.window", CHOICE(latency.window, window_names)),
	SETTING("latency.times", CHOICE(latency.times, log_linear)),
	SETTING("latency.counts", CHOICE(latency.counts, linear_log)),

	SETTING("pages.cells", COUNT(topic.map.cells, 1, 1000000, 1024), .argument = N_("N"),
		.help = N_("size of the map in the table cell: at most N cells (default 1024)"),
		.expected = N_("use a whole number from 1 to 1000000")),
	SETTING("pages.from", ADDRESS(topic.map.from), .argument = N_("ADDRESS"),
		.help = N_("map only from this address on; the page that -t page and page_bytes show")),
	SETTING("pages.to", ADDRESS(topic.map.to), .argument = N_("ADDRESS"),
		.help = N_("map only below this address")),
	SETTING("pages.shares", FLAG(topic.map.shares),
		.help = N_("show proportional set size (PSS), which is slow to read")),
	{ .name = "pages.touched-window",
	  SECONDS(pages.touched_window_seconds, 0.2, 86400, 30),
	  .argument = N_("SECONDS"),
	  .help = N_("on the screen, the window in which touched memory is measured (default 30); in "
		     "batch it is the delay"),
	  .expected = N_("use 0.2 to 86400 seconds, or a unit, as in 2m") },
};

const unsigned n_all_settings = sizeof(all_settings) / sizeof(all_settings[0]);

const struct setting *setting_find(const char *name)
{
	for (unsigned i = 0; i < n_all_settings; i++) {
		const struct setting *setting = &all_settings[i];
		size_t length = strlen(setting->name);

		if (setting->type == SETTING_EACH ? strncmp(name, setting->name, length) == 0 && name[length]
						  : strcmp(name, setting->name) == 0)
			return setting;
	}
	return NULL;
}

bool setting_is_option_of(const struct setting *setting, const char *pane)
{
	size_t length = strlen(pane);

	return setting->help && strncmp(setting->name, pane, length) == 0 && setting->name[length] == '.';
}

const char *setting_option(const struct setting *setting)
{
	const char *dot = strchr(setting->name, '.');

	return dot ? dot + 1 : setting->name;
}

void setting_write_expected(const struct setting *setting, struct buffer *out)
{
	if (setting->expected) {
		buffer_text(out, _(setting->expected));
		return;
	}
	for (const char *const *choice = setting->choices; choice && *choice; choice++)
		buffer_print(out, "%s%s", choice == setting->choices ? _("use one of: ") : ", ", *choice);
}

/* -1: it is none of them. */
static int index_of(const char *const *choices, struct span word)
{
	for (int i = 0; choices && choices[i]; i++)
		if (span_is(word, choices[i]))
			return i;
	return -1;
}

static bool parse_set(const struct setting *setting, const char *text, unsigned *bits)
{
	struct span rest = span_text(text), word;

	*bits = 0;
	while (span_item(&rest, &word)) {
		int index = index_of(setting->choices, word);

		if (index < 0 && !span_is(word, "all"))
			return false;
		*bits |= index < 0 ? (unsigned)setting->most : 1U << index;
	}
	return *bits != 0;
}

static bool parse_number(const struct setting *setting, const char *text, double *number)
{
	struct span span = span_text(text);

	return *text != ' ' && span_f64(&span, number) && span.at == span.end && *number >= setting->least &&
	       *number <= setting->most;
}

static bool parse_address(const char *text, uint64_t *address)
{
	struct span span = span_text(text);

	if (span_starts(span, "0x"))
		span.at += 2;
	return *text != ' ' && *span.at != ' ' && span_hex(&span, address) && span.at == span.end;
}

/* What a field may hold; a text is kept by its line. */
union value {
	bool flag;
	unsigned choice;
	uint64_t whole;
	double number;
	const char *text;
	struct power_fit fit;
};

static bool parse(const struct setting *setting, const char *text, union value *value)
{
	int index = index_of(setting->choices, span_text(text));

	switch (setting->type) {
	case SETTING_FLAG:
		value->flag = index > 0;
		return index >= 0;
	case SETTING_CHOICE:
		value->choice = (unsigned)index;
		return index >= 0;
	case SETTING_SET:
		return parse_set(setting, text, &value->choice);
	case SETTING_COUNT:
		return span_whole_number(text, (uint64_t)setting->least, (uint64_t)setting->most,
					 &value->whole);
	case SETTING_NUMBER:
		return parse_number(setting, text, &value->number);
	case SETTING_SECONDS:
		value->number = NAN; /* of a word */
		return index >= 0 || span_whole_seconds(text, setting->least, setting->most, &value->number);
	case SETTING_BYTES:
		return span_whole_bytes(text, (uint64_t)setting->least, (uint64_t)setting->most,
					&value->whole);
	case SETTING_ADDRESS:
		return parse_address(text, &value->whole);
	case SETTING_FIT:
		return power_fit_parse(&value->fit, span_text(text));
	case SETTING_TEXT:
	case SETTING_EACH:
		break;
	}
	return setting->valid ? setting->valid(text) : *text != '\0';
}

bool setting_accepts(const struct setting *setting, const char *text)
{
	union value value;

	return parse(setting, text, &value);
}

static union value usual_value(const struct setting *setting)
{
	union value value;

	memset(&value, 0, sizeof(value));
	if (setting->type == SETTING_NUMBER || setting->type == SETTING_SECONDS)
		value.number = setting->usual;
	if (setting->type == SETTING_CHOICE || setting->type == SETTING_SET)
		value.choice = (unsigned)setting->usual;
	if (setting->type == SETTING_COUNT || setting->type == SETTING_BYTES)
		value.whole = (uint64_t)setting->usual;
	return value;
}

static void store(struct settings *settings, const struct setting *setting, const union value *value)
{
	static const size_t sizes[] = {
		[SETTING_FLAG] = sizeof(bool),         [SETTING_CHOICE] = sizeof(unsigned),
		[SETTING_SET] = sizeof(unsigned),      [SETTING_COUNT] = sizeof(uint64_t),
		[SETTING_NUMBER] = sizeof(double),     [SETTING_SECONDS] = sizeof(double),
		[SETTING_BYTES] = sizeof(uint64_t),    [SETTING_ADDRESS] = sizeof(uint64_t),
		[SETTING_TEXT] = sizeof(const char *), [SETTING_FIT] = sizeof(struct power_fit),
		[SETTING_EACH] = 0,
	};

	memcpy((char *)settings + setting->field, value, sizes[setting->type]);
}

void settings_open(struct settings *settings)
{
	*settings = (struct settings){ 0 };
	for (unsigned i = 0; i < n_all_settings; i++) {
		const union value usual = usual_value(&all_settings[i]);

		store(settings, &all_settings[i], &usual);
	}
}

void settings_close(struct settings *settings)
{
	config_lines_free(&settings->lines);
	settings_open(settings);
}

bool settings_set(struct settings *settings, const char *name, const char *text, size_t number)
{
	const struct setting *setting = setting_find(name);
	union value value;

	if (!text && setting)
		value = usual_value(setting);
	else if (setting && !parse(setting, text, &value))
		return false;
	config_lines_set(&settings->lines, name, text, number);
	if (setting && setting->type == SETTING_TEXT)
		value.text = settings_text(settings, name);
	if (setting)
		store(settings, setting, &value);
	return true;
}

const char *settings_text(const struct settings *settings, const char *name)
{
	return config_lines_get(&settings->lines, name);
}

bool settings_has(const struct settings *settings, const char *name)
{
	const struct setting *setting = setting_find(name);
	const char *text = settings_text(settings, name);

	return text && !(setting && setting->type == SETTING_FLAG && strcmp(text, no_yes[0]) == 0);
}

double graph_span_seconds(enum graph_span span)
{
	return span == SPAN_5_MIN ? 300 : span == SPAN_1_H ? 3600 : 0;
}

bool sample_request_add(struct sample_request *request, const struct schema *schema, unsigned long columns)
{
	unsigned i = 0;
	bool new;

	if (columns == 0)
		return false;
	while (i < request->n_shown && request->shown[i].schema != schema)
		i++;
	if (i == REQUESTED_SCHEMAS_MAX)
		return false;
	if (i == request->n_shown) {
		request->shown[request->n_shown++].schema = schema;
		request->shown[i].columns = 0;
	}
	new = columns & ~request->shown[i].columns;
	request->shown[i].columns |= columns;
	return new;
}

static unsigned long columns_of(const struct sample_request *request, const struct schema *schema)
{
	for (unsigned i = 0; i < request->n_shown; i++)
		if (request->shown[i].schema == schema)
			return request->shown[i].columns;
	return 0;
}

bool sample_request_wants(const struct sample_request *request, const struct schema *schema, unsigned number)
{
	return columns_of(request, schema) >> number & 1;
}

bool sample_request_wants_any(const struct sample_request *request, const struct schema *schema)
{
	return columns_of(request, schema) != 0;
}

int sample_request_probe(struct sample_request *request, const char *text, uint32_t pid)
{
	unsigned number = 0;
	int place = -1;

	if (strlen(text) >= PROBE_CALL_TEXT_MAX)
		return -1;
	for (int i = 0; i < PROBE_CALLS_MAX; i++) {
		const struct probe_call *call = &request->probe_calls[i];

		if (*call->text && call->pid == pid && strcmp(call->text, text) == 0)
			return i;
		if (!*call->text && place < 0)
			place = i;
		number = call->number > number ? call->number : number;
	}
	if (place < 0)
		return -1;
	request->probe_calls[place] = (struct probe_call){ .pid = pid, .number = number + 1 };
	memcpy(request->probe_calls[place].text, text, strlen(text) + 1);
	return place;
}
