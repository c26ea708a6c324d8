/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the machines that --source names, or the recordings of --replay where there are several. */
#ifndef PANETOP_APP_FLEET_RUN_H
#define PANETOP_APP_FLEET_RUN_H

#include "app/options.h"
#include "model/frame.h"
#include "model/settings.h"

struct fleet_run;

/*
 * NULL after an error message: status is the exit status then. Else fleet_run_close(), behind the close of
 * the source. open_file opens one recording: 0, or an exit status after an error message.
 */
struct fleet_run *
fleet_run_open(const struct options *options, const struct settings *settings, struct sample_request *request,
	       int (*open_file)(const struct options *options, const char *file, struct source *source),
	       struct source *source, int *status);
void fleet_run_close(struct fleet_run *run);

#endif
