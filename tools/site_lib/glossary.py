# SPDX-License-Identifier: MIT
"""The words of docs/guide/glossary.md: on the site, the first use of each on a page leads there."""
import html
import posixpath
import re

from pages import kLink, prose_and_code

kPage = "docs/guide/glossary.md"
kEntry = re.compile(r"^- \*\*([^*]+)\*\*: (.*)$")
# Words that pages also use for what everyone calls so. A link would mislead there.
kCommon = {"view", "group", "history", "identity", "plan", "transfer", "class", "master", "audit", "drain", "grant"}
# What stands before a word, or after it, where it means something else.
kNotAfter = {"manager": ("resource ", "service ", "window ", "workflow "), "agent": ("forwards no ", "ssh "),
             "demand": ("may ", "task ", "tasks ", "jobs ", "nodes ", "they ")}
kNotBefore = {"home": " director| folder| page| is on ", "books": " of what"}
kMark = re.compile(r"`[^`\n]*(?:\n[^`\n]+)?`|<[^>\n]*>|\{[^}\n]*\}|https?://\S+")


def words_of(text):
    """Each word of the glossary, with its meaning in one line."""
    meanings, word = {}, None
    for line in text.split("\n"):
        entry = kEntry.match(line)
        if entry:
            word = entry.group(1)
            meanings[word] = entry.group(2)
        elif word and line.startswith("  "):
            meanings[word] += " " + line.strip()
        else:
            word = None
    return meanings


def anchor_of(word):
    return word.lower().replace(" ", "-")


def with_anchors(text):
    """The glossary itself: each word can be led to."""
    return "\n".join(kEntry.sub(lambda entry: f"- **{entry.group(1)}**{{ #{anchor_of(entry.group(1))} }}: "
                                              f"{entry.group(2)}", line) for line in text.split("\n"))


def _pattern(word):
    before = "".join(f"(?<!{words})" for words in kNotAfter.get(word, ()))
    after = f"(?!{kNotBefore[word]})" if word in kNotBefore else ""
    plural = "" if word.endswith(("s", "ed")) else "s?"
    return re.compile(rf"{before}(?<![\w./-]){re.escape(word)}{plural}(?![\w/-]|\.\w){after}")


def _blank(match):
    return re.sub(r"[^\n]", "\0", match.group(0))


def _prose(text):
    """`text` with all that is no prose blanked, as long as before: code, tables, headings, links."""
    lines = [line if is_prose and not line.startswith(("#", "|", "    ")) else "\0" * len(line)
             for line, is_prose in prose_and_code(text)]
    return kMark.sub(_blank, kLink.sub(_blank, "\n".join(lines)))


def linked(page, text, meanings):
    """`text` of `page` with a link at the first use of each word in its prose."""
    way = posixpath.relpath(kPage, posixpath.dirname(page) or ".")
    prose, places = _prose(text), []
    # The longest first: a "cluster key" is no "cluster" and no "key".
    for word in sorted(set(meanings) - kCommon, key=lambda word: (-len(word), word)):
        found = _pattern(word).search(prose)
        if found:
            prose = prose[:found.start()] + "\0" * len(found.group(0)) + prose[found.end():]
            places.append((found.start(), found.end(), word))
    for start, end, word in sorted(places, reverse=True):
        link = f'[{text[start:end]}]({way}#{anchor_of(word)} "{_as_title(meanings[word])}"){{ .word }}'
        text = text[:start] + link + text[end:]
    return text


def _as_title(meaning):
    """A meaning that a browser shows beside its word: without marks."""
    return html.escape(re.sub(r"[`*]", "", meaning), quote=True)
