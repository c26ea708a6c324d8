/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which format a client prefers, by which host name it came, and where to listen as a user writes it. */
#include <config.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "core/http_header.h"
#include "suite.h"
#include "sys/listen_address.h"

static bool prefers(const char *accept)
{
	return http_prefers_openmetrics(span_text(accept));
}

START_TEST(who_names_openmetrics_gets_it)
{
	ck_assert(prefers("application/openmetrics-text"));
	ck_assert(prefers("application/openmetrics-text;version=1.0.0"));
	ck_assert(prefers(" application/openmetrics-text ; version=\"0.0.1\" "));
	ck_assert(prefers("Application/OpenMetrics-Text"));
	ck_assert(prefers("text/html,,application/openmetrics-text"));
	ck_assert(prefers("application/openmetrics-text;q=0.5,text/plain;q=0.5"));
	/* Prometheus 2.42 and 3.0 */
	ck_assert(prefers("application/openmetrics-text;version=1.0.0,"
			  "application/openmetrics-text;version=0.0.1;q=0.75,"
			  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	ck_assert(prefers("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
			  "application/openmetrics-text;version=0.0.1;q=0.4,"
			  "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
			  "text/plain;version=0.0.4;q=0.2,*/*;q=0.1"));
}
END_TEST

START_TEST(everyone_else_gets_text)
{
	ck_assert(!prefers(""));
	ck_assert(!prefers("*/*"));
	ck_assert(!prefers("text/plain"));
	ck_assert(!prefers("application/json"));
	ck_assert(!prefers("application/openmetrics-text;version=2.0.0"));
	ck_assert(!prefers("application/openmetrics-text;q=0"));
	ck_assert(!prefers("application/openmetrics-text;q=0.4, text/*;q=0.41"));
	ck_assert(!prefers("application/openmetrics-text;q=0.9, */*"));
	ck_assert(!prefers("application/openmetrics-textual"));
	/* a comma in quotes separates nothing */
	ck_assert(!prefers("text/plain;x=\",application/openmetrics-text,\""));
}
END_TEST

START_TEST(a_malformed_weight_is_none)
{
	ck_assert(!prefers("application/openmetrics-text;q=x, */*;q=0.1"));
	ck_assert(!prefers("application/openmetrics-text;q=1x"));
	ck_assert(!prefers(";;;q=1,;,=,"));
	ck_assert(!prefers("\""));
}
END_TEST

static void check_host(const char *field, const char *expected)
{
	struct span host;
	bool good = http_host(span_text(field), &host);

	ck_assert_msg(good == (expected != NULL), "%s", field);
	ck_assert_msg(!good || span_is(host, expected), "%s: %.*s", field, (int)span_length(host), host.at);
}

START_TEST(hosts_lose_port_and_brackets)
{
	check_host("example.org", "example.org");
	check_host("example.org:80", "example.org");
	check_host(" 127.0.0.1:9799\t", "127.0.0.1");
	check_host("[::1]", "::1");
	check_host("[::1]:9799", "::1");
	check_host("name:", "name");
	check_host("", NULL);
	check_host(":80", NULL);
	check_host("[]", NULL);
	check_host("[::1", NULL);
	check_host("[::1]x", NULL);
	check_host("::1", NULL);
	check_host("name:80x", NULL);
	check_host("a:1:2", NULL);
}
END_TEST

static bool is_known(const char *field, const char *names)
{
	return http_host_is_known(span_text(field), names);
}

START_TEST(addresses_and_own_names_are_known)
{
	ck_assert(is_known("127.0.0.1:9799", NULL));
	ck_assert(is_known("192.0.2.7", ""));
	ck_assert(is_known("[2001:db8::1]:1", ""));
	ck_assert(is_known("localhost", ""));
	ck_assert(is_known("LocalHost.:80", ""));
	ck_assert(is_known("web1", "web1,web1.example.org"));
	ck_assert(is_known("WEB1.example.org.", "web1,web1.example.org"));
}
END_TEST

START_TEST(other_names_are_not_known)
{
	ck_assert(!is_known("example.org", ""));
	ck_assert(!is_known("example.org", "www.example.org,org,example.or"));
	ck_assert(!is_known("localhost.example.org", ""));
	ck_assert(!is_known("127.0.0.1.example.org", ""));
	ck_assert(!is_known("127.0.0.256", ""));
	ck_assert(!is_known("127.1", ""));
	ck_assert(!is_known("2130706433", ""));
	ck_assert(!is_known(".", ",,"));
	ck_assert(!is_known("", ",,"));
	ck_assert(!is_known("0123456789012345678901234567890123456789012345678901234567890", ""));
}
END_TEST

static struct listen_address parsed(const char *text)
{
	struct listen_address address;

	ck_assert_msg(listen_address_parse(&address, text), "%s", text);
	ck_assert_str_eq(address.text, text);
	return address;
}

static void check_internet(const char *text, const char *expected, int port)
{
	struct listen_address address = parsed(text);
	char host[INET6_ADDRSTRLEN];
	const void *bytes = &((struct sockaddr_in *)&address.socket)->sin_addr;
	in_port_t found = ((struct sockaddr_in *)&address.socket)->sin_port; /* at the same place in IPv6 */

	if (address.socket.ss_family == AF_INET6)
		bytes = &((struct sockaddr_in6 *)&address.socket)->sin6_addr;
	ck_assert_ptr_nonnull(inet_ntop(address.socket.ss_family, bytes, host, sizeof(host)));
	ck_assert_str_eq(host, expected);
	ck_assert_int_eq(ntohs(found), port);
	ck_assert_int_eq(address.kind, LISTEN_INTERNET);
}

START_TEST(addresses_are_numbers)
{
	check_internet("127.0.0.1:9799", "127.0.0.1", 9799);
	check_internet("9799", "127.0.0.1", 9799);
	check_internet("localhost:1", "127.0.0.1", 1);
	check_internet("0.0.0.0:65535", "0.0.0.0", 65535);
	check_internet("[::1]:9799", "::1", 9799);
	check_internet("[::]:80,web1", "::", 80);
	ck_assert_str_eq(parsed("0.0.0.0:1").names, "");
	ck_assert_str_eq(parsed("0.0.0.0:1,web1,web1.example.org").names, "web1,web1.example.org");
}
END_TEST

START_TEST(other_places_have_their_words)
{
	struct listen_address address = parsed("unix:/run/panetop,x.sock");

	ck_assert_int_eq(address.kind, LISTEN_UNIX);
	ck_assert_str_eq(address.path, "/run/panetop,x.sock");
	ck_assert_str_eq(address.names, "");
	address = parsed("systemd,web1");
	ck_assert_int_eq(address.kind, LISTEN_SYSTEMD);
	ck_assert_str_eq(address.names, "web1");
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
	static const char *const wrong[] = {
		"",
		",",
		"x",
		"0",
		"65536",
		"-1",
		" 9799",
		"9799 ",
		":9799",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:x",
		"1:2:3",
		"::1:9799",
		"[::1]",
		"[::1:9799",
		"[]:9799",
		"[127.0.0.1:9799",
		"example.org:80",
		"unix:",
		"unix",
		"systemd:1",
		"999.0.0.1:80",
		"[::1]9799",
	};
	struct listen_address address;
	char longest[300] = "";

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!listen_address_parse(&address, wrong[i]), "'%s'", wrong[i]);
	memset(longest, '1', sizeof(longest) - 6);
	memcpy(longest + sizeof(longest) - 6, ":9799", 6);
	ck_assert(!listen_address_parse(&address, longest));
}
END_TEST
