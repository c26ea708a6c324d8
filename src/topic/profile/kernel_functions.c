/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/kallsyms, which takes the kernel 50 ms. */
#include <config.h>

#include "topic/profile/kernel_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/code/kallsyms.h"
#include "sys/privilege.h"
#include "topic/trace/function_names.h"

#define READ_BYTES ((size_t)64 * 1024)

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

static int read_all(struct symbols *symbols, int fd)
{
	char *bytes = alloc_zeroed(READ_BYTES, 1);
	size_t rest = 0;
	ssize_t n_more;

	while ((n_more = read(fd, bytes + rest, READ_BYTES - rest)) > 0) {
		size_t length = rest + (size_t)n_more, whole = length;

		while (whole > 0 && bytes[whole - 1] != '\n')
			whole--;
		take(symbols, span_of(bytes, whole));
		rest = length - whole;
		memmove(bytes, bytes + whole, rest);
	}
	free(bytes);
	symbols_sort(symbols);
	if (n_more < 0)
		return -errno;
	return symbols->count > 0 ? 0 : -EACCES;
}

static void *read_functions(void *context)
{
	struct kernel_functions *functions = context;
	int fd;

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_SYMBOLS));
	fd = open_symbols(functions->env);
	functions->error = fd < 0 ? fd : read_all(&functions->symbols, fd);
	if (fd >= 0)
		close(fd);
	atomic_store(&functions->ready, true);
	return NULL;
}

static void join(struct kernel_functions *functions)
{
	if (functions->has_thread)
		pthread_join(functions->thread, NULL);
	functions->has_thread = false;
}

bool kernel_functions_update(struct kernel_functions *functions, struct env *env, bool whole)
{
	if (!functions->started) {
		int error;

		functions->started = true;
		functions->env = env;
		error = -pthread_create(&functions->thread, NULL, read_functions, functions);
		functions->has_thread = !error;
		if (error) {
			functions->error = error;
			atomic_store(&functions->ready, true);
		}
	}
	if (whole || atomic_load(&functions->ready))
		join(functions);
	return atomic_load(&functions->ready);
}

struct span kernel_functions_find(const struct kernel_functions *functions, uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(&functions->symbols, address, &offset);

	return name ? span_text(name) : (struct span){ 0 };
}

void kernel_functions_close(struct kernel_functions *functions)
{
	join(functions);
	symbols_free(&functions->symbols);
	functions->started = false;
	atomic_store(&functions->ready, false);
}
