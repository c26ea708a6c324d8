/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gone: ends as soon as a program can, before anyone who is told of it finds it alive. */
#include <unistd.h>

void _start(void);

void _start(void)
{
	_exit(0);
}
