/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on standard error, for people. */
#include <config.h>

#include "core/error_message.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/utf8.h"

#define PROGRAM "panetop: "
#define KEPT_MAX 16384
#define HURRY_MS 1000

static struct buffer kept;      /* lines that standard error has not taken yet */
static struct buffer reported;  /* for error_message_log() */
static unsigned long n_dropped; /* lines for which kept had no room, not reported yet */
static bool hurried;

static void add_line(struct buffer *line, const char *what, const char *why)
{
	buffer_text(line, PROGRAM);
	if (what) {
		utf8_clean(line, what, -1, false);
		buffer_text(line, ": ");
	}
	utf8_clean(line, why, -1, false);
	buffer_char(line, '\n');
}

static void send_kept(void)
{
	if (buffer_write_now(&kept, STDERR_FILENO) < 0)
		buffer_empty(&kept); /* standard error is broken */
}

static void report_dropped(void)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text),
		 P_("blocked; %lu message was dropped", "blocked; %lu messages were dropped", n_dropped),
		 n_dropped);
	add_line(&kept, _("standard error"), text);
	n_dropped = 0;
}

void error_message_retry(void)
{
	send_kept();
	if (kept.length > 0 || n_dropped == 0)
		return;
	report_dropped();
	send_kept();
}

void error_message(const char *what, const char *why, ...)
{
	struct buffer line = { 0 };
	char text[TEXT_MAX];
	va_list list;

	va_start(list, why);
	vsnprintf(text, sizeof(text), why, list);
	va_end(list);
	add_line(&line, what, text);
	if (reported.length + line.length <= KEPT_MAX)
		buffer_add(&reported, line.bytes + strlen(PROGRAM), line.length - strlen(PROGRAM));
	error_message_retry();
	if (n_dropped == 0 && kept.length + line.length <= KEPT_MAX)
		buffer_add(&kept, line.bytes, line.length);
	else
		n_dropped++;
	send_kept();
	buffer_free(&line);
}

const char *error_message_log(void)
{
	if (reported.length == 0)
		return "";
	buffer_char(&reported, '\0');
	reported.length--;
	return reported.bytes;
}

void error_message_hurry(void)
{
	hurried = true;
}

/* Waits until standard error takes some of kept; false when hurried and it took nothing. */
static bool sends_some(void)
{
	struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };
	size_t before = kept.length;

	poll(&ready, 1, hurried ? HURRY_MS : -1);
	error_message_retry();
	return !hurried || kept.length < before;
}

void error_message_close(void)
{
	sigset_t none;

	error_message_retry();
	sigemptyset(&none);
	if (kept.length > 0 && !hurried) /* the loop has blocked the signals that end the wait */
		pthread_sigmask(SIG_SETMASK, &none, NULL);
	while (kept.length > 0 && sends_some())
		;
	buffer_free(&kept);
	buffer_free(&reported);
}
