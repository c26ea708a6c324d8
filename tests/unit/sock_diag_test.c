/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the decoder of sockets: messages as kernels send them, cut, and hostile. */
#include "suite.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

#include "kernel/net/netlink.h"

struct answer {
	struct inet_diag_msg message;
	struct nlattr header;
	struct tcp_info info;
} __attribute__((packed));

static struct answer answer_of(unsigned state)
{
	struct answer answer = {
		.message = { .idiag_family = AF_INET,
			     .idiag_state = (uint8_t)state,
			     .id = { .idiag_sport = htons(443),
				     .idiag_dport = htons(50000),
				     .idiag_cookie = { 7, 1 } },
			     .idiag_rqueue = 12,
			     .idiag_wqueue = 34,
			     .idiag_uid = 1000,
			     .idiag_inode = 4711 },
		.header = { .nla_len = sizeof(struct nlattr) + sizeof(struct tcp_info),
			    .nla_type = INET_DIAG_INFO },
		.info = { .tcpi_rtt = 1500,
			  .tcpi_snd_cwnd = 10,
			  .tcpi_total_retrans = 3,
			  .tcpi_bytes_acked = 1001,
			  .tcpi_bytes_received = 5001,
			  .tcpi_bytes_sent = 1250,
			  .tcpi_bytes_retrans = 250,
			  .tcpi_busy_time = 900,
			  .tcpi_rwnd_limited = 300,
			  .tcpi_sndbuf_limited = 100 },
	};

	inet_pton(AF_INET, "10.1.2.3", answer.message.id.idiag_src);
	inet_pton(AF_INET, "192.0.2.9", answer.message.id.idiag_dst);
	return answer;
}

static struct span bytes_of(const struct answer *answer)
{
	return span_of((const char *)answer, sizeof(*answer));
}

/* "?": it is unknown. */
static const char *number(uint64_t number)
{
	return number == U64_UNKNOWN ? "?" : textf("%" PRIu64, number);
}

/* What TCP tells of a connection. */
static const char *told(const struct sock_diag *diag)
{
	const char *bytes = textf("sent=%s received=%s again=%s", number(diag->sent_bytes),
				  number(diag->received_bytes), number(diag->retransmitted_bytes));

	bytes = textf("%s retransmits=%s rtt=%s window=%s", bytes, number(diag->retransmits),
		      number(diag->rtt_us), number(diag->window));
	return textf("%s busy=%s,%s,%s", bytes, number(diag->busy_us), number(diag->receiver_limited_us),
		     number(diag->buffer_limited_us));
}

START_TEST(a_connection)
{
	struct answer answer = answer_of(1);
	char local[SOCK_DIAG_ADDRESS_MAX], remote[SOCK_DIAG_ADDRESS_MAX];
	struct sock_diag diag;

	ck_assert(sock_diag_parse(bytes_of(&answer), &diag));
	ck_assert_str_eq(sock_diag_address(&diag, false, local), "10.1.2.3:443");
	ck_assert_str_eq(sock_diag_address(&diag, true, remote), "192.0.2.9:50000");
	ck_assert(diag.inode == 4711 && diag.cookie == UINT64_C(0x100000007) && diag.uid == 1000);
	ck_assert(diag.receive_queue == 12 && diag.send_queue == 34 && diag.dropped == U64_UNKNOWN);
}

/* Of its answer only so many bytes, as older kernels have them; a UDP socket has nothing of it. */
START_TEST(what_a_kernel_does_not_have_is_unknown)
{
	static const struct {
		size_t bytes;
		uint32_t sent_again; /* more than what was sent: nonsense is not a number of bytes */
		const char *told;
	} cases[] = { /* each byte is counted once, and no byte for the handshake */
		{ sizeof(struct tcp_info), 250,
		  "sent=1000 received=5001 again=250 retransmits=3 rtt=1500 window=10 busy=900,300,100" },
		{ sizeof(struct tcp_info), 5000,
		  "sent=? received=5001 again=5000 retransmits=3 rtt=1500 window=10 busy=900,300,100" },
		{ offsetof(struct tcp_info, tcpi_bytes_sent), 250,
		  "sent=1001 received=5001 again=? retransmits=3 rtt=1500 window=10 busy=900,300,100" },
		{ offsetof(struct tcp_info, tcpi_busy_time), 250, /* Linux 4.9 */
		  "sent=1001 received=5001 again=? retransmits=3 rtt=1500 window=10 busy=?,?,?" },
		{ offsetof(struct tcp_info, tcpi_bytes_acked), 250,
		  "sent=? received=? again=? retransmits=3 rtt=1500 window=10 busy=?,?,?" },
		{ 0, 250, "sent=? received=? again=? retransmits=? rtt=? window=? busy=?,?,?" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer answer = answer_of(1);
		struct sock_diag diag;

		answer.header.nla_len = (uint16_t)(sizeof(struct nlattr) + cases[i].bytes);
		answer.info.tcpi_bytes_retrans = cases[i].sent_again;
		ck_assert(sock_diag_parse(bytes_of(&answer), &diag));
		ck_assert_str_eq(told(&diag), cases[i].told);
	}
}

/* As include/net/tcp_states.h of the kernel has them; some are those in which its FIN has come. */
START_TEST(states_have_names_and_some_an_end)
{
	static const char *const names[] = { "", "established", "syn-sent", "syn-recv", "fin-wait-1",
					     "fin-wait-2", "time-wait", "closed", "close-wait", "last-ack",
					     "listening", "closing", "syn-recv", "" };

	for (unsigned state = 0; state < sizeof(names) / sizeof(names[0]); state++) {
		bool has_ended = (state >= 7 && state <= 9) || state == 11;
		struct answer answer = answer_of(state);
		struct sock_diag diag;

		ck_assert(sock_diag_parse(bytes_of(&answer), &diag));
		ck_assert_str_eq(sock_diag_state(&diag, true), names[state]);
		ck_assert_str_eq(sock_diag_state(&diag, false), state == 1 ? "connected" : "open");
		ck_assert_uint_eq(diag.received_bytes, has_ended ? 5000 : 5001); /* it counts as a byte */
		answer.info.tcpi_bytes_received = 0; /* … and a reset does not */
		ck_assert(sock_diag_parse(bytes_of(&answer), &diag));
		ck_assert_uint_eq(diag.received_bytes, 0);
	}
}

START_TEST(addresses)
{
	static const struct {
		const char *address, *text;
		int family;
	} cases[] = {
		{ "::1", "[::1]:443", AF_INET6 },
		{ "fe80::1:2", "[fe80::1:2]:443", AF_INET6 },
		{ "::ffff:10.1.2.3", "10.1.2.3:443", AF_INET6 },
		{ "::", "[::]:443", AF_INET6 },
		{ "0.0.0.0", "0.0.0.0:443", AF_INET },
		{ "255.10.100.9", "255.10.100.9:443", AF_INET },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer answer = answer_of(10);
		char text[SOCK_DIAG_ADDRESS_MAX];
		struct sock_diag diag;

		memset(answer.message.id.idiag_src, 0, sizeof(answer.message.id.idiag_src));
		answer.message.idiag_family = (uint8_t)cases[i].family;
		inet_pton(cases[i].family, cases[i].address, answer.message.id.idiag_src);
		ck_assert(sock_diag_parse(bytes_of(&answer), &diag));
		ck_assert_str_eq(sock_diag_address(&diag, false, text), cases[i].text);
	}
}

START_TEST(what_a_socket_dropped)
{
	struct {
		struct inet_diag_msg message;
		struct nlattr header;
		uint32_t numbers[SK_MEMINFO_DROPS + 1];
	} answer = { .message = { .idiag_family = AF_INET },
		     .header = { .nla_len = sizeof(struct nlattr) + sizeof(answer.numbers),
				 .nla_type = INET_DIAG_SKMEMINFO },
		     .numbers = { [SK_MEMINFO_RCVBUF] = 212992, [SK_MEMINFO_DROPS] = 17 } };
	struct span bytes = span_of((const char *)&answer, sizeof(answer));
	struct sock_diag diag;

	ck_assert(sock_diag_parse(bytes, &diag));
	ck_assert_uint_eq(diag.dropped, 17);
	answer.header.nla_len -= 4; /* before Linux 4.6 */
	ck_assert(sock_diag_parse(bytes, &diag));
	ck_assert_uint_eq(diag.dropped, U64_UNKNOWN);
}

START_TEST(hostile_messages)
{
	struct answer answer = answer_of(255);
	struct sock_diag diag;

	for (size_t length = 0; length < sizeof(answer); length++) {
		struct span part = span_of((const char *)&answer, length);

		ck_assert(sock_diag_parse(part, &diag) == (length >= sizeof(answer.message)));
	}
	ck_assert_str_eq(sock_diag_state(&diag, true), "");
	answer.header.nla_len = 3; /* shorter than itself */
	ck_assert(sock_diag_parse(bytes_of(&answer), &diag));
	ck_assert_uint_eq(diag.rtt_us, U64_UNKNOWN);
	answer.header.nla_len = UINT16_MAX;
	ck_assert(sock_diag_parse(bytes_of(&answer), &diag));
	ck_assert_uint_eq(diag.rtt_us, U64_UNKNOWN);
	answer.message.idiag_family = AF_UNIX;
	ck_assert(!sock_diag_parse(bytes_of(&answer), &diag));
}
