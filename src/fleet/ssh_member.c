/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts ssh, reads the recording that it passes on, and starts it again whenever it ends. Each connection is
 * a part of the member. Nothing here waits.
 */
#include <config.h>

#include "fleet/ssh_member.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "recording/block.h"
#include "recording/reader.h"
#include "sys/process.h"

/* ssh must neither ask nor wait for ever, and opens nothing but this one channel. */
static const char *const of_ssh[] = {
	"ssh",
	"-T", /* no terminal there */
	"-oBatchMode=yes",
	"-oConnectTimeout=10",
	"-oServerAliveInterval=5",
	"-oServerAliveCountMax=3",
	"-oClearAllForwardings=yes",
	"-oForwardAgent=no",
	"-oForwardX11=no",
	"-oPermitLocalCommand=no",
	"-oRemoteCommand=none",
	"--",
};

/*
 * The shell there reads them as one line: one like sh, csh, for which a colon behind a variable begins a
 * modifier, or fish, which knows no braces around its name. scp copies to the home directory.
 */
static const char *const of_panetop[] = { "env", "PATH=\"$PATH\"\":$HOME\"", "panetop" };

bool ssh_host_is_valid(struct span host)
{
	if (span_length(host) == 0 || span_length(host) > SSH_HOST_MAX || *host.at == '-')
		return false;
	for (const char *at = host.at; at < host.end; at++)
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			return false;
	return true;
}

void ssh_words_make(struct ssh_words *words, const char *host, const struct ssh_record *record)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(of_ssh) / sizeof(of_ssh[0]); i++)
		words->words[n++] = (char *)of_ssh[i];
	words->words[n++] = (char *)host;
	for (size_t i = 0; i < sizeof(of_panetop) / sizeof(of_panetop[0]); i++)
		words->words[n++] = (char *)of_panetop[i];
	words->words[n++] = (char *)"--record=-";
	snprintf(words->delay, sizeof(words->delay), "--delay=%.9g", record->delay_seconds);
	words->words[n++] = words->delay;
	if (record->no_bpf)
		words->words[n++] = (char *)"--no-bpf";
	if (record->no_arguments)
		words->words[n++] = (char *)"--no-arguments";
	for (unsigned i = 0; i < record->n_tables; i++) {
		snprintf(words->tables[i], sizeof(words->tables[i]), "--table=%s", record->tables[i]);
		words->words[n++] = words->tables[i];
	}
	for (unsigned i = 0; i < record->n_panes; i++)
		words->words[n++] = (char *)record->panes[i];
	words->words[n] = NULL;
}

/*
 * Passes what a login has printed, and waits for the description: opening a recording blocks until it is
 * there.
 */

#define DESCRIPTION_MAX ((size_t)16 << 20)

/* Of the first bytes that are the magic number, or may be its beginning. */
static size_t find_magic(struct span bytes)
{
	size_t length = span_length(bytes);

	for (size_t at = 0; at < length; at++) {
		size_t rest = length - at;

		if (memcmp(bytes.at + at, RECORDING_MAGIC,
			   rest < RECORDING_MAGIC_BYTES ? rest : RECORDING_MAGIC_BYTES) == 0)
			return at;
	}
	return length;
}

enum stream_start stream_find_start(struct span bytes, size_t *at)
{
	struct block_header header;
	size_t length;
	int error;

	*at = find_magic(bytes);
	if (*at > STREAM_STRANGE_MAX)
		return STREAM_STRANGE;
	bytes.at += *at;
	length = span_length(bytes);
	if (length < RECORDING_HEADER_BYTES)
		return STREAM_MORE;
	error = recording_header_check(bytes.at);
	if (error)
		return error == -ENOTSUP ? STREAM_NEWER : STREAM_DAMAGED;
	if (length < RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES)
		return STREAM_MORE;
	if (!block_header_parse(&header, bytes.at + RECORDING_HEADER_BYTES) ||
	    header.kind != BLOCK_DESCRIPTION || header.length > DESCRIPTION_MAX)
		return STREAM_DAMAGED;
	return length - RECORDING_HEADER_BYTES - BLOCK_HEADER_BYTES < header.length ? STREAM_MORE
										    : STREAM_WHOLE;
}

/* By the status of ssh(1) who failed: ssh itself (255), the shell there (127), or panetop there. */
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

#define SECOND_NS UINT64_C(1000000000)
#define PARTS_MAX 4       /* connections whose samples are kept */
#define ANSWER_SECONDS 20 /* for the first bytes of a recording */
#define END_SECONDS 2     /* for ssh to end once it sends nothing more, before it is killed */
#define RETRY_SECONDS_MAX 30
#define SILENT_SECONDS 5 /* and five delays: then a connection that gives no samples is in trouble */
#define ERROR_BYTES 4096 /* kept of what it writes to standard error */
#define OFFSETS 32       /* samples whose arrival says what its clock has */
#define READ_BYTES 65536

enum phase {
	PHASE_REST,    /* until it is tried again */
	PHASE_ANSWER,  /* it runs, and no recording has begun */
	PHASE_SAMPLES, /* a recording comes */
	PHASE_END,     /* nothing more comes: it is about to end */
};

struct connection {
	const char *host;
	const struct ssh_plan *plan;
	const struct member_plan *reading;
	enum phase phase;
	uint64_t until_ns;   /* CLOCK_MONOTONIC: the phase lasts until then at most */
	unsigned n_failures; /* one after the other */
	pid_t pid;           /* and its process group; 0: none */
	int out_fd, err_fd;  /* -1: none; out_fd is that of the last part once it is open */
	struct buffer start; /* bytes before a recording is open */
	struct buffer errors;
	struct buffer trouble; /* NUL-terminated; empty: none */
	bool explained;        /* trouble is why this connection ends */
	struct member_part parts[PARTS_MAX];
	size_t n_parts;
	uint64_t sample_ns;       /* CLOCK_MONOTONIC: when the last sample came; 0: none so far */
	int64_t offsets[OFFSETS]; /* wall clocks: of samples less that of their arrival */
	unsigned n_offsets, next_offset;
};

static void set_trouble(struct connection *connection, const char *text)
{
	buffer_empty(&connection->trouble);
	buffer_text(&connection->trouble, text);
	buffer_char(&connection->trouble, '\0');
}

static void set_phase(struct connection *connection, enum phase phase, uint64_t now_ns, double seconds)
{
	connection->phase = phase;
	connection->until_ns = now_ns + (uint64_t)(seconds * (double)SECOND_NS);
}

static void watch(const struct connection *connection, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	epoll_ctl(connection->plan->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void unwatch(const struct connection *connection, int fd)
{
	epoll_ctl(connection->plan->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static void connection_rest(struct connection *connection, uint64_t now_ns)
{
	unsigned shift = connection->n_failures < 5 ? connection->n_failures : 5;
	double seconds = (double)(1U << shift);

	connection->n_failures++;
	set_phase(connection, PHASE_REST, now_ns, seconds < RETRY_SECONDS_MAX ? seconds : RETRY_SECONDS_MAX);
}

static void close_pair(int pair[2])
{
	for (unsigned i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* 0, or an errno. Descriptors that stay are ours in out and err. */
static int spawn_ssh(struct connection *connection, int out[2], int err[2])
{
	struct ssh_words words;
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC), error;
	struct spawn_plan plan = {
		.words = words.words,
		.variables = connection->plan->variables,
		.own_session = true,
		.in = null_fd,
	};

	if (null_fd < 0)
		return errno;
	error = pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0 ? errno : 0;
	plan.out = out[1];
	plan.err = err[1];
	ssh_words_make(&words, connection->host, connection->plan->record);
	if (!error)
		error = spawn_command(&plan, &connection->pid);
	close(null_fd);
	return error;
}

static void start(struct connection *connection, uint64_t now_ns)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	int error = spawn_ssh(connection, out, err);

	if (error) {
		close_pair(out);
		close_pair(err);
		connection->pid = 0;
		set_trouble(connection, error == ENOENT
						? _("ssh is not installed here (package openssh-client)")
						: strerror(error));
		connection_rest(connection, now_ns);
		return;
	}
	close(out[1]);
	close(err[1]);
	connection->out_fd = out[0];
	connection->err_fd = err[0];
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	watch(connection, out[0]);
	watch(connection, err[0]);
	buffer_empty(&connection->start);
	buffer_empty(&connection->errors);
	connection->explained = false;
	set_phase(connection, PHASE_ANSWER, now_ns, ANSWER_SECONDS);
}

/* Nothing more comes. The last part, if it is of this connection, keeps its descriptor. */
static void stop_reading(struct connection *connection, uint64_t now_ns)
{
	unwatch(connection, connection->out_fd);
	if (connection->phase == PHASE_ANSWER)
		close(connection->out_fd);
	connection->out_fd = -1;
	set_phase(connection, PHASE_END, now_ns, END_SECONDS);
}

/* Ends a connection that is of no use, for this reason, whatever ssh itself reports. */
static void give_up(struct connection *connection, const char *why, uint64_t now_ns)
{
	set_trouble(connection, why);
	connection->explained = true;
	stop_reading(connection, now_ns);
	kill(-connection->pid, SIGTERM);
}

/* Keeps the end. */
static void read_errors(struct connection *connection)
{
	char bytes[1024];
	ssize_t got = -1;

	for (unsigned i = 0; connection->err_fd >= 0 && i < 16; i++) {
		struct buffer *errors = &connection->errors;

		got = read(connection->err_fd, bytes, sizeof(bytes));
		if (got <= 0)
			break;
		buffer_add(errors, bytes, (size_t)got);
		if (errors->length > ERROR_BYTES) {
			memmove(errors->bytes, errors->bytes + errors->length - ERROR_BYTES, ERROR_BYTES);
			errors->length = ERROR_BYTES;
		}
	}
	if (got == 0) {
		close(connection->err_fd);
		connection->err_fd = -1;
	}
}

/* bytes is the beginning of a recording, with its description. */
static void open_part(struct connection *connection, struct span bytes, uint64_t now_ns)
{
	struct recording_input input = {
		.fd = connection->out_fd,
		.first = bytes,
		.back_bytes = connection->plan->back_bytes,
		.interrupted = connection->reading->interrupted,
		.schemas = connection->reading->schemas,
		.n_schemas = connection->reading->n_schemas,
	};
	struct member_part *part;
	const char *why;

	if (connection->n_parts == PARTS_MAX) {
		connection->parts[0].source.close(connection->parts[0].source.state);
		memmove(connection->parts, connection->parts + 1,
			--connection->n_parts * sizeof(*connection->parts));
	}
	part = &connection->parts[connection->n_parts];
	*part = (struct member_part){ .serial = ++*connection->plan->serials };
	unwatch(connection, connection->out_fd); /* it is closed on failure */
	set_phase(connection, PHASE_SAMPLES, now_ns, 0);
	if (recording_open(&part->source, &input, &why) < 0) {
		give_up(connection, why, now_ns);
		return;
	}
	watch(connection, connection->out_fd);
	connection->n_parts++;
}

/* Until a recording has begun. */
static void read_start(struct connection *connection, uint64_t now_ns)
{
	static const char *const refusals[] = {
		[STREAM_NEWER] = N_("panetop there is newer and records in a form that this version does not "
				    "know: "
				    "update this one"),
		[STREAM_STRANGE] = N_("what comes from there is no recording"),
		[STREAM_DAMAGED] = N_("the recording that comes from there is damaged"),
	};
	struct buffer *begin = &connection->start;
	char bytes[READ_BYTES];
	ssize_t got;
	size_t at;

	while ((got = read(connection->out_fd, bytes, sizeof(bytes))) > 0) {
		enum stream_start found;

		buffer_add(begin, bytes, (size_t)got);
		found = stream_find_start(span_of(begin->bytes, begin->length), &at);
		if (found == STREAM_MORE)
			continue;
		if (found == STREAM_WHOLE)
			open_part(connection, span_of(begin->bytes + at, begin->length - at), now_ns);
		else
			give_up(connection, _(refusals[found]), now_ns);
		return;
	}
	if (got == 0)
		stop_reading(connection, now_ns);
}

/* When the sample came says what its clock has more than ours, less the time that it took. */
static void measure_clock(struct connection *connection, uint64_t sample_wall_ns)
{
	connection->offsets[connection->next_offset] =
		(int64_t)(sample_wall_ns - clock_wall_ns(connection->reading->clock));
	connection->next_offset = (connection->next_offset + 1) % OFFSETS;
	if (connection->n_offsets < OFFSETS)
		connection->n_offsets++;
}

static bool read_samples(struct connection *connection, uint64_t now_ns)
{
	struct member_part *part = &connection->parts[connection->n_parts - 1];
	struct source *source = &part->source;
	uint64_t last_ns = part->last_ns;
	size_t n_frames = part->n_frames;
	bool more = source->pull(source->state);

	source->extent(source->state, &part->n_frames, &part->first_ns, &part->last_ns);
	if (part->n_frames != n_frames || part->last_ns != last_ns) {
		connection->sample_ns = now_ns;
		connection->n_failures = 0;
		buffer_empty(&connection->trouble);
		measure_clock(connection, part->last_ns);
	}
	if (!more) {
		if (source->remark(source->state))
			give_up(connection, source->remark(source->state), now_ns);
		else
			stop_reading(connection, now_ns);
	}
	return connection->sample_ns == now_ns;
}

/* The process has ended, or is about to. */
static void reap(struct connection *connection, uint64_t now_ns)
{
	int status;

	if (waitpid(connection->pid, &status, WNOHANG) == 0) {
		if (now_ns >= connection->until_ns)
			spawn_signal(connection->pid, SIGKILL);
		return;
	}
	read_errors(connection);
	if (connection->err_fd >= 0) /* others may hold it */
		close(connection->err_fd);
	connection->err_fd = -1;
	connection->pid = 0;
	if (!connection->explained)
		ssh_trouble_of_end(&connection->trouble,
				   &(struct ssh_end){
					   .host = connection->host,
					   .status = status,
					   .line = ssh_last_line(span_of(connection->errors.bytes,
									 connection->errors.length)),
				   });
	connection_rest(connection, now_ns);
}

static bool pull(void *state, uint64_t now_ns)
{
	struct connection *connection = state;
	bool any = false;

	read_errors(connection);
	if (connection->phase == PHASE_REST && now_ns >= connection->until_ns)
		start(connection, now_ns);
	if (connection->phase == PHASE_ANSWER)
		read_start(connection, now_ns);
	if (connection->phase == PHASE_ANSWER && now_ns >= connection->until_ns)
		give_up(connection, _("no answer for 20 s"), now_ns);
	if (connection->phase == PHASE_SAMPLES)
		any = read_samples(connection, now_ns);
	if (connection->phase == PHASE_END)
		reap(connection, now_ns);
	return any;
}

static struct member_part *parts(void *state, size_t *n_parts)
{
	struct connection *connection = state;

	*n_parts = connection->n_parts;
	return connection->parts;
}

static double clock_offset_seconds(const struct connection *connection)
{
	int64_t most = INT64_MIN;

	for (unsigned i = 0; i < connection->n_offsets; i++)
		most = connection->offsets[i] > most ? connection->offsets[i] : most;
	return connection->n_offsets > 0 ? (double)most / 1e9 : NAN;
}

static const char *trouble(struct connection *connection)
{
	double silent = (double)(clock_mono_ns(connection->reading->clock) - connection->sample_ns) / 1e9;

	if (connection->trouble.length > 0)
		return connection->trouble.bytes;
	if (connection->sample_ns == 0)
		return _("connecting");
	return silent > SILENT_SECONDS + 5 * connection->plan->record->delay_seconds
		       ? _("connected, but no sample comes")
		       : NULL;
}

static void report(void *state, struct member_report *report)
{
	struct connection *connection = state;

	report->trouble = trouble(connection);
	report->ended = false;
	report->failed = connection->n_failures > 0;
	report->clock_offset_seconds = clock_offset_seconds(connection);
}

static void keep_back(void *state, uint64_t bytes)
{
	struct connection *connection = state;

	for (size_t i = 0; i < connection->n_parts; i++)
		connection->parts[i].source.keep_back(connection->parts[i].source.state, bytes);
}

static void close_connection(void *state)
{
	struct connection *connection = state;
	int status;

	if (connection->pid > 0)
		spawn_kill(connection->pid, &status);
	if (connection->phase == PHASE_ANSWER)
		close(connection->out_fd);
	if (connection->err_fd >= 0)
		close(connection->err_fd);
	for (size_t i = 0; i < connection->n_parts; i++)
		connection->parts[i].source.close(connection->parts[i].source.state);
	buffer_free(&connection->start);
	buffer_free(&connection->errors);
	buffer_free(&connection->trouble);
	free(connection);
}

static const struct member_kind kind = { pull, parts, report, keep_back, close_connection };

void ssh_member_open(struct member *member, const char *host, const struct ssh_plan *ssh,
		     const struct member_plan *plan)
{
	struct connection *connection = alloc_zeroed(1, sizeof(*connection));

	connection->plan = ssh;
	connection->reading = plan;
	connection->out_fd = connection->err_fd = -1;
	member_open(member, host, &kind, connection, plan);
	connection->host = member->name;
}
