/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy of all domains, read once per tick, and the total of the machine. */
#ifndef PANETOP_TOPIC_POWER_ENERGY_H
#define PANETOP_TOPIC_POWER_ENERGY_H

#include "topic/power/energy_domain.h"

#define ENERGY_USES (PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_FILES))

/* Reads all domains and adds to the statistics; sample_ns is then its time. */
extern const struct reader energy_reader;

/* Between samples: reads counters that could wrap unnoticed. */
void energy_poll(struct energy *energy, uint64_t mono_ns);

/* Resets the statistics. */
void energy_restart(struct energy *energy);

#endif
