/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a CPU did, of the two times in which it did nothing. */
#include <config.h>

#include "model/busy.h"

#include <math.h>

double cpu_busy_ratio(double idle, double iowait)
{
	double busy = 1 - idle - fmax(0, iowait);

	return busy < 0 ? 0 : busy;
}
