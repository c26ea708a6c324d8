# SPDX-License-Identifier: GPL-2.0-or-later
"""thin.py RECORDING >THINNED: keeps what the rules of findings read, of a recording as JSON lines.

The recordings in tests/recordings/calm were made with: panetop --record=FILE -d 5 -n 361 overview memory cpu power events,
idle in a virtual machine where a few sleepers wake up and a job runs every five minutes, busy on a machine of two CPUs
on which several builds and test suites ran.
"""
import json
import sys

KEPT = {
    "cpu": ("cpu", "user_seconds", "system_seconds", "idle_seconds", "steal_seconds", "busy_seconds", "total_seconds"),
    "cpu_limit": ("cgroup", "limit_ratio", "throttled_seconds", "periods", "throttled_periods"),
    "event_source": ("source", "received", "lost"),
    "exited": ("exits", "failures", "command"),
    "meminfo": ("key", "value_bytes"),
    "memory": ("name", "total_bytes", "used_bytes", "free_bytes"),
    "memory_limit": ("resource", "cgroup", "limit_bytes", "used_bytes", "caches_bytes"),
    "paging": ("refaults", "swap_ins"),
    "pressure": ("resource", "kind", "avg10_ratio", "avg60_ratio"),
    "process": ("pid", "start_seconds", "state"),
    "reclaim": ("counter", "total"),
    "system": ("load1", "cpus", "running", "blocked"),
    "throttle": ("cpu", "core_throttles", "package_throttles"),
}
# Rows that rules read, where they do not read all.
ROWS = {
    "cpu": lambda row: row["cpu"] == "all",
    "exited": lambda row: row["failures"],
    "meminfo": lambda row: row["key"] == "SUnreclaim",
    "process": lambda row: row["state"] == "Z",
    "reclaim": lambda row: row["counter"] in ("oom_kill", "allocstall"),
}


def thin_table(columns, kept, wanted, table):
    rows = [dict(zip(columns, row)) for row in table["rows"]]
    rows = [row for row in rows if wanted(row)]
    return {"mono_ns": table["mono_ns"], "rows": [[row[key] for key in kept] for row in rows]}


def main():
    def write(line):
        print(json.dumps(line, separators=(",", ":"), ensure_ascii=False))

    with open(sys.argv[1], encoding="utf-8") as lines:
        header = json.loads(next(lines))
        topics = header["topics"]
        columns = {name: [column["key"] for column in topics[name]["columns"]] for name in KEPT}
        kept = {name: [key for key in columns[name] if key in KEPT[name]] for name in KEPT}
        header["topics"] = {
            name: {"shape": topics[name]["shape"],
                   "columns": [column for column in topics[name]["columns"] if column["key"] in KEPT[name]]}
            for name in KEPT}
        write(header)
        for text in lines:
            frame = json.loads(text)
            tables = {name: thin_table(columns[name], kept[name], ROWS.get(name, lambda row: True),
                                       frame["tables"][name])
                      for name in KEPT if name in frame["tables"]}
            write({"wall_ns": frame["wall_ns"], "mono_ns": frame["mono_ns"], "host": "machine", "tables": tables,
                   "notices": []})


main()
