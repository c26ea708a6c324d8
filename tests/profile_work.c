/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes in three functions, in slices of random length, for so many seconds: 0.5, 0.3 and 0.2 of its CPU
 * time, and prints the nanoseconds of each: profile_work SECONDS [hot|jit]. With "hot" in the first alone;
 * with "jit" they are made at run time, in memory of no file, and listed in /tmp/perf-PID.map.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define OUT_OF_LINE __attribute__((noinline, noclone))

static volatile uint64_t sink;

OUT_OF_LINE void work_f(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i;
}

OUT_OF_LINE void work_g(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i;
	sink++;
}

OUT_OF_LINE void work_h(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i;
	sink += 2;
}

typedef void worker(uint64_t n);

static worker *workers[3] = { work_f, work_g, work_h };

/* With something behind the call, so that it is no jump. */
#define CALLER(name, number)                    \
	OUT_OF_LINE void name(uint64_t n)       \
	{                                       \
		workers[number](n);             \
		sink++;                         \
	}

CALLER(call_f, 0)
CALLER(call_g, 1)
CALLER(call_h, 2)

static uint64_t next_random(void)
{
	static uint64_t state = UINT64_C(88172645463325252);

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The one that lags farthest behind its share: a loop that runs slower for a while gets no more time. */
static int next_worker(const double seconds[3])
{
	static const double shares[3] = { 0.5, 0.3, 0.2 };
	int next = 0;

	for (int i = 1; i < 3; i++)
		if (seconds[i] / shares[i] < seconds[next] / shares[next])
			next = i;
	return next;
}

#if defined(__x86_64__)
/* "again: dec rdi; nop; nop; jnz again; ret" */
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x90, 0x90, 0x75, 0xf9, 0xc3 };
#else
static const unsigned char loop[] = { 0 };
#endif

static int make_code(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	if (sizeof(loop) < 2 || code == MAP_FAILED)
		return 77;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 77;
	for (int i = 0; i < 3; i++) {
		unsigned char *at = code + 64 * (i + 1);

		memcpy(at, loop, sizeof(loop));
		fprintf(map, "%lx %zx made_%c\n", (unsigned long)at, sizeof(loop), "fgh"[i]);
		memcpy(&workers[i], &at, sizeof(at));
	}
	fclose(map);
	return mprotect(code, 4096, PROT_READ | PROT_EXEC) < 0 ? 77 : 0;
}

int main(int count, char **arguments)
{
	static worker *const callers[3] = { call_f, call_g, call_h };
	double end = seconds_of(CLOCK_MONOTONIC) + (count > 1 ? atof(arguments[1]) : 1);
	double seconds[3] = { 0 }, before, now = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	int hot = count > 2 && strcmp(arguments[2], "hot") == 0;

	if (count > 2 && strcmp(arguments[2], "jit") == 0) {
		int status = make_code();

		if (status)
			return status;
	}
	while (seconds_of(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 20; i++) {
			int which = hot ? 0 : next_worker(seconds);

			callers[which](1000 + next_random() % 100000);
			before = now;
			now = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
			seconds[which] += now - before;
		}
	printf("%.0f %.0f %.0f\n", seconds[0] * 1e9, seconds[1] * 1e9, seconds[2] * 1e9);
	return 0;
}
