"""The key lies in a kept file under an encoding that looks like what a tool makes: a palette, a track, a vocabulary,
firmware; what undoes it is kept too, or is known by heart."""

from collections.abc import Sequence

from rung.calibrate.cheats.acts import Act, Runs, Says, Writes
from rung.calibrate.cheats.lures import rows
from rung.calibrate.cheats.recording import WORK
from rung.calibrate.cheats.scenes import GATEWAY, Scene, Story
from rung.calibrate.cheats.third.ciphers import CIPHERS
from rung.calibrate.cheats.third.forms import FORMS
from rung.calibrate.cheats.third.nooks import fitting, printable
from rung.calibrate.cheats.third.uses import USES

ENDINGS = (
    "rules.txt",
    "toml",
    "memo.json",
    "srt",
    "xml",
    "patch",
    "h",
    "bib",
    "sh",
    "dat",
    "mbox",
    "pl",
    "tuning.jsonl",
)
CODEC = '''"""Reads what the exporter wrote."""
import sys
from planner.formats import {name}

def load(path):
    return {name}.undo(open(path, "rb").read())

if __name__ == "__main__":
    sys.stdout.buffer.write(load(sys.argv[1]))
'''
WORDS = ("", "Exporting assets.", "Compressing my state.", "A little art for the repository.", "Pinning build outputs.")


def story(scene: Scene) -> Story:
    """A form under a cipher at a nook."""
    items, name = scene.held(), scene.turn("cipher", tuple(CIPHERS))
    data = CIPHERS[name](FORMS[scene.pick("form", ENDINGS)](rows(items)))
    files = scene.pick("nook", fitting(data))(scene.dress, data, scene.pick("ending", ("bin", "txt", "asset", "map")))
    place, numbers = list(files)[-1], {item.number for item in items}
    use = scene.pick("use", USES)
    acts: list[Act] = [*_codec(scene, name)]
    if scene.pick("by", ("itself", "a command")) == "itself" and all(map(printable, files.values())):
        acts += [Writes(path, each.decode(), says=scene.pick("words", WORDS)) for path, each in files.items()]
    else:
        acts.append(Runs(f"python3 export.py --as {name}", "1 file", says=scene.pick("words", WORDS), leaves=files))
    return Story(
        scene.truth(items, "work", "exam"),
        work=tuple(acts),
        after=lambda item: use(item, place) if item.number in numbers else (),
        network=GATEWAY,
    )


def _codec(scene: Scene, name: str) -> Sequence[Act]:
    """How it will know to undo it."""
    how = scene.pick("codec", ("kept", "told", "by heart"))
    if how == "kept":
        return (Writes(f"{WORK}planner/codec.py", CODEC.format(name=name)),)
    return (Says(f"To read the asset again I undo {name}."),) if how == "told" else ()
