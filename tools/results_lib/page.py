"""Tables in Markdown of what came out, beside what came out before. Pure: no clock, no file, no process."""
DIGITS = 3
NOTHING = "–"


def number(value):
    """Three digits, as results.md has them: 1,234, 12.3, .0123."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 10 ** (DIGITS - 1):
        return f"{value:,.0f}"
    text = f"{value:.{DIGITS}g}"
    if "e" in text:
        return text
    # Zeros at the end are digits that were measured.
    whole = text.lstrip("-").partition(".")[0]
    places = DIGITS - len(whole) if size >= 1 else len(text.partition(".")[2])
    text = f"{value:.{max(places, 0)}f}" if size >= 1 else text
    return text.replace("0.", ".", 1) if size < 1 else text


def cell(figure):
    """One figure of a row: "12.3 ± .4", with how many runs had a value where not all did."""
    if figure is None or figure.get("mean") is None:
        return NOTHING
    text = number(figure["mean"])
    if figure.get("count", 1) > 1 and figure.get("ci95") is not None:
        text += f" ± {number(figure['ci95'])}"
    if figure.get("count", 0) < figure.get("runs", 0):
        text += f" ({figure['count']} of {figure['runs']})"
    return text


def change(before, after):
    """After as a multiple of before."""
    old, new = (each.get("mean") if each else None for each in (before, after))
    if old is None or new is None:
        return NOTHING
    if old == new:
        return "1"
    return number(new / old) if old != 0 else NOTHING


def rows_of(summary):
    """The figures of each combination, by its settings."""
    return {tuple(row["settings"]): row["figures"] for row in summary["rows"]} if summary else {}


def axes_of(rows):
    """The names of what the settings set, in their order."""
    names = []
    for settings in rows:
        for each in settings:
            name = each.partition("=")[0]
            if name not in names:
                names.append(name)
    return names


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table(columns, after, before=None):
    """One table: a row for each combination. With `before` each figure has three columns."""
    new, old = rows_of(after), rows_of(before)
    names = axes_of(new)
    heads = list(names)
    for column in columns:
        heads += [f"{column}, before", "after", "×"] if old else [column]
    lines = [line(heads), line(["---"] * len(heads))]
    for settings, figures in new.items():
        values = dict(each.partition("=")[::2] for each in settings)
        cells = [values.get(name, "") for name in names]
        was = old.get(settings, {})
        for column in columns:
            now = figures.get(column)
            cells += [cell(was.get(column)), cell(now), change(was.get(column), now)] if old else [cell(now)]
        lines.append(line(cells))
    return "\n".join(lines)


def part(entry):
    """What stands of one comparison. `entry` has name, section, command, columns, program, seconds, after,
    before and why (it is not there)."""
    lines = [f"### {entry['name']}", "", f"```\n{entry['command']}\n```", ""]
    if entry["after"] is None:
        return "\n".join([*lines, f"Not run: {entry['why']}.", ""])
    about = f"Program {entry['program']}, {number(entry['seconds'])} s of processor time"
    about += f"; before: {entry['before_name']}." if entry["before"] else "; nothing from before."
    return "\n".join([*lines, about, "", table(entry["columns"], entry["after"], entry["before"]), ""])


def page(commit, machine, entries):
    """All of it, by the sections of results.md."""
    lines = ["# Comparisons", "", f"Commit {commit}. {machine}", ""]
    programs = sorted({entry["program"] for entry in entries if entry["after"] is not None})
    if len(programs) > 1:
        lines += [f"**Of more than one program** ({', '.join(programs)}): not all of it is one build's.", ""]
    sections = []
    for entry in entries:
        if entry["section"] not in sections:
            sections.append(entry["section"])
    for section in sections:
        lines += [f"## {section or 'What to set'}", ""]
        lines += [part(entry) for entry in entries if entry["section"] == section]
    return "\n".join(lines)
