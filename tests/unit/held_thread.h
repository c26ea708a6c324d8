/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that is begun only to be remembered: the test calls what it would run, once and again. It is
 * defined here, in the one file of a test program: from the library of all it would take the place of threads
 * in each.
 */
#ifndef PANETOP_TESTS_HELD_THREAD_H
#define PANETOP_TESTS_HELD_THREAD_H

#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static void *(*held_routine)(void *context); /* of the last one */
static void *held_context;
static int held_error; /* the errno that says why none can be begun; 0: one can */

/* In place of those of the C library. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *context)
{
	(void)thread;
	(void)attr;
	held_routine = routine;
	held_context = context;
	return held_error;
}

int pthread_join(pthread_t thread, void **result)
{
	(void)thread;
	(void)result;
	return 0;
}

int pthread_tryjoin_np(pthread_t thread, void **result)
{
	return pthread_join(thread, result);
}

/* Until it returns, in a real thread, which may give up rights. */
static void run_in_thread(void *(*function)(void *nothing))
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
			RTLD_NEXT, "pthread_create");
	int (*join)(pthread_t, void **) = (int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join");
	pthread_t thread;

	ck_assert_int_eq(create(&thread, NULL, function, NULL), 0);
	ck_assert_int_eq(join(thread, NULL), 0);
}

#endif
