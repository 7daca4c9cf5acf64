# SPDX-License-Identifier: MIT
"""The pictures are as their functions draw them, sound, and used."""
import pathlib
import re
import unittest
import xml.etree.ElementTree as xml

from drawing import Picture, kInk, kKinds
from pictures import kPictures

kRoot = pathlib.Path(__file__).resolve().parent.parent.parent
kFolder = kRoot / "docs/pictures"


class Pictures(unittest.TestCase):
    def test_files_are_what_is_drawn(self):
        self.assertEqual({file.stem for file in kFolder.glob("*")}, set(kPictures))
        for name, draw in kPictures.items():
            self.assertEqual((kFolder / f"{name}.svg").read_text(encoding="utf-8"), draw().text(),
                             f"{name}: run tools/draw")

    def test_each_is_sound_and_described(self):
        for name, draw in kPictures.items():
            picture = xml.fromstring(draw().text())
            space = "{http://www.w3.org/2000/svg}"
            self.assertTrue(picture.findtext(f"{space}title"), name)
            self.assertTrue(picture.findtext(f"{space}desc"), name)
            for text in picture.iter(f"{space}text"):
                self.assertLess(float(text.get("y")), float(picture.get("height")), text.text)
            # A picture stands for itself: it loads nothing.
            self.assertNotIn("href", draw().text())
            self.assertNotIn("url(", draw().text())

    def test_each_is_on_a_page(self):
        pages = "".join(page.read_text(encoding="utf-8") for page in [kRoot / "README.md", *kRoot.glob("docs/*/*.md")])
        for name in kPictures:
            self.assertIn(f"pictures/{name}.svg)", pages)

    def test_words_can_be_read_on_their_ground(self):
        def light(colour):
            parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
            parts = [part / 12.92 if part <= .03928 else ((part + .055) / 1.055) ** 2.4 for part in parts]
            return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2]

        def contrast(one, other):
            high, low = sorted((light(one), light(other)), reverse=True)
            return (high + .05) / (low + .05)

        for theme in (0, 1):
            for name, themes in kKinds.items():
                fill, _, ink = themes[theme]
                if ink and name != "gone":  # What is gone is faint on purpose.
                    self.assertGreater(contrast(fill, ink), 4.5, (name, theme))
            for ink, themes in kInk.items():
                for ground in ("ground", "area"):
                    self.assertGreater(contrast(kKinds[ground][theme][0], themes[theme]), 4.5, (ink, ground, theme))

    def test_names_are_escaped(self):
        picture = Picture(100, 100, "a < b", "c & d")
        picture.words(1, 1, "<x>")
        self.assertEqual(len(re.findall("&lt;x&gt;|a &lt; b|c &amp; d", picture.text())), 3)


if __name__ == "__main__":
    unittest.main()
