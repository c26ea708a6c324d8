/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that --record names. */
#ifndef PANETOP_APP_RECORD_FILE_H
#define PANETOP_APP_RECORD_FILE_H

#include "app/options.h"

/* A descriptor to write to, standard output for "-"; or -1 after it has complained. */
int record_file_open(const struct options *options);

#endif
