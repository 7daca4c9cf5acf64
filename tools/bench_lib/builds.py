"""The programs to compare: of a folder, or of a git revision, which is built first."""
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench_lib.processes import Failed

ROOT = Path(__file__).resolve().parents[2]
PRESETS = ("release", "package")  # Older revisions measured what they packed.


class Wrong(Exception):
    """What a person said cannot be meant."""


@dataclass(frozen=True)
class Build:
    name: str
    folder: Path  # Of the programs.


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def find_folder(text, programs):
    """The build in a folder, or in the tree of sources that it is. Raises Wrong."""
    for place in (Path(text) / "bin", Path(text) / "build/release/bin"):
        if all((place / program).exists() for program in programs):
            return Build(text, place.resolve())
    raise Wrong(f"no {', '.join('bin/' + each for each in programs)} in {text}: build it with `cmake --build "
                f"FOLDER --target {' '.join(programs)}`")


def find(text, programs):
    """What `text` names: a Build, or the hash of a commit that is to be built. Raises Wrong."""
    if Path(text).is_dir():
        return find_folder(text, programs)
    try:
        return git("rev-parse", "--verify", "--quiet", f"{text}^{{commit}}")
    except Failed:
        raise Wrong(f"'{text}' is neither a folder of a build nor a git revision here") from None


def preset_of(source):
    """The preset by which that source is built for measurements."""
    file = source / "CMakePresets.json"
    names = []
    if file.exists():
        names = [each["name"] for each in json.loads(file.read_text()).get("configurePresets", [])]
    for preset in PRESETS:
        if preset in names:
            return preset
    raise Failed(f"{source} has no preset {' or '.join(PRESETS)}: build it by hand, and name the folder")


def build(commit, programs):
    """Builds a revision in a worktree of its own, which is kept: the next comparison with it is quick."""
    source = ROOT / "build/compare" / commit[:12]
    if not source.exists():
        # One whose folder somebody removed is still known, and would be refused.
        git("worktree", "prune")
        git("worktree", "add", "--detach", str(source), commit)
    return Build(commit[:12], make(source, preset_of(source), programs))


def make(source, preset, programs):
    """Builds programs of a source tree. Returns their folder."""
    folder = source / "build" / preset
    print(f"bench: building {' '.join(programs)} in {folder} ...", flush=True)
    commands = [["cmake", "--build", folder, "--target", *programs, "--", "-j", os.environ.get("JOBS", "2")]]
    # One that is configured stays so: with what it has besides, tests or not.
    if not (folder / "build.ninja").exists():
        commands.insert(0, ["cmake", "--preset", preset, "-DDUNLIN_TESTS=OFF"])
    for command in commands:
        done = subprocess.run(command, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))} in {source} failed:\n{done.stdout[-3000:]}")
    return folder / "bin"


def release(programs):
    """The folder of the release build here, brought up to date: what is measured is what ships."""
    subprocess.run([ROOT / "tools/install-packages", "build"], check=True)
    return make(ROOT, PRESETS[0], programs)


def get(text, programs):
    found = find(text, programs)
    return found if isinstance(found, Build) else build(found, programs)
