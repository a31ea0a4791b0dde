"""An instrument that can be killed: it starts a program of a given mark, says so, and waits for ever.

With `early`, it says so before it asks for the program.
"""

import asyncio
import os
import sys

from backends.sandbox.confining import CONFINERS, python


async def main(kind: str, mark: str, when: str) -> None:
    confiner = CONFINERS[kind]()
    confiner.probe()
    code = f"import time\nprint('up', flush=True)\ntime.sleep(3600)\n# {mark}"
    up = asyncio.Event()
    if when == "early":
        os.write(1, b"now\n")
    async with await confiner.start(python(code), hear=lambda *_: up.set()) as held:
        await held.release()
        await up.wait()
        os.write(1, b"now\n")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
