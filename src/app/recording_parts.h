/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording in parts: the files of a directory, one after the other. */
#ifndef PANETOP_APP_RECORDING_PARTS_H
#define PANETOP_APP_RECORDING_PARTS_H

#include "model/frame.h"
#include "recording/joined.h"
#include "sys/user_file.h"

/* Appends all files but those that report has the reason of, translated, why they are left out. */
void recording_parts_add(const struct file_series *series, struct joined *joined,
			 void (*report)(void *context, const char *why), void *context);

/* Of a directory that the user names, whose descriptor is taken over. 0; or -errno, which was reported. */
int recording_parts_open(struct source *source, int directory, const char *name,
			 const struct schema *const *schemas, unsigned n_schemas);

#endif
