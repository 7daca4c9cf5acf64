# SPDX-License-Identifier: MIT
"""Pages that the programs tell of themselves: manual pages, parameters, the HTTP interface."""
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import urllib.request

kWait = 20  # Seconds that a program may take to tell.
kNoOutline = "---\nhide:\n  - toc\n---\n\n"


class Untold(Exception):
    """A program that is there does not tell what it should."""


def told(*command):
    """What a command prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=kWait, check=False)
    if done.returncode != 0:
        raise Untold(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()[:400]}")
    return done.stdout


def manual(programs, sources):
    """The manual pages as {path: text}, and their entries for the table of contents, by section."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("dunlin", "dunlin-sim"):
            if (programs / name).is_file():
                told(programs / name, "man", "--all", folder)
        files = [*pathlib.Path(folder).glob("man*/*"), *sources]
        fragments = {file.name: told("mandoc", "-Thtml", "-Ofragment", file) for file in files}
    pages = {f"reference/man/{name}.md": _manual_page(name, text, fragments) for name, text in fragments.items()}
    entries = []
    for section, title in (("1", "Commands"), ("5", "Files"), ("7", "Overview"), ("3", "Library")):
        names = sorted(name for name in fragments if name.endswith("." + section))
        if names:
            entries.append((title, [(shown(name), f"reference/man/{name}.md") for name in names]))
    return pages, entries


def shown(name):
    """dunlin-run.1 as people write it: dunlin-run(1)."""
    stem, section = name.rsplit(".", 1)
    return f"{stem}({section})"


def _manual_page(name, fragment, known):
    """A page of mandoc's HTML: headings a step lower, others of these pages as links."""
    text = re.sub(r"<(/?)h([12])\b", lambda tag: f"<{tag.group(1)}h{int(tag.group(2)) + 1}", fragment)

    def link(match):
        target = f"{match.group(1)}.{match.group(2)}"
        if target not in known or target == name:
            return shown(target)
        return f'<a href="{target}.html">{shown(target)}</a>'

    text = re.sub(r'<a class="Xr"[^>]*>([\w.-]+)\((\d)\)</a>', link, text)
    text = re.sub(r"<b>([\w.-]+)</b>\((\d)\)", link, text)
    # A blank line would end the block for Markdown; inside <pre> it stays one by another name.
    text = re.sub(r"\n(?=\s*\n)", "&#10;", text)
    return f'{kNoOutline}# {shown(name)}\n\n<div class="manual">\n{text.strip()}\n</div>\n'


def parameters(programs):
    """The page of all parameters of an agent."""
    intro = ("# Parameters\n\nAll that can be set for an agent: in `dunlin.toml`, by a flag, and as the "
             "environment says. `dunlin params` prints the same; what is worth setting is told by "
             "[What to set](../docs/guide/tuning.md).\n\n")
    # An asterisk is no emphasis in a table of ranges.
    return intro + told(programs / "dunlin", "params", "--markdown").replace("*", "\\*")


def http_document(programs):
    """The OpenAPI document, as the gateway serves it: it needs no agent for that."""
    with tempfile.TemporaryDirectory() as folder:
        gateway = subprocess.Popen(
            [programs / "dunlin-web", "-q", "--listen", "127.0.0.1:0", "--state", f"{folder}/state",
             "--login-socket", f"{folder}/login.sock", "--address", f"{folder}/no-agent.sock"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        limit = threading.Timer(kWait, gateway.kill)
        limit.start()
        try:
            said = []
            for line in gateway.stdout:
                said.append(line)
                address = re.search(r"http://[\w.:\[\]]+", line)
                if address:
                    break
            else:
                raise Untold(f"dunlin-web: it names no address: {''.join(said).strip()[:400]}")
            with urllib.request.urlopen(address.group(0) + "/v1/openapi.json", timeout=kWait) as answer:
                return json.load(answer)
        finally:
            limit.cancel()
            gateway.terminate()
            gateway.wait(kWait)


def http(document):
    """The page of all endpoints of an OpenAPI document."""
    info = document["info"]
    lines = ["# HTTP", "", f"{info['description']} Version {info['version']}. Errors are "
             "`application/problem+json` with `kind`, `status` and `detail`. [In a browser](../docs/guide/web.md) "
             "tells how to get a token, [HTTP](../docs/design/http.md) what holds for all of it; an agent's gateway "
             "serves the same as OpenAPI 3.1 at `/v1/openapi.json`.", ""]
    for path in sorted(document["paths"]):
        for verb, call in document["paths"][path].items():
            lines += _endpoint(verb, path, call)
    return "\n".join(lines) + "\n"


def _endpoint(verb, path, call):
    lines = [f"## {verb.upper()} `{path}`", "", call.get("summary", "") + ".", ""]
    if call.get("description"):
        lines += [call["description"], ""]
    rows = [_row(given["name"], given["in"], given["schema"], given.get("required"), given.get("description", ""))
            for given in call.get("parameters", [])]
    for kind, body in call.get("requestBody", {}).get("content", {}).items():
        schema = body.get("schema", {})
        needed = schema.get("required", [])
        rows += [_row(name, "body", member, name in needed, member.get("description", ""))
                 for name, member in schema.get("properties", {}).items()]
        if not schema.get("properties"):
            lines += [f"Its body is `{kind}`.", ""]
    if rows:
        lines += ["| name | in | type | meaning |", "|---|---|---|---|", *rows, ""]
    answers = [f"{status}: {answer.get('description', '')}" for status, answer in call["responses"].items()
               if status != "default"]
    if answers == [f"200: {call.get('summary')}"]:
        return lines  # What it says already.
    return [*lines, "Answers: " + "; ".join(answers) + ".", ""]


def _row(name, where, schema, needed, meaning):
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    notes = []
    if "enum" in schema:
        notes.append("one of " + ", ".join(f"`{value}`" for value in schema["enum"]))
    limits = f"{schema.get('minimum')} to {schema.get('maximum')}"
    if "None" not in limits and limits not in meaning:
        notes.append(limits)
    if "default" in schema:
        notes.append(f"`{schema['default']}` if it is absent")
    if needed:
        notes.append("needed")
    said = "; ".join([meaning, *notes] if meaning else notes).replace("|", "\\|")
    return f"| `{name}` | {where} | {kind} | {said} |"
