/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two functions whose first instructions are known: one that the kernel must step over out of line, which is
 * the dearest way, and one that it may replace by a call. Each is called with and without a probe.
 */
#include <config.h>

#include "topic/probe/probe_price.h"

#include <errno.h>
#include <unistd.h>

#include "topic/probe/mapped_code.h"

#define ROUNDS 9
#define CALLS 50 /* of a round; the median counts, as some were interrupted */

void probe_price_trap(void);
void probe_price_nop(void);

#ifdef __x86_64__
__asm__(".text\n"
	".globl probe_price_trap, probe_price_nop\n"
	".hidden probe_price_trap, probe_price_nop\n"
	".type probe_price_trap, @function\n"
	".type probe_price_nop, @function\n"
	"probe_price_trap: .cfi_startproc\n"
	"sub $8, %rsp; .cfi_adjust_cfa_offset 8\n"
	"add $8, %rsp; .cfi_adjust_cfa_offset -8\n"
	"ret\n"
	".cfi_endproc\n"
	".size probe_price_trap, . - probe_price_trap\n"
	"probe_price_nop: .cfi_startproc\n"
	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"ret\n"
	".cfi_endproc\n"
	".size probe_price_nop, . - probe_price_nop\n");
#else
__attribute__((noinline)) void probe_price_trap(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void probe_price_nop(void)
{
	__asm__ volatile("nop" ::: "memory");
}
#endif

static void (*const samples[N_PROBE_WAYS])(void) = {
	[PROBE_WAY_TRAP] = probe_price_trap,
	[PROBE_WAY_NOP] = probe_price_nop,
};

/* Seconds of a call. */
static double time_calls(const struct machine_clock *clock, void (*sample)(void))
{
	uint64_t rounds_ns[ROUNDS] = { 0 }; /* ascending */

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t begun_ns = clock_mono_ns(clock), ns;
		unsigned at = round;

		for (unsigned i = 0; i < CALLS; i++)
			sample();
		ns = clock_mono_ns(clock) - begun_ns;
		for (; at > 0 && rounds_ns[at - 1] > ns; at--)
			rounds_ns[at] = rounds_ns[at - 1];
		rounds_ns[at] = ns;
	}
	return (double)rounds_ns[ROUNDS / 2] / 1e9 / CALLS;
}

/* Where the function is in the file that this process has mapped there. 0 or -errno. */
static int find_place(void (*sample)(void), struct uprobe_place *place)
{
	uint64_t address = (uint64_t)(uintptr_t)sample;
	struct maps_region region;
	struct profile_file file;
	struct buffer maps = { 0 };
	int error = mapped_code_read_maps(env_self_pid(), &maps);
	struct span text = span_of(maps.bytes, maps.length);

	place->file = error ? error : -ENOENT;
	while (!error && mapped_code_next(&text, &region)) {
		if (address < region.start || address >= region.end)
			continue;
		place->offset = region.offset + (address - region.start);
		file = mapped_code_file(env_self_pid(), &region);
		place->file = profile_file_open(&file, false);
		break;
	}
	buffer_free(&maps);
	return place->file < 0 ? place->file : 0;
}

int probe_price_measure(const struct machine_clock *clock, const struct machine_perf *perf,
			const struct uprobe_form *form, enum probe_way way, int enter, int leave,
			double *seconds)
{
	struct uprobe_place place = { 0 };
	int error = find_place(samples[way], &place), entered = -1, left = -1;
	double bare;

	if (error)
		return error;
	bare = time_calls(clock, samples[way]);
	place.at_return = true;
	if (leave >= 0)
		error = left = uprobe_open(perf, form, &place, env_self_pid(), leave);
	place.at_return = false;
	if (error >= 0)
		error = entered = uprobe_open(perf, form, &place, env_self_pid(), enter);
	if (error >= 0) {
		*seconds = time_calls(clock, samples[way]) - bare;
		*seconds = *seconds > 0 ? *seconds : 0;
	}
	if (entered >= 0)
		close(entered);
	if (left >= 0)
		close(left);
	close(place.file);
	return error < 0 ? error : 0;
}
