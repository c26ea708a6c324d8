/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Firings of rules, and a list of them. */
#include <config.h>

#include "model/firing.h"

#include <stdlib.h>

#include "core/vector.h"

#define KEPT_MAX ((size_t)100000) /* where no sample takes them */

void firing_free(struct firing *firing)
{
	free(firing->subject);
	free(firing);
}

void firing_log_add(struct firing_log *log, struct firing *firing)
{
	if (log->n == KEPT_MAX)
		firing_free(firing);
	else
		*VECTOR_ADD(log->firings, log->n, log->capacity) = firing;
}

void firing_log_clear(struct firing_log *log)
{
	while (log->n > 0)
		firing_free(log->firings[--log->n]);
}

void firing_log_free(struct firing_log *log)
{
	firing_log_clear(log);
	free(log->firings);
}
