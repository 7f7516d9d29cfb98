# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""`stepcast-bench --keys -` as a child: a key a line goes in, rows of ops.csv and an empty line come out.

Before the header line it prints lines that begin with '# '; `# run {json}` is the run record.
"""

import contextlib
import csv
import json
import queue
import subprocess
import threading
import time


GPU_LOST = "the GPU was lost: "  # how the reason of such a plan's row begins
MOST_LOST = 8  # plans of one key


class ChildError(Exception):
    """The child ended, said nothing for too long, or said what the protocol does not know."""


class Unsupported(Exception):
    """The child could not time a key; the text is its status and reason."""

    def __init__(self, status, reason):
        super().__init__(f"stepcast: {status}: {reason}")
        self.is_failure = status != "unsupported"


class StepcastChild:
    """One running stepcast-bench; close() or a with statement ends it."""

    def __init__(self, command, timeout_s=600.0):
        self._timeout_s = timeout_s
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.run, self._columns = self._greeting()
        except BaseException:
            self.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def rows(self, key):
        """Times a key; its rows as dictionaries.

        Raises ChildError.
        """
        try:
            self._process.stdin.write(key + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise ChildError(f"stepcast-bench takes no key any more: {error}") from error
        lines = []
        while line := self._line(f"timing {key}"):
            if not line.startswith("#"):
                lines.append(line)
        rows = [dict(zip(self._columns, cells)) for cells in csv.reader(lines)]
        if not rows or any(row["key"] != key for row in rows):
            raise ChildError(f"stepcast-bench answered {key} with {lines or 'no row'}")
        return rows

    def close(self):
        """Closes its input, which ends it, and waits for that."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self):
        """Ends it at once, if it has not ended yet."""
        self._process.kill()
        self._process.wait()
        self._reader.join(timeout=5)
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        if not self._reader.is_alive():
            self._process.stdout.close()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\r\n"))
        self._lines.put(None)

    def _line(self, doing):
        try:
            line = self._lines.get(timeout=self._timeout_s)
        except queue.Empty:
            self.kill()
            raise ChildError(f"stepcast-bench said nothing for {self._timeout_s:g} s while {doing}") from None
        if line is None:
            raise ChildError(f"stepcast-bench ended with {self._process.wait()} while {doing}")
        return line

    def _greeting(self):
        run = {}
        while True:
            line = self._line("starting")
            if line.startswith("# run "):
                run = json.loads(line[len("# run "):])
            elif line and not line.startswith("#"):
                columns = next(csv.reader([line]))
                if not {"key", "cache", "plan_rank", "status", "reason", "median_s", "noise"} <= set(columns):
                    raise ChildError(f"'{line}' is not the header of ops.csv")
                return run, columns


class Stepcast:
    """stepcast's side of a comparison: a child that is started again if it dies."""

    def __init__(self, command, timeout_s=600.0):
        self._command = list(command)
        self._timeout_s = timeout_s
        self._child = StepcastChild(self._command, timeout_s)
        self.run = self._child.run

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._child.close()

    def rows(self, key):
        """Times a key; a child that does not survive it is replaced.

        Raises ChildError, Unsupported.
        """
        for lost_before in range(MOST_LOST):
            rows = self._rows(key)
            lost = [row for row in rows if row["reason"].startswith(GPU_LOST) and row.get("plan")]
            if not lost:
                # The first answer of a new child is its search's, and this may be a later round.
                return self._rows(key) if lost_before else rows
            # A plan of the library has ended the child's use of the GPU: a new child leaves it out.
            self._command += ["--avoid", f"{key}:{lost[-1]['plan_rank']}"]
            self._restart()
        raise ChildError(f"{key}: {MOST_LOST} plans ended the use of the GPU")

    def _restart(self):
        self._child.kill()
        time.sleep(1)  # for the driver to take back the memory
        self._child = StepcastChild(self._command, self._timeout_s)

    def _rows(self, key):
        try:
            return self._child.rows(key)
        except ChildError:
            self._restart()
            raise


def best_cold(rows):
    """The cold row of the fastest plan: the one that the hot row is of, else the last cold one.

    Raises Unsupported with the child's reason if the key was not timed.
    """
    cold = [row for row in rows if row["cache"] == "cold" and row["status"] == "ok"]
    if not cold:
        raise Unsupported(rows[0]["status"], rows[0]["reason"])
    ranks = [row["plan_rank"] for row in rows if row["cache"] == "hot" and row["status"] == "ok"]
    return ([row for row in cold if row["plan_rank"] in ranks] or cold)[-1]


def first_heuristic_s(rows):
    """Cold median of the library's first plan; None if it did not run."""
    for row in rows:
        if row["cache"] == "cold" and row["status"] == "ok" and int(row["plan_rank"]) == 0:
            return float(row["median_s"])
    return None
