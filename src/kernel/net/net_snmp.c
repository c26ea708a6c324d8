/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a number by the place of its name in the line of names; in snmp6 both are in one line. */
#include <config.h>

#include "kernel/net/net_snmp.h"

static bool is_of(struct span *line, const char *protocol)
{
	struct span name;

	return span_until(line, ':', &name) && span_is(name, protocol);
}

/* Numbers may be negative: MaxConn of TCP. */
uint64_t net_snmp_find(struct span text, const char *protocol, const char *name)
{
	struct span names, numbers, word;

	while (span_line(&text, &names)) {
		if (!is_of(&names, protocol))
			continue;
		if (!span_line(&text, &numbers) || !is_of(&numbers, protocol))
			return U64_UNKNOWN;
		while (span_word(&names, &word)) {
			struct span number;
			uint64_t value;

			if (!span_word(&numbers, &number))
				return U64_UNKNOWN;
			if (span_is(word, name))
				return span_is_u64(number, &value) ? value : U64_UNKNOWN;
		}
		return U64_UNKNOWN;
	}
	return U64_UNKNOWN;
}

uint64_t net_snmp6_find(struct span text, const char *name)
{
	struct span line, word, number;
	uint64_t value;

	while (span_line(&text, &line))
		if (span_word(&line, &word) && span_is(word, name))
			return span_word(&line, &number) && span_is_u64(number, &value) ? value : U64_UNKNOWN;
	return U64_UNKNOWN;
}
