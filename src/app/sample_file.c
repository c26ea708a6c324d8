/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goes on where a sample cannot be written, and reports it. */
#include <config.h>

#include "app/sample_file.h"

#include <errno.h>
#include <string.h>

#include "core/i18n.h"

#include "sys/error_message.h"

#define SAMPLE_MODE (S_IRUSR | S_IWUSR | S_IRGRP)

int sample_file_open(struct sample_file *file, const struct options *options)
{
	char why[TEXT_MAX];
	int error;

	*file = (struct sample_file){ .clock = options->clock, .name = options->write, .mode = SAMPLE_MODE };
	if (options->format->metrics && !options->arguments) /* other formats have command lines */
		file->mode |= S_IROTH;
	error = user_file_open(&file->file, file->name, USER_FILE_REGULAR);
	if (error) {
		user_file_error_text(&file->file, error, why, sizeof(why));
		error_message("--write", "'%s': %s", file->name, why);
		return 1;
	}
	if (!options_would_destroy(options, file->file.present))
		return 0;
	error_message(file->name, _("this recording is being replayed; choose another file"));
	return 1;
}

int sample_file_check(struct sample_file *file)
{
	int error = user_file_check(&file->file);

	if (!error || error == -ENOSPC || error == -EDQUOT)
		return 0; /* there may be room for the samples to come */
	error_message("--write", _("'%s': no file can be made in its directory: %s"), file->name,
		      strerror(-error));
	return 1;
}

static void note_lost(struct sample_file *file, const char *why)
{
	char text[TEXT_MAX];

	if (lost_samples_add(&file->lost, 1, why, clock_mono_ns(file->clock), text, sizeof(text)))
		error_message(file->name, "%s", text);
}

static void note_written(struct sample_file *file)
{
	char text[TEXT_MAX];

	if (lost_samples_end(&file->lost, text, sizeof(text)))
		error_message(file->name, "%s", text);
	if (!file->elsewhere && user_file_is_moved(&file->file, file->name)) {
		error_message(file->name, "%s",
			      _("this path no longer leads to the directory that was opened at the start; "
				"samples still go there; to follow the path, start panetop again"));
		file->elsewhere = true;
	}
}

int sample_file_replace(struct sample_file *file, struct buffer *sample)
{
	int error = user_file_replace(&file->file, sample, file->mode, false);
	char why[TEXT_MAX];

	if (!error) {
		note_written(file);
		return 0;
	}
	user_file_error_text(&file->file, error, why, sizeof(why));
	if (user_file_is_removed(&file->file))
		error_message(file->name, "%s", why);
	else
		note_lost(file, why);
	return user_file_is_removed(&file->file) ? error : 0;
}

int sample_file_close(struct sample_file *file)
{
	char text[TEXT_MAX];

	if (lost_samples_rest(&file->lost, text, sizeof(text)))
		error_message(file->name, "%s", text);
	user_file_close(&file->file);
	return file->lost.last_lost ? 1 : 0;
}
