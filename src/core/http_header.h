/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of an HTTP request: which format a client prefers, and by which host name it came. */
#ifndef PANETOP_CORE_HTTP_HEADER_H
#define PANETOP_CORE_HTTP_HEADER_H

#include "core/span.h"

/*
 * Does the field Accept prefer OpenMetrics (1.0.0, 0.0.1 or without a version) to the text format? Where both
 * weigh the same it does; what is malformed is skipped.
 */
bool http_prefers_openmetrics(struct span accept);

/* The host of a field Host, without port and brackets; false: malformed. */
bool http_host(struct span field, struct span *host);

/*
 * Is it an address, "localhost" or one of names, a comma-separated list? A page on the web can make a
 * browser send any other name here (DNS rebinding), but no address.
 */
bool http_host_is_known(struct span field, const char *names);

#endif
