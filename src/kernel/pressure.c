/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of pressure stall information. */
#include <config.h>

#include "kernel/pressure.h"

static bool named(struct span *rest, const char *name, struct span *value)
{
	struct span word, key;

	if (!span_word(rest, &word) || !span_until(&word, '=', &key) || !span_is(key, name))
		return false;
	*value = word;
	return true;
}

static bool named_f64(struct span *rest, const char *name, double *number)
{
	struct span value;

	return named(rest, name, &value) && span_f64(&value, number);
}

bool pressure_next(struct span *text, struct pressure_line *line)
{
	struct span row, value;

	while (span_line(text, &row)) {
		if (span_word(&row, &line->kind) && named_f64(&row, "avg10", &line->avg10) &&
		    named_f64(&row, "avg60", &line->avg60) && named_f64(&row, "avg300", &line->avg300) &&
		    named(&row, "total", &value) && span_u64(&value, &line->total_us))
			return true;
	}
	return false;
}
