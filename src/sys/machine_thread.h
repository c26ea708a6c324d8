/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of panetop: the kernel runs them in the program, a script in a test. */
#ifndef PANETOP_SYS_MACHINE_THREAD_H
#define PANETOP_SYS_MACHINE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_ENDS UINT64_MAX

/* What a thread does, in rounds. */
struct thread_work {
	uint64_t (*round)(void *context); /* ns until the next one, or THREAD_ENDS */
	void (*end)(void *context);       /* in the thread, after the last round; NULL: nothing */
	uint64_t rights;                  /* that it keeps: PRIVILEGE_BIT() of each */
	void *stack;                      /* borrowed; NULL: one of the C library */
	size_t stack_bytes;
};

/* Embedded by who runs it. */
struct machine_thread {
	const struct machine_threads *of;
};

struct machine_threads {
	/* Begins with the first round. NULL with errno. work and context stay the caller's. */
	struct machine_thread *(*start)(const struct machine_threads *threads, const struct thread_work *work,
					void *context);

	/* Ends its pause, or the next one: what has changed since the start of a round is seen in one. */
	void (*wake)(struct machine_thread *thread);

	/*
	 * Lets it end after this round, or its first one, and frees it. With waits it has ended then, or
	 * false: it hangs, and keeps its context. Without, it goes on to its end by itself.
	 */
	bool (*end)(struct machine_thread *thread, bool waits);

	uint64_t (*cpu_ns)(const struct machine_thread *thread); /* CPU time so far; 0: unknown */
};

static inline struct machine_thread *thread_start(const struct machine_threads *threads,
						  const struct thread_work *work, void *context)
{
	return threads->start(threads, work, context);
}

static inline void thread_wake(struct machine_thread *thread)
{
	thread->of->wake(thread);
}

static inline bool thread_end(struct machine_thread *thread, bool waits)
{
	return thread->of->end(thread, waits);
}

static inline uint64_t thread_cpu_ns(const struct machine_thread *thread)
{
	return thread->of->cpu_ns(thread);
}

extern const struct machine_threads real_threads;

#endif
