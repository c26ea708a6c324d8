/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells by the status of ssh(1) who failed: ssh itself (255), the shell there (127), or panetop there. */
#include <config.h>

#include "fleet/ssh_trouble.h"

#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/utf8.h"

#define STATUS_OF_SSH 255
#define STATUS_NOT_FOUND 127
#define URL_OF_SSH "ssh://"

struct span ssh_last_line(struct span bytes)
{
	struct span last = { bytes.at, bytes.at }, line;

	while (span_line(&bytes, &line)) {
		while (span_length(line) > 0 && (line.end[-1] == '\r' || line.end[-1] == ' '))
			line.end--;
		if (span_length(line) > 0)
			last = line;
	}
	return last;
}

/* This program, for scp(1). */
static void own_path(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (length <= 0)
		strcpy(path, PACKAGE);
	else
		path[length] = '\0';
}

/* As the loader reports it. */
static bool lacks_library(struct span line)
{
	static const char words[] = "error while loading shared libraries";

	return span_length(line) > 0 && memmem(line.at, span_length(line), words, sizeof(words) - 1) != NULL;
}

void ssh_trouble_of_end(struct buffer *text, const struct ssh_end *end)
{
	int code = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : -1;
	int length = (int)span_length(end->line);
	char path[PATH_MAX];
	struct buffer raw = { 0 };

	if (code == STATUS_NOT_FOUND && lacks_library(end->line)) {
		buffer_print(&raw, _("panetop there lacks a library; install its package: %.*s"), length,
			     end->line.at);
	} else if (code == STATUS_NOT_FOUND) {
		bool is_url = strncmp(end->host, URL_OF_SSH, strlen(URL_OF_SSH)) == 0;

		own_path(path);
		buffer_print(&raw, _("panetop is not installed there; copy it: scp %s %s%s%s"), path,
			     is_url ? "scp://" : "", is_url ? end->host + strlen(URL_OF_SSH) : end->host,
			     is_url ? "/" : ":");
	} else if (length > 0 && code == STATUS_OF_SSH) {
		buffer_print(&raw, _("no connection: %.*s"), length, end->line.at);
	} else if (length > 0 && code != 0) {
		buffer_print(&raw, _("panetop ended there: %.*s"), length, end->line.at);
	} else if (code < 0) {
		buffer_print(&raw, _("ssh was ended by signal %d"), WTERMSIG(end->status));
	} else {
		buffer_print(&raw, "%s", _("the connection has ended"));
	}
	buffer_char(&raw, '\0');
	buffer_empty(text);
	utf8_clean(text, raw.bytes, -1, false);
	buffer_char(text, '\0');
	buffer_free(&raw);
}
