/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading of a calibration from a file. */
#include <config.h>

#include "app/calibration_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/error_message.h"
#include "core/i18n.h"
#include "model/power_fit.h"

#define OPTION "--calibration"
#define FILE_BYTES_MAX 65536

/* 0 or -errno. Of a longer file the beginning. */
static int read_file(const char *path, struct buffer *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	error = buffer_read(text, fd, FILE_BYTES_MAX);
	close(fd);
	return error;
}

int calibration_file_take(struct settings *settings)
{
	const char *path = settings_get(settings, POWER_FIT_SETTING);
	struct buffer text = { 0 };
	struct power_fit fit;
	int error, status = 2;

	if (!path)
		return -1;
	error = read_file(path, &text);
	if (error) {
		complain(OPTION, "%s: %s", path, strerror(-error));
	} else if (!power_fit_parse(&fit, span_of(text.bytes, text.length))) {
		complain(OPTION,
			 _("%s: there is no calibration in it; make one: panetop --calibrate -o json power"),
			 path);
	} else {
		buffer_empty(&text);
		power_fit_write(&fit, &text);
		buffer_char(&text, '\0');
		settings_set(settings, POWER_FIT_SETTING, text.bytes);
		status = -1;
	}
	buffer_free(&text);
	return status;
}
