"""How each source of a build is compiled, for tools that read sources one by one."""
import json
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What only g++ understands.
FOREIGN = re.compile(r"-Wshadow=\w+|-fsanitize\S*|-fno-sanitize\S*|-fpch-preprocess|-Winvalid-pch|-Werror")


def commands(build):
    """The flags of each source, as if it were a unit of its own, by its path in the repository.

    They are those of clang: what only g++ understands is left out.
    """
    compiled = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        names = [entry["file"]]
        if "/Unity/unity_" in entry["file"]:
            names = re.findall(r'#include "(.+\.cc)"', Path(entry["file"]).read_text())
        words = [word for word in shlex.split(entry["command"]) if not FOREIGN.fullmatch(word)]
        # Without the compiler (and a launcher before it), the object and the source.
        flags = words[next(i for i, word in enumerate(words) if word.startswith("-")) : words.index("-o")]
        if any("generated_wire" in word for word in flags):
            flags = ["-include", str(ROOT / "cmake/capnp_for_clang.h"), *flags]
        for name in names:
            if Path(name).is_relative_to(ROOT):
                compiled[str(Path(name).relative_to(ROOT))] = flags
    return compiled
