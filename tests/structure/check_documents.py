#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Holds the documents to the sources. Fails, naming each, on
  a link or a path of a source file that leads nowhere, a README of more than MOST_LINES lines,
  a field of the profile or a member of the JSON export that its document does not have, or has
  and they have not; the version of either,
  an option of nvprof's that docs/from-nvprof.md does not have,
  a folder of folders.txt that docs/internals/design.md does not have,
  a test that docs/internals/reliability.md names and that is not there,
  a sample that does not end, or whose first line is no command.
Usage: check_documents.py [ROOT]
"""
import glob
import os
import re
import sys

MOST_LINES = 110
SOURCE = r"\.(?:c|h|S|def|map|mk|py|sh|txt|bats|bash|cu|awk|1)"
# Of the JSON export, by no call that would name them.
MEMBERS_WRITTEN_OUT = {"busy_ns", "comparison", "format", "made_by", "rows", "trace"}
HERE = os.path.dirname(os.path.abspath(__file__))
wrong = []


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def expect(condition, message):
    if not condition:
        wrong.append(message)


def check_paths(root, path):
    text = read(root, path)
    folder = os.path.dirname(path)
    for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", text):
        expect(os.path.exists(os.path.join(root, folder, target)), f"{path}: no file {target}")
    for target in re.findall(r"`((?:[\w-]+/)+[\w.-]+" + SOURCE + ")`", text):
        expect("NAME" in target or os.path.exists(os.path.join(root, target)),
               f"{path}: no file {target}")


def has_word(document, word):
    """In a span of code, alone or with others."""
    return any(re.search(r"(?<![\w.])" + re.escape(word) + r"(?![\w])", span)
               for span in re.findall(r"`([^`]+)`", document))


def named_first(document):
    """What the first cells of the tables name."""
    for cell in re.findall(r"^\| *((?:`[^`|]+`(?:, )?)+) *\|", document, re.M):
        yield from re.findall(r"`(\w[\w.]*)`", cell)


def check_profile(root):
    version = re.search(r"define SESSION_VERSION\s+(\d+)",
                        read(root, "report/session/session.h")).group(1)
    expect(f"describes version {version}." in read(root, "docs/internals/profile-format.md"),
           f"docs/internals/profile-format.md does not describe version {version}")


def check_json(root):
    document = read(root, "docs/json-format.md")
    sources = [read(root, path) for path in ("report/export/export_json.c",
                                             "report/compare/compare_print.c",
                                             "report/compare/devices.c",
                                             "report/compare/idle.c",
                                             "report/compare/means.c",
                                             "report/command/bench_print.c",
                                             "report/live/top.c")]
    version = re.search(r"define JSON_FORMAT (\d+)", sources[0]).group(1)
    expect(f"`format` is {version}." in document,
           f"docs/json-format.md does not describe format {version}")
    members = set(re.findall(r'(?:json_\w+|add_\w+)\(\s*&?\w+,\s*"([^"]+)"',
                             "".join(sources)))
    members |= set(re.findall(r'\{"(\w[\w.]*)", [\w., ]+\}', "".join(sources)))
    counters = re.search(r"define SESSION_COUNTERS(.*?)\n\n",
                         read(root, "report/session/session.h"), re.S).group(1)
    members |= set(re.findall(r"X\((\w+),", counters))
    tables = "".join(read(root, "report/session/" + header) for header in
                     ("session.h", "items.h"))
    for name, attributes in re.findall(r"X\((?:row|device_use|idle_row|nvtx_part|memory_use|"
                                       r"memory_site), \w+, (\w+),(.*?)\)$",
                                       re.sub(r"\s*\\\n\s*", " ", tables).replace(" X(", "\nX("), re.M):
        if "SHOWN_NEVER" not in attributes:
            key = re.search(r'SHOWN_\w+, "(?:\w+\.)?(\w+)"', attributes)
            members.add(key.group(1) if key else name)
    for member in sorted(members):
        expect(has_word(document, member), f"docs/json-format.md has no `{member}`")
    for name in named_first(document):
        expect(name in members | MEMBERS_WRITTEN_OUT,
               f"docs/json-format.md: no export has `{name}`")


def check_options(root):
    document = read(root, "docs/from-nvprof.md")
    table = read(root, "report/options/options.def")
    options = re.findall(r'UNSERVED\w*(?:, \w+,|\()\s*"([\w-]+)"', table)
    expect(options, "no option of nvprof's is found in report/options/options.def")
    for option in options:
        expect(has_word(document, "--" + option) or
               any(option.startswith(start) for start in re.findall(r"--([\w-]+-)…", document)),
               f"docs/from-nvprof.md has no --{option}")


def check_folders(root):
    document = read(root, "docs/internals/design.md")
    for line in read(root, "tests/structure/folders.txt").splitlines():
        folder = (line.split("#")[0].split() or [None])[0]
        expect(not folder or f"`{folder}`" in document, f"docs/internals/design.md has no folder `{folder}`")


def check_tests(root):
    """A table's cell has `FILE`: "NAME", "NAME"; a unit test's name is its function's."""
    document = read(root, "docs/internals/reliability.md")
    named = re.findall(r'`(tests/[\w/]+\.\w+)`: ("[^"]+"(?:, "[^"]+")*)', document)
    expect(named, "docs/internals/reliability.md names no test")
    for path, names in named:
        text = read(root, path) if os.path.exists(os.path.join(root, path)) else ""
        for name in re.findall(r'"([^"]+)"', names):
            expect(f'@test "{name}"' in text or f" {name}(void **" in text or
                   f"TEST({name})" in text or f"TEST({name}, " in text,
                   f"docs/internals/reliability.md: {path} has no test {name}")


def check_samples(root, path):
    """What tests/gpu/document_samples.py makes anew; it would leave out what it does not find."""
    for part in read(root, path).split("<!-- sample -->\n")[1:]:
        block, end, _ = part.partition("<!-- end of sample -->")
        expect(end and block.strip("\n").startswith("    $ "),
               f"{path}: a sample has no command or no end: {block.strip()[:40]}")


def main(arguments):
    root = (arguments or [os.path.join(HERE, "..", "..")])[0]
    documents = [os.path.relpath(path, root) for path in
                 sorted(glob.glob(os.path.join(root, "*.md")) +
                        glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True) +
                        glob.glob(os.path.join(root, "workloads", "*.md")))]
    for path in documents:
        check_paths(root, path)
        check_samples(root, path)
    expect(read(root, "README.md").count("\n") <= MOST_LINES,
           f"README.md: more than {MOST_LINES} lines")
    check_profile(root)
    check_json(root)
    check_options(root)
    check_folders(root)
    check_tests(root)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
