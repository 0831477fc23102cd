"""A process that computes for the server of the page: ``python -m hyperna.play.worker``.

What takes long, or might crash, is not computed in the server itself, so that the server can answer
other requests meanwhile and can end the work when nobody waits for it any more.

Messages are lines of JSON. In: ``{"answer": name, "question": ..., "own": ..., "seconds": ...}``,
where "own" is what the question names that does not come with hyperna (`hyperna.play.own_parts`),
or ``{"stop": true}``, which asks for what there is of the answer under way. Out: ``{"found": ...}``
or ``{"error": ...}``, one line for each question. The process ends when its input does.
"""

import json
import os
import queue
import sys
import threading
from typing import Any, TextIO

from hyperna.play.allowance import Allowance
from hyperna.play.answers import LONG_ANSWERS
from hyperna.play.own_parts import register_own


class Worker:
    """Answers one question after the other, while another thread listens for messages."""

    def __init__(self, messages: TextIO, replies: TextIO) -> None:
        self.messages = messages
        self.replies = replies
        self.questions: queue.Queue[tuple[dict[str, Any], Allowance]] = queue.Queue()

    def listen(self) -> None:
        """Pass on what the server says, until it is gone."""
        latest = None
        for line in self.messages:
            message = json.loads(line)
            if "stop" not in message:
                latest = Allowance(message["seconds"])
                self.questions.put((message, latest))
            elif latest is not None:
                latest.stop()
        os._exit(0)  # in the middle of the work, if there is any

    def serve(self) -> None:
        """Answer questions without end."""
        threading.Thread(target=self.listen, daemon=True).start()
        while True:
            message, allowance = self.questions.get()
            reply = answer(message["answer"], message["question"], allowance, message["own"])
            print(reply, file=self.replies, flush=True)


def answer(name: str, question: Any, allowance: Allowance, own: str = "") -> str:
    """Return the reply to a question as a line of JSON.

    Examples
    --------
    >>> json.loads(answer("exact", {"neurons": 2}, Allowance(1)))
    {'error': 'exact runtimes need one plain neuron with a bias, and arcs of the circle'}
    """
    try:
        register_own(own)
        return json.dumps({"found": LONG_ANSWERS[name](question, allowance)}, allow_nan=False)
    except (ValueError, TypeError, ImportError, OverflowError, MemoryError) as error:
        return json.dumps({"error": " ".join(str(error).split())})


def main() -> None:
    """Work for the process at the other end of standard input and output."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # What anything prints must not come between the replies.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Worker(sys.stdin, replies).serve()


if __name__ == "__main__":
    main()
