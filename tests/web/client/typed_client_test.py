# SPDX-License-Identifier: MIT
"""A stock generator makes a client of /v1 that compiles and works: openapi-typescript, of a real gateway.

    python3 tests/web/client/typed_client_test.py FOLDER_OF_PROGRAMS

Skips with status 77, and says so, where tools/install-packages web found no npm.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.request

kFolder = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(kFolder.parent / "page"))

import real_test  # noqa: E402

kTools = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dunlin/typed-client/node_modules"


def run(*words, folder):
    told = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=120)
    if told.returncode != 0:
        sys.exit(f"typed_client_test: {words[0]} failed:\n{told.stdout}{told.stderr}")
    return told.stdout.strip()


def main():
    if shutil.which("node") is None or not (kTools / ".bin/openapi-typescript").exists():
        print("UNTESTED: no openapi-typescript here: install npm, and say tools/install-packages web")
        sys.exit(77)
    real_test.programs = pathlib.Path(sys.argv[1]).resolve()
    cluster = real_test.Cluster()
    try:
        address = f"http://127.0.0.1:{cluster.port}"
        folder = cluster.folder / "client"
        folder.mkdir()
        shutil.copy(kFolder / "client.mts", folder)
        with urllib.request.urlopen(address + "/v1/openapi.json") as told:
            (folder / "openapi.json").write_bytes(told.read())
        run(kTools / ".bin/openapi-typescript", "openapi.json", "-o", "schema.d.mts", folder=folder)
        tsc = [kTools / ".bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable",
               "client.mts"]
        run(*tsc, "--noEmit", folder=folder)
        run(*tsc, folder=folder)
        token = run(real_test.programs / "dunlin-web", "web", "token", "--read-only", "--login-socket",
                    cluster.folder / "login.sock", folder=folder)
        said = run("node", "client.mjs", address, token, folder=folder)
        if said != "200 0":
            sys.exit(f"typed_client_test: the client said '{said}', not '200 0'")
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
