# SPDX-License-Identifier: MIT
"""The interfaces of libdunlin in the style of the other pages: C and C++ as doxygen reads their headers,
Python as its sources say."""
import ast
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml

# The C header has plain comments, for compilers of any age. Doxygen hears of them by a filter: at the
# begin of a line one is about what follows, behind code about what stands before it.
kFilter = r"""sed -E -e 's|^/\* |/** |' -e 's|^/\*$|/**|' -e 's|([;,{]\|[[:alnum:]_])([[:space:]]+)/\* |\1\2/**< |'"""
kSettings = """
QUIET = YES
WARNINGS = NO
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
HIDE_FRIEND_COMPOUNDS = YES
JAVADOC_AUTOBRIEF = NO
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = DUNLIN_API= __attribute__(x)= __cplusplus __GNUC__
EXCLUDE_SYMBOLS = dunlin::detail detail
"""


def c_and_cpp(*inputs):
    """Pages {path: text} of the C and of the C++ interface; `inputs` are headers and folders of headers."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "filter")
        script.write_text(f'#!/bin/sh\nexec {kFilter} "$1"\n', encoding="utf-8")
        script.chmod(0o700)
        settings = (f"{kSettings}\nINPUT = {' '.join(map(str, inputs))}\nRECURSIVE = YES\n"
                    f"OUTPUT_DIRECTORY = {folder}\nFILTER_PATTERNS = *.h={script}\n")
        subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, capture_output=True)
        compounds = [xml.parse(file).getroot().find("compounddef")
                     for file in sorted(pathlib.Path(folder, "xml").glob("*.xml"))
                     if file.name not in ("index.xml", "Doxyfile.xml") and not file.name.startswith("dir_")]
    return {"reference/c.md": _c_page(compounds), "reference/cpp.md": _cpp_page(compounds)}


def _text(node):
    """A description as Markdown."""
    if node is None:
        return ""
    parts = [node.text or ""]
    for child in node:
        inner = _text(child)
        if child.tag == "computeroutput":
            inner = f"`{inner}`"
        elif child.tag == "listitem":
            inner = f"- {inner.strip()}\n"
        elif child.tag in ("para", "itemizedlist", "simplesect"):
            inner = f"{inner.strip()}\n\n"
        elif child.tag == "sp":
            inner = " "
        parts += [inner, child.tail or ""]
    return "".join(parts)


def _said(node):
    both = _text(node.find("briefdescription")) + " " + _text(node.find("detaileddescription"))
    return re.sub(r"\n{3,}", "\n\n", both).strip()


def _in_cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def _plain(node):
    return re.sub(r"\s+", " ", "".join(node.itertext())).strip() if node is not None else ""


def _code(language, text):
    return [f"```{language}", text, "```", ""]


def _signature(member):
    """A declaration, spaced as our sources are."""
    kind = _plain(member.find("type"))
    rest = re.sub(r"([\w})])=(?=[\w{\"-])", r"\1 = ", member.findtext("argsstring") or "")
    text = f"{kind + ' ' if kind else ''}{member.findtext('name')}{rest}"
    text = re.sub(r"\s+([&*>])", r"\1", text.replace("< ", "<"))
    text = re.sub(r"([&*])(?=\w)", r"\1 ", text)
    given = member.find("templateparamlist")
    if given is not None:
        names = [f"{_plain(param.find('type'))} {param.findtext('declname') or ''}".strip() for param in given]
        text = f"template <{', '.join(names)}>\n{text}"
    return _broken(text)


def _broken(text):
    """A declaration of more than 90 columns has a line for each of its arguments."""
    if len(text.rsplit("\n", 1)[-1]) <= 90 or "(" not in text:
        return text
    begin = text.index("(") + 1
    depth, parts = 0, [""]
    for at, char in enumerate(text[begin:], begin):
        depth += char in "(<{"
        if depth == 0 and char == ")":
            return text[:begin] + "".join(f"\n    {part.strip()}," for part in parts)[:-1] + text[at:]
        depth -= char in ")>}"
        if depth == 0 and char == ",":
            parts.append("")
        else:
            parts[-1] += char
    return text


def _members(compound, kinds, access="public"):
    return [member for section in compound.findall("sectiondef") for member in section.findall("memberdef")
            if member.get("kind") in kinds and member.get("prot") == access
            and not (member.findtext("name") or "").startswith("@")]


def _values(enum):
    rows = ["| value | meaning |", "|---|---|"]
    for value in enum.findall("enumvalue"):
        number = (value.findtext("initializer") or "").strip()
        rows.append(f"| `{value.findtext('name')}{' ' + number if number else ''}` | {_in_cell(_said(value))} |")
    return [*rows, ""]


def _fields(compound):
    rows = ["| member | meaning |", "|---|---|"]
    for member in _members(compound, {"variable"}):
        code = f"{_plain(member.find('type'))} {member.findtext('name')}{member.findtext('argsstring') or ''}"
        rows.append(f"| `{code}` | {_in_cell(_said(member))} |")
    return [*rows, ""] if len(rows) > 2 else []


def _functions(members, language, level):
    """Each name once, with all its forms."""
    lines = []
    names = list(dict.fromkeys(member.findtext("name") for member in members))
    for name in names:
        lines += [f"{'#' * level} `{name}`", ""]
        for member in (one for one in members if one.findtext("name") == name):
            lines += [*_code(language, _signature(member)), _said(member), ""]
    return lines


def _c_page(compounds):
    header = next(one for one in compounds if one.get("kind") == "file" and one.findtext("compoundname") == "dunlin.h")
    structs = [one for one in compounds if one.get("kind") == "struct" and "::" not in one.findtext("compoundname")
               and one.findtext("compoundname").startswith("dunlin_")]
    lines = ["# C", "", "`#include <dunlin.h>`, and link with `-ldunlin` (`pkg-config dunlin`). "
             "[Programs as clients](../docs/guide/programming.md) is a tour.", ""]
    lines += ["## Functions", "", *_functions(_members(header, {"function"}), "c", 3)]
    lines += ["## Structures", ""]
    for struct in structs:
        fields = _fields(struct)
        if fields:
            lines += [f"### `{struct.findtext('compoundname')}`", "", _said(struct), "", *fields]
    lines += ["## Words", ""]
    for enum in _members(header, {"enum"}):
        lines += [f"### `{enum.findtext('name')}`", "", _said(enum), "", *_values(enum)]
    return "\n".join(lines)


def _cpp_page(compounds):
    space = next(one for one in compounds if one.get("kind") == "namespace" and one.findtext("compoundname") == "dunlin")
    classes = [one for one in compounds if one.get("kind") in ("class", "struct")
               and one.get("prot", "public") == "public" and one.findtext("compoundname").startswith("dunlin::")
               and "detail" not in one.findtext("compoundname") and one.findtext("compoundname").count("::") == 1]
    lines = ["# C++", "", "`#include <dunlin/client.hpp>`: headers alone, over the library of C. "
             "[Programs as clients](../docs/guide/programming.md) is a tour.", "", "## Classes", ""]
    for one in classes:
        name = one.findtext("compoundname").split("::")[-1]
        lines += [f"### `{name}`", "", _said(one), "", *_fields(one)]
        functions = [member for member in _members(one, {"function"}) if _said(member)]
        for member in functions:
            lines += [*_code("cpp", _signature(member)), _said(member), ""]
    functions = [member for member in _members(space, {"function"}) if _said(member)]
    if functions:
        lines += ["## Functions", "", *_functions(functions, "cpp", 3)]
    return "\n".join(lines)


def python(package):
    """The page of a Python package: what its __all__ names, with docstrings."""
    names, found = [], {}
    for file in sorted(pathlib.Path(package).glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(node.name, node)
            if file.name == "__init__.py" and isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
                names = ast.literal_eval(node.value)
    lines = ["# Python", "", "`import dunlin`: over the library of C, by ctypes, and without other packages. "
             "[Programs as clients](../docs/guide/programming.md) is a tour.", ""]
    for name in names:
        node = found.get(name)
        if isinstance(node, ast.ClassDef):
            lines += _class(node)
        elif node is not None:
            lines += [f"## `{name}`", "", *_function(node)]
    return "\n".join(lines)


def _class(node):
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    lines = [f"## `{node.name}`", "", *_code("python", f"class {node.name}({bases})" if bases else f"class {node.name}"),
             _doc(node), ""]
    for member in node.body:
        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
            shown = not member.name.startswith("_") or member.name == "__init__"
            if shown and (ast.get_docstring(member) or member.name == "__init__"):
                lines += [f"### `{node.name}.{member.name}`" if member.name != "__init__" else
                          f"### `{node.name}()`", "", *_function(member)]
    return lines


def _function(node):
    lead = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
    marks = [f"@{ast.unparse(mark)}" for mark in node.decorator_list]
    gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    declaration = _broken(f"{lead}{node.name}({ast.unparse(node.args)}){gives}")
    return [*_code("python", "\n".join([*marks, declaration])), _doc(node), ""]


def _doc(node):
    """A docstring. Its indented parts are code, for Markdown as well."""
    return ast.get_docstring(node) or ""
