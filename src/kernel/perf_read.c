/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of reads of perf events. */
#include <config.h>

#include "kernel/perf_read.h"

#include <string.h>

#define HEAD_WORDS ((size_t)3) /* number of events, time enabled, time running */
#define WORD_BYTES sizeof(uint64_t)

static uint64_t word(struct span bytes, size_t index)
{
	uint64_t value;

	memcpy(&value, bytes.at + index * WORD_BYTES, WORD_BYTES);
	return value;
}

bool perf_read_parse(struct span bytes, uint64_t *values, size_t n_values, struct perf_times *times)
{
	size_t length = span_length(bytes);

	if (length % WORD_BYTES != 0 || length / WORD_BYTES < HEAD_WORDS ||
	    length / WORD_BYTES - HEAD_WORDS != n_values || word(bytes, 0) != n_values)
		return false;
	*times = (struct perf_times){ .enabled_ns = word(bytes, 1), .running_ns = word(bytes, 2) };
	for (size_t i = 0; i < n_values; i++)
		values[i] = word(bytes, HEAD_WORDS + i);
	return true;
}

uint64_t perf_scaled(uint64_t count, struct perf_times times)
{
	double scaled;

	if (times.running_ns == 0)
		return U64_UNKNOWN;
	if (times.running_ns >= times.enabled_ns)
		return count;
	scaled = (double)count * ((double)times.enabled_ns / (double)times.running_ns);
	return scaled < 0x1p63 ? (uint64_t)scaled : U64_UNKNOWN;
}
