/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a page about a recording into a new file: --report, and the key S. */
#ifndef PANETOP_APP_REPORT_H
#define PANETOP_APP_REPORT_H

#include "app/options.h"
#include "model/frame.h"
#include "model/settings.h"

/* Of the recording of --replay, or of what --between names of it. Returns the exit status. */
int report_run(const struct options *options, const struct settings *settings,
	       const struct sample_request *request, const struct source *source);

/*
 * Of all samples of an open recording or of the past, whatever the scope is now: 0, or -errno and what went
 * wrong. The source is left at another place, and wants other topics.
 */
int report_save(const struct settings *settings, const struct source *source, bool names, const char *name,
		char *error, size_t room);

#endif
