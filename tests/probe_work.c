/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls functions of a library as it is told by lines of standard input, and answers each with a line:
 *
 *	load LIBRARY		unload		call FUNCTION TIMES [ARGUMENT]
 *	threads N FUNCTION TIMES		spin FUNCTION		value FUNCTION
 *	bytes FUNCTION		become PROGRAM
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 16

static void *library;

struct calls {
	long (*function)(long);
	long times, argument;
};

static struct calls calls_of(const char *name, long times, long argument)
{
	struct calls calls = { NULL, times, argument };
	void *found = library ? dlsym(library, name) : NULL;

	if (!found)
		exit(3);
	memcpy(&calls.function, &found, sizeof(found));
	return calls;
}

static void *make_calls(void *context)
{
	const struct calls *calls = context;

	for (long i = 0; i < calls->times; i++)
		calls->function(calls->argument);
	return NULL;
}

static void in_threads(long n, struct calls calls)
{
	pthread_t threads[THREADS_MAX];

	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, make_calls, &calls) != 0)
			exit(4);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void show_bytes(struct calls calls)
{
	unsigned char bytes[8];

	memcpy(bytes, (const void *)calls.function, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		printf("%02x", bytes[i]);
}

static void obey(const char *line)
{
	char word[16] = "", name[4096] = "";
	long n = 0, times = 1, argument = 1;

	if (sscanf(line, "threads %ld %4095s %ld", &n, name, &times) == 3 && n <= THREADS_MAX) {
		in_threads(n, calls_of(name, times, argument));
	} else if (sscanf(line, "%15s %4095s %ld %ld", word, name, &times, &argument) < 1) {
		exit(2);
	} else if (strcmp(word, "load") == 0) {
		library = dlopen(name, RTLD_NOW);
	} else if (strcmp(word, "unload") == 0) {
		dlclose(library);
		library = NULL;
	} else if (strcmp(word, "call") == 0) {
		struct calls calls = calls_of(name, times, argument);

		make_calls(&calls);
	} else if (strcmp(word, "spin") == 0) {
		static struct calls calls;
		pthread_t thread;

		calls = calls_of(name, __LONG_MAX__, argument);
		if (pthread_create(&thread, NULL, make_calls, &calls) != 0)
			exit(4);
	} else if (strcmp(word, "value") == 0) {
		printf("%ld ", calls_of(name, 0, 0).function(0));
	} else if (strcmp(word, "bytes") == 0) {
		show_bytes(calls_of(name, 0, 0));
	} else if (strcmp(word, "become") == 0) {
		execl(name, name, (char *)NULL);
	}
	puts(" done");
	fflush(stdout);
}

int main(void)
{
	char line[8192];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(line);
	return 0;
}
