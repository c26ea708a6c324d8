/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Letters, names and values of the parts of CPU time. */
#include <config.h>

#include "pane/cpu_parts.h"

#include "core/i18n.h"

void cpu_parts_fill(const struct table *table, const void *row, const struct series *series, unsigned first,
		    struct graph_part parts[N_CPU_PARTS])
{
	static const char letters[N_CPU_PARTS] = { 'u', 'n', 's', 'i', 'f', 'x', 'g', 'w' };
	const char *const labels[N_CPU_PARTS] = { _("user"),    _("nice"),  _("sys"),   _("irq"),
						  _("softirq"), _("steal"), _("guest"), _("wait") };

	for (unsigned i = 0; i < N_CPU_PARTS; i++)
		parts[i] = (struct graph_part){ letters[i], i, labels[i], first + i,
						table_number(table, row, series[first + i].column) };
}
