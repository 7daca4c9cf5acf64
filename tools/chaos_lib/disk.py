"""A disk for one node: a file system of its own, which can be filled, closed, frozen and broken."""
import errno
import os
import subprocess
import time

from chaos_lib.sandbox import mount

SIZE_MIB = 96
FREE_WITHIN = 20.0  # s, from the death of its processes until nothing on a disk is open.


def loops_work(work):
    """Whether a file can be mounted as an ext4 disk here."""
    try:
        disk = Disk(work / "probe", real=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    disk.unmount()
    return True


class Disk:
    """ext4 in a file if `real`, else a tmpfs, which can be neither frozen nor broken."""

    def __init__(self, place, real):
        self.place = place
        self.real = real
        self.ballast = place / "ballast"
        self.image = place.with_suffix(".img")
        place.mkdir(parents=True)
        if real:
            with open(self.image, "wb") as file:
                file.truncate(SIZE_MIB << 20)
            subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", self.image], check=True)
        self.attach()

    def attach(self):
        if self.real:
            mount("-o", "loop", self.image, self.place)
        else:
            mount("-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "chaos", self.place)

    def unmount(self):
        subprocess.run(["umount", "-l", self.place], check=False, capture_output=True)

    def fill(self):
        """Leaves no byte."""
        with open(self.ballast, "ab", buffering=0) as file:
            for size in (1 << 20, 1 << 14, 1 << 12, 1 << 9):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def empty(self):
        self.ballast.unlink(missing_ok=True)

    def close(self):
        """Read-only for whatever is opened from now on; files that are open stay writable. The mount is
        made aside: one that a file was opened for writing through cannot be made read-only."""
        aside = self.place.with_suffix(".closed")
        aside.mkdir(exist_ok=True)
        mount("--bind", self.place, aside)
        mount("-o", "remount,bind,ro", aside)
        mount("--bind", aside, self.place)
        subprocess.run(["umount", aside], check=True)

    def reopen(self):
        self.unmount()  # The upper of the two mounts.

    def freeze(self):
        """No write and no fsync ends before thaw()."""
        subprocess.run(["fsfreeze", "--freeze", self.place], check=True, capture_output=True)

    def thaw(self):
        subprocess.run(["fsfreeze", "--unfreeze", self.place], check=False, capture_output=True)

    def fail(self):
        """As after an error of the device: every write is refused until the disk is mounted anew."""
        mount("-o", "remount,abort", self.place)

    def replace(self):
        """Mounts it anew, checked. Requires that nothing on it is open but by processes that end."""
        until = time.monotonic() + FREE_WITHIN
        while True:
            done = subprocess.run(["umount", self.place], check=False, capture_output=True, text=True)
            if done.returncode == 0:
                break
            if time.monotonic() > until:
                raise RuntimeError(f"umount {self.place}: {done.stderr.strip()}")
            time.sleep(0.1)
        subprocess.run(["e2fsck", "-p", "-f", self.image], check=False, capture_output=True)
        self.attach()
