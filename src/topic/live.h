/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live source: opens the requested topics and samples them into frames. */
#ifndef PANETOP_TOPIC_LIVE_H
#define PANETOP_TOPIC_LIVE_H

#include "model/frame.h"
#include "model/settings.h"
#include "sys/env.h"

/* env, settings and request are borrowed and must outlive the source. */
void live_open(struct source *source, struct env *env, const struct settings *settings,
	       const struct sample_request *request);

#endif
