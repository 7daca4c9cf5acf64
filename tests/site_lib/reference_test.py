# SPDX-License-Identifier: MIT
"""Pages of the reference, from what programs and sources tell."""
import pathlib
import shutil
import tempfile
import unittest

import interfaces
import reference

kHeader = """// SPDX-License-Identifier: MIT
#pragma once
/* What it says. */
enum dunlin_words {
  DUNLIN_YES = 1, /* It is so. */
};
typedef struct dunlin_thing {
  int size; /* In bytes. */
} dunlin_thing;
/* Opens `it`. Fails with 1. */
int dunlin_open(const char* it, struct dunlin_thing* thing);
"""
kClasses = """#pragma once
namespace dunlin {
/// A thing. Movable.
class Thing {
 public:
  /// What it holds.
  const std::vector<int>& all(int most = 3) const;
 private:
  /// Nobody's business.
  int hidden();
};
namespace detail {
/// Nor is this.
class Inner {};
}
}
"""


class Manual(unittest.TestCase):
    def test_a_page_of_mandoc(self):
        fragment = ('<h1 class="Sh" id="NAME">NAME</h1>\n<pre>\na\n\nb\n</pre>\n'
                    '<a class="Xr">dunlin-run(1)</a>, <a class="Xr">ls(1)</a>; <b>dunlin-run</b>(1)')
        page = reference._manual_page("dunlin.1", fragment, {"dunlin.1", "dunlin-run.1"})
        self.assertIn("# dunlin(1)\n", page)
        self.assertIn('<h2 class="Sh" id="NAME">NAME</h2>', page)
        self.assertIn('<a href="dunlin-run.1.html">dunlin-run(1)</a>, ls(1); <a href="dunlin-run.1.html">', page)
        self.assertIn("a&#10;\nb", page)  # No blank line, or Markdown would end the block.

    def test_a_program_that_fails_is_named(self):
        with self.assertRaisesRegex(reference.Untold, "false: status 1"):
            reference.told("false")


class Http(unittest.TestCase):
    def test_a_gateway_that_names_no_address(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "dunlin-web")
            program.write_text("#!/bin/sh\necho it is ill\n", encoding="utf-8")
            program.chmod(0o700)
            with self.assertRaisesRegex(reference.Untold, "no address: it is ill"):
                reference.http_document(pathlib.Path(folder))

    def test_endpoints(self):
        call = {"summary": "All jobs", "responses": {"200": {"description": "All jobs"}, "default": {}},
                "parameters": [{"name": "limit", "in": "query", "description": "lines",
                                "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}},
                               {"name": "job", "in": "path", "required": True, "schema": {"type": "string", "enum": ["a|b"]}}]}
        post = {"summary": "Submit", "responses": {"201": {"description": "Taken"}},
                "requestBody": {"content": {"application/json": {"schema": {
                    "properties": {"name": {"type": ["string", "null"]}}, "required": ["name"]}}}}}
        page = reference.http({"info": {"description": "It answers.", "version": "1"},
                               "paths": {"/v1/jobs": {"get": call, "post": post}}})
        self.assertIn("## GET `/v1/jobs`\n\nAll jobs.\n", page)
        self.assertIn("| `limit` | query | integer | lines; 1 to 200; `50` if it is absent |", page)
        self.assertIn("| `job` | path | string | one of `a\\|b`; needed |", page)
        self.assertIn("| `name` | body | string or null | needed |", page)
        self.assertIn("Answers: 201: Taken.", page)
        self.assertNotIn("200: All jobs", page)


class Interfaces(unittest.TestCase):
    @unittest.skipUnless(shutil.which("doxygen"), "doxygen is not here: tools/install-packages site")
    def test_c_and_cpp(self):
        with tempfile.TemporaryDirectory() as folder:
            header, classes = pathlib.Path(folder, "dunlin.h"), pathlib.Path(folder, "client.hpp")
            header.write_text(kHeader, encoding="utf-8")
            classes.write_text(kClasses, encoding="utf-8")
            made = interfaces.c_and_cpp(header, classes)
        c, cpp = made["reference/c.md"], made["reference/cpp.md"]
        self.assertIn("### `dunlin_open`\n\n```c\nint dunlin_open(const char* it, struct dunlin_thing* thing)\n```\n\n"
                      "Opens `it`. Fails with 1.", c)
        self.assertIn("### `dunlin_words`\n\nWhat it says.", c)
        self.assertIn("| `DUNLIN_YES = 1` | It is so. |", c)
        self.assertIn("| `int size` | In bytes. |", c)
        self.assertIn("### `Thing`\n\nA thing. Movable.", cpp)
        self.assertIn("const std::vector<int>& all(int most = 3) const\n```\n\nWhat it holds.", cpp)
        for private in ("Nobody", "Inner"):
            self.assertNotIn(private, cpp)

    def test_long_declarations_are_broken_at_their_arguments(self):
        text = "int f(const std::map<int, int>& " + "a" * 40 + ", std::function<void(int, int)> " + "b" * 40 + ") const"
        self.assertEqual(interfaces._broken(text).split("\n"), [
            "int f(", "    const std::map<int, int>& " + "a" * 40 + ",",
            "    std::function<void(int, int)> " + "b" * 40 + ") const"])
        self.assertEqual(interfaces._broken("int f(int a)"), "int f(int a)")

    def test_python(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "__init__.py").write_text('__all__ = ["Job", "wait"]\n', encoding="utf-8")
            pathlib.Path(folder, "a.py").write_text(
                'class Job(Base):\n    """A job."""\n    def __init__(self, id: str): ...\n    async def end(self) -> int:\n'
                '        """Its end."""\n    def _own(self):\n        """Hidden."""\nclass Other:\n    """No."""\n'
                'def wait(*jobs):\n    """Waits."""\n', encoding="utf-8")
            page = interfaces.python(folder)
        self.assertIn("```python\nclass Job(Base)\n```\n\nA job.", page)
        self.assertIn("### `Job.end`\n\n```python\nasync def end(self) -> int\n```\n\nIts end.", page)
        self.assertIn("## `wait`\n\n```python\ndef wait(*jobs)\n```\n\nWaits.", page)
        for hidden in ("Hidden", "Other"):
            self.assertNotIn(hidden, page)


if __name__ == "__main__":
    unittest.main()
