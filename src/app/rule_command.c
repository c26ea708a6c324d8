/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of rules: words, environment, limits. */
#include <config.h>

#include "app/rule_command.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "core/utf8.h"
#include "core/vector.h"
#include "sys/child.h"
#include "sys/env.h"
#include "sys/error_message.h"
#include "sys/privilege.h"

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
