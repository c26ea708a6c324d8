/* SPDX-License-Identifier: GPL-2.0-or-later */
/* floor DELAY COUNT: what any reader of all stat files pays: list /proc; open, read and close each. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static unsigned long read_all(DIR *proc, int proc_fd)
{
	unsigned long total = 0;
	const struct dirent *entry;

	rewinddir(proc);
	while ((entry = readdir(proc))) {
		char path[280], bytes[1024];
		ssize_t length;
		int fd;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "%s/stat", entry->d_name);
		fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		length = read(fd, bytes, sizeof(bytes));
		total += length > 0 ? (unsigned long)length : 0;
		close(fd);
	}
	return total;
}

int main(int argc, char **argv)
{
	double delay = argc == 3 ? atof(argv[1]) : 0;
	struct timespec pause = { .tv_sec = (time_t)delay, .tv_nsec = (long)((delay - (long)delay) * 1e9) };
	DIR *proc = opendir("/proc");

	if (argc != 3 || !proc)
		return 2;
	for (int left = atoi(argv[2]); left > 0; left--) {
		printf("%lu\n", read_all(proc, dirfd(proc)));
		if (left > 1)
			nanosleep(&pause, NULL);
	}
	closedir(proc);
	return 0;
}
