#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Holds pages of `ktime show --html` and `ktime diff --html` to what they promise, in a headless
Chromium: pages.py FOLDER [CHECK…], with plain, sampled, merged, diff and trace.html in it, or some
of them, and long.html with long.json, the same trace as an export has it, and streams.html. A line
for each check and page: "ok CHECK PAGE", or "not ok CHECK PAGE" and what is wrong. With the check `frames`, which is
made only if it is asked for, the times of frames of the long trace are printed.
With SCREENSHOTS=write the pictures that are kept are written anew.
"""
import json
import os
import pathlib
import re
import signal
import sys

sys.dont_write_bytecode = True

import browser
import picture

HERE = pathlib.Path(__file__).resolve().parent
PAGES = ("plain", "sampled", "merged", "diff", "trace")
THEMES = ("light", "dark")
# The window, in pixels, and by how much the pictures that are kept are smaller.
WIDTH, HEIGHT, SCALE = 1024, 768, 0.25
# Grey levels by which a pixel counts as different, and the part of the pixels that may be: other
# versions of Chromium draw letters a little differently. A row less, or another colour, is more.
LEVEL, APART, TALLER = 40, 0.02, 0.02
TAB, SHIFT = 9, 8
# What is drawn has to be the same on each machine: fonts of the package fonts-liberation alone.
FONTS = """* { font-family: "Liberation Sans" !important; }
code, .name, .full-name { font-family: "Liberation Mono" !important; }"""
# Timelines are unpacked after the page was loaded.
DRAWN = """new Promise((done) => {
    const look = () => (document.querySelector("#timeline-table:not(.timeline-drawn)") ? setTimeout(look, 20) : done());
    look();
})"""
# Of the accessibility tree: what has to have a name.
NAMED = {"button", "link", "searchbox", "textbox", "checkbox", "combobox", "slider", "table",
         "columnheader", "rowheader", "region", "navigation", "image", "img",
         "DisclosureTriangle", "spinbutton", "tab", "Canvas"}


def expect(wrong, condition, message):
    if not condition:
        wrong.append(message)


class Page:
    """A page of the folder, as the browser shows it."""

    def __init__(self, tab, folder):
        self.tab, self.folder, self.wrong = tab, folder, []
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "CSS", "Accessibility"):
            tab.send(f"{domain}.enable")
        tab.send("Network.setCacheDisabled", cacheDisabled=True)
        tab.send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT,
                 deviceScaleFactor=1, mobile=False)

    def show_in(self, theme):
        """Light or dark, as the system would ask for; a page follows without being loaded again."""
        self.tab.send("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": theme}])

    def load(self, name, scripts=True):
        """Shows a page in light, and keeps what it said and asked for meanwhile."""
        self.tab.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.show_in(THEMES[0])
        self.tab.events.clear()
        url = f"file://{self.folder}/{name}.html"
        self.tab.send("Page.navigate", url=url)
        self.tab.wait_for("Page.loadEventFired")
        self.url = url
        if scripts:
            self.tab.evaluate(DRAWN)
        with open(HERE / "page_checks.js", encoding="utf-8") as file:
            self.tab.evaluate(f"globalThis.checks = {file.read()}; 0")

    def ask(self, check, *arguments):
        return self.tab.evaluate(f"checks.{check}({', '.join(map(json.dumps, arguments))})")

    def said(self):
        """Messages, errors and refusals of the page, and what it asked of a network."""
        self.tab.evaluate("0")
        for event in self.tab.take_events("Runtime.consoleAPICalled"):
            yield "console: " + " ".join(str(each.get("value", each.get("description")))
                                         for each in event["args"])
        for event in self.tab.take_events("Runtime.exceptionThrown"):
            details = event["exceptionDetails"]
            yield "exception: " + details.get("exception", {}).get("description", details["text"])
        for event in self.tab.take_events("Log.entryAdded"):
            yield f"log: {event['entry']['text']}"
        for event in self.tab.take_events("Network.requestWillBeSent"):
            if event["request"]["url"].split("#")[0] != self.url:
                yield f"request: {event['request']['url'][:100]}"


def silence(page, name):
    """No message in the console, and no request but the page's own."""
    for scripts in (True, False):
        page.load(name, scripts)
        page.tab.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
        yield from page.said()


def sorting(page, name):
    """Columns of each table by clicks on their headings: down, then up, or up, then down. On the
    plain page each column, on the others the first two and the last, which are of all kinds."""
    page.load(name)
    tables = page.ask("sortable")
    expect(page.wrong, tables, "no table can be sorted")
    # A table that is folded away is opened as a reader does it.
    page.tab.evaluate("document.querySelectorAll('section > details').forEach((each) => each.open = true)")
    for table in tables:
        columns = page.ask("sortableColumns", table)
        for column in columns if name == "plain" else {*columns[:2], *columns[-1:]}:
            yield from sorted_by(page, table, column)
    yield from page.said()


def sorted_by(page, table, column):
    heading = f"#{table} thead th:nth-child({column + 1})"
    before = sorted(page.ask("names", table))
    numbers = page.tab.evaluate(f"document.querySelector('{heading}').classList.contains('number')")
    orders = []
    for _ in range(2):
        page.tab.click(f"{heading} button")
        orders.append((page.ask("sorts", table)[column],
                       page.ask("values" if numbers else "names", table, column)))
    first, second = ("descending", "ascending") if numbers else ("ascending", "descending")
    if [order for order, _ in orders] != [first, second]:
        yield f"{table}, column {column}: sorted {[order for order, _ in orders]}"
    if numbers:
        downwards, upwards = orders[0][1], orders[1][1]
        if downwards != sorted(downwards, reverse=True) or upwards != sorted(upwards):
            yield f"{table}, column {column}: {downwards}, then {upwards}"
        if any(value is None for value in downwards):
            yield f"{table}, column {column}: a cell without a value"
    if sorted(page.ask("names", table)) != before:
        yield f"{table}, column {column}: rows were lost"


def filtering(page, name):
    """Rows by words that are typed, and full names by a click."""
    page.load(name)
    page.tab.evaluate("document.querySelectorAll('.fold').forEach((each) => each.open = true)")
    names = page.ask("names", "gpu-table")
    yield from typed(page, "memcpy htod", [each for each in names if "memcpy HtoD" in each])
    yield from typed(page, "no such row", [])
    page.tab.evaluate("document.querySelector('#gpu input.filter').value = ''")
    yield from typed(page, " ", names)
    if page.tab.evaluate("!!document.querySelector('#gpu input.full-names')"):
        page.tab.click("#gpu input.full-names")
        full = page.ask("names", "gpu-table")
        expect(page.wrong, any("(int, float, float" in each for each in full),
               f"full names: {full}")
        page.tab.click("#gpu input.full-names")
        expect(page.wrong, page.ask("names", "gpu-table") == names, "the short names are gone")
    ranges_filtered(page)
    yield from page.said()


def ranges_filtered(page):
    """Of ranges the found ones are seen, with those that they are in."""
    if not page.tab.evaluate("!!document.querySelector('#ranges input.filter')"):
        return
    tree = page.ask("names", "ranges-table")
    page.tab.click("#ranges input.filter")
    page.tab.type("linear")
    found = [name.strip("\u25be\u25b8") for name in page.ask("names", "ranges-table")]
    expect(page.wrong, found == ["epoch", "forward", "torch@linear"], f"ranges filtered by linear: {found}")
    page.tab.evaluate("document.activeElement.select()")
    page.tab.type(" ")
    expect(page.wrong, page.ask("names", "ranges-table") == tree, "ranges are lost by a filter")


def typed(page, words, expected):
    page.tab.click("#gpu input.filter")
    page.tab.evaluate("document.activeElement.select()")
    page.tab.type(words)
    found = page.ask("names", "gpu-table")
    if found != expected:
        yield f"filtered by {words!r}: {found}, not {expected}"
    status = page.tab.evaluate("document.querySelector('#gpu .filter-status').textContent")
    if words.strip() and status.split(" ")[:2] != [str(len(expected)), "of"]:
        yield f"filtered by {words!r}: {status!r}"


def unfolding(page, name):
    """A row's name opens its distribution, by a click and by a key, with and without scripts."""
    summary = "#gpu-table tbody tr:first-child summary"
    for scripts in (True, False):
        page.load(name, scripts)
        if not page.tab.evaluate(f"!!document.querySelector('{summary}')"):
            continue
        is_open = f"document.querySelector('{summary}').parentElement.open"
        page.tab.click(summary)
        expect(page.wrong, page.tab.evaluate(is_open), "a click does not open a row")
        page.tab.send("DOM.focus", nodeId=node_of(page, summary))
        page.tab.press("Enter", 13, "\r")
        expect(page.wrong, not page.tab.evaluate(is_open), "Enter does not close a row")
        folding(page, scripts)
        if scripts and page.tab.evaluate("!!document.querySelector('.icicle')"):
            widening(page)
            long_tree(page, name)
        yield from page.said()


def folding(page, scripts):
    """Of a long table ten rows are seen, and all of them by a click, a filter or a search."""
    if not page.tab.evaluate("!!document.querySelector('#gpu > .fold')"):
        return
    rows = "document.querySelector('#gpu-table').tBodies[0].rows.length"
    shut = "document.querySelectorAll('.fold').forEach((each) => each.open = false)"

    def seen(how, count):
        found = len(page.ask("names", "gpu-table"))
        expect(page.wrong, found == count, f"{found} rows are seen {how}")

    count = page.tab.evaluate(rows)
    seen("at first", 10)
    page.tab.click("#gpu > .fold summary")
    seen("after a click", count)
    page.tab.click("#gpu > .fold summary")
    seen("after a second click", 10)
    if not scripts or not page.tab.evaluate("!!document.querySelector('#gpu input.filter')"):
        return
    page.tab.click("#gpu-table thead th:first-child button")
    first = page.ask("names", "gpu-table")
    page.tab.press("f", 70, modifiers=2)
    seen("in a search", count)
    expect(page.wrong, page.ask("names", "gpu-table")[:10] == first, "sorted, other rows are seen than the first")
    page.tab.evaluate(shut)
    page.tab.click("#gpu input.filter")
    page.tab.type("[CUDA memcpy")
    expect(page.wrong, all("[CUDA memcpy" in each for each in page.ask("names", "gpu-table")) and
           page.tab.evaluate("document.querySelector('#gpu > .fold').open"), "a filter leaves rows folded")


def widening(page):
    """A block of ranges becomes as wide as the picture by a click, and Escape brings all back."""
    places = """[...document.querySelectorAll(".icicle svg")].map((each) =>
        each.style.display === "none" ? 0 : parseFloat(each.getAttribute("width")))"""
    before = page.tab.evaluate(places)
    epoch = "[...document.querySelectorAll('.icicle svg')].find((each) => each.textContent.startsWith('epoch'))"
    page.tab.evaluate(f"{epoch}.id = 'widened'")
    page.tab.click("#widened")
    after = page.tab.evaluate(places)
    expect(page.wrong, after[0] == 100 and sum(width == 0 for width in after) > 1 and
           any(1 < width < 100 for width in after), f"widened: {after}")
    page.tab.press("Escape", 27)
    expect(page.wrong, page.tab.evaluate(places) == before, "Escape does not show all blocks")


def long_tree(page, name):
    """Of more than 20 ranges, here those of the page several times, two levels are open."""
    with open(f"{page.folder}/{name}.html", encoding="utf-8") as file:
        before, table, after = file.read().partition('id="ranges-table"')
    head, body, rest = after.partition("<tbody>")
    rows, end, rest = rest.partition("</tbody>")
    with open(f"{page.folder}/tree.html", "w", encoding="utf-8") as file:
        file.write("".join((before, table, head, body, rows * 5, end, rest)))
    page.load("tree")
    hidden = "[...document.querySelectorAll('#ranges-table tbody tr')].filter((row) => row.hidden).length"
    deep = "document.querySelectorAll('#ranges-table tbody tr:not([data-depth=\"0\"], [data-depth=\"1\"])').length"
    count = page.tab.evaluate(deep)
    expect(page.wrong, page.tab.evaluate(hidden) == count > 0, "a long tree is not closed below its second level")
    page.tab.click("#ranges-table .toggle[aria-expanded=false]")
    expect(page.wrong, page.tab.evaluate(hidden) == count - 1, "a level of a long tree does not open")
    page.load(name)
    expect(page.wrong, page.tab.evaluate(hidden) == 0, "a short tree is not open")


def node_of(page, selector):
    root = page.tab.send("DOM.getDocument")["root"]["nodeId"]
    return page.tab.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]


def timeline(page, name):
    """Keys zoom, move and choose; the whole is there again at the end. Of a long trace each record can
    be found, with the times that an export has."""
    if name != "trace":
        return
    page.load(name)
    yield from keys_move(page)
    page.tab.click("#ranges-table .to-timeline[aria-label^=forward]")
    said = text_of(page, ".timeline-said")
    expect(page.wrong, "ranges: forward" in said, f"a range's row leads to {said!r}")
    yield from page.said()
    if not os.path.exists(os.path.join(page.folder, "long.json")):
        return
    page.load("long")
    records = list(exported(os.path.join(page.folder, "long.json")))
    yield from is_as_full_as_busy(page, records)
    yield from found_by_name(page, records)
    yield from sums_are_right(page, records)
    yield from folds(page)
    page.load("streams")
    many_tracks(page)
    yield from page.said()


def text_of(page, selector):
    return page.tab.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")


def keys_move(page):
    text, track = ".timeline-range", "canvas.timeline-track"
    page.tab.evaluate(f"document.querySelector('{track}').focus()")
    settle(page)
    whole = text_of(page, text)
    for key, code in (("+", 187), ("ArrowRight", 39), ("w", 87), ("a", 65), ("0", 48)):
        before = text_of(page, text)
        page.tab.press(key, code, key if len(key) == 1 else "")
        settle(page)
        if text_of(page, text) == before:
            yield f"{key} changes nothing: {before}"
    if text_of(page, text) != whole:
        yield f"0 does not show the whole: {text_of(page, text)}, not {whole}"
    page.tab.press("]", 221, "]")
    said = text_of(page, ".timeline-said")
    expect(page.wrong, " from " in said, f"] chooses no record: {said!r}")
    page.tab.press("Enter", 13, "\r")
    settle(page)
    expect(page.wrong, text_of(page, text) != whole, "Enter does not zoom to the record")


def exported(path):
    """The records of an export's trace, a line each, with times after the trace's begin."""
    zero = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            if found := re.search(r'"trace_start":(\d+)', line):
                zero = int(found.group(1))
            if '"start":' in line and '"correlation":' in line:
                record = json.loads(line.rstrip(",\n"))
                yield {"start": record["start"] - zero, "end": record["end"] - zero,
                       **{key: record[key] for key in ("kind", "name", "correlation")},
                       **{key: record.get(key) for key in ("block", "stream")}}


def exact(ns):
    """A time to the nanosecond, as the page writes it."""
    for unit, digits in (("s", 9), ("ms", 6), ("us", 3)):
        if ns >= 10 ** digits:
            return f"{ns // 10 ** digits}.{ns % 10 ** digits:0{digits}} {unit}"
    return f"{ns} ns"


def is_as_full_as_busy(page, records):
    """Of a track of records that are narrower than a pixel as much is filled as the stream is busy."""
    operations = [each for each in records if each["kind"] in ("kernel", "memcpy")]
    whole = max(each["end"] for each in records) - min(each["start"] for each in records)
    busy = sum(each["end"] - each["start"] for each in operations
               if each["stream"] == operations[0]["stream"]) / whole
    row = 1 if operations[0]["stream"] == min(each["stream"] for each in operations) else 2
    filled = page.tab.evaluate(f"""(() => {{
        const canvas = document.querySelectorAll("canvas.timeline-track")[{row}];
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let filled = 0;
        for (let i = 3; i < pixels.length; i += 4)
            filled += pixels[i] > 0;
        return filled / (canvas.width * (canvas.height - 2));
    }})()""")
    if abs(filled - busy) > 0.03:
        yield f"a stream that is busy for {busy:.3f} of the time is drawn as {filled:.3f}"


def found_by_name(page, records):
    """From a row of the table to its only record, from there to its call, back, and to the row."""
    needle = next(each for each in records if each["name"].startswith("needle"))
    call = next(each for each in records if each["correlation"] == needle["correlation"] and
                each["kind"] == "runtime")

    def said(record, *more):
        times = f"{exact(record['end'] - record['start'])} from {exact(record['start'])}"
        text = text_of(page, ".timeline-said")
        for part in (times, *more):
            expect(page.wrong, part in text, f"the timeline does not say {part}: {text}")

    page.tab.click("#gpu-table .to-timeline[aria-label^=needle]")
    said(needle, "needle", f"block {needle['block'][0]}x1x1", "dynamic shared memory 1024")
    expect(page.wrong, text_of(page, ".timeline-found") == "1 of 1",
           f"found: {text_of(page, '.timeline-found')}")
    yield from pressed(page, "Zoom to it")
    span = text_of(page, ".timeline-range").split(" from ")[0]
    expect(page.wrong, span == "18.52 us", f"zoomed to {span}")
    yield from pressed(page, "The call: cudaLaunchKernel")
    said(call, "cudaLaunchKernel")
    yield from pressed(page, "What it started: needle")
    said(needle)
    expect(page.wrong, page.tab.evaluate("document.querySelectorAll('.timeline-arrow').length") == 1,
           "there is no arrow from the call to the kernel")
    yield from pressed(page, "Its row in the table")
    row = page.tab.evaluate("document.activeElement.closest('#gpu-table tr')?.cells[0].innerText ?? ''")
    expect(page.wrong, row.startswith("needle"), f"the row is {row!r}")
    page.tab.click("input.timeline-search")
    page.tab.evaluate("document.activeElement.select()")
    page.tab.type("memcpy htod")
    copies = sorted(each["start"] for each in records if each["kind"] == "memcpy")
    before = sum(start < needle["start"] for start in copies)
    found = [text_of(page, ".timeline-found")]
    for modifiers in (0, SHIFT):
        page.tab.press("Enter", 13, "\r", modifiers)
        found.append(text_of(page, ".timeline-found"))
    expected = [f"{len(copies):,}", f"{before + 1:,} of {len(copies):,}", f"{before:,} of {len(copies):,}"]
    page.tab.evaluate("document.activeElement.select()")
    page.tab.type("saxpy float, float")
    count, saxpy = text_of(page, ".timeline-found"), sum("saxpy" in each["name"] for each in records if each["kind"] == "kernel")
    expect(page.wrong, count == f"{saxpy:,}", f"by a word of the whole name: {count}, not {saxpy:,}")
    expect(page.wrong, found == expected, f"copies, the next, the one before: {found}, not {expected}")


def pressed(page, text):
    """Presses the button with this text."""
    if not page.tab.evaluate(f"""(() => {{
            const found = [...document.querySelectorAll("button")].find((each) => each.textContent === {json.dumps(text)});
            found?.setAttribute("data-pressed", "");
            return !!found;
        }})()"""):
        yield f"there is no button {text!r}"
        return
    page.tab.click("[data-pressed]")
    page.tab.evaluate("document.querySelector('[data-pressed]')?.removeAttribute('data-pressed')")
    settle(page)


def sums_are_right(page, records):
    """Those of the whole trace are those of the export; those of a drag are of fewer."""
    yield from pressed(page, "Whole")
    yield from pressed(page, "Sum up")
    kernels = [each for each in records if each["kind"] == "kernel"]
    time = sum(each["end"] - each["start"] for each in kernels)
    expected = f"kernels {len(kernels):,} {exact(time)}"
    first = "[...document.querySelector('.timeline-sums').tBodies[0].rows[0].cells].slice(0, 3).map((each) => each.textContent).join(' ')"
    if (found := page.tab.evaluate(first)) != expected:
        yield f"sums of the whole: {found}, not {expected}"
    page.tab.evaluate("document.querySelector('#timeline').scrollIntoView()")
    box = page.tab.evaluate("""(() => {
        const box = document.querySelectorAll("canvas.timeline-track")[1].getBoundingClientRect();
        return [box.x, box.y, box.width, box.height];
    })()""")
    mouse(page, "mousePressed", box[0] + box[2] / 4, box[1] + box[3] / 2)
    mouse(page, "mouseMoved", box[0] + box[2] / 3, box[1] + box[3] / 2, buttons=1)
    mouse(page, "mouseMoved", box[0] + box[2] / 2, box[1] + box[3] / 2, buttons=1)
    mouse(page, "mouseReleased", box[0] + box[2] / 2, box[1] + box[3] / 2)
    settle(page)
    count = int(page.tab.evaluate(first).split(" ")[1].replace(",", ""))
    if not len(kernels) / 5 < count < len(kernels) / 3:
        yield f"a quarter of the time has {count} of {len(kernels)} kernels"
    # What is under the pointer is said beside it.
    mouse(page, "mouseMoved", box[0] + box[2] / 2 + 9, box[1] + box[3] / 2)
    expect(page.wrong, " from " in text_of(page, ".timeline-tip:not([hidden])"),
           "nothing is said at the pointer")


def mouse(page, kind, x, y, buttons=0):
    page.tab.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, buttons=buttons,
                  button="none" if kind == "mouseMoved" and not buttons else "left", clickCount=1)


def folds(page):
    """A device's streams fold away below its idle time, and come back."""
    rows = "[...document.querySelector('#timeline-table').tBodies[0].rows].filter((row) => !row.hidden).length"
    before = page.tab.evaluate(rows)
    page.tab.click("#timeline-table .toggle")
    folded = page.tab.evaluate(rows)
    page.tab.click("#timeline-table .toggle")
    if (folded, page.tab.evaluate(rows)) != (before - 2, before):
        yield f"{before} tracks, folded {folded}, unfolded {page.tab.evaluate(rows)}"


def many_tracks(page):
    """Many streams are folded away below their device, until a record of one of them is gone to."""
    streams = "[...document.querySelector('#timeline-table').tBodies[0].rows].filter((row) => row.dataset.depth === '1' && !row.hidden).length"
    expect(page.wrong, page.tab.evaluate(streams) == 0, "many tracks are not folded")
    page.tab.click("#gpu-table .to-timeline[aria-label^=needle]")
    expect(page.wrong, page.tab.evaluate(streams) == 50, "a record's track is not shown")
    expect(page.wrong, "needle" in text_of(page, ".timeline-said"), "the record is not said")


def frames(page, name):
    """How long frames of the long trace take: zoomed in, moved and zoomed out, a step a frame."""
    if name != "trace":
        return
    page.load("long")
    print(f"# {page.tab.evaluate(FRAMES)}")
    yield from page.said()


FRAMES = """(async () => {
    const canvas = document.querySelectorAll("canvas.timeline-track")[1], said = [];
    const frame = () => new Promise(requestAnimationFrame);
    document.querySelector("#timeline").scrollIntoView();
    await frame();
    for (const [what, keys] of [["zoomed in", "w".repeat(60)], ["moved", "d".repeat(30) + "a".repeat(30)],
        ["zoomed out", "s".repeat(60)], ["moved, a third in view", "wwwww" + "d".repeat(60)]]) {
        const times = [];
        for (let last = await frame(), i = 0; i < keys.length; i++) {
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key: keys[i], bubbles: true, cancelable: true }));
            const now = await frame();
            times.push(now - last);
            last = now;
        }
        times.sort((a, b) => a - b);
        said.push(`${what}: median ${times[times.length >> 1].toFixed(1)} ms, 95 % ${times[Math.floor(times.length * 0.95)].toFixed(1)} ms, longest ${times.at(-1).toFixed(1)} ms`);
    }
    return said.join("; ");
})()"""


def settle(page):
    """What is drawn in the next frame is drawn."""
    page.tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def accessibility(page, name):
    """Names of controls and tables, headings, references, contrast in both colour schemes."""
    for scripts in (True, False):
        page.load(name, scripts)
        page.tab.evaluate(
            "document.querySelectorAll('details').forEach((each) => each.open = true)")
        for theme in THEMES:
            page.show_in(theme)
            for message in page.ask("contrast"):
                yield f"{theme}: {message}"
        for check in ("headings", "tables", "references"):
            yield from page.ask(check)
        yield from unnamed(page)
        language = page.tab.evaluate("document.documentElement.lang")
        expect(page.wrong, language, "the page has no language")
        expect(page.wrong, page.tab.evaluate("document.title"), "the page has no title")


def unnamed(page):
    """What the accessibility tree has without a name."""
    roles = set()
    for node in page.tab.send("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        roles.add(role)
        if node.get("ignored") or role not in NAMED or node.get("name", {}).get("value"):
            continue
        yield f"a {role} without a name: {outer_text(page, node)}"
    for role in ("main", "heading", "table", "columnheader", "rowheader"):
        if role not in roles:
            yield f"the page has no {role}"


def outer_text(page, node):
    try:
        return page.tab.send("DOM.getOuterHTML",
                             backendNodeId=node["backendDOMNodeId"])["outerHTML"][:120]
    except browser.BrowserError:
        return node["nodeId"]


def focus(page, name):
    """The tabulator reaches every control once, in the page's order, and shows where it is."""
    page.load(name)
    count, places = page.ask("focusable"), []
    page.tab.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    for _ in range(count + 1):
        page.tab.press("Tab", TAB)
        place = page.ask("focused")
        if not place:
            break
        places.append(place)
        if not place["visible"]:
            yield f"{place['where']} does not show that it has the focus"
    order = [place["at"] for place in places]
    expect(page.wrong, len(set(order)) >= count, f"{len(set(order))} of {count} controls reached")
    expect(page.wrong, order == sorted(order), f"the focus goes back and forth: {order}")


def scriptless(page, name):
    """Without scripts the tables are whole, and nothing is shown that needs a script."""
    page.load(name)
    tables = page.ask("sortable")
    whole = {table: page.ask("cells", table) for table in tables}
    page.load(name, scripts=False)
    expect(page.wrong, page.ask("sortable") == tables, "not the same tables")
    for table in tables:
        expect(page.wrong, page.ask("cells", table) == whole[table], f"{table}: other cells")
    shown = page.tab.evaluate("document.querySelectorAll('button, input, canvas').length")
    expect(page.wrong, shown == 0, f"{shown} controls that do nothing")
    yield from page.said()


def width(page, name):
    """No page is wider than its window, and no table than its frame, in which it would scroll."""
    for pixels in (1440, WIDTH, 400):
        page.tab.send("Emulation.setDeviceMetricsOverride", width=pixels, height=HEIGHT,
                      deviceScaleFactor=1, mobile=False)
        page.load(name)
        found = page.ask("width")
        expect(page.wrong, found <= pixels, f"{found} pixels in a window of {pixels}")
        for table in page.ask("wideTables"):
            page.wrong.append(f"{table} scrolls in a window of {pixels}")
    page.tab.send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT,
                  deviceScaleFactor=1, mobile=False)
    return ()


def screenshots(page, name):
    """The page as it was when the picture that is kept was made, with scripts and without."""
    for scripts in (True, False):
        page.load(name, scripts)
        frame = page.tab.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        sheet = page.tab.send("CSS.createStyleSheet", frameId=frame)["styleSheetId"]
        page.tab.send("CSS.setStyleSheetText", styleSheetId=sheet, text=FONTS)
        for theme in THEMES if scripts and name == "plain" else THEMES[:1]:
            page.show_in(theme)
            if scripts:
                settle(page)
            title = name + ("" if scripts else "-scriptless") + ("" if theme == "light" else "-dark")
            yield from looks_alike(page, title)


def looks_alike(page, title):
    shot = picture.read(page.tab.picture(WIDTH, page.ask("height"), SCALE))
    kept = HERE / "screenshots" / f"{title}.png"
    if os.environ.get("SCREENSHOTS") == "write":
        kept.write_bytes(picture.write(*shot))
    yield from compared(shot, picture.read(kept.read_bytes()), title, page)


def compared(shot, kept, title, page):
    path = os.path.join(page.folder, title + ".png")
    apart = picture.difference(shot, kept, LEVEL)
    if shot[0] != kept[0] or abs(shot[1] - kept[1]) > TALLER * kept[1] or apart > APART:
        with open(path, "wb") as file:
            file.write(picture.write(*shot))
        yield (f"{title}: {shot[0]} x {shot[1]} pixels, {100 * apart:.2f} % of them differ from "
               f"the {kept[0]} x {kept[1]} kept: {path}")


CHECKS = (silence, sorting, filtering, unfolding, timeline, accessibility, focus, scriptless, width,
          screenshots)


def main(folder, *wanted):
    # A timeout must not leave the browser and its folder behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("pages.py: ended"))
    with browser.Browser() as tab:
        page = Page(tab, os.path.abspath(folder))
        for check in (*CHECKS, frames):
            for name in PAGES:
                if (check.__name__ not in (wanted or [each.__name__ for each in CHECKS]) or
                        not os.path.exists(os.path.join(folder, f"{name}.html"))):
                    continue
                page.wrong = []
                try:
                    found = [*check(page, name)] + page.wrong
                except browser.BrowserError as error:
                    found = [*page.wrong, str(error)]
                print("not ok" if found else "ok", check.__name__, name)
                for message in found:
                    print("#", message)
                sys.stdout.flush()


if browser.program() is None:
    sys.exit("pages.py: no Chromium here")
main(*sys.argv[1:])
