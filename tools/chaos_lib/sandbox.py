"""Namespaces that belong to one campaign: processes, mounts, network and files in them vanish with its
first process, even if that is killed with SIGKILL. So two campaigns never meet, and nothing is left."""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

INSIDE = "--inside-sandbox"
RUN = Path("/run")  # A tmpfs of the sandbox: named namespaces and the lock of iptables are there, too.
WORK = RUN / "chaos"
RUN_SIZE = "3g"
SKIPPED = 77
PR_SET_PDEATHSIG = 1


def enter(program, words):
    """Runs `program` with `words` in a sandbox of its own and returns its exit status. Signals that end
    this process are passed on, so that the campaign can still report. If there can be no sandbox, says
    so loudly and returns SKIPPED."""
    unshare = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc"]
    if os.getuid() != 0:
        unshare += ["--user", "--map-root-user"]
    probe = subprocess.run([*unshare, "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        return skip(f"no namespaces for this user: {probe.stderr.strip()}")
    child = subprocess.Popen([*unshare, sys.executable, program, INSIDE, *words], preexec_fn=end_with_parent)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: interrupt(child.pid, number))
    return child.wait()


def end_with_parent():
    """Runs between fork and exec. --kill-child does the same for the first process inside."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


def skip(reason):
    line = "=" * 78
    print(f"{line}\nchaos: SKIPPED, nothing was tested: {reason}\n{line}", file=sys.stderr)
    return SKIPPED


def interrupt(unshare, number):
    """unshare itself ignores signals while it waits for its child, the first process inside."""
    children = Path(f"/proc/{unshare}/task/{unshare}/children").read_text().split()
    for pid in children:
        os.kill(int(pid), signal.SIGTERM if number == signal.SIGHUP else number)


def prepare():
    """Inside: hides the machine's /run behind an empty one, and leaves the first process to reap what
    loses its parent. Returns in a child of it, which runs the campaign."""
    mount("-t", "tmpfs", "-o", f"size={RUN_SIZE},mode=0755", "chaos", RUN)
    WORK.mkdir()
    pid = os.fork()
    if pid == 0:
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    while True:
        ended, status = os.wait()
        if ended == pid:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def mount(*words):
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"mount {' '.join(map(str, words))}: {done.stderr.strip()}")


def missing():
    """What this machine lacks for a campaign to be possible at all; empty: nothing."""
    for tool in ("ip", "nsenter", "mount"):
        if shutil.which(tool) is None:
            return f"there is no `{tool}`; tools/install-packages chaos"
    if shutil.which("iptables") is None:
        return "there is no `iptables`; tools/install-packages chaos"
    for words in (["link", "add", "probe0", "type", "veth", "peer", "name", "probe1"],
                  ["link", "add", "probe2", "type", "bridge"], ["netns", "add", "probe"]):
        done = subprocess.run(["ip", *words], capture_output=True, text=True)
        if done.returncode != 0:
            return f"`ip {' '.join(words)}` failed: {done.stderr.strip()}"
    for words in (["link", "del", "probe0"], ["link", "del", "probe2"], ["netns", "del", "probe"]):
        subprocess.run(["ip", *words], check=True)
    return ""


def can_lose():
    """Whether this kernel drops datagrams by chance."""
    rule = ["INPUT", "-i", "probe", "-m", "statistic", "--mode", "random", "--probability", "0.5"]
    for action in ("-A", "-D"):
        done = subprocess.run(["iptables", "-w", action, *rule, "-j", "DROP"], capture_output=True)
        if done.returncode != 0:
            return False
    return True
