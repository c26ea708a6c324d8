/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that makes work for who samples it, for ever: stranger_work MODE [FILE NUMBER]
 *   run    maps the file, and runs its code at this offset
 *   maps   maps the file again and again, here and there, and runs nothing of it
 *   jit    makes so many functions with names of their own at run time, and runs each
 *   deep   the same, in stacks of which each is another one
 *   forks  starts processes that end at once
 *   names  calls itself something else again and again
 * 77: the code of this processor is not known.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION_BYTES 48
#define DEPTH 200
#define PLACES 3000

static uint64_t next_random(void)
{
	static uint64_t state = UINT64_C(88172645463325252);

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static char *map_file(const char *path, size_t *length)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	char *at;

	if (fd < 0 || fstat(fd, &status) < 0)
		exit(1);
	*length = (size_t)status.st_size;
	at = mmap(NULL, *length, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static int run_file(const char *path, size_t offset)
{
	size_t length;
	char *at = map_file(path, &length);
	void (*code)(void);

	if (!at || offset >= length)
		return 1;
	at += offset;
	memcpy(&code, &at, sizeof(code));
	code();
	return 0;
}

static _Noreturn void map_for_ever(const char *path)
{
	char *at[PLACES] = { 0 };
	size_t length;

	for (;;) {
		size_t place = next_random() % PLACES;

		if (at[place])
			munmap(at[place], length);
		at[place] = map_file(path, &length);
	}
}

static _Noreturn void fork_for_ever(void)
{
	for (;;) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static _Noreturn void rename_for_ever(void)
{
	for (;;) {
		prctl(PR_SET_NAME, "one");
		prctl(PR_SET_NAME, "other");
	}
}

#if defined(__x86_64__)
/* Calls the next address of a list that ends with 0, and then counts. */
static const unsigned char function[] = {
	0x55, 0x48, 0x89, 0xe5,	      /* push rbp; mov rbp, rsp */
	0x48, 0x8b, 0x07,	      /* mov rax, [rdi] */
	0x48, 0x83, 0xc7, 0x08,	      /* add rdi, 8 */
	0x48, 0x85, 0xc0, 0x74, 0x02, /* test rax, rax; jz over the call */
	0xff, 0xd0,		      /* call rax */
	0xb9, 0x00, 0x20, 0x00, 0x00, /* mov ecx, 8192 */
	0xff, 0xc9, 0x75, 0xfc,	      /* dec ecx; jnz back */
	0x5d, 0xc3,		      /* pop rbp; ret */
};
#else
static const unsigned char function[] = { 0 };
#endif

static void list_functions(const char *code, size_t n)
{
	char path[64], fill[200];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		exit(1);
	memset(fill, 'x', sizeof(fill) - 1);
	fill[sizeof(fill) - 1] = '\0';
	for (size_t i = 0; i < n; i++)
		fprintf(map, "%lx %x stranger_%d_%zu_%s\n", (unsigned long)(code + i * FUNCTION_BYTES),
			FUNCTION_BYTES, (int)getpid(), i, fill);
	fclose(map);
}

static int run_made(size_t n, size_t depth)
{
	char *code = mmap(NULL, n * FUNCTION_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t list[DEPTH + 1] = { 0 };

	if (sizeof(function) < 2 || code == MAP_FAILED)
		return 77;
	for (size_t i = 0; i < n; i++)
		memcpy(code + i * FUNCTION_BYTES, function, sizeof(function));
	list_functions(code, n);
	for (;;) {
		void (*first)(const uint64_t *rest);

		for (size_t i = 0; i < depth; i++)
			list[i] = (uint64_t)(uintptr_t)(code + next_random() % n * FUNCTION_BYTES);
		memcpy(&first, &list[0], sizeof(first));
		first(list + 1);
	}
}

int main(int count, char **arguments)
{
	const char *mode = count > 1 ? arguments[1] : "";
	size_t number = count > 3 ? (size_t)atol(arguments[3]) : 0;

	if (strcmp(mode, "run") == 0 && count > 3)
		return run_file(arguments[2], number);
	if (strcmp(mode, "maps") == 0 && count > 2)
		map_for_ever(arguments[2]);
	if (strcmp(mode, "forks") == 0)
		fork_for_ever();
	if (strcmp(mode, "names") == 0)
		rename_for_ever();
	if (strcmp(mode, "jit") == 0 && number > 0)
		return run_made(number, 1);
	if (strcmp(mode, "deep") == 0 && number > 0)
		return run_made(number, DEPTH);
	return 1;
}
