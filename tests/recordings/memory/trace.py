# SPDX-License-Identifier: GPL-2.0-or-later
"""What is counted at two tracepoints, one with a histogram, and some of all that there are."""

REQUESTS = "block:block_rq_issue by comm,rwbs sum(nr_sector) hist if nr_sector > 8"
OPENED = "syscalls:sys_enter_openat by comm,filename"
SIZES = {"postgres,R": {16: 80, 32: 20}, "postgres,WS": {16: 40}, "kworker/u8:2,W": {256: 12, 1024: 3}, "jbd2/vda1-8,WFS": {16: 8}}
FILES = {"postgres,0x55d0c2a41f30": 120, "worker,0x7ffd5e81b240": 31}
TRACEPOINTS = {
    "block:block_rq_issue": ("dev sector nr_sector bytes ioprio", "rwbs comm cmd", ""),
    "block:block_rq_complete": ("dev sector nr_sector error ioprio", "rwbs cmd", ""),
    "sched:sched_process_exec": ("pid old_pid", "filename", ""),
    "sched:sched_switch": ("prev_pid prev_prio prev_state next_pid next_prio", "prev_comm next_comm", ""),
    "syscalls:sys_enter_openat": ("__syscall_nr dfd filename flags mode", "", ""),
    "tcp:tcp_retransmit_skb": ("skbaddr skaddr state sport dport family", "", "saddr daddr saddr_v6 daddr_v6"),
}


def tables(step):
    counts = {keys: sum(sizes.values()) for keys, sizes in SIZES.items()}
    sums = {keys: sum(size * 1.25 * count for size, count in sizes.items()) for keys, sizes in SIZES.items()}
    rows = [{"trace": REQUESTS, "keys": keys, "count": count * step, "sum": sums[keys] * step} for keys, count in counts.items()]
    rows += [{"trace": OPENED, "keys": keys, "count": count * step} for keys, count in FILES.items()]
    return {"trace": rows,
            "trace_bucket": [{"trace": REQUESTS, "keys": keys, "from": size, "to": 2 * size, "count": count * step}
                             for keys, sizes in SIZES.items() for size, count in sizes.items()],
            "tracepoint": [{"tracepoint": name, "numbers": numbers, "texts": texts, "others": others}
                           for name, (numbers, texts, others) in TRACEPOINTS.items()]}
