#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A table of a page as text: a line for each row of its body, the cells separated by "|". Fails on a page
whose elements are not closed in their order, or that has an id twice.
Usage: page_table.py PAGE [ID]
"""
import html.parser
import sys

VOID = {"meta", "link", "input", "br", "rect", "path", "line"}


class Page(html.parser.HTMLParser):
    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.open, self.ids, self.rows, self.inside = wanted, [], set(), [], False
        self.around = 0  # elements that the table is in

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            assert attributes["id"] not in self.ids, f"two elements are {attributes['id']}"
            self.ids.add(attributes["id"])
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.inside = attributes.get("id") == self.wanted
            self.around = len(self.open)
        if self.inside and tag == "tr" and "tbody" in self.open:
            self.rows.append([])
        if self.inside and tag in ("td", "th") and "tbody" in self.open:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open and self.open[-1] == tag, f"</{tag}> at {self.getpos()}: {self.open}"
            self.open.pop()
        if tag == "table":
            self.inside = False

    def handle_data(self, data):
        # Of a name only what is seen before it is opened.
        shown = "details" not in self.open[self.around:] or "summary" in self.open
        if self.inside and self.rows and self.rows[-1] and shown and "title" not in self.open:
            self.rows[-1][-1] += data


def main(arguments):
    page = Page(arguments[1] if len(arguments) > 1 else None)
    with open(arguments[0], encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    assert not page.open, f"not closed: {page.open}"
    for row in page.rows:
        print("|".join(" ".join(cell.split()) for cell in row))


if __name__ == "__main__":
    main(sys.argv[1:])
