/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorts counts by their words, so that those of a process and call are neighbours, and sums them. */
#include <config.h>

#include "topic/call/call_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error_name.h"
#include "core/histogram.h"
#include "kernel/pid/pid_syscall.h"
#include "sys/bpf/program.h"

#define ERRORS_MAX 6 /* that are named */
#define BUCKETS_MASK ((UINT64_C(1) << BPF_CALL_ERROR_SHIFT) - 1)
#define NUMBER_MASK 0xffffU
#define N_BUCKETS ((HISTOGRAM_BUCKETS >> BPF_CALL_BUCKET_SHIFT) + 2) /* the first one: not timed */

#if defined(__x86_64__)
#define FOREIGN_PREFIX "i386:"
#elif defined(__aarch64__)
#define FOREIGN_PREFIX "arm:"
#elif defined(__i386__)
#define FOREIGN_PREFIX "x86-64:"
#elif defined(__arm__)
#define FOREIGN_PREFIX "arm64:"
#else
#define FOREIGN_PREFIX "compat:"
#endif

/* From linux/errno.h of the kernel: programs see EINTR, or the call again. */
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };

static uint32_t error_of(const struct call_count *count)
{
	return count->word >> BPF_CALL_ERROR_SHIFT & BPF_CALL_ERROR_MAX;
}

static int by_word(const void *a, const void *b)
{
	uint64_t one = ((const struct call_count *)a)->word, other = ((const struct call_count *)b)->word;

	return (one > other) - (one < other);
}

size_t call_counts_sort(struct call_count *counts, size_t n)
{
	size_t n_sums = 0;

	if (n == 0)
		return 0;
	qsort(counts, n, sizeof(*counts), by_word);
	for (size_t i = 1; i < n; i++) {
		struct call_count *sum = &counts[n_sums];

		if (counts[i].word != sum->word) {
			counts[++n_sums] = counts[i];
			continue;
		}
		sum->count += counts[i].count;
		sum->sum_ns += counts[i].sum_ns;
		sum->most_ns = counts[i].most_ns > sum->most_ns ? counts[i].most_ns : sum->most_ns;
	}
	return n_sums + 1;
}

const struct call_count *call_counts_find(const struct call_count *counts, size_t n, uint64_t word)
{
	const struct call_count wanted = { .word = word };

	return n > 0 ? bsearch(&wanted, counts, n, sizeof(*counts), by_word) : NULL;
}

bool call_counts_next(const struct call_count *counts, size_t n, size_t *at, struct call_sum *sum)
{
	uint64_t of;

	if (*at >= n)
		return false;
	counts += *at;
	of = counts->word >> BPF_CALL_NUMBER_SHIFT;
	*sum = (struct call_sum){ .pid = (uint32_t)(counts->word >> BPF_CALL_PROCESS_SHIFT),
				  .number = of & NUMBER_MASK,
				  .counts = counts };
	for (; *at < n && counts[sum->n].word >> BPF_CALL_NUMBER_SHIFT == of; (*at)++) {
		const struct call_count *count = &counts[sum->n++];

		sum->calls += count->count;
		sum->errors += error_of(count) ? count->count : 0;
		sum->timed += (count->word & BUCKETS_MASK) ? count->count : 0;
		sum->sum_ns += count->sum_ns;
		sum->most_ns = count->most_ns > sum->most_ns ? count->most_ns : sum->most_ns;
	}
	return true;
}

double call_sum_percentile(const struct call_sum *sum, double percent)
{
	uint64_t buckets[N_BUCKETS] = { 0 }, count = 0;
	unsigned bucket, last;
	double end_ns;

	if (sum->timed == 0)
		return NAN;
	for (size_t i = 0; i < sum->n; i++)
		buckets[(sum->counts[i].word & BUCKETS_MASK) % N_BUCKETS] += sum->counts[i].count;
	for (bucket = 1; bucket < N_BUCKETS - 1; bucket++) {
		count += buckets[bucket];
		if ((double)count >= (double)sum->timed * percent / 100)
			break;
	}
	last = (bucket << BPF_CALL_BUCKET_SHIFT) - 1;
	end_ns = last < HISTOGRAM_BUCKETS - 1 ? (double)histogram_to_ns(0, last) : (double)sum->most_ns;
	return fmin(end_ns, (double)sum->most_ns) / 1e9;
}

struct error_count {
	uint32_t error;
	uint64_t count;
};

/* The most are kept, the greatest first. */
static size_t count_errors(const struct call_sum *sum, struct error_count errors[ERRORS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < sum->n;) {
		struct error_count found = { .error = error_of(&sum->counts[i]) };
		size_t at;

		for (; i < sum->n && error_of(&sum->counts[i]) == found.error; i++)
			found.count += sum->counts[i].count;
		if (found.error == 0)
			continue;
		for (at = n; at > 0 && errors[at - 1].count < found.count; at--)
			if (at < ERRORS_MAX)
				errors[at] = errors[at - 1];
		if (at >= ERRORS_MAX)
			continue;
		errors[at] = found;
		n += n < ERRORS_MAX;
	}
	return n;
}

void call_sum_errors(const struct call_sum *sum, char *text, size_t room)
{
	struct error_count errors[ERRORS_MAX];
	size_t n = count_errors(sum, errors), length = 0;

	*text = '\0';
	for (size_t i = 0; i < n && length < room; i++) {
		bool is_restart = errors[i].error >= RESTART_FIRST && errors[i].error <= RESTART_LAST;
		char name[ERROR_NAME_BYTES];

		error_name((int)errors[i].error, name);
		length += (size_t)snprintf(text + length, room - length, "%s%s %llu", i ? ", " : "",
					   is_restart ? "interrupted" : name,
					   (unsigned long long)errors[i].count);
	}
}

void call_name(uint32_t number, char name[CALL_NAME_BYTES])
{
	const struct pid_syscall call = { .number = number };
	const char *known = number & BPF_CALL_FOREIGN ? NULL : pid_syscall_name(&call);
	uint32_t bare = number & ~BPF_CALL_FOREIGN;

	if (bare == BPF_CALL_NONE)
		snprintf(name, CALL_NAME_BYTES, "%s", "(sigreturn)");
	else if (bare == BPF_CALL_ODD)
		snprintf(name, CALL_NAME_BYTES, "%s", "(invalid)");
	else if (known)
		snprintf(name, CALL_NAME_BYTES, "%s", known);
	else
		snprintf(name, CALL_NAME_BYTES, "%s%u", number & BPF_CALL_FOREIGN ? FOREIGN_PREFIX : "",
			 bare);
}
