/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --listen: the live machine over HTTP, for Prometheus and for programs that read JSON. */
#ifndef PANETOP_APP_SERVE_H
#define PANETOP_APP_SERVE_H

#include "app/options.h"
#include "model/frame.h"
#include "model/settings.h"
#include "sys/machine_thread.h"

/*
 * Answers until a signal ends it, and samples only when a client wants a sample and the last one is older
 * than --delay. Returns the exit status. All arguments are borrowed; worker may be NULL.
 */
int serve_run(const struct options *options, const struct settings *settings, struct sample_request *request,
	      struct source *source, struct worker *worker);

#endif
