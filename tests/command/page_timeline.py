#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
page_timeline.py PAGE: the records that a page's timeline has, as JSON: each track with its label,
and of each record [start, length, name, class, details, correlation id]. The format is described
in report/html/pack.h.
"""
import base64
import json
import re
import sys
import zlib


def numbers(data, at):
    """Groups of 7 bits, the lowest first."""
    while at < len(data):
        value = shift = 0
        while data[at] > 127:
            value |= (data[at] & 127) << shift
            at, shift = at + 1, shift + 7
        yield value | data[at] << shift
        at += 1


def sums(values):
    total = 0
    for value in values:
        total += value
        yield total


def read(page):
    with open(page, encoding="utf-8") as file:
        packed = re.search(r'id="timeline-data">([^<]*)<', file.read()).group(1)
    data = zlib.decompress(base64.b64decode(packed))
    head, end = json.loads(data[:data.index(0)]), data.index(0)
    number = numbers(data, end + 1)
    for track in head["tracks"]:
        count = next(number)
        starts, lengths, names, details, ids = ([next(number) for _ in range(count)]
                                                for _ in range(5))
        ids = sums(-(value + 1) // 2 if value % 2 else value // 2 for value in ids)
        track["records"] = [
            [start, length, head["names"][name], head["classes"][head["nameClasses"][name]][0],
             head["details"][detail], call]
            for start, length, name, detail, call in zip(sums(starts), lengths, names, details, ids)]
    assert next(number, None) is None
    return head["tracks"]


if __name__ == "__main__":
    json.dump(read(sys.argv[1]), sys.stdout)
