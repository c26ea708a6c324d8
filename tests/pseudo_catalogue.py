# SPDX-License-Identifier: GPL-2.0-or-later
"""pseudo_catalogue.py TEMPLATE: a catalogue of a language that nobody speaks, on standard output.

Every text grows by three tenths, in wide characters, stands between the marks that tell where it begins and
ends, and has no letter of ASCII left: what is cut, drawn over or not translated can be seen.
"""
import re
import sys

BEGIN, END, WIDE = "⟦", "⟧", "漢"
LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ?",
                   "àƀčđēƒğĥīĵķĺɱñōþɋŕšţūʋŵχýžÀƁČĐĒƑĞĤĪĴĶĹƜÑŌÞɊŔŠŢŪɅŴΧÝŽ？"))
DIRECTIVE = re.compile(r"(%(?:\d+\$)?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:<[A-Za-z0-9]+>|(?:hh|ll|[hlzjt])?[a-zA-Z]|%))")
HEADER = """msgid ""
msgstr ""
"Project-Id-Version: panetop\\n"
"Report-Msgid-Bugs-To: \\n"
"PO-Revision-Date: 2026-01-01 00:00+0000\\n"
"Last-Translator: Automatically generated\\n"
"Language-Team: none\\n"
"Language: en_XA\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


def disguise(text):
    """text is as it stands in the file, with its escapes; directives and blanks at the ends are kept."""
    front = re.match(r"(?:\s|\\n)*", text).group()
    back = re.search(r"(?:\s|\\n)*$", text[len(front):]).group()
    core = text[len(front):len(text) - len(back)]
    pieces = [piece if n % 2 else re.sub(r"\\.|.", lambda m: LETTERS.get(m.group(), m.group()), piece)
              for n, piece in enumerate(DIRECTIVE.split(core))]
    return front + BEGIN + "".join(pieces) + WIDE * -(-len(core) * 3 // 20) + END + back


def messages(template):
    """The entries of a template: (flags, msgid, msgid_plural or None), texts with their escapes."""
    flags, texts, key = "", {}, None
    for line in [*template, "\n"]:
        if match := re.match(r'(?:(msgid|msgid_plural|msgstr(?:\[\d\])?) )?"(.*)"$', line):
            key = match.group(1) or key
            texts[key] = texts.get(key, "") + match.group(2)
        elif line.startswith("#,"):
            flags = line
        elif not line.strip() and texts:
            yield flags, texts["msgid"], texts.get("msgid_plural")
            flags, texts = "", {}


def groups_of(cells):
    """Where the outermost marked texts of a line begin and end; and where one begins that does not end."""
    groups, depth, start = [], 0, None
    for x, cell in enumerate(cells):
        if cell == BEGIN:
            start = x if depth == 0 else start
            depth += 1
        elif cell == END:
            depth -= 1
            if depth == 0:
                groups.append((start, x + 1))
            depth = max(depth, 0)
    return groups, start if depth > 0 else None


def main():
    print(HEADER)
    with open(sys.argv[1], encoding="utf-8") as template:
        for flags, one, many in messages(template):
            if not one:
                continue
            print(f'{flags}msgid "{one}"')
            if many is None:
                print(f'msgstr "{disguise(one)}"\n')
            else:
                print(f'msgid_plural "{many}"\nmsgstr[0] "{disguise(one)}"\nmsgstr[1] "{disguise(many)}"\n')


if __name__ == "__main__":
    main()
