/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As RFC 9110 has Accept and Host. */
#include <config.h>

#include "core/http_header.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "core/typed_name.h"

/* Up to stop outside of quotes, which is consumed, too; false at the end. */
static bool next_part(struct span *rest, char stop, struct span *part)
{
	bool quoted = false;

	if (!rest->at || rest->at == rest->end)
		return false;
	part->at = rest->at;
	for (; rest->at < rest->end && (quoted || *rest->at != stop); rest->at++)
		quoted ^= *rest->at == '"';
	part->end = rest->at;
	if (rest->at < rest->end)
		rest->at++;
	*part = span_trimmed(*part);
	return true;
}

/* A kind of content as a client lists it. */
struct range {
	struct span type, version;
	double weight;
};

static void take_parameter(struct range *range, struct span parameter)
{
	struct span name, value = parameter;

	if (!span_until(&value, '=', &name))
		return;
	name = span_trimmed(name);
	value = span_trimmed(value);
	if (span_length(value) >= 2 && *value.at == '"' && value.end[-1] == '"') {
		value.at++;
		value.end--;
	}
	if (typed_is(name, "version"))
		range->version = value;
	if (typed_is(name, "q") && !(span_f64(&value, &range->weight) && value.at == value.end))
		range->weight = 0;
}

static struct range parse_range(struct span text)
{
	struct range range = { .version = span_text(""), .weight = 1 };
	struct span part;

	range.type = next_part(&text, ';', &part) ? part : span_text("");
	while (next_part(&text, ';', &part))
		take_parameter(&range, part);
	return range;
}

static bool is_openmetrics(const struct range *range)
{
	return typed_is(range->type, "application/openmetrics-text") &&
	       (span_length(range->version) == 0 || span_is(range->version, "1.0.0") ||
		span_is(range->version, "0.0.1"));
}

static bool is_text(const struct range *range)
{
	if (typed_is(range->type, "text/plain"))
		return span_length(range->version) == 0 || span_is(range->version, "0.0.4");
	return typed_is(range->type, "text/*") || typed_is(range->type, "*/*");
}

bool http_prefers_openmetrics(struct span accept)
{
	double openmetrics = 0, text = 0;
	struct span item;

	while (next_part(&accept, ',', &item)) {
		struct range range = parse_range(item);

		if (is_openmetrics(&range) && range.weight > openmetrics)
			openmetrics = range.weight;
		else if (is_text(&range) && range.weight > text)
			text = range.weight;
	}
	return openmetrics > 0 && openmetrics >= text;
}

static bool is_port(struct span text)
{
	for (; text.at < text.end; text.at++)
		if (!isdigit((unsigned char)*text.at))
			return false;
	return true;
}

bool http_host(struct span field, struct span *host)
{
	bool bracketed;

	field = span_trimmed(field);
	bracketed = span_char(&field, '[');
	*host = field;
	while (field.at < field.end && *field.at != (bracketed ? ']' : ':'))
		field.at++;
	host->end = field.at;
	if (bracketed && !span_char(&field, ']'))
		return false;
	if (span_char(&field, ':') ? !is_port(field) : field.at < field.end)
		return false;
	return span_length(*host) > 0;
}

static bool is_address(struct span host)
{
	struct in6_addr address;
	char text[INET6_ADDRSTRLEN];

	if (span_length(host) >= sizeof(text) || memchr(host.at, '\0', span_length(host)))
		return false;
	memcpy(text, host.at, span_length(host));
	text[span_length(host)] = '\0';
	return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

bool http_host_is_known(struct span field, const char *names)
{
	struct span host, rest = span_text(names ? names : ""), name;

	if (!http_host(field, &host))
		return false;
	if (is_address(host))
		return true;
	if (host.end[-1] == '.') /* the root of all names */
		host.end--;
	if (typed_is(host, "localhost"))
		return true;
	while (span_item(&rest, &name))
		if (span_length(name) > 0 && span_length(name) == span_length(host) &&
		    ascii_same(host.at, name.at, span_length(name)))
			return true;
	return false;
}
