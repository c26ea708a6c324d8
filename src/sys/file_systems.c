/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file systems of the kernel on which panetop runs. */
#include <config.h>

#include "sys/file_systems.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/system_call.h"

static uint64_t mount_at(const char *path)
{
#ifdef STATX_MNT_ID
	struct statx found;

	if (system_call_by(SYS_statx, statx(AT_FDCWD, path, AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
					    STATX_MNT_ID, &found)) == 0 &&
	    (found.stx_mask & STATX_MNT_ID))
		return found.stx_mnt_id;
#else
	(void)path;
#endif
	return UINT64_MAX;
}

const struct file_systems real_file_systems = { mount_at, statvfs, sync };
