/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/kallsyms, which takes the kernel 50 ms. */
#include <config.h>

#include "topic/profile/kernel_functions.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/code/symbols.h"
#include "sys/child.h"
#include "sys/privilege.h"
#include "topic/trace/function_names.h"

#define READ_BYTES ((size_t)64 * 1024)

struct kernel_functions_reading {
	struct env *env;
	pthread_t thread;
	struct progress progress;
	struct symbols symbols;
};

/* Whether addresses are shown is decided when it is opened. */
static int open_symbols(struct env *env)
{
	uint64_t raised = privilege_raise(PRIVILEGE_SYMBOLS);
	int fd = env_open_file(env, FUNCTION_NAMES_SOURCE);

	privilege_lower(raised);
	return fd;
}

static void take(struct symbols *symbols, struct span text)
{
	struct kallsyms_line line;

	while (kallsyms_next(&text, &line))
		if (line.address != 0)
			symbols_add(symbols, line.address, 0, line.name, false);
}

static void read_all(struct kernel_functions_reading *reading, int fd)
{
	char *bytes = alloc_zeroed(READ_BYTES, 1);
	size_t rest = 0;
	ssize_t n_more;

	while (progress_goes_on(&reading->progress) &&
	       (n_more = read(fd, bytes + rest, READ_BYTES - rest)) > 0) {
		size_t length = rest + (size_t)n_more, whole = length;

		while (whole > 0 && bytes[whole - 1] != '\n')
			whole--;
		take(&reading->symbols, span_of(bytes, whole));
		rest = length - whole;
		memmove(bytes, bytes + whole, rest);
	}
	free(bytes);
	symbols_sort(&reading->symbols);
}

static void *read_functions(void *context)
{
	struct kernel_functions_reading *reading = context;
	int fd;

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_SYMBOLS));
	fd = open_symbols(reading->env);
	if (fd >= 0) {
		read_all(reading, fd);
		close(fd);
	}
	atomic_store(&reading->progress.ready, true);
	return NULL;
}

static void start(struct kernel_functions *functions, struct env *env)
{
	struct kernel_functions_reading *reading = alloc_zeroed(1, sizeof(*reading));

	functions->started = true;
	reading->env = env;
	if (pthread_create(&reading->thread, NULL, read_functions, reading) == 0)
		functions->reading = reading;
	else
		free(reading);
}

/* Where the thread hangs, it keeps what it has. */
static void join(struct kernel_functions *functions)
{
	struct kernel_functions_reading *reading = functions->reading;

	functions->reading = NULL;
	if (!reading || !patience_join(reading->thread))
		return;
	functions->symbols = reading->symbols;
	free(reading);
}

bool kernel_functions_update(struct kernel_functions *functions, struct env *env, bool whole)
{
	struct kernel_functions_reading *reading;

	if (!functions->started)
		start(functions, env);
	reading = functions->reading;
	if (reading && (whole ? patience_await(&reading->progress) : atomic_load(&reading->progress.ready)))
		join(functions);
	return !functions->reading;
}

struct span kernel_functions_find(const struct kernel_functions *functions, uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(&functions->symbols, address, &offset);

	return name ? span_text(name) : (struct span){ 0 };
}

void kernel_functions_close(struct kernel_functions *functions)
{
	if (functions->reading)
		atomic_store(&functions->reading->progress.cancelled, true);
	join(functions);
	symbols_free(&functions->symbols);
	functions->started = false;
}
