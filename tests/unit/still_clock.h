/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clock that stands still until the test moves it, so that rates and ages are exact. */
#ifndef PANETOP_TESTS_STILL_CLOCK_H
#define PANETOP_TESTS_STILL_CLOCK_H

#include <stdint.h>

/* What every clock says, in a program that uses this variable; at first 1000 s. */
extern uint64_t still_clock_ns;

#endif
