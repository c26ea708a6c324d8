# SPDX-License-Identifier: GPL-2.0-or-later
"""Running code: stacks with their samples, and what follows from them."""
import math

FILES = {"render_tile": "render", "shade": "render", "intersect": "render", "main": "render", "_start": "render", "memcpy": "libc.so.6",
         "__libc_start_main": "libc.so.6", "malloc": "libc.so.6", "ExecScan": "postgres", "ExecProcNode": "postgres", "PostgresMain": "postgres",
         "postgres+0x3a1c0": "postgres", "std::vector<Hit, std::allocator<Hit> >::push_back(Hit const&)": "render"}
STACKS = {  # functions from the first one, samples
    "_start;__libc_start_main;main;render_tile;shade;intersect": 412, "_start;__libc_start_main;main;render_tile;shade": 173,
    "_start;__libc_start_main;main;render_tile;shade;memcpy": 61, "_start;__libc_start_main;main;render_tile": 24,
    "_start;__libc_start_main;main;render_tile;std::vector<Hit, std::allocator<Hit> >::push_back(Hit const&);malloc": 18,
    "_start;__libc_start_main;main;PostgresMain;ExecProcNode;ExecScan": 96, "_start;__libc_start_main;main;PostgresMain;ExecProcNode": 31,
    "_start;__libc_start_main;main;PostgresMain;ExecProcNode;ExecScan;postgres+0x3a1c0": 44,
    "_start;__libc_start_main;main;PostgresMain;ExecProcNode;ExecScan;entry_SYSCALL_64_after_hwframe;do_syscall_64;vfs_read;copy_page_to_iter": 88,
    "(callers unknown);memcpy": 9,
}
LINES = {  # of functions whose files have line tables: source, line, part of what the function runs itself
    "intersect": [("src/geometry.c", 118, 0.55), ("src/geometry.c", 121, 0.3), ("src/vector.h", 40, 0.15)],
    "shade": [("src/shade.c", 61, 0.7), ("src/shade.c", 64, 0.3)], "render_tile": [("src/tile.c", 22, 1)],
}
WALL = [  # of a process: cause, function, file, part of all time
    ("running", "intersect", "render", 0.16), ("running", "shade", "render", 0.07), ("running", "memcpy", "libc.so.6", 0.02),
    ("ready", "", "", 0.05), ("lock", "futex_do_wait", "", 0.4), ("disk", "folio_wait_bit_common", "", 0.18), ("pipe", "anon_pipe_read", "", 0.12),
]
WALL_SECONDS = 40  # of four threads, in ten seconds


def file_of(function):
    return "(unknown)" if function == "(callers unknown)" else FILES.get(function, "(kernel)")


def names_of(function):
    return {"(kernel)": "kallsyms", "libc.so.6": "debug file", "(unknown)": "none"}.get(
        file_of(function), "none" if "+0x" in function else ".symtab")


def tables(step):
    stacks = {tuple(stack.split(";")): samples + step for stack, samples in STACKS.items()}
    everything = sum(stacks.values())
    own, total, pairs, prefixes = {}, {}, {}, {}
    for stack, samples in stacks.items():
        own[stack[-1]] = own.get(stack[-1], 0) + samples
        for function in stack:
            total[function] = total.get(function, 0) + samples
        for pair in zip(("", *stack), stack):
            pairs[pair] = pairs.get(pair, 0) + samples
        for depth in range(1, len(stack) + 1):
            prefixes[stack[:depth]] = prefixes.get(stack[:depth], 0) + samples
    children = {prefix: [other for other in prefixes if other[:-1] == prefix] for prefix in prefixes}
    shown = [prefix for prefix in prefixes if len(children[prefix]) != 1 or prefix in stacks]
    calls = []
    for prefix in shown:
        above = max((other for other in shown if other != prefix and prefix[:len(other)] == other), key=len, default=())
        passed = prefix[len(above):]
        text = " › ".join(passed if len(passed) <= 3 else (passed[0], "…", *passed[-2:]))
        calls.append({"stack": ";".join(prefix), "parent": ";".join(above), "function": text, "file": file_of(prefix[-1]),
                      "program": next((file for file in map(file_of, prefix) if file[0] != "(" and ".so" not in file), ""),
                      "samples": prefixes[prefix], "total_ratio": prefixes[prefix] / everything,
                      "self_ratio": stacks.get(prefix, 0) / everything})
    profile = [{"function": function, "file": file_of(function), "names": names_of(function), "samples": own.get(function, 0),
                "self_ratio": own.get(function, 0) / everything, "total_ratio": count / everything,
                "error_ratio": 2 * math.sqrt(own.get(function, 0) / everything * (1 - own.get(function, 0) / everything) / everything)}
               for function, count in total.items()]
    return {
        "profile": profile, "profile_call": calls,
        "profile_stack": [{"stack": ";".join(stack), "samples": samples, "seconds": samples / 97, "files": ";".join(map(file_of, stack))}
                          for stack, samples in stacks.items()],
        "profile_caller": [{"caller": caller, "caller_file": file_of(caller) if caller else "", "function": function, "file": file_of(function),
                            "samples": samples, "total_ratio": samples / everything} for (caller, function), samples in pairs.items()],
        "profile_line": [{"function": function, "file": file_of(function), "source": source, "line": line, "samples": round(part * own[function]),
                          "self_ratio": part * own[function] / everything,
                          "error_ratio": 2 * math.sqrt(part * own[function] / everything / everything)}
                         for function, lines in LINES.items() for source, line, part in lines],
        "wall_time": [{"cause": cause, "function": function, "file": file, "ratio": part, "seconds": part * WALL_SECONDS,
                       "error_ratio": 0.02 if cause == "running" else 0} for cause, function, file, part in WALL],
        "profile_cost": [{"event": "cpu-clock", "samples": everything, "seconds": 10, "samples_per_second": 97, "error_ratio": 1 / math.sqrt(everything), "whole_ratio": 0.991,
                          "lost": 0, "throttled": 0, "cost_ratio": 0.0041}],
    }
