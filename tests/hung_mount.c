/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hung_mount [--file] [--hang=WHEN] PLACE CONTENT COMMAND...: a file system whose server stops answering.
 * In a private mount namespace it mounts at PLACE a directory with the file "file", or with --file a file,
 * that has the bytes of CONTENT; then it runs COMMAND there. WHEN is the first request without an answer:
 * statfs, getattr, lookup, open or read; or signal (the default): from SIGUSR1 to the process in
 * HUNG_MOUNT_PID on.
 * Requests are read from then on and never answered, which leaves who asks uninterruptible until this
 * process ends. Ends with the status of COMMAND; 77: mounting is not possible here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NODE 2
#define FILE_NAME "file"
#define ATTRIBUTES_LAST_SECONDS 3600
#define READ_MAX (32 * 4096) /* of the kernel at once; fewer bytes would mean the end of the file */

static struct {
	const char *name;
	uint32_t opcode;
} const whens[] = {
	{ "statfs", FUSE_STATFS }, { "getattr", FUSE_GETATTR }, { "lookup", FUSE_LOOKUP },
	{ "open", FUSE_OPEN },     { "read", FUSE_READ },       { "signal", 0 },
};

static struct {
	int fuse, content;
	bool is_file;
	uint32_t hang; /* opcode */
} server;

static volatile sig_atomic_t hung;

static void note_signal(int signal)
{
	hung |= signal == SIGUSR1;
}

static void answer(uint64_t unique, int error, const void *body, size_t length)
{
	static char bytes[sizeof(struct fuse_out_header) + READ_MAX];
	struct fuse_out_header header = { .unique = unique, .error = error };

	header.len = (uint32_t)(sizeof(header) + length);
	memcpy(bytes, &header, sizeof(header));
	if (length > 0)
		memcpy(bytes + sizeof(header), body, length);
	if (write(server.fuse, bytes, header.len) < 0 && errno != ENOENT)
		perror("hung_mount: write");
}

static struct fuse_attr attributes_of(uint64_t node)
{
	struct fuse_attr attributes = { .ino = node, .nlink = 1, .blksize = 4096 };
	bool is_file = node == FILE_NODE || server.is_file;
	struct stat status;

	attributes.mode = is_file ? S_IFREG | 0755 : S_IFDIR | 0755;
	if (is_file && fstat(server.content, &status) == 0)
		attributes.size = (uint64_t)status.st_size;
	return attributes;
}

static void answer_lookup(uint64_t unique, const char *name)
{
	struct fuse_entry_out entry = { .nodeid = FILE_NODE,
					.entry_valid = ATTRIBUTES_LAST_SECONDS,
					.attr_valid = ATTRIBUTES_LAST_SECONDS,
					.attr = attributes_of(FILE_NODE) };

	if (strcmp(name, FILE_NAME) == 0)
		answer(unique, 0, &entry, sizeof(entry));
	else
		answer(unique, -ENOENT, NULL, 0);
}

static void answer_read(uint64_t unique, const struct fuse_read_in *wanted)
{
	static char bytes[READ_MAX];
	size_t most = wanted->size < sizeof(bytes) ? wanted->size : sizeof(bytes);
	ssize_t length = pread(server.content, bytes, most, (off_t)wanted->offset);

	if (length < 0)
		answer(unique, -EIO, NULL, 0);
	else
		answer(unique, 0, bytes, (size_t)length);
}

static void answer_init(uint64_t unique)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
					    .minor = 31,
					    .max_readahead = 4096,
					    .max_write = 4096,
					    .max_background = 12,
					    .congestion_threshold = 9 };

	answer(unique, 0, &init, sizeof(init));
}

static void serve(const char *bytes)
{
	struct fuse_in_header header;
	const void *body = bytes + sizeof(header);
	struct fuse_attr_out attributes = { .attr_valid = ATTRIBUTES_LAST_SECONDS };
	const struct fuse_open_out opened = { 0 };
	const struct fuse_statfs_out space = {
		.st = { .blocks = 9, .bfree = 5, .bavail = 5, .bsize = 4096, .frsize = 4096, .namelen = 255 }
	};

	memcpy(&header, bytes, sizeof(header));
	hung |= server.hang != 0 && header.opcode == server.hang;
	if (hung)
		return;
	switch (header.opcode) {
	case FUSE_INIT:
		answer_init(header.unique);
		break;
	case FUSE_LOOKUP:
		answer_lookup(header.unique, body);
		break;
	case FUSE_GETATTR:
		attributes.attr = attributes_of(header.nodeid);
		answer(header.unique, 0, &attributes, sizeof(attributes));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(header.unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		answer_read(header.unique, body);
		break;
	case FUSE_STATFS:
		answer(header.unique, 0, &space, sizeof(space));
		break;
	case FUSE_READDIR:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_ACCESS:
		answer(header.unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(header.unique, -ENOSYS, NULL, 0);
	}
}

static int mount_at(const char *place)
{
	char options[128];

	server.fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (server.fuse < 0)
		return -errno;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	snprintf(options, sizeof(options), "fd=%d,rootmode=%o,user_id=0,group_id=0,allow_other", server.fuse,
		 server.is_file ? S_IFREG : S_IFDIR);
	return mount("hung:/", place, "fuse.hung", MS_NOSUID, options) < 0 ? -errno : 0;
}

static pid_t run(char **command)
{
	char pid[16];
	pid_t child;

	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("HUNG_MOUNT_PID", pid, 1);
	child = fork();
	if (child == 0) {
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	return child;
}

static int serve_until_ended(pid_t child)
{
	static char bytes[sizeof(struct fuse_in_header) + FUSE_MIN_READ_BUFFER + 4096];
	struct pollfd polled = { .fd = server.fuse, .events = POLLIN };
	int status;

	while (waitpid(child, &status, WNOHANG) == 0)
		if (poll(&polled, 1, 20) > 0 && read(server.fuse, bytes, sizeof(bytes)) > 0)
			serve(bytes);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool choose_when(const char *name)
{
	for (size_t i = 0; i < sizeof(whens) / sizeof(whens[0]); i++) {
		if (strcmp(whens[i].name, name) != 0)
			continue;
		server.hang = whens[i].opcode;
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = note_signal };
	int error;

	for (; argc > 1 && strncmp(argv[1], "--", 2) == 0; argc--, argv++) {
		if (strcmp(argv[1], "--file") == 0)
			server.is_file = true;
		else if (strncmp(argv[1], "--hang=", 7) != 0 || !choose_when(argv[1] + 7))
			return 2;
	}
	if (argc < 4)
		return 2;
	server.content = open(argv[2], O_RDONLY | O_CLOEXEC);
	error = server.content < 0 ? -errno : mount_at(argv[1]);
	if (error) {
		fprintf(stderr, "hung_mount: %s: %s\n", argv[1], strerror(-error));
		return 77;
	}
	sigaction(SIGUSR1, &action, NULL);
	return serve_until_ended(run(argv + 3));
}
