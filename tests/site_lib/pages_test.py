# SPDX-License-Identifier: MIT
"""Pages as the site shows them, and the words of the glossary in them."""
import unittest

import glossary
import pages

kConfig = "site_name: D\nnav:\n  - D: README.md\n  - In:\n      - Users: pages/users.md\n      # Made.\n  - Reference: []\n  - G: g.md\n"
kWords = {"home": "Where a (job) lives, \"as it were\".", "cluster key": "A secret.", "key": "No word.", "plan": "Slots.",
          "worker": "It runs tasks."}


class Pages(unittest.TestCase):
    def test_lists_get_a_blank_line(self):
        self.assertEqual(pages.laid_out("a.md", "**First**\n1. one\n2. two\n   more\n3. three", set()),
                         "**First**\n\n1. one\n2. two\n   more\n3. three")
        self.assertEqual(pages.laid_out("a.md", "```\nx\n- y\n```", set()), "```\nx\n- y\n```")
        # The end of a sentence is no list.
        self.assertEqual(pages.laid_out("a.md", "since\n1970. So", set()), "since\n1970. So")

    def test_links_to_what_is_no_page_become_words(self):
        known = {"pages/b.md"}
        self.assertEqual(pages.laid_out("pages/a.md", "[b](b.md#x), [c](c.sh), [w](https://e.org/), ![p](p.png)[t](#t)", known),
                         "[b](b.md#x), c, [w](https://e.org/), [t](#t)")
        self.assertEqual(pages.resolved("pages/guide/a.md", "../../README.md#x"), "README.md")

    def test_a_picture_leads_to_itself(self):
        self.assertEqual(pages.laid_out("a.md", "![A](b.svg)", {"b.svg"}), "[![A](b.svg)](b.svg)")

    def test_contents(self):
        self.assertEqual(pages.nav_pages(kConfig), ["README.md", "pages/users.md", "g.md"])
        made = pages.with_entries(kConfig, "Reference", [("Man", [("a(1)", "r/a.1.md")]), ("C", "r/c.md")])
        self.assertIn('  - Reference:\n      - "Man":\n          - "a(1)": r/a.1.md\n      - "C": r/c.md\n  - G: g.md\n', made)
        self.assertEqual(pages.nav_pages(made), ["README.md", "pages/users.md", "r/a.1.md", "r/c.md", "g.md"])
        with self.assertRaisesRegex(ValueError, "Rooms"):
            pages.with_entries(kConfig, "Rooms", [])

    def test_rooms_are_pages_beside_sources(self):
        self.assertEqual(pages.rooms(["README.md", "do" "cs/README.md", "examples/x/README.md", "node/README.md", "node/a.md"]),
                         ["node/README.md"])


class Glossary(unittest.TestCase):
    def test_words_and_meanings(self):
        text = "# G\n\n- **home**: Where a job\n  lives.\n- **cluster key**: A secret.\n\nOther words.\n  indented\n"
        self.assertEqual(glossary.words_of(text), {"home": "Where a job lives.", "cluster key": "A secret."})
        self.assertIn("- **cluster key**{ #cluster-key }: A secret.", glossary.with_anchors(text))

    def test_the_first_use_is_a_link(self):
        made = glossary.linked("docs/lab/manual.md", "Its home, its home.", kWords)
        self.assertEqual(made, "Its [home](../guide/glossary.md#home \"Where a (job) lives, &quot;as it were&quot;.\")"
                               "{ .word }, its home.")

    def test_a_long_word_goes_before_its_parts_and_no_link_lies_in_another(self):
        made = glossary.linked("README.md", "The cluster key of a worker and its home", kWords)
        self.assertEqual(made.count("]("), 3)
        self.assertIn("The [cluster key](docs/guide/glossary.md#cluster-key", made)

    def test_only_prose_has_links(self):
        for text in ("# home", "| home |", "```\nhome\n```", "`a\nhome b`", "[a\nhome](b.md)", "<a home>", "home-made",
                     "a/home", "home.c", "its home directory", "a plan", "Home"):
            self.assertEqual(glossary.linked("a.md", text, kWords), text)
        self.assertIn("[homes](", glossary.linked("a.md", "two homes.", kWords))


if __name__ == "__main__":
    unittest.main()
