/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option --trace. */
#ifndef PANETOP_APP_TRACE_OPTIONS_H
#define PANETOP_APP_TRACE_OPTIONS_H

#include "app/option_table.h"
#include "sys/env.h"

/* Parses what was given. 0, or 2 after an error message. */
int traces_from_options(struct trace_specs *traces, const struct options *options);

/* Has the kernel these tracepoints and fields, as far as panetop may know? 0, or 2 after an error message. */
int traces_check(const struct trace_specs *traces, struct env *env);

#endif
