/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tables of opened files say of a path and of a result. */
#ifndef PANETOP_TOPIC_CALL_OPENED_PATH_H
#define PANETOP_TOPIC_CALL_OPENED_PATH_H

#include "core/i18n.h"

#define OPENED_OK N_("opened") /* the result; else the name of the error */
#define OPENED_UNREAD "(unreadable)"
#define OPENED_PATH_HELP                                                                                     \
	N_("path as the program gave it: a relative one begins in its directory, or in that of a "           \
	   "descriptor; (unreadable): it was not in memory")

#endif
