#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_json.py FILE: every line is a sample in JSON, and its memory is that of this machine."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    samples = [json.loads(line) for line in file]
with open("/proc/meminfo", encoding="ascii") as file:
    total_bytes = int(file.readline().split()[1]) * 1024
for sample in samples:
    mem = sample["tables"]["memory"][0]
    if mem["name"] != "mem" or mem["total_bytes"] != total_bytes:
        sys.exit(f"{sys.argv[1]}: {mem['name']} has {mem['total_bytes']} bytes, the machine {total_bytes}")
if not samples:
    sys.exit(f"{sys.argv[1]}: there is no sample in it")
