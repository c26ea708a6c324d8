/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full links before half duplex, errors, drops, and what sockets lose. */
#include <config.h>

#include "pane/network/network_story.h"

#include <math.h>

#include "core/i18n.h"

static const struct remark interface_remarks[] = {
	{ "used_ratio >= 0.9",
	  N_("{name} is full: {used_ratio:%} of its {speed_bits} are used in the busier direction.") },
	{ "duplex == half",
	  N_("{name} runs half duplex at {speed_bits}: it cannot send while it receives. Most often only one "
	     "side negotiates.") },
	{ "error_ratio >= 0.0001",
	  N_("{name} loses {errors_per_second:rate} packets/s to errors, {error_ratio:.2%} of all: look at "
	     "its cable, port and driver.") },
	{ "sent_drop_ratio >= 0.0001, not received_drops_per_second >= sent_drops_per_second",
	  N_("{name} drops {sent_drops_per_second:rate} packets/s instead of sending them: its queue is "
	     "full.") },
	{ "received_drop_ratio >= 0.0001, not sent_drops_per_second > received_drops_per_second",
	  N_("{name} drops {received_drops_per_second:rate} received packets/s: no protocol wants them, or "
	     "there is no room.") },
};

static const struct remark socket_remarks[] = {
	{ "counters == UdpRcvbufErrors + Udp6RcvbufErrors, per_second >= 1",
	  N_("UDP sockets drop {per_second:rate} datagrams/s: their receive buffers are full. Listening "
	     "shows whose.") },
	{ "counters == TcpExtListenOverflows, per_second >= 1",
	  N_("Listening sockets drop {per_second:rate} connections/s: they are not accepted fast enough. "
	     "Listening shows whose.") },
};

static const struct remark ceiling_remark = {
	"payload_ratio", N_("TCP over {name} can reach {payload_ratio:.1%} of the line rate (MTU {mtu:.0})"
			    "[: {payload_bits} of {speed_bits}].")
};

static double number(const struct facts *facts, const char *column)
{
	const struct row_facts *of = (const struct row_facts *)facts;

	return table_number(of->table, of->row, column);
}

/* lost: of packets that went well, and those. */
static struct fact share(double lost, double well)
{
	return (struct fact){ .number = lost / (well + lost), .unit = UNIT_RATIO };
}

static struct fact interface_fact(const struct facts *facts, struct span name)
{
	if (span_is(name, "error_ratio"))
		return share(number(facts, "errors_per_second"),
			     fmax(number(facts, "received_packets_per_second"), 0) +
				     fmax(number(facts, "sent_packets_per_second"), 0));
	if (span_is(name, "sent_drop_ratio"))
		return share(number(facts, "sent_drops_per_second"),
			     number(facts, "sent_packets_per_second"));
	if (span_is(name, "received_drop_ratio"))
		return share(number(facts, "received_drops_per_second"),
			     number(facts, "received_packets_per_second"));
	if (span_is(name, "payload_bits"))
		return (struct fact){ .number = number(facts, "payload_ratio") * number(facts, "speed_bits"),
				      .unit = UNIT_BITS };
	return row_fact(facts, name);
}

void network_story(struct buffer *out, const struct table *interfaces, const struct table *losses)
{
	struct row_facts facts = { .facts = { interface_fact }, .table = interfaces };

	remarks_say_rows(out, REMARKS(interface_remarks), &facts, 1);
	facts = (struct row_facts){ .facts = { row_fact }, .table = losses };
	remarks_say_rows(out, REMARKS(socket_remarks), &facts, 0);
}

void network_ceiling(struct buffer *out, const struct table *interfaces, const void *row)
{
	const struct row_facts facts = { .facts = { interface_fact }, .table = interfaces, .row = row };

	if (remark_say(out, &ceiling_remark, &facts.facts))
		buffer_char(out, '\n');
}
