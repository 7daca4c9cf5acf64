# SPDX-License-Identifier: MIT
"""What is wrong with made pages: links that lead nowhere, and what would be loaded from elsewhere."""
import html.parser
import pathlib
import posixpath
import re
import urllib.parse

kElsewhere = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
# What a browser loads by itself, by the attribute that says where from.
kLoads = {("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "src"), ("source", "srcset"),
          ("iframe", "src"), ("embed", "src"), ("object", "data"), ("video", "src"), ("audio", "src"),
          ("link", "href"), ("image", "href"), ("use", "href")}
# Links of <head> that load nothing.
kOnlyNamed = {"canonical", "alternate", "author", "license", "prev", "next", "help"}
kStyleLoad = re.compile(r"""(?:url\(|@import\s+)\s*["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)


class _Page(html.parser.HTMLParser):
    """The links, the loads and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if "mermaid" in (values.get("class") or "").split():
            self.loads.append("//a-script-for-mermaid")  # The theme would fetch one.
        for key, value in attributes:
            if not value:
                continue
            if key == "style":
                self.loads += kStyleLoad.findall(value)
            named = tag == "link" and set((values.get("rel") or "").split()) & kOnlyNamed
            if (tag, key) in kLoads and not named:
                self.loads += [part.split()[0] for part in value.split(",")] if key == "srcset" else [value]
            elif tag == "a" and key == "href":
                self.links.append(value)


def troubles(site):
    """A line for each thing that is wrong in the folder of a made site."""
    site = pathlib.Path(site)
    pages = {file.relative_to(site).as_posix(): _Page(file.read_text(encoding="utf-8"))
             for file in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for target in page.loads:
            if kElsewhere.match(target):
                found.append(f"{path}: it would load {target}")
            else:
                found += _lost(site, pages, path, target)
        for target in page.links:
            found += _lost(site, pages, path, target)
    for file in sorted(site.rglob("*.css")):
        for target in kStyleLoad.findall(file.read_text(encoding="utf-8")):
            found.append(f"{file.relative_to(site).as_posix()}: it would load {target}")
    return found


def _lost(site, pages, path, target):
    """What is wrong with one link to another page or file of the site."""
    if kElsewhere.match(target) or re.match(r"^(mailto|data|javascript):", target):
        return []
    parts = urllib.parse.urlsplit(target)
    way = urllib.parse.unquote(parts.path)
    there = path if not way else posixpath.normpath(posixpath.join("" if way.startswith("/") else posixpath.dirname(path),
                                                                   way.lstrip("/")))
    if (site / there).is_dir():
        there = posixpath.normpath(posixpath.join(there, "index.html"))
    if not (site / there).is_file():
        return [f"{path}: {target} leads nowhere"]
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and there in pages and anchor not in pages[there].anchors:
        return [f"{path}: {target}: no such place on that page"]
    return []
