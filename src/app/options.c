/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: one getopt_long() over the shared options and those of all panes. */
#include <config.h>

#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "fleet/prometheus_api.h"
#include "output/recording.h"
#include "pane/panes.h"
#include "sys/descriptor.h"
#include "topic/topic.h"

#define RULES_DIRECTORY "/etc/panetop/rules"
#define CODE_OPERAND 1    /* getopt's own */
#define CODE_KEYS 2       /* --keys */
#define CODE_SHARED 1000  /* getopt codes: index into option_entries */
#define CODE_SETTING 2000 /* index into all_settings */

struct parser {
	struct options *options;
	struct settings *settings;
	struct option *longs; /* for getopt_long */
	char letters[128];
	uint64_t given; /* a bit for each of option_entries */
	const char **operands;
	unsigned n_operands;
};

static struct option long_option(const char *name, bool argument, int code)
{
	return (struct option){
		.name = name,
		.has_arg = argument ? required_argument : no_argument,
		.val = code,
	};
}

/* The pane whose option a setting is; NULL: of none. */
static const struct pane *pane_of(const struct setting *setting)
{
	for (unsigned i = 0; i < n_panes; i++)
		if (setting_is_option_of(setting, panes[i]->name))
			return panes[i];
	return NULL;
}

static bool takes_value(const struct option_entry *entry)
{
	return entry->help ? entry->argument != NULL : setting_find(entry->name)->argument != NULL;
}

static void make_tables(struct parser *parser)
{
	unsigned n = 0, letter = 0;

	parser->longs = alloc_zeroed(n_option_entries + n_all_settings + 4, sizeof(*parser->longs));
	parser->letters[letter++] = '-'; /* operands come in order, as code 1 */
	parser->letters[letter++] = ':';
	for (unsigned i = 0; i < n_option_entries; i++) {
		const struct option_entry *entry = &option_entries[i];

		parser->longs[n++] = long_option(entry->name, takes_value(entry), CODE_SHARED + (int)i);
		if (entry->letter)
			parser->letters[letter++] = entry->letter;
		if (entry->letter && takes_value(entry))
			parser->letters[letter++] = ':';
	}
	for (unsigned i = 0; i < n_all_settings; i++)
		if (pane_of(&all_settings[i]))
			parser->longs[n++] = long_option(setting_option(&all_settings[i]),
							 all_settings[i].argument, CODE_SETTING + (int)i);
	parser->longs[n++] = long_option("help", false, 'h');
	parser->longs[n++] = long_option("keys", false, CODE_KEYS);
	parser->longs[n++] = long_option("version", false, 'V');
	parser->letters[letter++] = 'h';
	parser->letters[letter++] = 'V';
}

static const struct option_entry *entry_of(int code)
{
	for (unsigned i = 0; i < n_option_entries; i++)
		if (code == CODE_SHARED + (int)i || (code < CODE_SHARED && option_entries[i].letter == code))
			return &option_entries[i];
	return NULL;
}

/* "0,5": numbers are written with a point. */
static bool has_decimal_comma(const char *value)
{
	size_t digits = strspn(value, "0123456789");

	return digits > 0 && value[digits] == ',' && value[digits + 1] != '\0' &&
	       value[digits + 1 + strspn(value + digits + 1, "0123456789")] == '\0';
}

static int wrong_value(const char *name, const char *value, const char *expected)
{
	char what[80], *shown = prometheus_shown_url(value);
	bool is_url = strstr(value, "://") != NULL;
	int digits = (int)strcspn(value, ",");

	snprintf(what, sizeof(what), "--%s", name);
	if (has_decimal_comma(value))
		error_message(what, _("'%s': %s; write it as %.*s.%s"), value, expected, digits, value,
			      value + digits + 1);
	else
		error_message(what, "'%s': %s", is_url ? shown : value, expected);
	free(shown);
	return 2;
}

static bool is_ambiguous(const struct parser *parser, const char *argument)
{
	size_t length = strcspn(argument + 2, "=");
	unsigned matches = 0;

	for (const struct option *option = parser->longs; option->name; option++)
		matches += strncmp(option->name, argument + 2, length) == 0;
	return matches > 1;
}

/* Letters of top and forkstat, whose options have only a long name here. */
static const char *option_of_letter(int letter)
{
	return letter == 'H'   ? "--threads"
	       : letter == 'S' ? "--statistics"
	       : letter == 'e' ? "--events"
	       : letter == 'r' ? "--real-time"
			       : NULL;
}

static int unknown_option(const struct parser *parser, const char *what, bool letter)
{
	const char *other = letter ? option_of_letter(optopt) : NULL;
	struct near_name near = { 0 };

	if (!letter)
		near.typed = span_of(what + 2, strcspn(what + 2, "="));
	for (const struct option *option = parser->longs; option->name && !letter; option++)
		near_name_try(&near, option->name);
	if (other)
		error_message(what, _("unknown option; use %s"), other);
	else if (near.name)
		error_message(what, _("unknown option; did you mean --%s?"), near.name);
	else
		error_message(what, _("unknown option; see panetop --help"));
	return 2;
}

/* getopt_long() sets optopt to the letter, the code of the long option, or 0. */
static int wrong_option(const struct parser *parser, int code, const char *argument)
{
	bool letter = strncmp(argument, "--", 2) != 0;
	char name[3] = { '-', (char)optopt, '\0' };
	const char *what = letter ? name : argument;

	if (code == ':')
		error_message(what, _("option requires a value; see panetop --help"));
	else if (!letter && optopt != 0)
		error_message(what, _("option takes no value; see panetop --help"));
	else if (!letter && is_ambiguous(parser, argument))
		error_message(what, _("ambiguous option; see panetop --help"));
	else
		return unknown_option(parser, what, letter);
	return 2;
}

static int set_setting(struct parser *parser, const struct setting *setting, const char *value)
{
	struct buffer expected = { 0 };
	bool good = true;

	if (setting->type == SETTING_FIT && *value)
		parser->options->calibration = value;
	else
		good = settings_set(parser->settings, setting->name, value ? value : "yes", 0);
	if (good)
		return -1;
	setting_write_expected(setting, &expected);
	buffer_char(&expected, '\0');
	wrong_value(setting_option(setting), value, expected.bytes);
	buffer_free(&expected);
	return 2;
}

static int print_and_end(int code)
{
	if (code == 'h')
		print_help();
	else if (code == 'V')
		print_version();
	else
		print_keys();
	if (fflush(stdout) == 0 || errno == EPIPE)
		return 0;
	error_message(_("standard output"), "%s", strerror(errno));
	return 1;
}

/* argument is the one that getopt_long() has parsed. */
static int take_option(struct parser *parser, int code, const char *argument)
{
	const struct option_entry *entry = entry_of(code);

	if (code == 'h' || code == 'V' || code == CODE_KEYS)
		return print_and_end(code);
	if (code == '?' || code == ':')
		return wrong_option(parser, code, argument);
	if (code >= CODE_SETTING)
		return set_setting(parser, &all_settings[code - CODE_SETTING], optarg);
	if (!entry)
		return -1;
	parser->given |= UINT64_C(1) << (entry - option_entries);
	if (!entry->help)
		return set_setting(parser, setting_find(entry->name), optarg);
	if (option_take(entry, parser->options, optarg))
		return -1;
	return wrong_value(entry->name, optarg,
			   entry->expected ? _(entry->expected) : _("the value must not be empty"));
}

static void add_name(struct buffer *list, const char *name)
{
	if (list->length > 0)
		buffer_text(list, ", ");
	buffer_text(list, name);
}

void options_refuse_pane(const char *what, const char *name)
{
	struct near_name near = { .typed = span_text(name) };
	struct buffer all = { 0 }, begun = { 0 };

	for (unsigned i = 0; i < n_panes; i++) {
		add_name(&all, panes[i]->name);
		near_name_try(&near, panes[i]->name);
		if (typed_begins(near.typed, panes[i]->name))
			add_name(&begun, panes[i]->name);
	}
	if (begun.length > 0)
		error_message(what, _("'%s' is ambiguous: %.*s"), name, (int)begun.length, begun.bytes);
	else if (near.name)
		error_message(what, _("unknown pane '%s'; did you mean %s?"), name, near.name);
	else
		error_message(what, _("unknown pane '%s'; use %.*s"), name, (int)all.length, all.bytes);
	buffer_free(&all);
	buffer_free(&begun);
}

static bool is_number(const char *text)
{
	struct span span = span_text(text ? text : "");
	double number;

	return span_f64(&span, &number) && span.at == span.end;
}

static int wrong_topic(const char *what, const char *name)
{
	struct near_name near = { .typed = span_text(name) };
	struct buffer list = { 0 };

	for (unsigned i = 0; i < n_topics; i++) {
		near_name_try(&near, topics[i]->schema->name);
		if (typed_begins(near.typed, topics[i]->schema->name))
			add_name(&list, topics[i]->schema->name);
	}
	if (list.length > 0)
		error_message(what, _("'%s' is ambiguous: %.*s"), name, (int)list.length, list.bytes);
	else if (near.name)
		error_message(what, _("unknown topic '%s'; did you mean %s?"), name, near.name);
	else
		error_message(what, _("unknown topic '%s'; see panetop --describe"), name);
	buffer_free(&list);
	return 2;
}

/* Also for "memory 1 5", as vmstat takes it. */
static int wrong_operand(const char *name, const char *next)
{
	const struct topic *topic = topic_match(name);

	if (is_number(name) && is_number(next))
		error_message(name, _("unknown pane; for %s samples, %s seconds apart, use -d %s -n %s"),
			      next, name, name, next);
	else if (is_number(name))
		error_message(name, _("unknown pane; for samples %s seconds apart use -d %s"), name, name);
	else if (topic)
		error_message(name, _("this is a table; to print it, use -t %s"), topic->schema->name);
	else
		options_refuse_pane(NULL, name);
	return 2;
}

static void add_pane(struct options *options, const struct pane *pane)
{
	for (unsigned i = 0; i < options->n_panes; i++)
		if (options->panes[i] == pane)
			return;
	if (options->n_panes < OPTIONS_PANES_MAX)
		options->panes[options->n_panes++] = pane;
}

/* Panes; --describe and --probe take the names of topics, too. */
static int take_operands(const struct parser *parser)
{
	struct options *options = parser->options;
	bool takes_topics = options->describe || options->probe;

	for (unsigned i = 0; i < parser->n_operands; i++) {
		const char *name = parser->operands[i];
		const struct pane *pane = pane_find(name);
		const struct topic *topic = takes_topics && !pane ? topic_match(name) : NULL;

		if (pane)
			add_pane(options, pane);
		else if (topic)
			*VECTOR_ADD(options->topics, options->n_topics, options->topics_capacity) = topic;
		else if (takes_topics)
			return wrong_topic(options->describe ? "--describe" : "--probe", name);
		else
			return wrong_operand(name,
					     i + 1 < parser->n_operands ? parser->operands[i + 1] : NULL);
	}
	return -1;
}

bool options_are_recorded(const struct options *options)
{
	return options->replay || options->source;
}

unsigned options_panes(const struct options *options, const struct pane **chosen)
{
	bool records = options->record && !options->print && options->n_tables == 0;
	const char *const *named = records ? recorded_panes : batch_panes;
	unsigned count = 0;

	if (options->n_panes > 0) {
		memcpy(chosen, options->panes, options->n_panes * sizeof(*chosen));
		return options->n_panes;
	}
	if (options->batch && options->n_hosts > 1) {
		chosen[0] = pane_find(hosts_pane);
		return 1;
	}
	for (unsigned i = 0; options->batch && named[i]; i++)
		chosen[count++] = pane_find(named[i]);
	for (unsigned i = 0; !options->batch && i < n_panes; i++)
		chosen[count++] = panes[i];
	return count;
}

static int wrong_pane(const char *option, const char *pane)
{
	char what[80];

	snprintf(what, sizeof(what), "--%s", option);
	error_message(what, _("option of the pane %s, which is not selected"), pane);
	return 2;
}

/* The pane that runs a command. */
static const struct pane *assertion_pane(void)
{
	unsigned i = 0;

	while (i + 1 < n_panes && !panes[i]->assertion)
		i++;
	return panes[i];
}

static bool has_table(const struct options *options, const struct pane *pane)
{
	for (unsigned i = 0; i < options->n_tables; i++)
		if (pane_has_table(pane, options->tables[i]))
			return true;
	return false;
}

/* The panes selected by name or by --table. */
static unsigned selected_panes(const struct options *options, const struct pane **chosen)
{
	unsigned n_chosen = options_panes(options, chosen);

	for (unsigned i = 0; i < n_panes && options->n_panes == 0; i++)
		if (has_table(options, panes[i]) && n_chosen < OPTIONS_PANES_MAX)
			chosen[n_chosen++] = panes[i];
	return n_chosen;
}

static bool is_given(const struct parser *parser, const struct setting *setting)
{
	return setting->type == SETTING_FIT ? parser->options->calibration != NULL
					    : settings_has(parser->settings, setting->name);
}

/* Rejects an option that none of the selected panes supports. */
static int check_panes(const struct parser *parser)
{
	const struct options *options = parser->options;
	const struct pane *chosen[OPTIONS_PANES_MAX];
	unsigned n_chosen = selected_panes(options, chosen);
	bool assertion = false;

	for (unsigned i = 0; i < n_chosen; i++)
		assertion |= chosen[i]->assertion != NULL;
	if (!assertion && options->command) {
		error_message("--", _("only the pane %s runs a command: panetop %s -- COMMAND"),
			      assertion_pane()->name, assertion_pane()->name);
		return 2;
	}
	for (unsigned i = 0; i < n_all_settings; i++) {
		const struct pane *pane = pane_of(&all_settings[i]);
		bool applies = !pane || !is_given(parser, &all_settings[i]);

		for (unsigned c = 0; c < n_chosen; c++)
			applies |= chosen[c] == pane;
		if (!applies)
			return wrong_pane(setting_option(&all_settings[i]), pane->name);
	}
	return -1;
}

int options_check_conflicts(const struct settings *settings)
{
	for (unsigned i = 0; i < n_all_settings; i++) {
		const struct config_line *given = config_lines_find(&settings->lines, all_settings[i].name);
		const struct pane *pane = given && given->number == 0 ? pane_of(&all_settings[i]) : NULL;
		const char *option = setting_option(&all_settings[i]), *why;
		char what[80];

		why = pane && pane->refuses_option ? pane->refuses_option(settings, option) : NULL;
		if (!why)
			continue;
		snprintf(what, sizeof(what), "--%s", option);
		error_message(what, "%s", why);
		return 2;
	}
	return -1;
}

/* Rejects what a calibration does not support. */
static int check_calibration(const struct options *options, const struct settings *settings)
{
	if (!settings->power.calibrate)
		return -1;
	if (!options_are_recorded(options) && !options->record)
		return -1;
	error_message("--calibrate", _("cannot be combined with a recording: it loads this machine"));
	return 2;
}

/* What runs in place of samples, and the name of its option. */
static enum option_use use_of(const struct parser *parser, const char **name)
{
	if (parser->settings->power.calibrate) {
		*name = "--calibrate";
		return WITH_CALIBRATION;
	}
	*name = parser->options->describe ? "--describe" : "--probe";
	return parser->options->describe ? WITH_DESCRIBE : parser->options->probe ? WITH_PROBE : WITH_SAMPLES;
}

/* No option is silently ignored. */
static int check_uses(const struct parser *parser)
{
	const char *name;
	enum option_use use = use_of(parser, &name);
	char what[80] = "";

	for (unsigned i = 0; use != WITH_SAMPLES && i < n_option_entries && !*what; i++)
		if (parser->given >> i & 1 && !(option_entries[i].uses & use))
			snprintf(what, sizeof(what), "--%s", option_entries[i].name);
	if (use != WITH_SAMPLES && parser->options->command)
		snprintf(what, sizeof(what), "--");
	if (use != WITH_SAMPLES && parser->options->format->of_stacks)
		snprintf(what, sizeof(what), "--output=%s", parser->options->format->name);
	if (!*what)
		return -1;
	error_message(what, _("cannot be combined with %s"), name);
	return 2;
}

/* From what was typed to the names of the topics. */
static int resolve_tables(struct options *options)
{
	unsigned n_typed = options->n_tables;

	options->n_tables = 0;
	for (unsigned i = 0; i < n_typed; i++) {
		const struct topic *topic = topic_match(options->tables[i]);
		unsigned same = 0;

		if (!topic)
			return wrong_topic("--table", options->tables[i]);
		while (same < options->n_tables && options->tables[same] != topic->schema->name)
			same++;
		options->tables[same] = topic->schema->name;
		options->n_tables += same == options->n_tables;
	}
	for (unsigned i = 0; i < n_topics && options->n_tables == 0 && options->format->of_stacks; i++)
		if (topics[i]->schema->of_stacks)
			options->tables[options->n_tables++] = topics[i]->schema->name;
	return -1;
}

/* What is wrong with one is reported later. */
static bool any_histogram(const struct options *options)
{
	struct trace_spec spec;
	char why[256];

	for (unsigned i = 0; i < options->n_traces; i++)
		if (trace_spec_parse(&spec, options->traces[i], why, sizeof(why)) && *spec.histogram)
			return true;
	return false;
}

/* Of a run that names neither panes nor tables; the screen opens on the pane that shows them. */
static void choose_traces(struct options *options)
{
	if (options->n_traces == 0 || options->n_panes > 0 || options->n_tables > 0 || options->watches ||
	    options->n_listen > 0)
		return;
	if (options->batch)
		options->tables[options->n_tables++] = topic_trace.schema->name;
	if (options->batch && !options->format->one_table && any_histogram(options))
		options->tables[options->n_tables++] = topic_trace_bucket.schema->name;
	for (unsigned i = 0; i < n_panes && !options->batch; i++)
		if (pane_has_table(panes[i], topic_trace.schema->name))
			add_pane(options, panes[i]);
}

static int check_tables(const struct options *options)
{
	bool one = options->format->one_table && options->print && !options->probe && !options->describe;

	const char *name = options->format->name;

	if (one && options->n_tables > 1)
		error_message("--table", _("'%s' and '%s': %s holds one table"), options->tables[0],
			      options->tables[1], name);
	else if (one && options->format->of_stacks && !topic_find(options->tables[0])->schema->of_stacks)
		error_message("--table", _("'%s': %s takes a table of stacks, as profile_stack"),
			      options->tables[0], name);
	else if (one && options->format->binary && !options->write && isatty(STDOUT_FILENO))
		error_message("--output", _("%s is not text: send it to a file, as with >FILE"), name);
	else if (one && options->n_tables == 0 && options->n_panes > 1)
		error_message("--output",
			      _("%s holds one table: select a single pane, or a table with --table"), name);
	else
		return -1;
	return 2;
}

static bool is_recording(const char *file)
{
	return file && strcmp(file, "-") != 0 && !recording_is_lines(file);
}

/* What cannot be combined with a difference, which is one frame of no time of its own. */
static const char *excluded_from_comparison(const struct options *options)
{
	return options->record                        ? "--record"
	       : options->count > 0                   ? "--count"
	       : options->assertion                   ? "--assert"
	       : options->command                     ? "--"
	       : options->between && options->against ? "--against"
	       : options->between && options->at      ? "--at"
						      : NULL;
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat first, second;

	return strcmp(one, other) == 0 ||
	       (stat(one, &first) == 0 && stat(other, &second) == 0 && S_ISREG(first.st_mode) &&
		first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

/* What only a run that prints or records samples takes. */
static const char *excluded_without_samples(const struct options *options)
{
	return options->record                 ? "--record"
	       : options->write                ? "--write"
	       : options->format != &sink_text ? "--output"
	       : options->count > 0            ? "--count"
	       : options->assertion            ? "--assert"
	       : options->command              ? "--"
					       : NULL;
}

/* What cannot be combined with --listen and with watching, which write and print nothing. */
static const char *excluded_from_service(const struct options *options)
{
	return options->replay   ? "--replay"
	       : options->source ? "--source"
				 : excluded_without_samples(options);
}

/* Of a run whose clients do not say what they want: as README recommends for a fleet. */
static const char *const listen_tables[] = { "finding", "process", "exited", "pressure",
					     "memory",  "build",   "self" };

/* Others than the user of panetop may read, unless all addresses are private. */
static bool has_public_address(const struct options *options)
{
	for (unsigned i = 0; i < options->n_listen; i++)
		if (options->listen[i].kind != LISTEN_UNIX)
			return true;
	return false;
}

static int choose_listening(struct options *options)
{
	const char *excluded = options->n_listen == 0 ? NULL
			       : options->n_rules > 0 ? "--when"
						      : excluded_from_service(options);
	bool named = options->n_panes > 0 || options->n_tables > 0;

	if (options->n_listen == 0 || options->describe || options->probe)
		return -1;
	if (excluded) {
		error_message(excluded, _("cannot be combined with %s"), "--listen");
		return 2;
	}
	for (unsigned i = 0; !named && i < sizeof(listen_tables) / sizeof(*listen_tables); i++)
		options->tables[options->n_tables++] = listen_tables[i];
	options->format = &sink_prometheus;
	if (options->no_arguments && options->arguments)
		return -1; /* refused with the others */
	options->no_arguments |= has_public_address(options) && !options->arguments;
	return -1;
}

static const char *table_of_events(const struct options *options)
{
	for (unsigned i = 0; i < options->n_tables; i++)
		if (topic_find(options->tables[i])->schema->shape == SHAPE_EVENTS)
			return options->tables[i];
	return NULL;
}

static int check_comparison(const struct options *options)
{
	const char *name = options->between ? "--between" : "--against";
	const char *excluded = excluded_from_comparison(options);
	const char *events = table_of_events(options);

	if (!options->replay)
		error_message(name, _("compares samples of a recording: give one with --replay"));
	else if (options->against && options->is_stored)
		error_message(name, _("cannot be combined with %s"), "--source=" SOURCE_PROMETHEUS);
	else if (excluded)
		error_message(excluded, _("cannot be combined with %s"), name);
	else if (options->against && is_same_file(options->against, options->replay))
		error_message(name, _("is the recording of --replay: for two of its samples use --between"));
	else if (options->format == &sink_openmetrics || options->format == &sink_prometheus ||
		 options->format == &sink_pprof)
		error_message("--output", _("%s holds samples, not differences: use text, json or csv"),
			      options->format->name);
	else if (events)
		error_message("--table", _("%s holds events, which have no difference"), events);
	else
		return check_tables(options);
	return 2;
}

/* What is of this machine, or of a recording that is whole. */
static const char *excluded_from_source(const struct options *options)
{
	return options->replay        ? "--replay"
	       : options->root        ? "--root"
	       : options->n_rules > 0 ? "--when"
	       : options->command     ? "--"
	       : options->at          ? "--at"
	       : options->between     ? "--between"
	       : options->against     ? "--against"
				      : NULL;
}

/* Of several machines batch prints all: what is chosen or compared by the processes of one, or recorded. */
static const char *excluded_from_hosts(const struct options *options)
{
	bool scoped = options->n_in > 0 || options->user || options->tree || options->cgroup || options->pid;

	return options->between           ? "--between"
	       : options->against         ? "--against"
	       : options->record          ? "--record"
	       : options->batch && scoped ? "--in"
					  : NULL;
}

/* True after an error message: an item is in the list twice, and each row of the fleet is one machine. */
static bool refuses_twice(const struct options *options)
{
	const char *list = options->source ? options->source + strlen(SOURCE_SSH) : options->replay;
	struct span rest = span_text(list), item, later, other;
	bool twice = false;

	while (!twice && span_item(&rest, &item)) {
		later = rest;
		while (!twice && span_item(&later, &other))
			twice = span_length(item) == span_length(other) &&
				memcmp(item.at, other.at, span_length(item)) == 0;
	}
	if (twice)
		error_message(options->source ? "--source" : "--replay", _("'%.*s' is named twice"),
			      (int)span_length(item), item.at);
	return twice;
}

/* What a page has nothing to do with. */
static const char *excluded_from_report(const struct options *options)
{
	return options->against                  ? "--against"
	       : options->limit != VIEW_ALL_ROWS ? "--limit"
	       : options->filter                 ? "--filter"
	       : options->sort                   ? "--sort"
	       : options->columns                ? "--columns"
	       : options->n_tables > 0           ? "--table"
	       : options->at && options->between ? "--between"
						 : excluded_without_samples(options);
}

/* Of a run that writes a page and ends. */
static int check_report(const struct options *options)
{
	const char *excluded = excluded_from_report(options);

	if (!options->replay)
		error_message("--report", _("is about a recording: give one with --replay; on the screen, S "
					    "saves a page of the past"));
	else if (options->n_hosts > 1)
		error_message("--report", _("is about one machine, and there are %u"), options->n_hosts);
	else if (excluded)
		error_message(excluded, _("cannot be combined with %s"), "--report");
	else if (options->n_panes > 0)
		error_message(options->panes[0]->name, _("a page has the overview: leave out the pane"));
	else
		return -1;
	return 2;
}

static int check_together(const struct options *options)
{
	if (options->report && check_report(options) >= 0)
		return 2;
	if (options->report_names && options->batch && !options->report)
		error_message("--report-names", _("is for a page: give its file with --report"));
	else if (options->source && excluded_from_source(options))
		error_message(excluded_from_source(options), _("cannot be combined with %s"), "--source");
	else if (options->n_hosts > 1 && refuses_twice(options))
		return 2;
	else if (options->n_hosts > 1 && excluded_from_hosts(options))
		error_message(excluded_from_hosts(options), _("is for one machine, and there are %u"),
			      options->n_hosts);
	else if (options->probe && options->replay)
		error_message("--probe", _("cannot be combined with --replay: a recording has no sources"));
	else if (options->replay && options->root)
		error_message("--replay", _("cannot be combined with --root: a recording has no files"));
	else if (options->record && options->print && !options->write && strcmp(options->record, "-") == 0)
		error_message("--record",
			      _("standard output takes either the recording or samples, not both"));
	else if (options->at && !options->replay)
		error_message("--at", _("is a time of a recording: give one with --replay"));
	else if (options->between || options->against)
		return check_comparison(options);
	else if ((options->record_size > 0 || options->record_seconds > 0) && !is_recording(options->record))
		error_message(options->record_size > 0 ? "--record-size" : "--record-age",
			      _("needs a recording in a file: --record=FILE, without .jsonl"));
	else if ((options->top != TOP_DEFAULT || options->arguments) && !options->format->metrics)
		error_message(options->arguments ? "--arguments" : "--top",
			      _("is for metrics: -o prometheus or -o openmetrics"));
	else if (options->no_arguments && options->arguments)
		error_message("--no-arguments", _("cannot be combined with %s"), "--arguments");
	else if (options->no_arguments && options->replay)
		error_message("--no-arguments",
			      _("cannot be combined with --replay: a recording has what was recorded"));
	else if (options->no_arguments && !options->batch)
		error_message("--no-arguments", _("is for batch mode and recordings"));
	else if (options->n_traces > 0 && (options->replay || options->root))
		error_message("--trace",
			      _("is of the running kernel: cannot be combined with --replay or --root"));
	else if (options->n_traces > 0 && options->no_bpf)
		error_message("--trace", _("cannot be combined with %s"), "--no-bpf");
	else if (options->command && (options->replay || options->root))
		error_message(
			"--",
			_("a command runs on the live machine: cannot be combined with --replay or --root"));
	else if (options->save_on_fire && !options->watches)
		error_message("--save-on-fire",
			      _("is for rules without a pane; on the screen, S saves the past"));
	else if (options->n_rules > 0 && (options->replay || options->root))
		error_message(
			"--when",
			_("rules are about the live machine: cannot be combined with --replay or --root"));
	else if (options->command && options->count > 0)
		error_message("--count", _("cannot be combined with a command, which ends the run"));
	else
		return check_tables(options);
	return 2;
}

/* Of samples of which only the last is printed one is enough, if nothing else ends the run. */
static void choose_count(struct options *options, const struct settings *settings)
{
	bool ends = options_are_recorded(options) || options->command ||
		    settings->topic.latency.duration_seconds > 0;

	if (options->format->only_last && options->print && !options->write && !options->record && !ends &&
	    options->n_listen == 0 && options->count == 0 && !options->describe && !options->probe)
		options->count = 1;
}

/* "panetop watch [DIRECTORY]" */
static int take_directory(const struct parser *parser)
{
	if (parser->n_operands > 0)
		parser->options->rules_directory = parser->operands[0];
	if (parser->n_operands < 2)
		return -1;
	error_message(parser->operands[1], _("watch reads one directory"));
	return 2;
}

static int check_watching(const struct options *options)
{
	const char *excluded = !options->watches       ? NULL
			       : options->root         ? "--root"
			       : options->n_listen > 0 ? "--listen"
			       : options->n_tables > 0 ? "--table"
						       : excluded_from_service(options);

	if (!excluded)
		return -1;
	error_message(excluded, _("cannot be combined with %s"),
		      options->rules_directory ? "watch" : "--when");
	return 2;
}

static int parse(struct parser *parser, int argc, char **argv)
{
	struct options *options = parser->options;
	const char *term = secure_getenv("TERM");
	int status = -1;

	opterr = 0;
	make_tables(parser);
	parser->operands = alloc_zeroed((size_t)argc, sizeof(*parser->operands));
	while (status < 0) {
		int at = optind, code = getopt_long(argc, argv, parser->letters, parser->longs, NULL);

		if (code == -1)
			break;
		if (code == CODE_OPERAND)
			parser->operands[parser->n_operands++] = optarg;
		else
			status = take_option(parser, code, argv[at < argc ? at : argc - 1]);
	}
	if (status < 0 && options->watches)
		status = take_directory(parser);
	else if (status < 0)
		status = take_operands(parser);
	if (status < 0)
		status = resolve_tables(options);
	options->print |= options->n_tables > 0 && !(options->record && strcmp(options->record, "-") == 0);
	if (status >= 0)
		return status;
	if (optind < argc) { /* behind "--": a command to run while its pane measures */
		options->command = argv + optind;
		options->batch = true;
	}
	/* rules without anything that samples would be printed, recorded or shown for */
	options->watches |=
		options->n_rules > 0 && options->n_panes == 0 && options->n_listen == 0 && !options->batch;
	/* a dumb terminal cannot position its cursor */
	options->batch |= options->watches || !isatty(STDOUT_FILENO) || (term && strcmp(term, "dumb") == 0) ||
			  (options->at && options->count > 0);
	options->print |= options->batch && !options->record && !options->watches && !options->report;
	choose_traces(options);
	status = check_watching(options);
	if (status < 0)
		status = choose_listening(options);
	if (status >= 0)
		return status;
	choose_count(options, parser->settings);
	if (options->at && options->batch && options->count == 0 && !options->report)
		options->count = 1;
	status = check_together(options);
	if (status < 0 && options->batch)
		status = options_check_conflicts(parser->settings);
	if (status < 0)
		status = check_calibration(options, parser->settings);
	if (status < 0)
		status = check_uses(parser);
	return status < 0 ? check_panes(parser) : status;
}

int options_parse(struct options *options, struct settings *settings, int argc, char **argv)
{
	struct parser parser = { .options = options, .settings = settings };
	bool watches = argc > 1 && strcmp(argv[1], "watch") == 0;
	int status;

	if (watches) {
		options->watches = true;
		options->rules_directory = RULES_DIRECTORY;
	}
	status = parse(&parser, argc - watches, argv + watches);
	free(parser.longs);
	free(parser.operands);
	return status;
}

static bool would_destroy(const char *recording, int fd)
{
	struct stat replay, written;
	int error;

	if (!recording)
		return false;
	error = strcmp(recording, "-") == 0 ? fstat(STDIN_FILENO, &replay) : stat(recording, &replay);
	return error == 0 && fstat(fd, &written) == 0 && S_ISREG(written.st_mode) &&
	       replay.st_dev == written.st_dev && replay.st_ino == written.st_ino;
}

bool options_would_destroy(const struct options *options, int fd)
{
	return would_destroy(options->replay, fd) || would_destroy(options->against, fd);
}

static void add_topic(const struct topic **chosen, unsigned *n_chosen, const struct topic *topic)
{
	for (unsigned i = 0; i < *n_chosen; i++)
		if (chosen[i] == topic)
			return;
	chosen[(*n_chosen)++] = topic;
}

const struct topic **options_topics(const struct options *options, unsigned *n_chosen)
{
	const struct topic **chosen = alloc_zeroed(n_topics, sizeof(*chosen));
	bool named = options->n_tables > 0;
	bool all = !named && options->n_panes == 0 && options->n_topics == 0;

	*n_chosen = 0;
	for (unsigned t = 0; t < options->n_tables; t++)
		add_topic(chosen, n_chosen, topic_find(options->tables[t]));
	for (unsigned p = 0; p < options->n_panes && !named; p++)
		for (const struct pane_table *table = options->panes[p]->tables; table->topic; table++)
			add_topic(chosen, n_chosen, topic_find(table->topic));
	for (size_t t = 0; t < options->n_topics && !named; t++)
		add_topic(chosen, n_chosen, options->topics[t]);
	for (unsigned i = 0; i < n_topics && all; i++)
		add_topic(chosen, n_chosen, topics[i]);
	return chosen;
}
