"""Children that end with this program, whatever ends it, and what processes cost."""
import ctypes
import os
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
STOP_PATIENCE = 20.0
LIBC = ctypes.CDLL(None)  # Loaded here: not between fork and exec.


class Failed(Exception):
    """A measurement that could not be made, with why."""


def end_with_parent():
    """Runs between fork and exec."""
    LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM))


def begin(words, **more):
    """Starts a child in a process group of its own, so that stop() reaches all that it started."""
    return subprocess.Popen([str(word) for word in words], start_new_session=True, preexec_fn=end_with_parent,
                            stdin=subprocess.DEVNULL, **more)


def stop(child):
    """Ends a child and its group. Told twice: the first has agents drain, the second ends that."""
    for pause in (0.1, STOP_PATIENCE):
        if child.poll() is not None:
            return
        signal_group(child, signal.SIGTERM)
        try:
            child.wait(pause)
        except subprocess.TimeoutExpired:
            pass
    if child.poll() is None:
        signal_group(child, signal.SIGKILL)
        child.wait()


def signal_group(child, number):
    try:
        os.killpg(child.pid, number)
    except ProcessLookupError:
        pass


def cpu_of(pid):
    """Processor seconds that a process has used, user and system, threads that ended included; to the
    nanosecond, where /proc has hundredths of a second."""
    # The clock of a process, as clock_getcpuclockid(3) makes its number.
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError as error:
        raise Failed(f"process {pid} has ended: {error}") from error


def raise_on_signals():
    """Has signals that end this program raise, so that all it started is stopped."""
    def interrupt(number, frame):
        raise KeyboardInterrupt
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
