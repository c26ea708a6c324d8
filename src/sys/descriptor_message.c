/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SCM_RIGHTS, see unix(7). */
#include <config.h>

#include "sys/descriptor_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int descriptor_message_send(int socket, const void *bytes, size_t length, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = length };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *header;

		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t descriptor_message_receive(int socket, void *bytes, size_t room, int flags, int *fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { .iov_base = bytes, .iov_len = room };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	const struct cmsghdr *header;
	ssize_t length;

	*fd = -1;
	do {
		length = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return length;
}
