/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Behind each lock are the processes that wait for it: its number, and an arrow. */
#include <config.h>

#include "kernel/file_locks.h"

/* A line: "7: -> FLOCK  ADVISORY  WRITE 4711 fe:00:123 0 EOF". */
struct lock_line {
	uint64_t number, pid;
	bool waits;
};

static bool parse(struct span line, struct lock_line *lock)
{
	struct span word, pid;

	*lock = (struct lock_line){ 0 };
	if (!span_word(&line, &word) || span_length(word) < 2 || word.end[-1] != ':')
		return false;
	word.end--;
	if (!span_is_u64(word, &lock->number) || !span_word(&line, &word))
		return false;
	lock->waits = span_is(word, "->");
	if (lock->waits && !span_word(&line, &word)) /* FLOCK, POSIX, OFDLCK, LEASE, … */
		return false;
	return span_word(&line, &word) && span_word(&line, &word) && span_word(&line, &pid) &&
	       span_is_u64(pid, &lock->pid);
}

bool file_locks_holder(struct span text, uint64_t pid, uint64_t *holder)
{
	struct lock_line held = { 0 }, lock;
	struct span line;

	while (span_line(&text, &line)) {
		bool known = parse(line, &lock);

		if (known && lock.waits && lock.pid == pid && lock.number == held.number && held.pid > 0) {
			*holder = held.pid;
			return true;
		}
		if (!known || !lock.waits)
			held = lock;
	}
	return false;
}
