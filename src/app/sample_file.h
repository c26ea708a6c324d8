/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of --write, which each sample replaces; it outlasts a full disk. */
#ifndef PANETOP_APP_SAMPLE_FILE_H
#define PANETOP_APP_SAMPLE_FILE_H

#include "app/options.h"
#include "core/buffer.h"
#include "core/lost_samples.h"
#include "sys/user_file.h"

struct sample_file {
	const struct machine_clock *clock; /* borrowed */
	struct user_file file;
	const char *name;
	mode_t mode;    /* of a new file */
	bool elsewhere; /* reported: the path leads to another directory */
	struct lost_samples lost;
};

/* Opens its directory. 0, or the exit status after an error message. close() in either case. */
int sample_file_open(struct sample_file *file, const struct options *options);

/* Can it be written with the privileges that were not dropped? As sample_file_open(). */
int sample_file_check(struct sample_file *file);

/*
 * Replaces it by the sample, which is emptied. A sample that cannot be written is lost, and the run goes on:
 * 0. -errno after a message if no later one can be written.
 */
int sample_file_replace(struct sample_file *file, struct buffer *sample);

/* The exit status: 1 if the last sample was lost. */
int sample_file_close(struct sample_file *file);

#endif
