/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps lines that standard error does not take, and counts those that it has no room for. */
#include <config.h>

#include "sys/error_message.h"

#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "sys/buffer_io.h"
#include "sys/machine_clock.h"

#define PROGRAM "panetop: "
#define KEPT_MAX 16384
#define CLOSE_MS 1000

static struct buffer kept;      /* lines that standard error has not taken yet */
static struct buffer reported;  /* for error_message_log() */
static unsigned long n_dropped; /* lines for which kept had no room, not reported yet */

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

static uint64_t now_ms(void)
{
	return real_mono_ns() / 1000000;
}

void error_message_close(void)
{
	struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };
	uint64_t end_ms = now_ms() + CLOSE_MS, at_ms;

	error_message_retry();
	while (kept.length > 0 && (at_ms = now_ms()) < end_ms) {
		poll(&ready, 1, (int)(end_ms - at_ms));
		error_message_retry();
	}
	buffer_free(&kept);
	buffer_free(&reported);
}
