/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of names; strerrorname_np() is not in every C library. */
#include <config.h>

#include "core/error_name.h"

#include <errno.h>
#include <stdio.h>

/* All that the C library knows of this architecture; made by the Makefile. */
static const struct {
	int number;
	const char *name;
} errors[] = {
#include "core/error_names.h"
};

void error_name(int error, char name[ERROR_NAME_BYTES])
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].number == error) {
			snprintf(name, ERROR_NAME_BYTES, "%s", errors[i].name);
			return;
		}
	snprintf(name, ERROR_NAME_BYTES, "%d", error);
}
