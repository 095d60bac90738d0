# SPDX-License-Identifier: MIT
"""The small changes of the sources, drawn by a seed."""
import os
import random
import re

SOURCES = ("preload", "cupti", "report")
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


def members(text):
    """The members of each struct that are of one type, as lists of names."""
    lists = []
    for body in re.findall(r"^struct \w+ \{\n(.*?)^\}", text, re.M | re.S):
        by_type = {}
        for kind, names in re.findall(r"^\s+([\w ]+?) (\w+(?:, \w+)*);", body, re.M):
            by_type.setdefault(kind, []).extend(names.split(", "))
        lists += [names for names in by_type.values() if len(names) > 1]
    return lists


def blank_comments(text):
    """The text with comments and strings as blanks, so that positions stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\])'|^#(?:[^\n\\]|\\.|\\\n)*",
                  blank, text, flags=re.S | re.M)


# Where both sides are equal these give the same either way: the greater or smaller of two, what one
# is more than the other, and what is kept of both.
VALUE = r"([\w*&][\w>.\-\[\]]*(?:\([\w>.\-, ]*\))?)"
EQUAL_EITHER_WAY = re.compile("|".join((
    rf"{VALUE} [<>]=? {VALUE}\s+\?\s+(?:\1\s+:\s+\2|\2\s+:\s+\1|\1 - \2\s+:\s+(?:0|\2 - \1))(?![\w.(\[-])",
    rf"\bif \((?:!?[*\w>.\-]+ \|\| )?{VALUE} [<>]=? {VALUE}\)\n\s+(?:\3 = \4|\4 = \3);",
)))


def swap(names, name, chance):
    return chance.choice([other for other in names if other != name])


def changes(path, chance, structs):
    """All single changes of a file: (offset, length, new text, what)."""
    with open(path) as file:
        code = blank_comments(file.read())
    found = []
    either = [match.span() for match in EQUAL_EITHER_WAY.finditer(code)]
    for match in re.finditer(r"(?<=[\w)\]] )(<=|>=|==|!=|<|>)(?= [\w(\-!&*])", code):
        if any(begin <= match.start() < end for begin, end in either) and match.group(1) not in ("==", "!="):
            continue
        found.append((match.start(), len(match.group(1)), COMPARISONS[match.group(1)], "comparison"))
    for match in re.finditer(r"^\t+(?!return|goto|break|continue|case|default|const|static|struct|enum"
                             r"|u?int|unsigned|bool|char|void|size_t|double|va_end)"
                             r"[\w*&(][^;{}=\n]*(?:=[^;{}\n]*)?;$", code, re.M):
        statement = match.group(0).strip()
        # A declaration is no statement.
        if re.match(r"[\w ]+ \**\w+(\[.*\])?( =.*)?(, .*)?;$", statement) and "(" not in statement.split("=")[0]:
            if not re.match(r"[\w.>\-\[\]*]+(\+\+|--| [-+|&^]?=)", statement):
                continue
        indent = len(match.group(0)) - len(match.group(0).lstrip("\t"))
        found.append((match.start() + indent, len(match.group(0)) - indent, ";", "statement dropped"))
    for match in re.finditer(r"\bif \(([^\n]*)\)(?: \{)?$", code, re.M):
        found.append((match.start(1), len(match.group(1)), "0 && (%s)", "check removed"))
    for match in re.finditer(r"(?<![\w.])([1-9]\d{0,3})(?![\w.\]])", code):
        number = int(match.group(1))
        found.append((match.start(1), len(match.group(1)), str(number + chance.choice((1, -1))), "constant"))
    for match in re.finditer(r"(?:->|\.)(\w+)(?![\w(])", code):
        for names in structs:
            if match.group(1) in names:
                found.append((match.start(1), len(match.group(1)), swap(names, match.group(1), chance),
                              "wrong member"))
                break
    for match in re.finditer(r"\b\w+\((\w[\w>.\-]*), (\w[\w>.\-]*)\)", code):
        is_equal_either_way = match.group(0).startswith("strcmp(") and re.match(" [!=]= 0", code[match.end():])
        if match.group(1) != match.group(2) and not is_equal_either_way:
            first, second = match.group(1), match.group(2)
            found.append((match.start(1), match.end(2) - match.start(1), f"{second}, {first}", "arguments swapped"))
    return found


def apply(text, change):
    offset, length, new, _ = change
    old = text[offset:offset + length]
    return text[:offset] + new.replace("%s", old) + text[offset + length:]


def draw(seed, folder):
    """One mutant of the tree after the other, each kind of change as often as the others."""
    chance = random.Random(seed)
    paths = sorted(os.path.join(base, name) for source in SOURCES
                   for base, _, names in os.walk(os.path.join(folder, source))
                   for name in names if name.endswith(".c"))
    headers = ""
    for source in SOURCES:
        for base, _, names in os.walk(os.path.join(folder, source)):
            for name in sorted(names):
                if name.endswith(".h"):
                    with open(os.path.join(base, name)) as file:
                        headers += file.read()
    structs = members(headers)
    every = [(path, change) for path in paths for change in changes(path, chance, structs)]
    kinds = sorted({change[3] for _, change in every})
    by_kind = {kind: [one for one in every if one[1][3] == kind] for kind in kinds}
    while True:
        kind = chance.choice(kinds)
        if by_kind[kind]:
            yield by_kind[kind].pop(chance.randrange(len(by_kind[kind])))


def described(path, change, folder):
    with open(path) as file:
        text = file.read()
    line = text.count("\n", 0, change[0]) + 1
    before = text.splitlines()[line - 1].strip()
    after = apply(text, change).splitlines()[line - 1].strip()
    return f"{os.path.relpath(path, folder)}:{line}: {change[3]}: {before}  ->  {after}"
