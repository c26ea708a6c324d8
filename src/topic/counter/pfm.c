/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading of libpfm4. */
#include <config.h>

#include "topic/counter/pfm.h"

#include <dlfcn.h>
#include <stddef.h>

#define LIBRARY "libpfm.so.4"

bool pfm_load(struct pfm *pfm)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	*pfm = (struct pfm){ 0 };
	if (!library)
		return false;
	*(void **)&pfm->initialize = dlsym(library, "pfm_initialize");
	*(void **)&pfm->terminate = dlsym(library, "pfm_terminate");
	*(void **)&pfm->encode = dlsym(library, "pfm_get_os_event_encoding");
	*(void **)&pfm->strerror = dlsym(library, "pfm_strerror");
	*(void **)&pfm->pmu_info = dlsym(library, "pfm_get_pmu_info");
	return pfm->initialize && pfm->terminate && pfm->encode && pfm->strerror && pfm->pmu_info;
}
