/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes messages of netlink and writes those that ask for them. */
#include <config.h>

#include "kernel/net/netlink.h"

#include <arpa/inet.h>
#include <limits.h>
#include <linux/connector.h>
#include <linux/gen_stats.h>
#include <linux/genetlink.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/taskstats.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "core/i18n.h"
#include "kernel/net/proc_net.h"

static void eat_padded(struct span *rest, size_t length, size_t align)
{
	size_t padded = (length + align - 1) / align * align;

	rest->at += padded < span_length(*rest) ? padded : span_length(*rest);
}

bool netlink_next(struct span *datagram, struct netlink_message *message)
{
	struct nlmsghdr header;

	if (!span_peek(*datagram, 0, &header, sizeof(header)) || header.nlmsg_len < sizeof(header) ||
	    header.nlmsg_len > span_length(*datagram))
		return false;
	message->type = header.nlmsg_type;
	message->sequence = header.nlmsg_seq;
	message->payload = span_of(datagram->at + sizeof(header), header.nlmsg_len - sizeof(header));
	eat_padded(datagram, header.nlmsg_len, NLMSG_ALIGNTO);
	return true;
}

bool netlink_ack(const struct netlink_message *message, int *error)
{
	int code;

	if (message->type != NLMSG_ERROR || !span_peek(message->payload, 0, &code, sizeof(code)) ||
	    code > 0 || code == INT_MIN)
		return false;
	*error = code;
	return true;
}

bool netlink_attribute(struct span attributes, uint16_t type, struct span *value)
{
	struct nlattr header;

	while (span_peek(attributes, 0, &header, sizeof(header)) && header.nla_len >= sizeof(header) &&
	       header.nla_len <= span_length(attributes)) {
		if ((header.nla_type & (uint16_t)NLA_TYPE_MASK) == type) {
			*value = span_of(attributes.at + sizeof(header), header.nla_len - sizeof(header));
			return true;
		}
		eat_padded(&attributes, header.nla_len, NLA_ALIGNTO);
	}
	return false;
}

bool qdisc_parse(struct span payload, struct qdisc *qdisc)
{
	struct gnet_stats_queue queue;
	struct span counts, value;
	struct tcmsg message;

	if (!span_peek(payload, 0, &message, sizeof(message)) ||
	    !netlink_attribute(span_of(payload.at + sizeof(message), span_length(payload) - sizeof(message)),
			       TCA_STATS2, &counts) ||
	    !netlink_attribute(counts, TCA_STATS_QUEUE, &value) ||
	    !span_peek(value, 0, &queue, sizeof(queue)))
		return false;
	*qdisc = (struct qdisc){
		.interface = (uint32_t)message.tcm_ifindex,
		.handle = message.tcm_handle,
		.is_root = message.tcm_parent == TC_H_ROOT,
		.drops = queue.drops,
		.waiting_bytes = queue.backlog,
	};
	return true;
}

uint32_t qdisc_dropped(const struct qdisc *before, const struct qdisc *now)
{
	bool wrapped = now->drops < before->drops && before->drops > UINT32_MAX / 2;

	if (before->handle != now->handle || (now->drops < before->drops && !wrapped))
		return now->drops;
	return now->drops - before->drops;
}

/* A message that asks for all of a kind. */
static unsigned put_request(char *request, uint16_t type, uint32_t sequence, const void *body, size_t bytes)
{
	const struct nlmsghdr header = { .nlmsg_len = (uint32_t)(sizeof(header) + bytes),
					 .nlmsg_type = type,
					 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
					 .nlmsg_seq = sequence };

	memcpy(request, &header, sizeof(header));
	memcpy(request + sizeof(header), body, bytes);
	return header.nlmsg_len;
}

unsigned qdisc_request(char request[QDISC_REQUEST_BYTES], uint32_t sequence)
{
	const struct tcmsg body = { .tcm_family = AF_UNSPEC };

	_Static_assert(sizeof(struct nlmsghdr) + sizeof(body) <= QDISC_REQUEST_BYTES, "it has room");
	return put_request(request, RTM_GETQDISC, sequence, &body, sizeof(body));
}

enum state {
	ESTABLISHED = 1,
	TIME_WAIT = 6,
	CLOSED = 7,
	CLOSE_WAIT = 8,
	LAST_ACK = 9,
	LISTENING = 10,
	CLOSING = 11,
	NEW_SYN_RECV = 12
};

static uint64_t tcp_u64(struct span info, size_t offset)
{
	uint64_t value;

	return span_peek(info, offset, &value, sizeof(value)) ? value : U64_UNKNOWN;
}

static uint64_t tcp_u32(struct span info, size_t offset)
{
	uint32_t value;

	return span_peek(info, offset, &value, sizeof(value)) ? value : U64_UNKNOWN;
}

#define TCP_U64(field) tcp_u64(info, offsetof(struct tcp_info, field))
#define TCP_U32(field) tcp_u32(info, offsetof(struct tcp_info, field))

/* Before Linux 4.19 what was acknowledged stands for what was sent. */
static void parse_tcp(struct span info, struct sock_diag *diag)
{
	uint64_t sent = TCP_U64(tcpi_bytes_sent), again = TCP_U64(tcpi_bytes_retrans);
	/* the kernel counts the end of the other side (FIN) as a byte received */
	bool has_ended = diag->state == CLOSE_WAIT || diag->state == LAST_ACK || diag->state == CLOSING ||
			 diag->state == CLOSED;

	diag->received_bytes = TCP_U64(tcpi_bytes_received);
	if (has_ended && diag->received_bytes != U64_UNKNOWN && diag->received_bytes > 0)
		diag->received_bytes--;
	diag->sent_bytes = sent == U64_UNKNOWN || again == U64_UNKNOWN ? TCP_U64(tcpi_bytes_acked)
			   : sent >= again                             ? sent - again
								       : U64_UNKNOWN;
	diag->retransmitted_bytes = again;
	diag->retransmits = TCP_U32(tcpi_total_retrans);
	diag->rtt_us = TCP_U32(tcpi_rtt);
	diag->window = TCP_U32(tcpi_snd_cwnd);
	diag->busy_us = TCP_U64(tcpi_busy_time);
	diag->receiver_limited_us = TCP_U64(tcpi_rwnd_limited);
	diag->buffer_limited_us = TCP_U64(tcpi_sndbuf_limited);
}

bool sock_diag_parse(struct span payload, struct sock_diag *diag)
{
	struct inet_diag_msg message;
	struct span attributes, info;
	uint32_t dropped;

	if (!span_peek(payload, 0, &message, sizeof(message)) ||
	    (message.idiag_family != AF_INET && message.idiag_family != AF_INET6))
		return false;
	*diag = (struct sock_diag){
		.family = message.idiag_family,
		.state = message.idiag_state,
		.local_port = ntohs(message.id.idiag_sport),
		.remote_port = ntohs(message.id.idiag_dport),
		.uid = message.idiag_uid,
		.receive_queue = message.idiag_rqueue,
		.send_queue = message.idiag_wqueue,
		.inode = message.idiag_inode,
		.cookie = message.id.idiag_cookie[0] | (uint64_t)message.id.idiag_cookie[1] << 32,
	};
	diag->dropped = diag->sent_bytes = diag->received_bytes = diag->retransmitted_bytes = U64_UNKNOWN;
	diag->retransmits = diag->rtt_us = diag->window = diag->busy_us = U64_UNKNOWN;
	diag->receiver_limited_us = diag->buffer_limited_us = U64_UNKNOWN;
	memcpy(diag->local, message.id.idiag_src, sizeof(diag->local));
	memcpy(diag->remote, message.id.idiag_dst, sizeof(diag->remote));
	attributes = span_of(payload.at + sizeof(message), span_length(payload) - sizeof(message));
	if (netlink_attribute(attributes, INET_DIAG_INFO, &info))
		parse_tcp(info, diag);
	if (netlink_attribute(attributes, INET_DIAG_SKMEMINFO, &info) &&
	    span_peek(info, SK_MEMINFO_DROPS * sizeof(dropped), &dropped, sizeof(dropped)))
		diag->dropped = dropped;
	return true;
}

/* As ss(8) lists them; not bound ones that do nothing, which are in a table of their own since Linux 6.8. */
#define STATES (((1U << (NEW_SYN_RECV + 1)) - 1) & ~(1U << TIME_WAIT))

static uint32_t states_of(enum sock_diag_kind kind)
{
	uint32_t listening = 1U << LISTENING;

	return kind == SOCK_DIAG_TCP ? STATES & ~listening : kind == SOCK_DIAG_UDP ? STATES : listening;
}

/* What a socket dropped is not asked of connections: there are many, and they seldom drop. */
static uint8_t extensions_of(enum sock_diag_kind kind)
{
	return (uint8_t)(1 << ((kind == SOCK_DIAG_TCP ? INET_DIAG_INFO : INET_DIAG_SKMEMINFO) - 1));
}

unsigned sock_diag_request(char request[SOCK_DIAG_REQUEST_BYTES], uint8_t family, enum sock_diag_kind kind,
			   uint32_t sequence)
{
	const struct inet_diag_req of_all_tcp = { .idiag_ext = extensions_of(kind),
						  .idiag_states = states_of(kind) };
	const struct inet_diag_req_v2 body = { .sdiag_family = family,
					       .sdiag_protocol =
						       kind == SOCK_DIAG_UDP ? IPPROTO_UDP : IPPROTO_TCP,
					       .idiag_ext = extensions_of(kind),
					       .idiag_states = states_of(kind) };

	_Static_assert(sizeof(struct nlmsghdr) + sizeof(of_all_tcp) <= SOCK_DIAG_REQUEST_BYTES &&
			       sizeof(struct nlmsghdr) + sizeof(body) <= SOCK_DIAG_REQUEST_BYTES,
		       "it has room");
	if (family == AF_UNSPEC)
		return put_request(request, TCPDIAG_GETSOCK, sequence, &of_all_tcp, sizeof(of_all_tcp));
	return put_request(request, SOCK_DIAG_BY_FAMILY, sequence, &body, sizeof(body));
}

/* Up to 65535; printf(3) would take most of the time of a sample's own part. */
static char *put_number(char *out, unsigned number)
{
	char digits[5];
	unsigned n_digits = 0;

	do
		digits[n_digits++] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	while (n_digits > 0)
		*out++ = digits[--n_digits];
	return out;
}

static char *put_ipv4(char *out, const unsigned char *bytes)
{
	for (unsigned i = 0; i < 4; i++) {
		out = put_number(out, bytes[i]);
		*out++ = i < 3 ? '.' : ':';
	}
	return out;
}

char *sock_diag_address(const struct sock_diag *diag, bool remote, char out[SOCK_DIAG_ADDRESS_MAX])
{
	static const unsigned char within[12] = { [10] = 0xff, [11] = 0xff };
	const unsigned char *bytes = remote ? diag->remote : diag->local;
	char *end = out;

	if (diag->family == AF_INET) {
		end = put_ipv4(out, bytes);
	} else if (memcmp(bytes, within, sizeof(within)) == 0) {
		end = put_ipv4(out, bytes + sizeof(within));
	} else {
		*end++ = '[';
		inet_ntop(AF_INET6, bytes, end, INET6_ADDRSTRLEN);
		end += strlen(end);
		*end++ = ']';
		*end++ = ':';
	}
	*put_number(end, remote ? diag->remote_port : diag->local_port) = '\0';
	return out;
}

const char *sock_diag_state(const struct sock_diag *diag, bool tcp)
{
	if (!tcp)
		return diag->state == ESTABLISHED ? N_("connected") : N_("open");
	return tcp_state_name(diag->state);
}

/*
 * From include/uapi/linux/cn_proc.h of Linux 6.18; the header of the build machine may be older. Since Linux
 * 3.2 words have only been added at the end.
 */
#define LISTEN 1
#define IGNORE 2
#define HEAD_BYTES ((size_t)16) /* what, cpu, time */
#define TIME_AT ((size_t)8)
#define WORDS_MAX 6

/* The code of each kind in a message, and how many 32-bit words at least follow its head. */
static const struct {
	uint32_t what;
	unsigned char n_words;
} layouts[PROC_EVENT_KIND_OTHER] = {
	[PROC_EVENT_KIND_ACK] = { 0, 1 },           [PROC_EVENT_KIND_FORK] = { 0x1, 4 },
	[PROC_EVENT_KIND_EXEC] = { 0x2, 2 },        [PROC_EVENT_KIND_UID] = { 0x4, 4 },
	[PROC_EVENT_KIND_GID] = { 0x40, 4 },        [PROC_EVENT_KIND_SID] = { 0x80, 2 },
	[PROC_EVENT_KIND_PTRACE] = { 0x100, 4 },    [PROC_EVENT_KIND_COMM] = { 0x200, 6 },
	[PROC_EVENT_KIND_CORE] = { 0x40000000, 2 }, [PROC_EVENT_KIND_EXIT] = { 0x80000000, 4 },
};

uint32_t proc_event_code(enum proc_event_kind kind)
{
	return layouts[kind].what;
}

/* The kernel calls the thread "pid" and its process "tgid". */
static void set_parent(struct proc_event *event, const uint32_t words[2])
{
	event->parent_tid = words[0];
	event->parent_pid = words[1];
}

static void fill_event(struct proc_event *event, const uint32_t words[WORDS_MAX])
{
	if (event->kind == PROC_EVENT_KIND_OTHER)
		return;
	if (event->kind == PROC_EVENT_KIND_ACK) {
		event->error = words[0];
		return;
	}
	event->tid = words[0];
	event->pid = words[1];
	switch (event->kind) {
	case PROC_EVENT_KIND_FORK:
		set_parent(event, words);
		event->tid = words[2];
		event->pid = words[3];
		break;
	case PROC_EVENT_KIND_UID:
	case PROC_EVENT_KIND_GID:
		event->real = words[2];
		event->effective = words[3];
		break;
	case PROC_EVENT_KIND_PTRACE:
		event->other_tid = words[2];
		event->other_pid = words[3];
		break;
	case PROC_EVENT_KIND_COMM:
		memcpy(event->comm, &words[2], PROC_COMM_BYTES);
		break;
	case PROC_EVENT_KIND_CORE:
		set_parent(event, &words[2]);
		break;
	case PROC_EVENT_KIND_EXIT:
		event->exit_code = words[2]; /* the next word is the signal to the parent */
		set_parent(event, &words[4]);
		break;
	case PROC_EVENT_KIND_EXEC:
	case PROC_EVENT_KIND_SID:
	case PROC_EVENT_KIND_ACK:
	case PROC_EVENT_KIND_OTHER:
		break;
	}
}

/* Words that an older kernel lacks stay 0. */
static bool decode_event(struct span message, const struct cn_msg *header, struct proc_event *event)
{
	struct proc_event decoded = { .sequence = header->seq, .acknowledged = header->ack };
	uint32_t what, words[WORDS_MAX] = { 0 };
	size_t n_words;

	message.at += sizeof(*header);
	if (header->len > span_length(message))
		return false;
	message.end = message.at + header->len;
	if (!span_peek(message, 0, &what, sizeof(what)) ||
	    !span_peek(message, sizeof(what), &decoded.cpu, sizeof(decoded.cpu)) ||
	    !span_peek(message, TIME_AT, &decoded.time_ns, sizeof(decoded.time_ns)))
		return false;
	while (decoded.kind < PROC_EVENT_KIND_OTHER && layouts[decoded.kind].what != what)
		decoded.kind++;
	message.at += HEAD_BYTES;
	n_words = span_length(message) / sizeof(words[0]);
	n_words = n_words < WORDS_MAX ? n_words : WORDS_MAX;
	if (decoded.kind != PROC_EVENT_KIND_OTHER && n_words < layouts[decoded.kind].n_words)
		return false;
	span_peek(message, 0, words, n_words * sizeof(words[0]));
	fill_event(&decoded, words);
	*event = decoded;
	return true;
}

bool proc_event_next(struct span *datagram, struct proc_event *event)
{
	struct span rest = *datagram;
	struct netlink_message message;
	struct cn_msg header;

	while (netlink_next(&rest, &message)) {
		bool is_event = message.type == NLMSG_DONE &&
				span_peek(message.payload, 0, &header, sizeof(header)) &&
				header.id.idx == CN_IDX_PROC && header.id.val == CN_VAL_PROC;

		if (is_event && !decode_event(message.payload, &header, event))
			return false;
		*datagram = rest;
		if (is_event)
			return true;
	}
	return false;
}

size_t proc_request_write(char bytes[PROC_REQUEST_BYTES_MAX], enum proc_request request, uint32_t kinds,
			  uint32_t number, uint32_t own_pid)
{
	uint32_t words[] = { request == PROC_REQUEST_IGNORE ? IGNORE : LISTEN, 0 };
	size_t length = request == PROC_REQUEST_LISTEN_SOME ? sizeof(words) : sizeof(words[0]);
	struct cn_msg message = {
		.id = { .idx = CN_IDX_PROC, .val = CN_VAL_PROC },
		.seq = number,
		.ack = number,
		.len = (uint16_t)length,
	};
	struct nlmsghdr header = {
		.nlmsg_len = (uint32_t)(sizeof(header) + sizeof(message) + length),
		.nlmsg_type = NLMSG_DONE,
		.nlmsg_seq = number,
		.nlmsg_pid = own_pid,
	};

	for (unsigned kind = 0; kind < PROC_EVENT_KIND_OTHER; kind++)
		if (kinds >> kind & 1)
			words[1] |= layouts[kind].what;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &message, sizeof(message));
	memcpy(bytes + sizeof(header) + sizeof(message), words, length);
	return header.nlmsg_len;
}

#define VERSION_WITH_TGID 12
#define VERSION_MOVED 15
#define LAST_OF_PROCESS 0x20 /* AGROUP */
#define NS_PER_US 1000

/*
 * Offsets of the fields in bytes: the same on all machines and in all versions but 15 (the first Linux 6.14),
 * which put new fields between old ones. struct taskstats of the build machine is not used: it may be older
 * than the kernel, or of version 15.
 */
struct layout {
	size_t exit_code, flags, runs, queued_ns, run_ns, comm, uid, pid;
	size_t parent, elapsed_us, user_us, system_us, peak_kib, read_bytes, write_bytes, sleeps, tgid;
};

static const struct layout usual = { 4,   8,   16,  24,  72,  80,  120, 128, 132,
				     144, 152, 160, 200, 248, 256, 272, 368 };
static const struct layout moved = { 4,   8,   16,  24,  120, 128, 168, 176, 180,
				     192, 200, 208, 248, 296, 304, 320, 464 };

/* The attributes of a message of this family and command. */
static bool generic_open(const struct netlink_message *message, uint16_t family, uint8_t command,
			 struct span *attributes)
{
	struct genlmsghdr header;

	if (message->type != family || !span_peek(message->payload, 0, &header, sizeof(header)) ||
	    header.cmd != command)
		return false;
	*attributes = message->payload;
	attributes->at += sizeof(header);
	return true;
}

bool taskstats_family(const struct netlink_message *message, uint16_t *family)
{
	struct span attributes, name, id;

	return generic_open(message, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, &attributes) &&
	       netlink_attribute(attributes, CTRL_ATTR_FAMILY_NAME, &name) &&
	       span_length(name) == sizeof(TASKSTATS_GENL_NAME) &&
	       memcmp(name.at, TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME)) == 0 &&
	       netlink_attribute(attributes, CTRL_ATTR_FAMILY_ID, &id) &&
	       span_peek(id, 0, family, sizeof(*family));
}

static uint64_t nanoseconds(struct span stats, size_t offset)
{
	uint64_t us;

	if (!span_peek(stats, offset, &us, sizeof(us)) || us > UINT64_MAX / NS_PER_US)
		return U64_UNKNOWN;
	return us * NS_PER_US;
}

/* A kernel without scheduler statistics reports 0 for both. */
static void copy_queued(struct span stats, const struct layout *layout, uint64_t *queued_ns)
{
	uint64_t runs;

	if (span_peek(stats, layout->runs, &runs, sizeof(runs)) && runs > 0)
		span_peek(stats, layout->queued_ns, queued_ns, sizeof(*queued_ns));
}

/* The message has the pid twice: if the second is not found, the layout is unknown. */
static void fill_record(struct span stats, struct exit_record *record)
{
	const struct layout *layout = record->version == VERSION_MOVED ? &moved : &usual;
	uint8_t flags = 0;
	uint32_t pid;

	if (!span_peek(stats, layout->pid, &pid, sizeof(pid)) || pid != record->tid)
		return;
	span_peek(stats, layout->exit_code, &record->exit_code, sizeof(record->exit_code));
	if (record->version >= VERSION_WITH_TGID) {
		span_peek(stats, layout->tgid, &record->tgid, sizeof(record->tgid));
		record->last =
			span_peek(stats, layout->flags, &flags, sizeof(flags)) && flags & LAST_OF_PROCESS;
	} else if (record->exit_code == 0) {
		record->exit_code = U32_UNKNOWN;
	}
	span_peek(stats, layout->uid, &record->uid, sizeof(record->uid));
	span_peek(stats, layout->parent, &record->parent_pid, sizeof(record->parent_pid));
	span_peek(stats, layout->comm, record->comm, EXIT_COMM_BYTES); /* a NUL follows */
	span_peek(stats, layout->run_ns, &record->run_ns, sizeof(record->run_ns));
	span_peek(stats, layout->peak_kib, &record->peak_kib, sizeof(record->peak_kib));
	span_peek(stats, layout->sleeps, &record->sleeps, sizeof(record->sleeps));
	span_peek(stats, layout->read_bytes, &record->read_bytes, sizeof(record->read_bytes));
	span_peek(stats, layout->write_bytes, &record->write_bytes, sizeof(record->write_bytes));
	copy_queued(stats, layout, &record->queued_ns);
	record->elapsed_ns = nanoseconds(stats, layout->elapsed_us);
	record->user_ns = nanoseconds(stats, layout->user_us);
	record->system_ns = nanoseconds(stats, layout->system_us);
	if (record->user_ns != U64_UNKNOWN && record->system_ns <= U64_UNKNOWN - record->user_ns)
		record->cpu_ns = record->user_ns + record->system_ns;
}

bool taskstats_exit(const struct netlink_message *message, uint16_t family, struct exit_record *record)
{
	struct span attributes, thread, tid, stats;
	struct exit_record decoded = { 0 };

	decoded.uid = decoded.parent_pid = decoded.exit_code = U32_UNKNOWN;
	decoded.run_ns = decoded.cpu_ns = decoded.user_ns = decoded.system_ns = U64_UNKNOWN;
	decoded.elapsed_ns = decoded.queued_ns = decoded.peak_kib = decoded.sleeps = U64_UNKNOWN;
	decoded.read_bytes = decoded.write_bytes = U64_UNKNOWN;
	if (!generic_open(message, family, TASKSTATS_CMD_NEW, &attributes) ||
	    !netlink_attribute(attributes, TASKSTATS_TYPE_AGGR_PID, &thread) ||
	    !netlink_attribute(thread, TASKSTATS_TYPE_PID, &tid) ||
	    !netlink_attribute(thread, TASKSTATS_TYPE_STATS, &stats) ||
	    !span_peek(tid, 0, &decoded.tid, sizeof(decoded.tid)) ||
	    !span_peek(stats, 0, &decoded.version, sizeof(decoded.version)))
		return false;
	fill_record(stats, &decoded);
	*record = decoded;
	return true;
}
