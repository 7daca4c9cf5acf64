# SPDX-License-Identifier: MIT
"""What is wrong with a made site is found: links that lead nowhere, and loads from elsewhere."""
import pathlib
import tempfile
import unittest

import links


class Links(unittest.TestCase):
    def found(self, body, style=""):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder)
            (site / "in").mkdir()
            (site / "a.html").write_text(f"<html>{body}</html>", encoding="utf-8")
            (site / "in" / "index.html").write_text('<h1 id="top">T</h1><a href="../a.html">up</a>', encoding="utf-8")
            (site / "x.png").write_bytes(b"\x89PNG")
            (site / "x.css").write_text(style, encoding="utf-8")
            return links.troubles(site)

    def test_what_leads_somewhere(self):
        self.assertEqual(self.found('<a href="in/index.html#top">1</a><a href="/in/#top">2</a><a href="#here" id="here">3</a>'
                                    '<a href="https://example.org/">4</a><a href="mailto:a@b">5</a><img src="x.png">'
                                    '<link rel="canonical" href="https://example.org/"><img src="data:image/png;base64,x">',
                                    "a { background: url(data:image/png;base64,x) }"), [])

    def test_what_leads_nowhere(self):
        self.assertEqual(self.found('<a href="b.html">b</a>'), ["a.html: b.html leads nowhere"])
        self.assertEqual(self.found('<a href="in/#end">b</a>'), ["a.html: in/#end: no such place on that page"])
        self.assertEqual(self.found('<a href="#end">b</a>'), ["a.html: #end: no such place on that page"])
        self.assertEqual(self.found('<img src="y.png">'), ["a.html: y.png leads nowhere"])

    def test_what_would_be_loaded_from_elsewhere(self):
        for body in ('<script src="https://e.org/a.js"></script>', '<link rel="stylesheet" href="//e.org/a.css">',
                     '<link rel="preconnect" href="https://e.org">', '<img src="http://e.org/a.png">',
                     '<p style="background: url(https://e.org/a.png)">', '<iframe src="https://e.org/"></iframe>',
                     '<img srcset="x.png 1x, https://e.org/b.png 2x">', '<pre class="mermaid">a</pre>'):
            self.assertEqual(len(self.found(body)), 1, body)
        for style in ("@import 'https://e.org/a.css';", "@font-face { src: url(//e.org/f.woff2) }"):
            self.assertEqual(len(self.found("", style)), 1, style)


if __name__ == "__main__":
    unittest.main()
