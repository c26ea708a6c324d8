/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps lines that standard error does not take, and counts those that it has no room for. */
#include <config.h>

#include "sys/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "sys/machine.h"

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

void error_message_retry(void)
{
	char text[TEXT_MAX];

	send_kept();
	if (kept.length > 0 || n_dropped == 0)
		return;
	snprintf(text, sizeof(text),
		 P_("blocked; %lu message was dropped", "blocked; %lu messages were dropped", n_dropped),
		 n_dropped);
	add_line(&kept, _("standard error"), text);
	n_dropped = 0;
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

void error_message_close(void)
{
	struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };
	uint64_t end_ms = real_mono_ns() / 1000000 + CLOSE_MS, at_ms;

	error_message_retry();
	while (kept.length > 0 && (at_ms = real_mono_ns() / 1000000) < end_ms) {
		poll(&ready, 1, (int)(end_ms - at_ms));
		error_message_retry();
	}
	buffer_free(&kept);
	buffer_free(&reported);
}

/* Reads and writes that neither a signal nor a stopped terminal keeps from returning. */

#define READ_BYTES ((size_t)4096)
#define WRITE_BYTES ((size_t)4096)
#define WRITE_NS 20000000L /* the longest time that one write may block */

int buffer_read(struct buffer *buffer, int fd, size_t most)
{
	while (buffer->length < most) {
		ssize_t got;

		buffer_reserve(buffer, READ_BYTES);
		got = read(fd, buffer->bytes + buffer->length, READ_BYTES);
		if (got == 0)
			break;
		if (got > 0)
			buffer->length += (size_t)got;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static void ignore(int number)
{
	(void)number;
}

/* SIGURG does nothing by default; here it interrupts a system call. */
static void prepare_break(void)
{
	static bool prepared;
	const struct sigaction action = { .sa_handler = ignore };
	sigset_t set;

	if (prepared)
		return;
	prepared = true;
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	sigaction(SIGURG, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * A terminal that poll(2) reports as writable may have room for a single byte, or be stopped before the
 * write, which then blocks. A timer interrupts it; it repeats, as it may expire before the write starts.
 */
static ssize_t write_briefly(int fd, const char *bytes, size_t length)
{
	const struct itimerspec times = { { .tv_nsec = WRITE_NS }, { .tv_nsec = WRITE_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
	timer_t timer;
	ssize_t written;
	bool timed;
	int error;

	prepare_break();
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	timed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
	if (timed)
		timer_settime(timer, 0, &times, NULL);
	written = write(fd, bytes, length);
	error = errno;
	if (timed)
		timer_delete(timer);
	errno = error;
	return written;
}

/* In pieces so small that a pipe that is ready takes them at once. */
static ssize_t write_piece(int fd, const char *bytes, size_t length, bool briefly)
{
	size_t piece = length < WRITE_BYTES ? length : WRITE_BYTES;

	return briefly ? write_briefly(fd, bytes, piece) : write(fd, bytes, piece);
}

/* Waits until fd takes bytes. 0; -ECANCELED; -EBADF: no descriptor. */
static int wait_writable(int fd, int cancel_fd)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLOUT }, { .fd = cancel_fd, .events = POLLIN } };

	if (fd < 0)
		return -EBADF;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[0].revents == 0 && fds[1].revents != 0 ? -ECANCELED : 0;
}

static bool is_ready(int fd, short events)
{
	struct pollfd ready = { .fd = fd, .events = events };

	return poll(&ready, 1, 0) > 0;
}

int buffer_write(struct buffer *buffer, int fd, int cancel_fd)
{
	struct stat status;
	bool briefly = cancel_fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode));
	size_t done = 0;

	while (done < buffer->length) {
		int error = wait_writable(fd, cancel_fd);
		ssize_t written;

		if (error)
			return error;
		written = write_piece(fd, buffer->bytes + done, buffer->length - done, briefly);
		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
		else if (is_ready(cancel_fd, POLLIN))
			return -ECANCELED;
	}
	buffer_empty(buffer);
	return 0;
}

int buffer_write_now(struct buffer *buffer, int fd)
{
	size_t done = 0;
	int error = 0;

	while (done < buffer->length && is_ready(fd, POLLOUT)) {
		ssize_t written = write_piece(fd, buffer->bytes + done, buffer->length - done, true);

		if (written <= 0) {
			error = written < 0 && errno != EINTR && errno != EAGAIN ? -errno : 0;
			break;
		}
		done += (size_t)written;
	}
	buffer->length -= done;
	if (done > 0)
		memmove(buffer->bytes, buffer->bytes + done, buffer->length);
	return error;
}
