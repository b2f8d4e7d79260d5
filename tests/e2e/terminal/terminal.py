# SPDX-License-Identifier: MIT
"""A shell on a terminal of its own, and what a person would type and see there."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

TPRUN = os.environ.get("TPRUN") or shutil.which("tprun")
PATIENCE = 20


class Terminal:
    """An interactive bash with job control. Its prompt shows the status of the last command."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(PS1=r"[status $?]\n", PS2="", TERM="dumb", HISTFILE="/dev/null")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.unread = ""
        self.seen = ""
        self.expect(r"\[status 0\]")
        # What is typed is not echoed: all that is seen comes from programs.
        self.type("stty -echo; set +o emacs; bind 'set enable-bracketed-paste off' 2>/dev/null\n")
        self.expect(r"\[status \d+\]")

    def type(self, text):
        os.write(self.fd, text.encode())

    def expect(self, pattern, patience=PATIENCE):
        """Wait until the screen shows a pattern; what came up to its end counts as read."""
        end = time.monotonic() + patience
        while True:
            match = re.search(pattern, self.unread)
            if match:
                before = self.unread[: match.end()]
                self.unread = self.unread[match.end() :]
                return match, before
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{pattern!r} was not seen; seen: {self.seen[-800:]!r}")
            try:
                data = os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                raise AssertionError(f"the terminal closed; seen: {self.seen[-800:]!r}") from None
            self.unread += data
            self.seen += data

    def run(self, command):
        """Run a command to its end: its exit status, and what it showed."""
        self.type(command + "\n")
        match, before = self.expect(r"\[status (\d+)\]")
        return int(match[1]), before

    def status(self):
        """Wait for the command that runs to end or stop: its exit status, and what it showed."""
        match, before = self.expect(r"\[status (\d+)\]")
        return int(match[1]), before

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def foreground(self, job_of):
        """Bring the stopped job back, and wait until keys reach it: fg shows its command before."""
        self.type("fg\n")
        wait_until(lambda: os.tcgetpgrp(self.fd) == os.getpgid(job_of) and state(job_of) != "T",
                   "fg continues the job")

    def hang_up(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        self.hang_up()


def wait_until(condition, what, patience=PATIENCE):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.02)


def state(pid):
    """R, S, T … as ps shows it; None: there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def gone(pid):
    return state(pid) in (None, "Z")


def groups_left():
    """Directories of groups; what is hidden is kept for all groups."""
    return [name for name in os.listdir("tprun") if not name.startswith(".")]


def run_all(tests):
    """Each test gets a runtime directory and a working directory of its own."""
    if not TPRUN:
        print("TPRUN is not set, and there is no tprun in PATH")
        sys.exit(77)
    failed = 0
    for test in tests:
        with tempfile.TemporaryDirectory() as place:
            os.environ["XDG_RUNTIME_DIR"] = place
            os.chdir(place)
            try:
                test()
                print(f"ok      {test.__name__}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED  {test.__name__}: {error}", flush=True)
            os.chdir("/")
    print(f"{len(tests) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
