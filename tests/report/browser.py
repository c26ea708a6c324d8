# SPDX-License-Identifier: GPL-2.0-or-later
"""browser.py BROWSER: pages of --report in a headless Chromium, by its DevTools protocol over a pipe.

A golden file has how a page is laid out at a width and in a scheme: colours, columns, what stands in which order; no pixels,
which depend on fonts. UPDATE_GOLDEN=yes stores them.
"""
import base64
import difflib
import json
import os
import select
import subprocess
import sys
import tempfile
import time

TESTS, PANETOP, RECORDINGS = (os.environ[name] for name in ("TESTS_DIR", "PANETOP", "RECORDINGS"))
sys.path[:0] = [TESTS, os.path.join(TESTS, "recordings")]
import tap  # noqa: E402
from recording import Recording  # noqa: E402
from tap import same, test  # noqa: E402

PATIENCE = 120
LAYOUTS = ((1200, "light"), (400, "dark"))
ATTACK = "</td><script>document.title='broken'</script><img src=http://192.0.2.1/x onerror=alert(1)>"


class Browser:
    """Commands as calls, and all events since the last page."""

    def __init__(self, program, folder):
        ours, theirs = os.pipe(), os.pipe()  # what we read, what it reads

        def pipes():
            """At 3 and 4, wherever they were."""
            reads, writes = os.dup(theirs[0]), os.dup(ours[1])
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"],
            env={**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder},
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs[0])
        os.close(ours[1])
        self.read, self.write, self.rest, self.number, self.events, self.session = ours[0], theirs[1], b"", 0, [], None
        target = next(one["targetId"] for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def _message(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            if not select.select([self.read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.read, 1 << 20)
            if not got:
                raise EOFError("the browser has ended")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.write, json.dumps(command).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def show(self, path, width=1200, scheme="light", media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.call("Page.navigate", url="file://" + path)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._message())

    def complaints(self):
        """What the page wrote to the console or threw, and the addresses it wanted beside its own."""
        found = []
        for event in self.events:
            method, parameters = event["method"], event["params"]
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                found.append(json.dumps(parameters)[:300])
            elif method == "Network.requestWillBeSent" and parameters["request"]["url"] != parameters["documentURL"]:
                found.append(parameters["request"]["url"])
        return found

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(PATIENCE)


def report(recording, folder, name, *more):
    path = os.path.join(folder, name + ".html")
    subprocess.run([PANETOP, "--replay=" + recording, "--report=" + path, *more], check=True, timeout=PATIENCE)
    return path


def hostile(folder):
    path = os.path.join(folder, "hostile.recording")
    with open(path, "w", encoding="utf-8") as out:
        recording = Recording(PANETOP, out, 1732095000, 1000)
        for step in range(20):
            recording.frame(step, {"process": [
                {"pid": 4711, "start_seconds": 5.0, "user": "carol", "name": "<b>\"x'", "cpu_seconds": step * 0.9,
                 "resident_bytes": 1 << 20, "command": ATTACK}]})
    return path


# What a reader sees, from top to bottom: each part with its colours, and in which of the columns beside each other it is.
LAYOUT = """(() => {
  const rgb = element => getComputedStyle(element).color;
  const lines = [`ground ${getComputedStyle(document.body).backgroundColor} ink ${rgb(document.body)}`];
  const column = element => {
    const grid = element.closest(".grid");
    if (!grid)
      return "";
    const lefts = [...new Set([...grid.children].map(child => Math.round(child.getBoundingClientRect().left)))].sort((a, b) => a - b);
    const part = [...grid.children].find(child => child.contains(element));
    return ` column ${lefts.indexOf(Math.round(part.getBoundingClientRect().left)) + 1} of ${lefts.length}`;
  };
  for (const element of document.querySelectorAll("h1,h2,h3,.critical,.warning,.note,svg.plot,table,pre")) {
    const box = element.getBoundingClientRect(), tag = element.tagName.toLowerCase();
    if (box.width < 20 || box.height < 5)
      lines.push(`not visible: ${tag}`);
    if (tag === "svg")
      lines.push("  graph" + column(element) + [...element.querySelectorAll("path[data-name]")].map(
        line => `, ${line.dataset.name} ${getComputedStyle(line).stroke} ${getComputedStyle(line).strokeDasharray}`).join(""));
    else if (tag === "table")
      lines.push("  table" + column(element) + `: ${element.rows.length} rows of ${element.rows[0].cells.length}`);
    else
      lines.push(`${tag} ${tag === "pre" ? element.textContent.split("\\n").length - 1 + " lines" : element.textContent} ` +
        rgb(element) + (tag === "h3" ? column(element) : ""));
  }
  const over = (one, other) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1;
  for (const figure of document.querySelectorAll("figure")) {
    const labels = [...figure.querySelectorAll("h3, .key, .scale span, .ends span")].filter(label => label.textContent).map(
      label => [label.textContent, label.getBoundingClientRect()]);
    for (const [i, [text, box]] of labels.entries())
      for (const [other, its] of labels.slice(i + 1))
        if (over(box, its))
          lines.push(`${text} is over ${other}`);
  }
  const wider = [...document.querySelectorAll("body *")].filter(
    element => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(".wide") && !element.closest("pre"));
  lines.push(`wider than the page: ${wider.map(element => element.tagName).join(" ") || "nothing"}`);
  lines.push(`the page scrolls sideways: ${document.documentElement.scrollWidth > innerWidth ? "yes" : "no"}`);
  return lines.join("\\n") + "\\n";
})()"""


def golden(browser, path, width, scheme):
    stored = os.path.join(TESTS, "report", f"{scheme}-{width}.layout")
    browser.show(path, width, scheme)
    found = browser.value(LAYOUT)
    if os.environ.get("UPDATE_GOLDEN") == "yes":
        with open(stored, "w", encoding="utf-8") as out:
            out.write(found)
    with open(stored, encoding="utf-8") as file:
        expected = file.read()
    if found != expected:
        raise AssertionError("\n".join(difflib.unified_diff(expected.splitlines(), found.splitlines(), "stored", "found", lineterm="", n=0)))


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        page = report(os.path.join(RECORDINGS, "memory.recording"), folder, "memory")
        attacked = report(hostile(folder), folder, "hostile", "--report-names")
        browser = Browser(program, os.path.join(folder, "profile"))

        @test
        def _():
            """a page runs without a complaint, and requests nothing"""
            browser.show(page)
            same(browser.complaints(), [], "complaints")
            same(browser.value("document.querySelectorAll('figure').length > 4"), True, "it has graphs")

        @test
        def _():
            """the policy stops other scripts, and images from elsewhere"""
            text = open(page, encoding="utf-8").read()
            tampered = os.path.join(folder, "tampered.html")
            with open(tampered, "w", encoding="utf-8") as out:
                out.write(text.replace("</h1>", "</h1><script>document.title = 'broken'</script><img src='http://192.0.2.1/x'>", 1))
            browser.show(tampered)
            same(browser.value("document.title") != "broken", True, "the script has not run")
            same(any("Content Security Policy" in one for one in browser.complaints()), True, "it is refused by the policy")

        @test
        def _():
            """a hostile command line is text"""
            browser.show(attacked)
            same(browser.complaints(), [], "complaints")
            same(browser.value("document.title") != "broken", True, "no script of it has run")
            same(browser.value("document.querySelectorAll('img').length"), 0, "images")
            same(browser.value("document.scripts.length"), 1, "scripts")
            same(browser.value(f"[...document.querySelectorAll('td')].some(cell => cell.textContent === {json.dumps(ATTACK)})"), True,
                 "a cell has it letter by letter")

        @test
        def _():
            """the pointer over a graph reads its values, and leaves nothing behind"""
            browser.show(page)
            box = browser.value("(() => { const svg = document.querySelector('svg.plot'); svg.scrollIntoView({block: 'center'});"
                                "const box = svg.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; })()")
            y = box[1] + box[3] / 2
            values = browser.value("document.querySelector('svg.plot path[data-values]').dataset.values.split('|')")
            times = browser.value("document.body.dataset.times.split('|')")
            for share, index in ((0.001, 0), (0.999, len(times) - 1), (0.5, None)):
                browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + share * box[2], y=y)
                read = browser.value("document.querySelector('figure output').textContent")
                at = index if index is not None else times.index(read.split("   ")[0])
                same(read.split("   ")[:2], [times[at], "busy " + values[at]], f"at {share} of the width")
                same(browser.value("getComputedStyle(document.querySelector('.at')).visibility"), "visible", "the line")
            browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
            same(browser.value("document.querySelector('figure output').textContent"), "", "without the pointer")

        @test
        def _():
            """so do the arrow keys"""
            browser.show(page)
            browser.value("document.querySelector('figure').focus()")
            times = browser.value("document.body.dataset.times.split('|')")
            for back in range(1, 4):
                browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft", code="ArrowLeft", windowsVirtualKeyCode=37)
                read = browser.value("document.querySelector('figure output').textContent")
                same(read.split("   ")[0], times[-back], f"{back} to the left")

        @test
        def _():
            """on paper it is black on white, whatever the scheme, and nothing is cut"""
            browser.show(page, 800, "dark", "print")
            same(browser.value("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)", "ground")
            pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=False)["data"])
            same(pdf[:5], b"%PDF-", "begin of the file")

        for width, scheme in LAYOUTS:
            def layout(width=width, scheme=scheme):
                golden(browser, page, width, scheme)
            layout.__doc__ = f"it is laid out as stored at {width}, {scheme}"
            test(layout)
        browser.close()
    tap.end()


main(*sys.argv[1:])
