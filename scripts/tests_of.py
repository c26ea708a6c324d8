#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tests_of.py NAME...: the tests that a changed file concerns, a line each, as make run-test takes them.

NAME is a path, or a file's name without folder, and without ending where it is of C or a script. Of a source: the unit tests called after it, those that use what it
defines, and those that sample its topic; if there is none, those of the sources that use it; scripts called after it; golden
screens of its pane. Of a test: itself; of a table: what reads it.
"""
import functools
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
SRC, TESTS = TOP / "src", TOP / "tests"
ABOUT = {  # a source, or all of a folder, although they are not called after it and use nothing of it
    "app": ["errors.test", "batch.test"], "fleet": ["fleet.test", "stored.test"], "model": ["batch.test"],
    "output": ["batch.test"], "output/report": ["report.test"],
    "output/exposition.c": ["openmetrics.test"], "output/pprof.c": ["pprof.test"], "output/record.c": ["recording.test", "full_disk.test"],
    "output/recording.c": ["recording.test"], "recording": ["recording.test"], "sys/bpf": ["unit/bpf_listing_test"],
    "topic": ["batch.test"], "topic/disk": ["disks.test"], "topic/event": ["events.test"], "topic/finding": ["findings.test"],
    "topic/gpu": ["gpu.test"], "topic/group": ["groups.test"], "topic/interrupt": ["kernel.test"], "topic/latency": ["latency.test"],
    "topic/memory": ["formulas.test"], "topic/network": ["network.test"], "topic/power": ["power.test"],
    "topic/process": ["batch.test"], "topic/tracepoint": ["trace.test"],
}
WORD = re.compile(r'"?[A-Za-z0-9_]+"?')
DEFINED = re.compile(r"^(?!static|typedef|struct \w+ \{|enum \w+ \{)[a-z][^\n;{}=(]*?\b(\w+)(?:\(|\[[^\n]*\] =| =)", re.M)
TOPIC = re.compile(r"^const struct topic topic_(\w+) =", re.M)


def text_of(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


@functools.cache
def defined(source):
    """What others can call, and its topic as they name it."""
    text = text_of(source)
    return set(DEFINED.findall(text)) - {"main"} | {f'"{name}"' for name in TOPIC.findall(text)}


@functools.cache
def words(path):
    """Those of a table are names of topics and columns."""
    found = WORD.findall(text_of(path))
    return {f'"{word}"' for word in found} if path.suffix == ".txt" else set(found)


@functools.cache
def unit_tests():
    """Their files, by their names below tests/."""
    found = {f"unit/{path.stem}": [path] for path in sorted((TESTS / "unit").glob("*_test.c"))}
    for test, folder in (("unit/rows_test", "rows"), ("unit/scene_test", "scenes")):
        found[test] += sorted((TESTS / folder).glob("*.txt"))
    return found | {"fuzz/corpus_test": [TESTS / "fuzz" / name for name in ("targets.c", "corpus_test.c")]}


@functools.cache
def own_tests(source):
    """Those called after it, and those that use what it defines, but for those that stand in for it."""
    return {test for test, files in unit_tests().items()
            if test == f"unit/{source.stem}_test" or any(defined(source) & words(path) and not defined(source) & defined(path)
                                                         for path in files)}


def tests_of_source(source):
    """The nearest: its own, or those of what uses it, and so on."""
    sources, seen = {source}, set()
    while sources:
        found = set().union(*map(own_tests, sources))
        if found - {"fuzz/corpus_test"}:
            return sorted(found)
        seen |= sources
        symbols = set().union(*map(defined, sources))
        sources = {path for path in SRC.rglob("*.c") if path not in seen and symbols & words(path)}
    return []


LISTINGS = {"trace_plan_": "unit/bpf_listing_test", "topic_": "unit/table_listing_test"}  # of what has such a name


def listings(source):
    return [test for begin, test in LISTINGS.items() if any(symbol.startswith(begin) for symbol in defined(source))]


def tests_about(source):
    """Scripts called after it, those of ABOUT, and listings."""
    name = source.relative_to(SRC)
    found = listings(source)
    found += [f"{source.stem}.test"] * (TESTS / f"{source.stem}.test").exists()
    return list(dict.fromkeys(found + [test for place in (name, name.parent) for test in ABOUT.get(str(place), [])]))


def of_source(path):
    pane = path.parent.name if path.parent.parent == SRC / "pane" else None
    lines = sorted({*tests_of_source(path.with_suffix(".c")), *listings(path.with_suffix(".c"))})
    lines += [f"{name}.test" for name in sorted({path.stem, pane or path.stem}) if (TESTS / f"{name}.test").exists()]
    if pane:
        lines.append(f"golden.test --only={pane}")
    elif path.is_relative_to(SRC / "screen"):
        lines.append("golden.test")
    return lines


READERS = {"parsers": "unit/parser_test", "rows": "unit/rows_test", "scenes": "unit/scene_test", "bpf": "unit/bpf_listing_test",
           "golden": "golden.test", "tests": "unit/table_listing_test"}  # of the tables in a folder


def of_test(path):
    if path.suffix == ".test":
        return [path.name]
    if path.suffix == ".txt" and path.parent.name in READERS:
        return [READERS[path.parent.name]]
    if path.suffix in (".c", ".h"):
        own = [test for test, files in unit_tests().items() if path in files]
        return own or [test for test, files in unit_tests().items() if any(f'"{path.stem}.h"' in text_of(file) for file in files)]
    uses = re.compile(rf"\brun\.py\b(.|\\\n)*\b{path.stem}\b|\b{path.name}\b")
    text, part = text_of(path), f"{path.stem}:"
    is_named = path.parent.name == "screen" and ("def tests(" not in text or f'"{part} ' in text)  # run.py names its tests like that
    return [f"{script.name} --only={part}" if is_named and script.name == "screen.test" else script.name
            for script in sorted(TESTS.glob("*.test")) if uses.search(text_of(script))]


def files_of(name):
    path = pathlib.Path(name).resolve()
    if path.is_file():
        return [path]
    return [path for path in [*sorted(SRC.rglob("*.[ch]")), *sorted(TESTS.glob("*.test")), *sorted(TESTS.glob("*/*_test.c"))]
            if name in (path.stem, path.stem.removesuffix("_test"), path.name)]


def tests_of(names):
    """Their lines, each once."""
    lines = []
    for name in names:
        files = files_of(name)
        if not files:
            sys.exit(f"panetop check: there is no file {name}")
        for path in files:
            lines += of_source(path) if path.is_relative_to(SRC) else of_test(path) if path.is_relative_to(TESTS) else []
    return list(dict.fromkeys(lines))


if __name__ == "__main__":
    print("\n".join(tests_of(sys.argv[1:])))
