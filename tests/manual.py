# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the manual pages with what the program and its sources say; prints TAP."""
import json
import os
import re
import shutil
import subprocess
import sys

TESTS = os.environ["TESTS_DIR"]
TOP = os.path.dirname(TESTS)
PANETOP = os.environ["PANETOP"]
MAIN = os.path.join(os.path.dirname(PANETOP), "man", "panetop.1")  # made by the build, as the other
METRICS = os.path.join(os.path.dirname(PANETOP), "man", "panetop-metrics.5")
FLEET = os.path.join(TOP, "man", "panetop-fleet.7")
sys.path.insert(0, os.path.join(TESTS, "screen"))


def output(*arguments):
    return subprocess.run([PANETOP, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
                          encoding="utf-8").stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plain(text):
    """Roff escapes as what they stand for."""
    for escape, character in (("\\-", "-"), ("\\(ha", "^"), ("\\(aq", "'"), ("\\(ti", "~"), ("\\&", ""), ("\\e", "\\")):
        text = text.replace(escape, character)
    return re.sub(r"\\f.", "", text)


def section(page, heading):
    """The lines below .SH or .SS heading, up to the next of either."""
    found = re.search(r"^\.S[HS] " + re.escape(heading) + r"\n(.*?)(?=^\.S[HS] |\Z)", page, re.M | re.S)
    if not found:
        raise AssertionError(f"there is no section {heading}")
    return found.group(1)


def tags(text):
    """What stands in bold on the lines that begin a paragraph: names of options, keys, columns."""
    lines = re.findall(r"^\.TP(?: \d+)?\n\.(?:B|BR|BI|I|IR|IB) (.*)$", text, re.M)
    return {word for line in lines for word in re.split(r"[\s,]+", plain(line).replace('"', "")) if word}


def words(text):
    """Every word of every line in bold."""
    return {word for line in re.findall(r"^\.B[RI]? (.*)$", text, re.M)
            for word in re.split(r"[\s]+", plain(line).replace('"', "").replace(",", " , ")) if word}


def missing(wanted, there):
    lost = [name for name in wanted if name not in there]
    return "missing: " + " ".join(sorted(lost)) if lost else None


def keys_of_peers():
    """Every place that the table of keys of top and htop names is there."""
    listed = output("--keys")
    known = {key for line in re.findall(r"^  (\S.*?)  ", listed, re.M) for key in line.split()} | {"Enter", "Esc", "arrows,"}
    views = re.findall(r"^  (\S.*?)  ", "".join(re.findall(r"^Views .*?\n((?:  .*\n)+)", listed, re.M)), re.M)
    lost = []
    for line in read(os.path.join(TOP, "man", "peers.data")).splitlines():
        if line.startswith("#"):
            continue
        _program, _keys, _what, here = line.split("\t")
        if here.startswith("view "):
            lost += [here] if here[5:] not in views else []
        elif here.startswith("option "):
            lost += [here] if f"--{here[7:]}" not in output("--help") else []
        elif not here.startswith("- "):
            lost += [key for key in here.split(", ")[0].split() if key not in known and key != "arrows"]
    return "not there: " + ", ".join(lost) if lost else None


def options_of(text):
    return [option for option in re.findall(r"^ {2,6}(?:-\w, +)?(--[a-z-]+)", text, re.M)]


def listed_options(text):
    return {word.split("=")[0].split("[")[0] for word in tags(text) if word.startswith("--")}


def every_option():
    help_text = output("--help")
    general = help_text[help_text.index("\nOptions:"):].split("\n\n")[0]
    page = read(MAIN)
    problem = missing(options_of(general), listed_options(section(page, "OPTIONS")))
    for pane, text in re.findall(r"^Options of the pane (\w+):\n((?:  .*\n)+)", help_text, re.M):
        problem = problem or missing(options_of(text), listed_options(section(page, "Options of the pane " + pane)))
    return problem


def panes():
    help_text = output("--help")
    return re.findall(r"^  (\w+) ", help_text[help_text.index("Panes"):help_text.index("\nOptions:")], re.M)


def every_pane():
    page = read(MAIN)
    examples = {pane for line in re.findall(r"^\.B panetop(.*)$", section(page, "EXAMPLES"), re.M) for pane in line.split()}
    return missing(panes(), tags(section(page, "PANES"))) or missing(panes(), examples)


def sources():
    for directory, _, files in os.walk(os.path.join(TOP, "src")):
        for name in files:
            if name.endswith(".c"):
                yield read(os.path.join(directory, name))


def every_variable():
    names = {name for text in sources() for name in re.findall(r'getenv\("(\w+)"\)', text)}
    assert len(names) > 3, "the sources are not read as they are written"
    return missing(names - {"PANETOP_TEST_FD"}, {word for tag in tags(section(read(MAIN), "ENVIRONMENT")) for word in tag.split(",")})


def every_signal():
    names = {name for text in sources() for names in re.findall(r"int signals\[\] = \{(.*?)\}", text)
             for name in re.findall(r"SIG\w+", names)}
    assert len(names) > 5, "the sources are not read as they are written"
    return missing(names, tags(section(read(MAIN), "SIGNALS")))


def listed_keys(text):
    return {key for line in re.findall(r"^  \S.*$", text, re.M) for key in line[2:12].split("  ")[0].split()}


def help_page(arguments, pane):
    """As the screen shows it."""
    from common import screen
    with screen(*arguments, pane, width=200, height=110) as terminal:
        terminal.send("F1")
        return terminal.text()


def every_key():
    """Those of --keys, of which the page is made, and those of every help page."""
    from common import fixture, RECORDING
    page, listed = read(MAIN), output("--keys")
    everywhere = words(section(page, "KEYS"))
    problem = missing(listed_keys(listed.split("\n\n")[0]), everywhere)
    for pane in panes():
        own = everywhere | words(section(page, "Views and keys of the pane " + pane))
        sources = [[fixture("linux-6.1")], ["--replay=" + RECORDING]] + [[fixture("pages"), "--pid=77"]] * (pane == "pages")
        for arguments in sources:
            text = help_page(arguments, pane)
            found = listed_keys(text[text.index("\nKeys of this pane"):text.index("\nSigns and colours")])
            assert len(found) > 20, "the help does not look as it is read here\n" + text
            lost = missing(found, own)
            problem = problem or (f"{pane}: {lost}" if lost else None)
    return problem


def every_view():
    page, problem = read(MAIN), None
    for pane, views in re.findall(r"^Views of the pane (\w+):\n((?:  .*\n)*)", output("--keys"), re.M):
        titles = [line.strip().split("  ")[0] for line in views.splitlines()]
        there = tags_whole(section(page, "Views and keys of the pane " + pane))
        lost = missing(titles, there)
        problem = problem or (f"{pane}: {lost}" if lost else None)
    return problem


def tags_whole(text):
    return {plain(line) for line in re.findall(r"^\.TP\n\.B (.*)$", text, re.M)}


def every_column():
    page = read(METRICS)
    for topic in json.loads(output("--describe", "-o", "json"))["topics"]:
        text = section(page, topic["name"])
        lost = missing([column["key"] for column in topic["columns"]], tags(text))
        if lost:
            return f"{topic['name']}: {lost}"
    return None


def every_metric_of_the_fleet():
    topics = json.loads(output("--describe", "-o", "json"))["topics"]
    known = {column["metric"] for topic in topics for column in topic["columns"]} | {topic["info_metric"] for topic in topics}
    known |= {f"panetop_{topic['name']}_rows" for topic in topics}
    named = set(re.findall(r"\bpanetop_\w+", plain(read(FLEET))))
    assert len(named) > 20, "the page is not written as it is read"
    return missing(named, known)


def version():
    number = output("--version").split()[1]
    for path in (MAIN, METRICS, FLEET):
        if not re.search(r'^\.TH \S+ \d \d{4}-\d\d-\d\d "panetop ' + re.escape(number) + '"', read(path), re.M):
            return f"{path} is not of version {number}"
    return None


def first_page():
    """What a newcomer reads: up to the panes, at most 60 lines."""
    page = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=80", MAIN], capture_output=True, encoding="utf-8", check=True).stdout
    lines = re.sub(".\b", "", page).split("\nPANES\n")[0].splitlines()
    return None if len(lines) <= 60 else f"{len(lines)} lines"


def well_formed(path):
    """As lintian asks man, and as strictly as mandoc can."""
    environment = dict(os.environ, LC_ALL="C.UTF-8", MANROFFSEQ="", MANWIDTH="80")
    said = ""
    for tool in (["mandoc", "-T", "lint", "-W", "warning"], ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]):
        run = subprocess.run(tool + [path], capture_output=True, text=True, env=environment, check=False)
        said += run.stderr + (run.stdout if tool[0] == "mandoc" else "")
    return said or None


def main():
    can_be_seen = subprocess.run(["/usr/bin/python3", "-c", "import pyte"], capture_output=True, check=False).returncode == 0
    can_be_checked = shutil.which("mandoc") and shutil.which("man")
    tests = [
        ("panetop(1) has every option of --help, in its section", every_option, None),
        ("panetop(1) has a paragraph and an example of every pane", every_pane, None),
        ("panetop(1) has every variable of the environment that is read", every_variable, None),
        ("panetop(1) has every signal that is waited for", every_signal, None),
        ("panetop(1) has every key of every help page", every_key, None if can_be_seen else "python3-pyte is not installed"),
        ("panetop(1) has every view of every pane", every_view, None),
        ("the keys of top and htop lead to keys and views that exist", keys_of_peers, None),
        ("panetop-metrics(5) has every topic and column", every_column, None),
        ("panetop-fleet(7) names metrics that exist", every_metric_of_the_fleet, None),
        ("all pages are of this version", version, None),
        ("the first page of panetop(1) has at most 60 lines", first_page, None if can_be_checked else "mandoc or man is not installed"),
        ("panetop(1) is well-formed", lambda: well_formed(MAIN), None if can_be_checked else "mandoc or man is not installed"),
        ("panetop-metrics(5) is well-formed", lambda: well_formed(METRICS),
         None if can_be_checked else "mandoc or man is not installed"),
        ("panetop-fleet(7) is well-formed", lambda: well_formed(FLEET), None if can_be_checked else "mandoc or man is not installed"),
    ]
    failed = 0
    for number, (name, test, skip) in enumerate(tests, 1):
        problem = None
        if not skip:
            try:
                problem = test()
            except (AssertionError, OSError, subprocess.CalledProcessError) as error:
                problem = str(error)
        failed += bool(problem)
        print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f" # SKIP {skip}" if skip else ""))
        for line in (problem or "").splitlines()[:40]:
            print("# " + line[:300])
    print(f"1..{len(tests)}")
    return 1 if failed else 0


sys.exit(main())
