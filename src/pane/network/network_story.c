/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thresholds of a full link, half duplex, errors and drops, and the sentences about them. */
#include <config.h>

#include "pane/network/network_story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"

#define NEARLY_FULL 0.9
#define NOTABLE_LOSS 0.0001 /* of the packets */
#define NOTABLE_DROPS 1.0   /* per second */

static bool tell_full(const struct interface_facts *interface, char *text, size_t room)
{
	char speed[VALUE_TEXT_MAX];

	if (!(interface->used_ratio >= NEARLY_FULL))
		return false;
	snprintf(text, room, _("%s is full: %.0f %% of its %s are used in the busier direction."),
		 interface->name, 100 * interface->used_ratio, bits_text(speed, interface->speed_bits));
	return true;
}

static bool tell_half(const struct interface_facts *interface, char *text, size_t room)
{
	char speed[VALUE_TEXT_MAX];

	if (strcmp(interface->duplex, "half") != 0)
		return false;
	snprintf(text, room,
		 _("%s runs half duplex at %s: it cannot send while it receives. Most often only one side "
		   "negotiates."),
		 interface->name, bits_text(speed, interface->speed_bits));
	return true;
}

static double packets(const struct interface_facts *interface)
{
	return (isnan(interface->received_packets) ? 0 : interface->received_packets) +
	       (isnan(interface->sent_packets) ? 0 : interface->sent_packets);
}

static bool tell_errors(const struct interface_facts *interface, char *text, size_t room)
{
	double all = packets(interface) + interface->errors;
	char rate[VALUE_TEXT_MAX];

	if (!(interface->errors > 0) || !(interface->errors >= NOTABLE_LOSS * all))
		return false;
	snprintf(text, room,
		 _("%s loses %s packets/s to errors, %.2g %% of all: look at its cable, port and driver."),
		 interface->name, rate_short(rate, interface->errors), 100 * interface->errors / all);
	return true;
}

static bool tell_drops(const struct interface_facts *interface, char *text, size_t room)
{
	bool sent = interface->sent_drops > interface->received_drops || isnan(interface->received_drops);
	double drops = sent ? interface->sent_drops : interface->received_drops;
	double of = sent ? interface->sent_packets : interface->received_packets;
	char rate[VALUE_TEXT_MAX];

	if (!(drops > 0) || !(drops >= NOTABLE_LOSS * (of + drops)))
		return false;
	snprintf(text, room,
		 sent ? _("%s drops %s packets/s instead of sending them: its queue is full.")
		      : _("%s drops %s received packets/s: no protocol wants them, or there is no room."),
		 interface->name, rate_short(rate, drops));
	return true;
}

static bool (*const rules[])(const struct interface_facts *interface, char *text,
			     size_t room) = { tell_full, tell_half, tell_errors, tell_drops };

bool network_story(const struct interface_facts *interfaces, size_t n_interfaces, unsigned index, char *text,
		   size_t room)
{
	for (size_t rule = 0; rule < sizeof(rules) / sizeof(rules[0]); rule++)
		for (size_t i = 0; i < n_interfaces; i++)
			if (rules[rule](&interfaces[i], text, room) && index-- == 0)
				return true;
	*text = '\0';
	return false;
}

bool network_socket_story(const struct socket_facts *sockets, unsigned index, char *text, size_t room)
{
	const struct {
		double per_second;
		const char *text;
	} rules_of_sockets[] = {
		{ sockets->datagrams,
		  _("UDP sockets drop %s datagrams/s: their receive buffers are full. Listening shows "
		    "whose.") },
		{ sockets->connections,
		  _("Listening sockets drop %s connections/s: they are not accepted fast enough. Listening "
		    "shows whose.") },
	};
	char rate[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(rules_of_sockets) / sizeof(rules_of_sockets[0]); i++) {
		if (!(rules_of_sockets[i].per_second >= NOTABLE_DROPS) || index-- > 0)
			continue;
		snprintf(text, room, rules_of_sockets[i].text,
			 rate_short(rate, rules_of_sockets[i].per_second));
		return true;
	}
	*text = '\0';
	return false;
}

bool network_ceiling(const struct interface_facts *interface, char *text, size_t room)
{
	char payload[VALUE_TEXT_MAX], speed[VALUE_TEXT_MAX];

	if (isnan(interface->payload_ratio))
		return false;
	if (isnan(interface->speed_bits))
		snprintf(text, room, _("%s: %.1f %% of the wire is payload at most (TCP, MTU %.0f)."),
			 interface->name, 100 * interface->payload_ratio, interface->mtu);
	else
		snprintf(text, room,
			 _("%s: %.1f %% of the wire is payload at most (TCP, MTU %.0f): %s of %s."),
			 interface->name, 100 * interface->payload_ratio, interface->mtu,
			 bits_text(payload, interface->payload_ratio * interface->speed_bits),
			 bits_text(speed, interface->speed_bits));
	return true;
}
