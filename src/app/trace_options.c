/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns what was typed for tracepoints into specifications, and refuses what the kernel does not have. */
#include <config.h>

#include "app/trace_options.h"

#include "core/i18n.h"
#include "sys/error_message.h"
#include "topic/tracepoint/tracepoint_plan.h"

static int refuse(const char *text, const char *why)
{
	error_message("--trace", "'%s': %s", text, why);
	return 2;
}

int traces_from_options(struct trace_specs *traces, const struct options *options)
{
	char why[TEXT_MAX];

	for (unsigned i = 0; i < options->n_traces; i++) {
		if (!trace_spec_parse(&traces->list[i], options->traces[i], why, sizeof(why)))
			return refuse(options->traces[i], why);
		traces->n++;
	}
	traces->epoch = traces->n > 0;
	return 0;
}

int traces_check(const struct trace_specs *traces, struct env *env)
{
	char why[TEXT_MAX];

	for (unsigned i = 0; i < traces->n; i++)
		if (!tracepoint_check(env, &traces->list[i], why, sizeof(why)))
			return refuse(traces->list[i].text, why);
	return 0;
}
