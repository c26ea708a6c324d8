/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library whose functions are counted: one that begins with an instruction that traps, one with a nop of 5
 * bytes, one that calls itself, a probe (USDT) with a semaphore at two places, an IFUNC, and data.
 */
#define EXPORTED __attribute__((visibility("default"), noinline))

int probe_data[4] = { 1 };

EXPORTED long probe_plain(long number)
{
	__asm__ volatile("" : "+r"(number));
	return number * 3 + 1;
}

EXPORTED long probe_nested(long depth)
{
	__asm__ volatile("" : "+r"(depth));
	return depth > 1 ? probe_nested(depth - 1) + 1 : 1;
}

#ifdef __x86_64__
__asm__(".text\n"
	".globl probe_nop\n"
	".type probe_nop, @function\n"
	"probe_nop:\n"
	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"lea 1(%rdi,%rdi,2), %rax\n"
	"ret\n"
	".size probe_nop, . - probe_nop\n");

__attribute__((section(".probes"), used)) volatile unsigned short probe_semaphore;

__asm__(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n");

/* As SystemTap's sys/sdt.h writes it. */
#define PROBE_HERE                                                                                           \
	__asm__ volatile("990: nop\n"                                                                        \
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"                                      \
			 ".balign 4\n"                                                                       \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                                  \
			 "991: .asciz \"stapsdt\"\n"                                                         \
			 "992: .balign 4\n"                                                                  \
			 "993: .8byte 990b, _.stapsdt.base, probe_semaphore\n"                               \
			 ".asciz \"panetop_test\"\n"                                                         \
			 ".asciz \"passed\"\n"                                                               \
			 ".asciz \"\"\n"                                                                     \
			 "994: .balign 4\n"                                                                  \
			 ".popsection\n")

EXPORTED long probe_passes(long number)
{
	if (probe_semaphore)
		PROBE_HERE;
	return number;
}

EXPORTED long probe_passes_too(long number)
{
	if (probe_semaphore)
		PROBE_HERE;
	return number + 1;
}

EXPORTED long probe_semaphore_value(long unused)
{
	(void)unused;
	return probe_semaphore;
}
#endif

static long chosen(long number)
{
	return number;
}

static long (*choose(void))(long)
{
	return chosen;
}

long probe_chosen(long number) __attribute__((ifunc("choose")));
