/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as JSON lines, and opening a replay of either kind. */
#ifndef PANETOP_OUTPUT_RECORDING_H
#define PANETOP_OUTPUT_RECORDING_H

#include <stdbool.h>

#include "recording/reader.h"

#define RECORDING_PART_ENDING ".recording" /* of files in a directory of recordings */
#define RECORDING_LINES "recording" /* what the first line says */
#define RECORDING_LINES_FORMAT 1

/* Is a recording with this name made of JSON lines? */
bool recording_is_lines(const char *file);

/* As recording_open(), of either kind; input->first is empty. */
int replay_open(struct source *source, const struct recording_input *input, const char **why);

/* The same for JSON lines. */
int replay_lines_open(struct source *source, const struct recording_input *input, const char **why);

#endif
