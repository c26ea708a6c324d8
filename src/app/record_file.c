/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the file anew, for its owner alone, unless it is the one that is replayed. */
#include <config.h>

#include "app/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/error_message.h"
#include "core/i18n.h"

int record_file_open(const struct options *options)
{
	int fd;

	if (strcmp(options->record, "-") == 0)
		return STDOUT_FILENO;
	if (options_would_destroy(options)) {
		complain(options->record, _("this is the recording that is replayed; choose another file"));
		return -1;
	}
	fd = open(options->record, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		complain(options->record, "%s", strerror(errno));
	return fd;
}
