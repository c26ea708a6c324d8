/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that every pane shares: names, help, and what they set; --help and --version. */
#include <config.h>

#include "app/options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/recordings.h"
#include "core/buffer.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/span.h"
#include "core/utf8.h"
#include "core/vector.h"
#include "fleet/fleet.h"
#include "fleet/prometheus_api.h"
#include "pane/panes.h"
#include "topic/probe/probe_code.h"

#define HELP_COLUMN 28
#define HELP_WIDTH 100
#define RECORD_SIZE_MIN ((uint64_t)1 << 20)

static bool set_format(struct options *options, const char *value)
{
	options->format = sink_format_find(value);
	return options->format != NULL;
}

static bool set_color(struct options *options, const char *value)
{
	static const char *const names[] = {
		[WHEN_AUTO] = "auto",
		[WHEN_ALWAYS] = "always",
		[WHEN_NEVER] = "never",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			options->color = (enum when)i;
			return true;
		}
	}
	return false;
}

static bool set_in(struct options *options, const char *value)
{
	if (options->n_in == SCOPE_TERMS_MAX)
		return false;
	options->in[options->n_in++] = value;
	return true;
}

static bool set_trace(struct options *options, const char *value)
{
	if (options->n_traces == TRACE_SPECS_MAX)
		return false;
	options->traces[options->n_traces++] = value;
	return true;
}

/* What Prometheus stored is read as a recording. */
static bool set_prometheus(struct options *options, const char *url)
{
	const char *host = strncmp(url, "http://", 7) == 0    ? url + 7
			   : strncmp(url, "https://", 8) == 0 ? url + 8
							      : NULL;
	const char *machine = strstr(url, PROMETHEUS_INSTANCE), *end = machine ? machine : strchr(url, '\0');
	size_t length = host ? strcspn(host, "/#?") : 0;

	options->is_stored = true;
	options->replay = url;
	if (!host || host + length > end || memchr(host + length, '@', (size_t)(end - host) - length))
		return false; /* of a password that is not encoded a part would be taken for the host */
	return machine ? machine[strlen(PROMETHEUS_INSTANCE)] != '\0' : !strchr(url, '?');
}

/* "ssh:" and hosts, or "prometheus:" and a URL. */
static bool set_source(struct options *options, const char *value)
{
	struct span rest = span_text(value), host;
	bool good = !options->source && span_starts(rest, SOURCE_SSH);

	if (!options->replay && !options->source && span_starts(rest, SOURCE_PROMETHEUS))
		return set_prometheus(options, value + strlen(SOURCE_PROMETHEUS));
	options->source = value;
	rest.at += good ? strlen(SOURCE_SSH) : 0;
	while (good && span_item(&rest, &host))
		good = ssh_host_is_valid(host) && options->n_hosts++ < FLEET_MEMBERS_MAX;
	return good && options->n_hosts > 0;
}

/* A file whose name has a comma is that file. */
static bool set_replay(struct options *options, const char *value)
{
	struct span rest = span_text(value), file;

	if (options->is_stored)
		return false;
	options->replay = value;
	options->n_hosts = 0;
	if (!strchr(value, ',') || access(value, F_OK) == 0)
		return *value != '\0';
	while (span_item(&rest, &file))
		if (span_length(file) == 0 || span_is(file, "-") || options->n_hosts++ == FLEET_MEMBERS_MAX)
			return false;
	return options->n_hosts > 0;
}

/* It is printed, unless the recording has standard output. */
static bool set_table(struct options *options, const char *value)
{
	if (options->n_tables == OPTIONS_TABLES_MAX)
		return false;
	options->tables[options->n_tables++] = value;
	return true;
}

static bool set_probe_call(struct options *options, const char *value)
{
	struct probe_name name;

	if (options->n_probe_calls == PROBE_CALLS_MAX || strlen(value) >= PROBE_CALL_TEXT_MAX ||
	    !probe_name_parse(&name, span_text(value)))
		return false;
	for (unsigned i = 0; i < options->n_probe_calls; i++)
		if (strcmp(options->probe_calls[i], value) == 0)
			return true;
	options->probe_calls[options->n_probe_calls++] = value;
	return true;
}

static bool set_when(struct options *options, const char *value)
{
	*VECTOR_ADD(options->rules, options->n_rules, options->rules_capacity) =
		(struct option_rule){ .when = value };
	return *value != '\0';
}

/* Of the rule before it. */
static bool set_run(struct options *options, const char *value)
{
	struct option_rule *last = options->n_rules > 0 ? &options->rules[options->n_rules - 1] : NULL;

	if (!last || last->run)
		return false;
	last->run = value;
	return *value != '\0';
}

bool options_start_commands(const struct options *options)
{
	bool any = options->command || options->rules_directory;

	for (size_t i = 0; i < options->n_rules; i++)
		any |= options->rules[i].run != NULL;
	return any;
}

static bool set_record_size(struct options *options, const char *value)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	struct span span = span_text(value);
	uint64_t number;

	if (*value == ' ' || !span_u64(&span, &number))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		bool named = span_is(span, units[i]) || (span_length(span) == 1 && *span.at == *units[i]);

		if (named && number > UINT64_MAX >> 10 * (i + 1))
			return false;
		if (named) {
			number <<= 10 * (i + 1);
			span.at = span.end;
		}
	}
	options->record_size = number;
	return span.at == span.end && number >= RECORD_SIZE_MIN;
}

static bool set_record_age(struct options *options, const char *value)
{
	return span_whole_seconds(value, 1, 1e9, &options->record_seconds);
}

static bool check_at(struct options *options, const char *value)
{
	(void)options;
	return moment_is_valid(value);
}

/* Standard output is none. */
static bool check_file(struct options *options, const char *value)
{
	(void)options;
	return *value != '\0' && strcmp(value, "-") != 0;
}

static bool check_between(struct options *options, const char *value)
{
	const char *comma = strchr(value, ',');
	char first[CLOCK_TEXT_MAX];

	(void)options;
	if (!comma || (size_t)(comma - value) >= sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(comma - value), value);
	return moment_is_valid(first) && moment_is_valid(comma + 1);
}

static bool set_listen(struct options *options, const char *value)
{
	return options->n_listen < OPTIONS_LISTEN_MAX &&
	       listen_address_parse(&options->listen[options->n_listen++], value);
}

static bool set_ascii(struct options *options, const char *value)
{
	(void)value;
	i18n_keep_to_ascii();
	return options->ascii = true;
}

#define FLAG(field) .flag = offsetof(struct options, field)
#define TEXT(field) .text = offsetof(struct options, field)
#define NUMBER(field, from, to) .number = offsetof(struct options, field), .least = (from), .most = (to)

const struct option_entry option_entries[] = {
	{ 'b', "batch", NULL, N_("print samples to standard output instead of a screen"), FLAG(batch),
	  .implies = IMPLIES_PRINT, .uses = WITH_ALL },
	{ 'o', "output", "text|csv|json|openmetrics|prometheus|folded|pprof",
	  N_("output format (default text); implies --batch"), .set = set_format,
	  .expected = N_("use text, csv, json, openmetrics, prometheus, folded or pprof"),
	  .implies = IMPLIES_PRINT, .uses = WITH_ALL },
	{ 'd', "delay", .uses = WITH_PROBE },
	{ 'n', "count", N_("N"), N_("stop after N samples"), NUMBER(count, 1, UINT32_MAX),
	  .expected = N_("use a whole number from 1 to 4294967295"), .uses = WITH_PROBE },
	{ 0, "in", N_("SCOPE"),
	  N_("only what is in pid=LIST, tree=PID, user=NAME, cgroup=PATH, service=NAME or container=NAME|ID"),
	  .set = set_in, .expected = N_("there are too many") },
	{ 'p', "pid", N_("PID|NAME[,...]"), N_("only these processes; the one that the pane pages maps"),
	  TEXT(pid) },
	{ 'u', "user", N_("NAME|UID[,...]"), N_("only processes of these users"), TEXT(user) },
	{ 0, "tree", N_("PID"), N_("only this process and its descendants"), TEXT(tree) },
	{ 0, "cgroup", N_("CGROUP"), N_("only processes in this control group or below it"), TEXT(cgroup) },
	{ 'f', "filter", N_("REGEX"), N_("only rows with a matching text column"), TEXT(filter) },
	{ 's', "sort", N_("[+]COLUMN"), N_("sort by this column, largest first; with + smallest first"),
	  TEXT(sort) },
	{ 'c', "columns", N_("COLUMN[,...]"), N_("columns to show, by key or heading"), TEXT(columns) },
	{ 't', "table", N_("TOPIC"), N_("print only this table; may be repeated; implies --batch"),
	  .set = set_table, .expected = N_("there are too many"), .implies = IMPLIES_BATCH,
	  .uses = WITH_DESCRIBE | WITH_PROBE },
	{ 'l', "limit", N_("N"), N_("at most N rows of each table"), NUMBER(limit, 0, UINT32_MAX),
	  .expected = N_("use a whole number from 0 to 4294967295") },
	{ 0, "top", N_("N"), N_("metrics: at most N commands of each table, the costliest (default 20)"),
	  NUMBER(top, 0, TOP_MAX), .expected = N_("use a whole number from 0 to 1000") },
	{ 0, "arguments", NULL, N_("metrics: whole command lines, which may hold secrets"), FLAG(arguments) },
	{ 0, "no-arguments", NULL, N_("print and record commands as names, without their arguments"),
	  FLAG(no_arguments) },
	{ 0, "unit", .uses = WITH_ALL },
	{ 0, "root", N_("DIR"), N_("read DIR/proc and DIR/sys instead of /proc and /sys"), TEXT(root),
	  .uses = WITH_PROBE | WITH_CALIBRATION },
	{ 0, "write", N_("FILE"), N_("replace FILE by each sample, as a whole; implies --batch"), TEXT(write),
	  .set = check_file, .expected = N_("use the name of a file"), .implies = IMPLIES_PRINT },
	{ 0, "listen", N_("ADDRESS"),
	  N_("serve metrics and JSON over HTTP on ADDRESS:PORT, PORT, unix:PATH or systemd; may be repeated"),
	  .set = set_listen,
	  .expected = N_("use 127.0.0.1:9799, [::1]:9799, unix:PATH or systemd, at most 8 times"),
	  .implies = IMPLIES_PRINT },
	{ 0, "record", N_("FILE"),
	  N_("write a recording (a directory: in parts; - for standard output); implies --batch"),
	  TEXT(record), .implies = IMPLIES_BATCH },
	{ 0, "record-size", N_("SIZE"), N_("keep at most this much of the recording: oldest samples go"),
	  .set = set_record_size, .expected = N_("use a size of 1 MiB or more, as in 64MiB, 10GiB") },
	{ 0, "record-age", N_("DURATION"), N_("drop samples of the recording that are older"),
	  .set = set_record_age, .expected = N_("use at least a second, as in 90m, 24h, 7d") },
	{ 0, "replay", N_("FILE"),
	  N_("show a recording (- for standard input), or several with commas between them on one time axis"),
	  .set = set_replay,
	  .expected = N_("use a file, or several with commas between them, none of which is -") },
	{ 0, "source", "ssh:HOST[,...]",
	  N_("show other machines, on which ssh starts panetop; the pane fleet has a row for each of "
	     "several; or prometheus:URL[?instance=NAME], those that Prometheus stored, or one of them"),
	  .set = set_source,
	  .expected = N_("use ssh:HOST[,HOST...], at most 64; a HOST has no blanks and no - in front; or "
	     "prometheus:URL[?instance=NAME], with http or https") },
	{ 0, "at", N_("TIME"), N_("open the recording at this time; with --batch print that sample"),
	  TEXT(at), .set = check_at,
	  .expected = N_("use 12:03, 12:03:07, 2026-11-22T12:03:07, or -5m before the end") },
	{ 0, "between", N_("TIME,TIME"), N_("the difference of two samples of a recording; implies --batch"),
	  TEXT(between), .set = check_between,
	  .expected = N_("use two times, the earlier one first, as in 12:03,12:05 or -5m,-0"),
	  .implies = IMPLIES_PRINT },
	{ 0, "against", N_("FILE"),
	  N_("the difference of two recordings, FILE less that of --replay; implies --batch"), TEXT(against),
	  .implies = IMPLIES_PRINT },
	{ 0, "report", N_("FILE"),
	  N_("write a page about a recording for others to read, FILE.html, and end; implies --batch"),
	  TEXT(report), .set = check_file, .expected = N_("use the name of a new file, as in page.html"),
	  .implies = IMPLIES_BATCH },
	{ 0, "report-names", NULL,
	  N_("the page has command lines, users and addresses, also that of the key S"), FLAG(report_names) },
	{ 0, "past", .uses = WITH_ALL },
	{ 0, "past-size", .uses = WITH_ALL },
	{ 0, "trace", N_("SPEC"),
	  N_("count at a tracepoint: GROUP:EVENT [by KEY[,...]] [sum(FIELD)] [max(FIELD)] [hist(FIELD)] [if "
	     "FIELD > 8 [and ...]]; may be repeated"), .set = set_trace,
	  .expected = N_("there are at most 8") },
	{ 0, "when", N_("RULE"),
	  N_("watch for this: CONDITION [for 30s] [until CONDITION] [at most once per 5min]"),
	  .set = set_when },
	{ 0, "run", N_("COMMAND"),
	  N_("what the --when before it starts: a program and its arguments, not a line of a shell"),
	  .set = set_run, .expected = N_("one command, which is not empty, follows each --when") },
	{ 0, "save-on-fire", N_("DIR"),
	  N_("of rules without a pane: save the past into DIR whenever one fires"), TEXT(save_on_fire) },
	{ 0, "probe-call", N_("FILE:FUNCTION"),
	  N_("count and time the calls of a function: a path, or the name of a file that processes have "
	     "mapped"), .set = set_probe_call,
	  .expected = N_("use FILE:FUNCTION or FILE:PROVIDER:PROBE, at most 8 times") },
	{ 0, "probe-cost" },
	{ 0, "assert", N_("CONDITION[,...]"), N_("exit with status 3 unless all hold in the last sample"),
	  TEXT(assertion), .implies = IMPLIES_BATCH },
	{ 0, "read-only", NULL, N_("never signal or change a process, never drop caches"), FLAG(read_only),
	  .uses = WITH_ALL },
	{ 0, "no-bpf", NULL, N_("do without BPF: times and causes that only the kernel counts are unknown"),
	  FLAG(no_bpf), .uses = WITH_ALL },
	{ 0, "describe", NULL, N_("list all topics and columns with unit, help and source"), FLAG(describe),
	  .implies = IMPLIES_BATCH, .uses = WITH_DESCRIBE },
	{ 0, "probe", NULL, N_("check which sources work here, and what to do about the others"), FLAG(probe),
	  .implies = IMPLIES_BATCH, .uses = WITH_PROBE },
	{ 0, "color", "auto|always|never", N_("use colors (default auto)"), .set = set_color,
	  .expected = N_("use auto, always or never"), .uses = WITH_ALL },
	{ 0, "theme", .uses = WITH_ALL },
	{ 0, "ascii", NULL, N_("draw with ASCII characters only"), .set = set_ascii, .uses = WITH_ALL },
};

const unsigned n_option_entries = sizeof(option_entries) / sizeof(option_entries[0]);

bool option_take(const struct option_entry *entry, struct options *options, const char *value)
{
	char *all = (char *)options;
	uint64_t number;

	options->batch |= entry->implies != 0;
	options->print |= entry->implies == IMPLIES_PRINT;
	if (entry->flag)
		*(bool *)(all + entry->flag) = true;
	if (entry->text)
		*(const char **)(all + entry->text) = value;
	if (entry->number) {
		if (!span_whole_number(value, entry->least, entry->most, &number))
			return false;
		*(size_t *)(all + entry->number) = (size_t)number;
	}
	return entry->set ? entry->set(options, value) : !entry->text || *value != '\0';
}

static void print_entry(char letter, const char *name, const char *argument, const char *help)
{
	struct buffer lines = { 0 };
	char text[TEXT_MAX];
	int cells;

	snprintf(text, sizeof(text), "  %c%c%s--%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
		 letter ? ", " : "  ", name, argument ? "=" : "", argument ? argument : "");
	cells = utf8_cells(text, false);
	buffer_text(&lines, text);
	if (cells >= HELP_COLUMN)
		buffer_print(&lines, "\n%*s", HELP_COLUMN, "");
	else
		buffer_fill(&lines, ' ', (size_t)(HELP_COLUMN - cells));
	utf8_wrapped(&lines, help, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH, false);
	printf("%.*s\n", (int)lines.length, lines.bytes);
	buffer_free(&lines);
}

static void print_setting(char letter, const struct setting *setting)
{
	print_entry(letter, setting_option(setting), setting->argument ? _(setting->argument) : NULL,
		    _(setting->help));
}

static void print_pane_options(void)
{
	for (unsigned p = 0; p < n_panes; p++) {
		bool any = false;

		for (unsigned i = 0; i < n_all_settings; i++) {
			if (!setting_is_option_of(&all_settings[i], panes[p]->name))
				continue;
			if (!any) {
				printf("\n");
				printf(_("Options of the pane %s:"), panes[p]->name);
				printf("\n");
			}
			any = true;
			print_setting(0, &all_settings[i]);
		}
	}
}

static const char *const examples[] = {
	"panetop",
	"panetop -b -n 1 --unit=MiB memory",
	"panetop -o json -d 5 memory | jq .tables.memory",
	"panetop -d 5 --record=day.recording",
	"panetop --replay=day.recording --at=14:30",
};

void print_help(void)
{
	printf(_("Usage: %s [OPTION]... [PANE]... [-- COMMAND...]\n"), PACKAGE);
	printf("%s\n", _("Show what this machine is doing, on the screen or with -b on standard output."));
	printf("\n%s\n", _("Panes (any unique prefix works):"));
	for (unsigned i = 0; i < n_panes; i++)
		printf("  %-10s %s\n", panes[i]->name, _(panes[i]->question));
	printf("\n%s\n", _("Options:"));
	for (unsigned i = 0; i < n_option_entries; i++) {
		const struct option_entry *entry = &option_entries[i];

		if (entry->help)
			print_entry(entry->letter, entry->name, entry->argument ? _(entry->argument) : NULL,
				    _(entry->help));
		else
			print_setting(entry->letter, setting_find(entry->name));
	}
	print_entry('h', "help", NULL, _("show this help"));
	print_entry(0, "keys", NULL, _("show the keys of the screen and the views of each pane"));
	print_entry('V', "version", NULL, _("show the version"));
	print_pane_options();
	printf("\n%s\n%s\n",
	       _("TIME: 12:03:07, 2026-01-31T12:03, -5min (before the end). DURATION: 90s, 5min, 2h. "
		 "SIZE: 64MiB."),
	       _("COMMAND runs while the pane latency measures."));
	printf("\n%s\n",
	       _("Exit status: 0 success, 1 failure at run time, 2 wrong usage, 3 failed --assert."));
	printf("\n%s\n", _("Examples:"));
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		printf("  %s\n", examples[i]);
}

void print_version(void)
{
	printf("%s %s\n", PACKAGE, PACKAGE_VERSION);
	printf("%s\n", _("Copyright (C) 2026 the panetop authors"));
	printf("%s\n",
	       _("License GPL-2.0-or-later: GNU GPL version 2 or later <https://gnu.org/licenses/gpl.html>.\n"
		 "This is free software: you are free to change and redistribute it.\n"
		 "There is NO WARRANTY, to the extent permitted by law."));
}
