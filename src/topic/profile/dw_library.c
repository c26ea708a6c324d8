/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads libdw, and libelf, which comes with it. */
#include <config.h>

#include "topic/profile/dw_library.h"

#include <errno.h>

#ifdef HAVE_DW

#include <dlfcn.h>

#define LIBRARY "libdw.so.1"

struct dw_library dw_library;

static const struct {
	const char *name;
	void **at;
} functions[] = {
	{ "elf_version", (void **)&dw_library.elf_version },
	{ "elf_memory", (void **)&dw_library.elf_memory },
	{ "elf_end", (void **)&dw_library.elf_end },
	{ "dwarf_getcfi_elf", (void **)&dw_library.getcfi_elf },
	{ "dwarf_cfi_end", (void **)&dw_library.cfi_end },
	{ "dwarf_cfi_addrframe", (void **)&dw_library.cfi_addrframe },
	{ "dwarf_frame_info", (void **)&dw_library.frame_info },
	{ "dwarf_frame_cfa", (void **)&dw_library.frame_cfa },
	{ "dwarf_frame_register", (void **)&dw_library.frame_register },
	{ "dwarf_begin_elf", (void **)&dw_library.begin_elf },
	{ "dwarf_end", (void **)&dw_library.end },
	{ "dwarf_nextcu", (void **)&dw_library.nextcu },
	{ "dwarf_offdie", (void **)&dw_library.offdie },
	{ "dwarf_ranges", (void **)&dw_library.ranges },
	{ "dwarf_getsrc_die", (void **)&dw_library.getsrc_die },
	{ "dwarf_lineno", (void **)&dw_library.lineno },
	{ "dwarf_linesrc", (void **)&dw_library.linesrc },
};

static bool find_functions(void *library)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].at = dlsym(library, functions[i].name);
		if (!*functions[i].at)
			return false;
	}
	return dw_library.elf_version(EV_CURRENT) != EV_NONE;
}

int dw_library_load(void)
{
	static bool loaded;
	void *library = loaded ? NULL : dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	loaded = loaded || (library && find_functions(library));
	return loaded ? 0 : -ELIBACC;
}

#else

int dw_library_load(void)
{
	return -ENOTSUP;
}

#endif
