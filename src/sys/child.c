/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads proc files and the clock of a process, and never waits for it in the kernel. */
#include <config.h>

#include "sys/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define END_MS 100
#define PROC_PATH_MAX 64
#define STAT_BYTES 1024

static size_t read_proc(pid_t pid, const char *name, char *text, size_t room)
{
	char path[PROC_PATH_MAX];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, room - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

uint64_t child_cpu_ns(pid_t child)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) < 0)
		return 0;
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static bool is_in_state(pid_t child, char wanted)
{
	char text[STAT_BYTES];
	const char *state = read_proc(child, "stat", text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;

	return state && state[1] == ' ' && state[2] == wanted;
}

bool child_waits_for_disk(pid_t child)
{
	return is_in_state(child, 'D');
}

bool child_runs(pid_t child)
{
	return is_in_state(child, 'R');
}

void process_name(pid_t pid, char *name, size_t room)
{
	read_proc(pid, "comm", name, room);
	name[strcspn(name, "\n")] = '\0';
}

bool child_has_ended(pid_t child)
{
	return waitpid(child, NULL, WNOHANG) != 0;
}

bool child_end(pid_t child)
{
	kill(child, SIGKILL);
	for (int i = 0; i < END_MS; i++) {
		if (child_has_ended(child))
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}
