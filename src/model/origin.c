/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What adds origins is deep below what draws: the collection belongs to the thread. */
#include <config.h>

#include "model/origin.h"

static _Thread_local const struct origins *collected;

void origins_collect(const struct origins *origins)
{
	collected = origins;
}

size_t origins_end(void)
{
	return collected ? collected->out->length : 0;
}

void origins_drop(size_t end)
{
	if (collected)
		collected->out->length = end;
}

bool origin_add(const struct origin *origin)
{
	return collected && collected->add(collected, origin);
}
