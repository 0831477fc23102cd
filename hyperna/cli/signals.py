"""Ctrl-C and SIGTERM: a command ends within seconds, whatever it is doing.

Python runs a handler when the main thread is back from compiled code, and an exception raised
there can get lost on its way. So a thread watches: if the main thread does not notice a signal in
time, or does not come to an end, it ends the process.
"""

import atexit
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from hyperna._files import remove_drafts

# Seconds to notice a signal, and then to come to an end.
NOTICE, END = 1.0, 1.5
# Exit code of a command that was interrupted and has shown or saved what it had.
INTERRUPTED = 128 + signal.SIGINT
_SHOW_CURSOR = b"\x1b[?25h"


class Signals:
    """The signals that this process has got.

    Attributes
    ----------
    received : int or None
        Number of the last signal.
    patient : bool
        Whether the command takes its time after a signal, because it saves what it has.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self.patient = False
        self._noticed = threading.Event()
        self._over = False
        self._code = 0

    def watch(self) -> None:
        """Let SIGINT and SIGTERM end this process, unless its parent ignores them."""
        atexit.register(self._leave)
        sys.unraisablehook = _report_lost
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=self._wait, args=(reader,), daemon=True).start()

    def exit_code(self, code: int) -> int:
        """Return the exit code of a command: 128 and the signal's number if one ended it."""
        interrupted = self.received is not None and code == INTERRUPTED
        return 128 + int(self.received or 0) if interrupted else code

    def finish(self, code: int) -> NoReturn:
        """End the process with the code of a command; after a signal no thread is waited for."""
        self._over = True
        if self.received is not None:
            self._code = code = self.exit_code(code)
            threading.Thread(target=self._end_later, args=(code,), daemon=True).start()
        sys.exit(code)

    def _leave(self) -> None:
        """Exit with the right code, after all others who clean up, since they registered later.

        Python before 3.13 remembers an interrupt in code that was executed from a text and would
        end as if it had not been caught.
        """
        if self._over and self.received is not None:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(self._code)

    def _end_later(self, code: int) -> None:
        time.sleep(END)
        _end(code)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._over:
            _end(128 + number)
        self.received = number
        self._noticed.set()
        raise KeyboardInterrupt

    def _wait(self, reader: int) -> None:
        number = _next(reader)
        if self._noticed.wait(NOTICE):
            time.sleep(END)
            if self.patient:
                number = _next(reader)
                time.sleep(END)
        with suppress(OSError):
            os.write(2, (_SHOW_CURSOR if os.isatty(2) else b"") + b"hyperna: interrupted\n")
        _end(128 + number)


def _report_lost(lost: "sys.UnraisableHookArgs") -> None:
    """Print an exception that Python cannot raise, unless it is an interrupt (see above)."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)


def _next(reader: int) -> int:
    """Wait for the next signal that is to end this process."""
    while (number := os.read(reader, 1)[0]) not in (signal.SIGINT, signal.SIGTERM):
        pass
    return number


# Of this process.
signals = Signals()


def _end(code: int) -> NoReturn:
    """End at once, with all processes started here, and leave no drafts behind."""
    from multiprocessing import active_children

    remove_drafts()
    for child in active_children():
        # joblib's processes can be terminated, but have no method to kill them.
        with suppress(OSError, AttributeError):
            if child.pid is not None and hasattr(signal, "SIGKILL"):
                os.kill(child.pid, signal.SIGKILL)
            else:
                child.terminate()
    os._exit(code)
