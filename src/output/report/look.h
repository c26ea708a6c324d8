/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a page looks: the same on every page. */
#ifndef PANETOP_OUTPUT_REPORT_LOOK_H
#define PANETOP_OUTPUT_REPORT_LOOK_H

/* On screens light or dark as the browser prefers, on paper black on white. */
extern const char look_style[];

/* Shows the values of a graph under the pointer, or step by step with the arrow keys. */
extern const char look_script[];

/* Of the script, as a Content-Security-Policy names it: the page runs no other. */
extern const char look_script_hash[];

#endif
