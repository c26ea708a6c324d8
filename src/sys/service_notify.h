/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says to the service manager that started panetop how far it is: sd_notify(3). */
#ifndef PANETOP_SYS_SERVICE_NOTIFY_H
#define PANETOP_SYS_SERVICE_NOTIFY_H

/* "READY=1", "STOPPING=1". Without a manager that asks for it (NOTIFY_SOCKET) it does nothing. */
void service_notify(const char *state);

#endif
