/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads rules of options and files, checks them, and says what is wrong with one. */
#include <config.h>

#include "app/rule_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/span.h"
#include "core/typed_name.h"
#include "core/unknown.h"
#include "core/utf8.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "sys/process.h"
#include "topic/finding/finding_rules.h"
#include "topic/process/process_ends.h"
#include "topic/topic.h"

int condition_refuse_syntax(const char *what, enum condition_error error, struct span wrong)
{
	int length = (int)span_length(wrong);

	if (error == CONDITION_OPEN)
		error_message(what, _("a bracket or quote is not closed"));
	else if (error == CONDITION_TOO_LONG)
		error_message(what, _("a condition has too many values, or a value is too long"));
	else if (error == CONDITION_NO_COMPARISON)
		error_message(what, _("'%.*s': <, <=, >, >=, == or != must follow, as in system.load1 < 4"),
			      length, wrong.at);
	else if (error == CONDITION_NO_NUMBER)
		error_message(what, _("a number must follow, as in 4, 15%%, 100us or 500MiB; not '%.*s'"),
			      length, wrong.at);
	else
		error_message(what, _("'%.*s': a condition begins as in memory(mem).used_bytes"), length,
			      wrong.at);
	return 2;
}

static int refuse_column(const char *what, const struct schema *schema, struct span name)
{
	struct near_name near = { .typed = name };
	int length = (int)span_length(name);

	for (unsigned i = 0; i < schema->n_columns; i++)
		near_name_try(&near, schema->columns[i].key);
	if (near.name)
		error_message(what, _("unknown column '%.*s' of %s; did you mean %s?"), length, name.at,
			      schema->name, near.name);
	else
		error_message(what, _("unknown column '%.*s' of %s; see panetop --describe %s"), length,
			      name.at, schema->name, schema->name);
	return 2;
}

static int refuse_binding(const char *what, enum condition_error error, const struct condition *condition,
			  struct span wrong)
{
	const char *topic = condition->schema->name;
	int length = (int)span_length(wrong);

	if (error == CONDITION_UNKNOWN_COLUMN)
		return refuse_column(what, condition->schema, wrong);
	if (error == CONDITION_NOT_NUMERIC)
		error_message(what, _("'%.*s' is not a numeric column of %s; see panetop --describe"), length,
			      wrong.at, topic);
	else if (error == CONDITION_TOO_MANY_KEYS)
		error_message(what, _("'%.*s': %s has fewer keys; other columns are chosen by COLUMN=VALUE"),
			      length, wrong.at, topic);
	else if (condition->measured)
		error_message(what, _("%s of %s has the unit %s, not the one of the condition"),
			      condition->measured->key, topic, unit_name(condition->measured->unit));
	else
		error_message(what, _("the number of rows of %s has no unit"), topic);
	return 2;
}

int condition_refuse_topic(const char *what, struct span name)
{
	struct near_name near = { .typed = name };
	int length = (int)span_length(name);

	for (unsigned i = 0; i < n_topics; i++)
		near_name_try(&near, topics[i]->schema->name);
	if (near.name)
		error_message(what, _("unknown topic '%.*s'; did you mean %s?"), length, name.at, near.name);
	else
		error_message(what, _("unknown topic '%.*s'; see panetop --describe"), length, name.at);
	return 2;
}

int condition_take(const char *what, struct condition *condition, const struct schema *schema)
{
	struct span wrong;
	enum condition_error error = condition_bind(condition, schema, &wrong);

	if (error)
		return refuse_binding(what, error, condition, wrong);
	for (unsigned i = 0; schema == &finding_schema && i < condition->n_selects; i++) {
		struct condition_select *select = &condition->selects[i];
		const char *now =
			strcmp(select->bound->key, "rule") == 0 ? finding_name_now(select->value) : NULL;

		if (!now)
			continue;
		error_message(what, _("'%s' is called %s now"), select->value, now);
		snprintf(select->value, sizeof(select->value), "%s", now);
	}
	return 0;
}

unsigned condition_topic(struct span name)
{
	unsigned i = 0;

	while (i < n_topics && !span_is(name, topics[i]->schema->name))
		i++;
	return i;
}

#define SECOND_NS UINT64_C(1000000000)
#define GRACE_NS (2 * SECOND_NS) /* between SIGTERM and SIGKILL, and between this and a message */
#define TIMER UINT32_MAX         /* in place of a pid */

struct rule_commands {
	const struct machine_clock *clock; /* borrowed */
	int epoll_fd, timer_fd, null_fd;
	bool output;
	size_t files;
	double seconds;
	struct running {
		struct firing *firing;
		pid_t pid;
		const char *program; /* borrowed */
		int fd;              /* of the process; watched until it has ended */
		uint64_t until_ns;
		enum { RUNS, GOT_TERM, GOT_KILL, HANGS } stage;
	} running[RULE_COMMANDS_MAX];
	size_t n_running;
	struct waiting {
		const struct rule_command *command;
		struct firing *firing;
	} *waiting; /* from first on */
	size_t first, n_waiting, capacity;
	void (*done)(void *context, struct firing *firing);
	void *context;
};

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Moves a word to its end at *to; false: a quote is open. */
static bool take_word(const char **from, char **to)
{
	char quote = '\0';

	for (; **from && (quote || !is_blank(**from)); (*from)++) {
		if (quote ? **from == quote : (**from == '"' || **from == '\'')) {
			quote = quote ? '\0' : **from;
			continue;
		}
		if (**from == '\\' && quote != '\'' && (*from)[1])
			(*from)++;
		*(*to)++ = **from;
	}
	*(*to)++ = '\0';
	return !quote;
}

bool rule_command_parse(struct rule_command *command, const char *text)
{
	size_t n_words = 0;
	char *to;

	*command = (struct rule_command){ .bytes = alloc_zeroed(strlen(text) + 2, 1) };
	to = command->bytes;
	for (;;) {
		while (is_blank(*text))
			text++;
		if (!*text)
			return n_words > 0 && *command->words[0];
		if (n_words == RULE_COMMAND_WORDS)
			return false;
		command->words[n_words++] = to;
		if (!take_word(&text, &to))
			return false;
	}
}

void rule_command_free(struct rule_command *command)
{
	free(command->bytes);
}

static void watch(const struct rule_commands *commands, int fd, uint32_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = what };

	epoll_ctl(commands->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

struct rule_commands *rule_commands_open(const struct machine_clock *clock, bool output, size_t files,
					 double seconds, void (*done)(void *context, struct firing *firing),
					 void *context)
{
	struct rule_commands *commands = alloc_zeroed(1, sizeof(*commands));

	*commands = (struct rule_commands){
		.clock = clock,
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
		.timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
		.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC),
		.output = output,
		.files = files,
		.seconds = seconds,
		.done = done,
		.context = context,
	};
	watch(commands, commands->timer_fd, TIMER);
	return commands;
}

/* "PANETOP_NAME=VALUE" */
static char *variable(const char *name, const char *value)
{
	size_t room = strlen(name) + strlen(value) + sizeof("PANETOP_=");
	char *text = alloc_zeroed(room, 1);

	snprintf(text, room, "PANETOP_%s=%s", name, value);
	return text;
}

static char *number_variable(const char *name, double number)
{
	char value[32] = "";

	if (isfinite(number))
		snprintf(value, sizeof(value), "%.15g", number);
	return variable(name, value);
}

#define OWN_VARIABLES 8

/* What panetop itself got, and what fired; the first OWN_VARIABLES are to be freed. */
static char **environment(const struct firing *firing)
{
	char **ours = user_variables(), **all, time[CLOCK_TEXT_MAX];
	struct buffer subject = { 0 };
	size_t n = 0, n_all = 0;

	while (ours[n])
		n++;
	all = alloc_zeroed(n + OWN_VARIABLES + 1, sizeof(*all));
	all[n_all++] = variable("RULE", firing->rule);
	utf8_harmless(&subject, span_text(firing->subject));
	buffer_char(&subject, '\0');
	all[n_all++] = variable("SUBJECT", subject.bytes);
	buffer_free(&subject);
	all[n_all++] = number_variable("VALUE", firing->value);
	all[n_all++] = number_variable("PID", firing->pid == U64_UNKNOWN ? NAN : (double)firing->pid);
	all[n_all++] = number_variable("EXIT_CODE", firing->exit_code < 0 ? (double)NAN : firing->exit_code);
	all[n_all++] = number_variable("SIGNAL", firing->signal < 0 ? (double)NAN : firing->signal);
	all[n_all++] = number_variable("DROPPED", (double)firing->n_dropped);
	all[n_all++] = variable("TIME", clock_utc(time, firing->wall_ns));
	for (size_t i = 0; i < n; i++)
		if (strncmp(ours[i], "PANETOP_", strlen("PANETOP_")) != 0)
			all[n_all++] = ours[i];
	return all;
}

static int spawn(const struct rule_commands *commands, const struct waiting *next, pid_t *pid)
{
	char **variables = environment(next->firing);
	struct spawn_plan plan = {
		.words = next->command->words,
		.variables = variables,
		.files = commands->files,
		.own_group = true,
		.in = commands->null_fd,
		.out = commands->output ? STDERR_FILENO : commands->null_fd,
		.err = commands->output ? STDERR_FILENO : commands->null_fd,
	};
	int error = spawn_command(&plan, pid);

	for (size_t i = 0; i < OWN_VARIABLES; i++)
		free(variables[i]);
	free(variables);
	return error;
}

static void set_timer(const struct rule_commands *commands)
{
	uint64_t first_ns = 0;
	struct itimerspec timer = { 0 };

	for (size_t i = 0; i < commands->n_running; i++)
		if (first_ns == 0 || commands->running[i].until_ns < first_ns)
			first_ns = commands->running[i].until_ns;
	timer.it_value = clock_timespec(first_ns);
	timerfd_settime(commands->timer_fd, TFD_TIMER_ABSTIME, &timer, NULL);
}

static void finish(const struct rule_commands *commands, struct firing *firing, int status)
{
	firing->status = status;
	commands->done(commands->context, firing);
}

static void start(struct rule_commands *commands, const struct waiting *next)
{
	pid_t pid;
	int error = spawn(commands, next, &pid), fd;

	if (error) {
		error_message(next->command->words[0], "%s", strerror(error));
		finish(commands, next->firing, error == ENOENT ? 127 : 126);
		return;
	}
	fd = exit_watch_open((uint32_t)pid);
	watch(commands, fd, (uint32_t)pid);
	commands->running[commands->n_running++] = (struct running){
		.firing = next->firing,
		.pid = pid,
		.program = next->command->words[0],
		.fd = fd,
		.until_ns = clock_mono_ns(commands->clock) + (uint64_t)(commands->seconds * 1e9),
	};
}

static void start_waiting(struct rule_commands *commands)
{
	while (commands->n_running < RULE_COMMANDS_MAX && commands->first < commands->n_waiting)
		start(commands, &commands->waiting[commands->first++]);
	if (commands->first == commands->n_waiting)
		commands->first = commands->n_waiting = 0;
	set_timer(commands);
}

void rule_commands_add(struct rule_commands *commands, const struct rule_command *command,
		       struct firing *firing)
{
	if (!command || commands->n_waiting - commands->first >= RULE_COMMANDS_WAITING) {
		finish(commands, firing, FIRING_NO_COMMAND);
		return;
	}
	*VECTOR_ADD(commands->waiting, commands->n_waiting, commands->capacity) =
		(struct waiting){ command, firing };
	start_waiting(commands);
}

int rule_commands_fd(const struct rule_commands *commands)
{
	return commands->epoll_fd;
}

static void take_out(struct rule_commands *commands, size_t index, int status)
{
	struct running *running = &commands->running[index];
	struct firing *firing = running->firing;

	if (running->fd >= 0)
		close(running->fd);
	*running = commands->running[--commands->n_running];
	finish(commands, firing, status);
}

/* A command that ended cannot be reaped while another process traces it: then the timer looks at it. */
static void reap(struct rule_commands *commands)
{
	for (size_t i = commands->n_running; i-- > 0;) {
		int fd = commands->running[i].fd, status = SIGKILL;

		if (waitpid(commands->running[i].pid, &status, WNOHANG) != 0)
			take_out(commands, i,
				 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		else if (fd >= 0 && exit_watch_ended(fd))
			epoll_ctl(commands->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	}
}

static void end_late(struct running *running, uint64_t now_ns)
{
	if (running->until_ns > now_ns)
		return;
	if (running->stage == GOT_KILL)
		error_message(running->program, _("does not end: the kernel or a debugger holds it"));
	if (running->stage < HANGS)
		running->stage++;
	spawn_signal(running->pid, running->stage == GOT_TERM ? SIGTERM : SIGKILL);
	running->until_ns = now_ns + GRACE_NS;
}

void rule_commands_go_on(struct rule_commands *commands)
{
	uint64_t now_ns = clock_mono_ns(commands->clock), ticks;

	if (read(commands->timer_fd, &ticks, sizeof(ticks)) == (ssize_t)sizeof(ticks))
		for (size_t i = 0; i < commands->n_running; i++)
			end_late(&commands->running[i], now_ns);
	reap(commands);
	start_waiting(commands);
}

/* Commands that hang are left behind. */
static void end_all(struct rule_commands *commands)
{
	struct patience patience = { 0 };
	size_t n_left;

	for (size_t i = 0; i < commands->n_running; i++)
		spawn_signal(commands->running[i].pid, SIGKILL);
	do
		reap(commands);
	while (commands->n_running > 0 && patience_lasts(&patience));
	n_left = commands->n_running;
	if (n_left > 0)
		error_message("--run",
			      P_("%zu command does not end and is left behind",
				 "%zu commands do not end and are left behind", n_left),
			      n_left);
	while (commands->n_running > 0)
		take_out(commands, 0, FIRING_NO_COMMAND);
}

void rule_commands_close(struct rule_commands *commands)
{
	if (!commands)
		return;
	end_all(commands);
	while (commands->first < commands->n_waiting)
		finish(commands, commands->waiting[commands->first++].firing, FIRING_NO_COMMAND);
	close(commands->epoll_fd);
	close(commands->timer_fd);
	if (commands->null_fd >= 0)
		close(commands->null_fd);
	free(commands->waiting);
	free(commands);
}

static int refuse_syntax(const char *where, enum rule_error error, struct span wrong)
{
	int length = (int)span_length(wrong);

	if (error == RULE_NO_DURATION)
		error_message(where, _("a duration must follow, as in 30s or 5min; not '%.*s'"), length,
			      wrong.at);
	else if (error == RULE_UNEXPECTED)
		error_message(where,
			      _("unexpected '%.*s'; behind a condition can stand: for 30s, until CONDITION, "
				"at most once per 5min"),
			      length, wrong.at);
	else if (error == RULE_TWICE)
		error_message(where, _("'%.*s': this is there twice"), length, wrong.at);
	else
		return condition_refuse_syntax(where, (enum condition_error)error, wrong);
	return 2;
}

static int bind_condition(const char *where, struct condition *condition)
{
	unsigned topic = condition_topic(condition->topic);

	return topic < n_topics ? condition_take(where, condition, topics[topic]->schema)
				: condition_refuse_topic(where, condition->topic);
}

static enum rule_event event_of(const struct rule *rule)
{
	const struct condition *when = &rule->when;

	if (!rule->of_rows || when->n_selects != 1 || *when->selects[0].value == '\0')
		return RULE_EVENT_NONE;
	if (span_is(when->topic, "file") && span_is(when->selects[0].column, "path") &&
	    span_is(when->column, "changes"))
		return RULE_EVENT_CHANGE;
	if (!span_is(when->topic, "process") || !span_is(when->selects[0].column, "command"))
		return RULE_EVENT_NONE;
	return span_is(when->column, "exits")    ? RULE_EVENT_END
	       : span_is(when->column, "starts") ? RULE_EVENT_START
						 : RULE_EVENT_NONE;
}

static int check(struct listed_rule *listed, const char *where)
{
	struct rule *rule = &listed->rule;
	struct span wrong;
	enum rule_error error = rule_parse(span_text(listed->text), rule, &wrong);
	int status;

	if (error)
		return refuse_syntax(where, error, wrong);
	listed->event = event_of(rule);
	status = listed->event ? 0 : bind_condition(where, &rule->when);
	rule->of_growth = status == 0 && rule->of_rows && rule->when.measured &&
			  rule->when.measured->kind == COLUMN_COUNTER;
	if (status == 0 && rule->of_rows && rule->when.measured && !rule->of_growth)
		return condition_refuse_syntax(where, CONDITION_NO_COMPARISON, rule->when.text);
	if ((listed->event || rule->of_growth) && (rule->has_hold || rule->has_until)) {
		error_message(where,
			      _("what starts, ends, changes or grows has no duration: only at most once per "
				"5min can follow"));
		return 2;
	}
	if (listed->event == RULE_EVENT_CHANGE && *listed_rule_name(listed) != '/') {
		error_message(where, _("'%s': expected a whole path, from / on"), listed_rule_name(listed));
		return 2;
	}
	return status == 0 && rule->has_until ? bind_condition(where, &rule->until) : status;
}

int rule_list_add(struct rule_list *list, const char *where, const char *text, const char *command)
{
	struct listed_rule *listed = VECTOR_ADD(list->rules, list->n_rules, list->capacity);
	int status;

	*listed = (struct listed_rule){ .text = alloc_text(text), .has_command = command != NULL };
	status = check(listed, where);
	if (status != 0 || !command)
		return status;
	if (rule_command_parse(&listed->command, command))
		return 0;
	error_message(where,
		      _("'%s': expected a program and its arguments, at most %d words; quotes are closed"),
		      command, RULE_COMMAND_WORDS);
	return 2;
}

void rule_list_shorten(struct rule_list *list, size_t n_rules)
{
	while (list->n_rules > n_rules) {
		struct listed_rule *last = &list->rules[--list->n_rules];

		free(last->text);
		rule_command_free(&last->command);
	}
}

void rule_list_free(struct rule_list *list)
{
	rule_list_shorten(list, 0);
	free(list->rules);
	*list = (struct rule_list){ 0 };
}

size_t rule_list_events(const struct rule_list *list, enum rule_event event)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n_rules; i++)
		n += list->rules[i].event == event;
	return n;
}

const char *listed_rule_name(const struct listed_rule *listed)
{
	return listed->rule.when.selects[0].value;
}

#define FILE_BYTES_MAX ((size_t)1024 * 1024)
#define TRIES 5 /* to read a directory that changes meanwhile */
#define UNSAFE (-EKEYREJECTED)

/* 0; UNSAFE: other users can write it; or -errno. */
static int check_safe(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	return (status.st_uid == 0 || status.st_uid == geteuid()) && !(status.st_mode & (S_IWGRP | S_IWOTH))
		       ? 0
		       : UNSAFE;
}

/* The next directory on the way; closes the one before. */
static int enter(int before, const char *name)
{
	int fd = openat(before, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error;

	error = fd < 0 ? -errno : check_safe(fd);
	if (before >= 0)
		close(before);
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

/* The directory, or what is wrong with it or one above it. */
static int open_directory(const char *path)
{
	char whole[PATH_MAX], *rest = NULL;
	int fd;

	if (*path == '/')
		snprintf(whole, sizeof(whole), "%s", path);
	else if (!getcwd(whole, sizeof(whole)) || strlen(whole) + strlen(path) + 2 > sizeof(whole))
		return -ENAMETOOLONG;
	else
		snprintf(whole + strlen(whole), sizeof(whole) - strlen(whole), "/%s", path);
	fd = enter(AT_FDCWD, "/");
	for (const char *name = strtok_r(whole, "/", &rest); fd >= 0 && name;
	     name = strtok_r(NULL, "/", &rest))
		if (strcmp(name, ".") != 0)
			fd = enter(fd, name);
	return fd;
}

static void refuse(const char *name, int error)
{
	if (error == UNSAFE)
		error_message(name,
			      _("others can write it, or a directory above it: its commands are refused"));
	else if (error == -ELOOP || error == -ENOTDIR)
		error_message(name, _("a link on the way is not followed"));
	else
		error_message(name, "%s", strerror(-error));
}

static int is_rule_file(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return *entry->d_name != '.' && length > strlen(".rule") &&
	       strcmp(entry->d_name + length - strlen(".rule"), ".rule") == 0;
}

static struct span trim(struct span text)
{
	while (span_char(&text, ' ') || span_char(&text, '\t'))
		;
	while (text.at < text.end && strchr(" \t\r", text.end[-1]))
		text.end--;
	return text;
}

/* "name = value" */
static bool split(struct span line, struct span *name, struct span *value)
{
	*value = line;
	if (!span_until(value, '=', name))
		return false;
	*name = trim(*name);
	*value = trim(*value);
	return span_length(*value) > 0;
}

/* A rule waits for its command, which is on the next line if it has one. */
struct pending {
	char where[PATH_MAX + 32];
	char *rule; /* owned; NULL: none */
};

static int add(struct rule_list *list, struct pending *pending, const char *command)
{
	int status = pending->rule ? rule_list_add(list, pending->where, pending->rule, command) : 0;

	free(pending->rule);
	pending->rule = NULL;
	return status;
}

static int take_line(struct rule_list *list, struct pending *pending, const char *where, struct span line)
{
	struct span name, value;
	int status;
	char *text;

	if (!split(line, &name, &value) || !(span_is(name, "when") || span_is(name, "run"))) {
		error_message(where, _("expected \"when = RULE\" or \"run = COMMAND\""));
		return 2;
	}
	text = strndup(value.at, span_length(value));
	if (span_is(name, "when")) {
		status = add(list, pending, NULL);
		snprintf(pending->where, sizeof(pending->where), "%s", where);
		pending->rule = text;
		return status;
	}
	if (pending->rule) {
		status = add(list, pending, text);
	} else {
		error_message(where, _("a command stands behind its rule, one for each"));
		status = 2;
	}
	free(text);
	return status;
}

static int take_text(struct rule_list *list, const char *path, struct span text)
{
	char where[PATH_MAX + 32];
	struct pending pending = { .rule = NULL };
	struct span line;
	int worst = 0;

	for (unsigned number = 1; span_line(&text, &line); number++) {
		int status;

		line = trim(line);
		if (span_length(line) == 0 || *line.at == '#')
			continue;
		snprintf(where, sizeof(where), _("%s, line %u"), path, number);
		status = take_line(list, &pending, where, line);
		worst = status > worst ? status : worst;
	}
	if (pending.rule && add(list, &pending, NULL) != 0)
		worst = 2;
	return worst;
}

static int read_file(struct rule_list *list, int directory, const char *path, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), error, status;
	struct buffer text = { 0 };
	struct stat is;

	error = fd < 0 ? -errno : check_safe(fd);
	if (!error && (fstat(fd, &is) < 0 || !S_ISREG(is.st_mode)))
		error = -EINVAL;
	if (!error)
		error = buffer_read(&text, fd, FILE_BYTES_MAX);
	if (error)
		refuse(path, error);
	status = error ? 1 : take_text(list, path, span_of(text.bytes, text.length));
	if (fd >= 0)
		close(fd);
	buffer_free(&text);
	return status;
}

static int read_files(struct rule_list *list, int directory, const char *path)
{
	char opened[sizeof("/proc/self/fd/-2147483648")]; /* musl has no scandirat() */
	struct dirent **entries;
	int n, worst;

	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", directory);
	n = scandir(opened, &entries, is_rule_file, alphasort);
	worst = n < 0;
	if (n < 0)
		refuse(path, -errno);
	for (int i = 0; i < n; i++) {
		char file[PATH_MAX];
		int status;

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		status = read_file(list, directory, file, entries[i]->d_name);
		worst = status > worst ? status : worst;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return worst;
}

static bool is_same_time(const struct stat *one, const struct stat *other)
{
	return one->st_ctim.tv_sec == other->st_ctim.tv_sec && one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

/*
 * Files "*.rule", in the order of their names, have lines "when = RULE", each followed by "run = COMMAND" or
 * not. Commands run with the rights of panetop: so each directory on the way and each file is of root or of
 * this user, others cannot write it, and no link is followed. 0, or 1 or 2 after a message for each fault.
 */
static int read_directory(struct rule_list *list, const char *directory)
{
	int fd = open_directory(directory), status = 1;
	struct stat before, after;
	bool whole = false;

	if (fd < 0) {
		refuse(directory, fd);
		return 1;
	}
	for (int i = 0; i < TRIES && !whole; i++) {
		size_t n_before = list->n_rules;

		fstat(fd, &before);
		status = read_files(list, fd, directory);
		whole = fstat(fd, &after) == 0 && is_same_time(&before, &after);
		if (!whole)
			rule_list_shorten(list, n_before);
	}
	close(fd);
	if (whole)
		return status;
	error_message(directory, _("it changes while it is read"));
	return 1;
}

/* Does it need what is only measured for the user who names it, and was that not done? */
static bool is_unnamed(const struct options *options, const struct condition *condition)
{
	const struct schema *schema = topics[condition_topic(condition->topic)]->schema;
	bool table = false, column = condition->measured && condition->measured->disturbs;

	for (unsigned i = 0; i < options->n_tables; i++)
		table |= strcmp(options->tables[i], schema->name) == 0;
	if (column && options->columns)
		column = !span_list_has(span_text(options->columns), condition->measured->key);
	return (schema->disturbs && !table) || column;
}

/* A rule starts no measurement that takes something from the kernel. */
static int check_disturbing(const struct options *options, const struct listed_rule *listed)
{
	const struct rule *rule = &listed->rule;

	if (listed->event ||
	    (!is_unnamed(options, &rule->when) && !(rule->has_until && is_unnamed(options, &rule->until))))
		return 0;
	error_message(options->rules_directory ? options->rules_directory : "--when",
		      _("'%s': no rule clears accessed bits; name the table with -t, or the column with -c"),
		      listed->text);
	return 2;
}

/* Checks all of them before anything starts. A program file that gives rights would lend them to commands. */
int rule_options_read(const struct options *options, struct rule_list *list)
{
	int status, worst = 0;

	if (getauxval(AT_SECURE)) {
		error_message(options->rules_directory ? "watch" : "--when",
			      _("refused: this program file has rights that its user has not"));
		return 1;
	}
	if (options->rules_directory)
		worst = read_directory(list, options->rules_directory);
	for (size_t i = 0; i < options->n_rules; i++) {
		status = rule_list_add(list, "--when", options->rules[i].when, options->rules[i].run);
		worst = status > worst ? status : worst;
	}
	if (rule_list_events(list, RULE_EVENT_END) > PROGRAM_NAMES_MAX ||
	    rule_list_events(list, RULE_EVENT_START) > PROGRAM_NAMES_MAX) {
		error_message(options->rules_directory ? options->rules_directory : "--when",
			      _("at most %d rules are about ends of processes, and as many about starts"),
			      PROGRAM_NAMES_MAX);
		return 1;
	}
	for (size_t i = 0; i < list->n_rules && worst == 0; i++)
		worst = check_disturbing(options, &list->rules[i]);
	if (worst != 0 || list->n_rules > 0)
		return worst;
	error_message(options->rules_directory, _("there is no rule in it: no file *.rule has one"));
	return 1;
}
