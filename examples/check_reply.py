"""Judge a reply to a customer: it is read from standard input, and what it must name stands in the arguments.

Four things are asked, each worth a quarter; the last line printed is the score. The answer is read, and never printed
or run, so that nobody can write a score into it.
"""

import re
import sys

MOST_WORDS = 60


def main(order: str, promise: str) -> None:
    reply = sys.stdin.read()
    words = reply.split()
    asked = [
        order in reply,
        re.search(r"\b(sorry|apologi[sz]e|apologies)\b", reply, re.IGNORECASE) is not None,
        promise in " ".join(words).lower(),
        bool(words) and len(words) <= MOST_WORDS and not re.search(r"refund|voucher|EUR|€|\$", reply, re.IGNORECASE),
    ]
    # Keeping to the limits is worth something only in a reply that says something.
    sys.stdout.write(f"score: {sum(asked) / 4 if any(asked[:3]) else 0}\n")


main(*sys.argv[1:])
