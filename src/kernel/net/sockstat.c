/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines such as "TCP: inuse 9 orphan 0 tw 2 alloc 12 mem 1" and "TCP6: inuse 3". */
#include <config.h>

#include "kernel/net/sockstat.h"

uint64_t sockstat_tcp(struct span text)
{
	struct span line, word;
	uint64_t in_use;

	while (span_line(&text, &line))
		if (span_word(&line, &word) && (span_is(word, "TCP:") || span_is(word, "TCP6:")) &&
		    span_word(&line, &word) && span_is(word, "inuse") && span_u64(&line, &in_use))
			return in_use;
	return 0;
}
