/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binds; takes what LISTEN_FDS of sd_listen_fds(3) says; removes its own files. */
#include <config.h>

#include "sys/listen_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/span.h"
#include "sys/error_message.h"

#define OPTION "--listen"
#define BACKLOG 1024
#define FIRST_FD 3 /* SD_LISTEN_FDS_START */
#define NOT_A_SOCKET _("this is not a socket; remove it or choose another path")

static int refuse(const struct listen_address *address, const char *why)
{
	error_message(OPTION, "'%s': %s", address->text, why);
	return -1;
}

static const char *bind_error(int error)
{
	switch (error) {
	case EADDRINUSE:
		return _("another program listens there; stop it or choose another port");
	case EADDRNOTAVAIL:
		return _("this machine does not have this address; see ip address");
	case EACCES:
		return _("ports below 1024 need cap_net_bind_service; choose a higher one, "
			 "or a socket of systemd");
	default:
		return strerror(error);
	}
}

static int open_internet(struct listen_socket *opened, const struct listen_address *address)
{
	int family = address->socket.ss_family, yes = 1;
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return refuse(address, strerror(errno));
	opened->fd = fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (family == AF_INET6) /* 0.0.0.0 can be listened on beside [::] */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	if (bind(fd, (const struct sockaddr *)&address->socket, address->length) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return 1;
	return refuse(address, bind_error(errno));
}

/* By its directory, which stays the same whatever becomes of the path. */
static int name_in_directory(const struct user_file *file, struct sockaddr_un *name)
{
	int length;

	*name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	length = snprintf(name->sun_path, sizeof(name->sun_path), "/proc/self/fd/%d/%s", file->directory,
			  file->name);
	return length < (int)sizeof(name->sun_path) ? 0 : -ENAMETOOLONG;
}

/* Does a program listen at this socket? */
static bool is_in_use(const struct sockaddr_un *name)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool in_use = fd >= 0 &&
		      (connect(fd, (const struct sockaddr *)name, sizeof(*name)) == 0 || errno == EAGAIN);

	if (fd >= 0)
		close(fd);
	return in_use;
}

/* NULL: there is nothing, or there was a socket without a program. Else why it stays. */
static const char *clear_place(const struct user_file *file, const struct sockaddr_un *name)
{
	if (!file->has_access)
		return NULL;
	if (!S_ISSOCK(file->mode))
		return NOT_A_SOCKET;
	if (is_in_use(name))
		return _("another program listens there; stop it or choose another path");
	if (file->user != geteuid())
		return _("this socket belongs to another user; remove it or choose another path");
	user_file_remove(file);
	return NULL;
}

static int bind_private(int fd, const struct sockaddr_un *name)
{
	mode_t mask = umask(S_IXUSR | S_IRWXG | S_IRWXO);
	int error = bind(fd, (const struct sockaddr *)name, sizeof(*name)) < 0 ? errno : 0;

	umask(mask);
	return error;
}

static const char *file_error(const struct user_file *file, int error, char *text, size_t room)
{
	if (error == -EISDIR)
		return NOT_A_SOCKET;
	user_file_error_text(file, error, text, room);
	return text;
}

/* NULL, or why there is no socket. */
static const char *make_unix(struct listen_socket *made, const char *path, char *text, size_t room)
{
	struct sockaddr_un name;
	struct stat status;
	const char *why;
	int error = user_file_open(made->file, path, 0);

	if (!error)
		error = name_in_directory(made->file, &name);
	if (error)
		return file_error(made->file, error, text, room);
	why = clear_place(made->file, &name);
	if (why)
		return why;
	made->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	error = made->fd < 0 ? errno : bind_private(made->fd, &name);
	if (error)
		return strerror(error);
	if (fstatat(made->file->directory, made->file->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		made->inode = status.st_ino;
	return listen(made->fd, BACKLOG) == 0 ? NULL : strerror(errno);
}

static int open_unix(struct listen_socket *opened, const struct listen_address *address)
{
	char text[TEXT_MAX];
	const char *why;

	opened->file = alloc_zeroed(1, sizeof(*opened->file));
	why = make_unix(opened, address->path, text, sizeof(text));
	return why ? refuse(address, why) : 1;
}

static bool is_number(const char *text, uint64_t *number)
{
	return text && span_is_u64(span_text(text), number);
}

static bool listens(int fd)
{
	int listening = 0, type = 0;
	socklen_t length = sizeof(listening);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) == 0 && listening &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

static int take_from_systemd(struct listen_socket *sockets, unsigned room,
			     const struct listen_address *address)
{
	uint64_t pid, count;

	if (!is_number(secure_getenv("LISTEN_PID"), &pid) || pid != (uint64_t)getpid() ||
	    !is_number(secure_getenv("LISTEN_FDS"), &count) || count == 0)
		return refuse(address, _("no socket was handed over; start panetop by a socket unit"));
	if (count > room)
		return refuse(address, _("there are too many sockets"));
	for (int i = 0; i < (int)count; i++) {
		int fd = FIRST_FD + i;

		if (!listens(fd))
			return refuse(address,
				      _("a handed over descriptor is not a listening stream socket"));
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		sockets[i] = (struct listen_socket){ .fd = fd, .address = address };
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return (int)count;
}

int listen_socket_open(struct listen_socket *sockets, unsigned room, const struct listen_address *address)
{
	int count;

	if (room == 0)
		return refuse(address, _("there are too many sockets"));
	*sockets = (struct listen_socket){ .fd = -1, .address = address };
	if (address->kind == LISTEN_SYSTEMD)
		return take_from_systemd(sockets, room, address);
	count = address->kind == LISTEN_UNIX ? open_unix(sockets, address) : open_internet(sockets, address);
	if (count < 0)
		listen_socket_close(sockets);
	return count;
}

/* Another program may have its socket there by now. */
static bool is_ours(const struct listen_socket *socket)
{
	struct stat status;

	return socket->inode != 0 &&
	       fstatat(socket->file->directory, socket->file->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       status.st_ino == socket->inode;
}

void listen_socket_close(struct listen_socket *socket)
{
	if (socket->fd >= 0)
		close(socket->fd);
	if (socket->file) {
		if (is_ours(socket))
			user_file_remove(socket->file);
		user_file_close(socket->file);
		free(socket->file);
	}
	*socket = (struct listen_socket){ .fd = -1 };
}
