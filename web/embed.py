#!/usr/bin/env python3
"""Writes the files of the page as a source of C++: as they are, and by gzip.

  web/embed.py OUTPUT FILE...

Files are named from web/; each is found under that name by the gateway. What begins with a dot, and what
the page does not load (*.md, checksums, licences), is left out: those stand in the repository and in packages.
"""
import base64
import gzip
import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}
# A string literal: three digits, so that what follows is none of its own.
LITERALS = [chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in range(256)]
PIECE = 16_000  # Compilers must take literals of 65,536 characters, and no longer ones.


def literal(data):
    if not data:
        return '""'
    pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
    return "\n".join('"' + "".join(LITERALS[byte] for byte in piece) + '"' for piece in pieces)


def script_hashes(page):
    """What the scripts within the page hash to: an import map cannot stand in a file of its own."""
    scripts = re.findall(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", page, re.DOTALL)
    sums = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    return " ".join(f"'sha256-{each}'" for each in sums)


def main():
    output, names = Path(sys.argv[1]), sorted(sys.argv[2:])
    hashes, entries = "", []
    for name in names:
        path = ROOT / name
        if path.name.startswith(".") or path.suffix not in TYPES:
            continue
        data = path.read_bytes()
        if name == "page/index.html":
            hashes = script_hashes(data)
        packed = gzip.compress(data, 9, mtime=0)
        entries.append(
            f'    {{"{name}", "{TYPES[path.suffix]}", "{hashlib.sha256(data).hexdigest()[:32]}",\n'
            f"{{{literal(data)}, {len(data)}}},\n{{{literal(packed)}, {len(packed)}}}}},\n"
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(
        '// Made by web/embed.py.\n#include "web/gateway/assets.h"\n\n'
        # A literal of a whole file is longer than the standard bids compilers to take; ours take it.
        '#pragma GCC diagnostic ignored "-Woverlength-strings"\n\nnamespace dunlin::web {\nnamespace {\n\n'
        f"constexpr Asset kAssets[] = {{\n{''.join(entries)}    {{}}}};\n\n}}  // namespace\n\n"
        f"std::span<const Asset> all_assets() {{\n  return {{kAssets, {len(entries)}}};\n}}\n\n"
        f'std::string_view script_hashes() {{\n  return "{hashes}";\n}}\n\n}}  // namespace dunlin::web\n'
    )


if __name__ == "__main__":
    main()
