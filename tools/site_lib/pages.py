# SPDX-License-Identifier: MIT
"""The pages of the repository, as the site shows them: which there are, and what mkdocs reads otherwise
than a forge does."""
import pathlib
import posixpath
import re
import subprocess

# Pages that belong to what is tested or lent, not to Dunlin.
kForeign = ("tests/", "web/vendor/")
kLink = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
kAlone = re.compile(r"^!\[[^\]]*\]\(([^)\s]+)\)$")
kFence = re.compile(r"^\s*```")
kListBegin = re.compile(r"^(- |1\. )")
kListLine = re.compile(r"^(- |\d+\. |\s)")


def repository_pages(root):
    """The paths of all pages, sorted."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root,
                            check=True, capture_output=True, text=True).stdout.split("\n")
    return sorted(path for path in listed
                  if path and not path.startswith(kForeign) and (pathlib.Path(root) / path).is_file())


def rooms(pages):
    """The pages that lie beside the sources they are about."""
    return [path for path in pages if path.endswith("/README.md") and not path.startswith(("docs/", "examples/"))]


def resolved(page, target):
    """The path from the top that `target` means in `page`, without its anchor."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target.split("#")[0]))


def prose_and_code(text):
    """Each line, and whether it is prose: outside of blocks of code."""
    inside = False
    for line in text.split("\n"):
        fence = kFence.match(line) is not None
        yield line, not inside and not fence
        inside = inside != fence


def _without_lost_links(page, line, known):
    """Links to what the site does not have, sources above all, become their words."""
    def mend(match):
        image, words, target = match.groups()
        lost = "://" not in target and not target.startswith(("#", "mailto:"))
        if not lost or resolved(page, target) in known:
            return match.group(0)
        return "" if image else words

    return kLink.sub(mend, line)


def laid_out(page, text, known):
    """The text of a page for mkdocs. It wants a blank line before a list; files that are no pages of the
    site are named, but not linked. A picture leads to itself, larger."""
    lines, before = [], ""
    for line, is_prose in prose_and_code(text):
        if is_prose:
            line = _without_lost_links(page, line, known)
            line = kAlone.sub(r"[\g<0>](\1)", line)
            if kListBegin.match(line) and before.strip() and not kListLine.match(before):
                lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)


def nav_pages(config):
    """The paths that the table of contents in the text of mkdocs.yml names."""
    nav = config[config.index("\nnav:"):]
    return re.findall(r"^\s*- .*?:? ?([\w./-]+\.md)\s*$", nav, re.MULTILINE)


def nav_lines(entries, indent):
    """Lines of a table of contents: entries are (title, path) or (title, entries)."""
    lines = []
    for title, target in entries:
        lead = f"{' ' * indent}- {quoted(title)}:"
        if isinstance(target, str):
            lines.append(f"{lead} {target}")
        else:
            lines += [lead, *nav_lines(target, indent + 4)]
    return lines


def quoted(title):
    return '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'


def with_entries(config, section, entries):
    """`config` with `entries` in the place of the empty list of `section`."""
    place = re.search(rf"^( *)- {section}: \[\]\n", config, re.MULTILINE)
    if not place:
        raise ValueError(f"mkdocs.yml has no line '- {section}: []'")
    indent = len(place.group(1))
    lines = [f"{' ' * indent}- {section}:", *nav_lines(entries, indent + 4)] if entries else []
    return config[:place.start()] + "".join(line + "\n" for line in lines) + config[place.end():]
