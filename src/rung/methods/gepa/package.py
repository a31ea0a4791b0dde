"""The pieces of the package `gepa` that fit a flow of one task at a time, and what there is to say where it is absent.

Its optimizer runs tasks itself, again and again, and so fits nowhere here. Its prompt, the reading of a reply and the
choice of a parent are pure functions, and are used as they are.
"""

import random
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import cast

from rung.core.errors import UsageError

EXTRA = 'pip install "rung[gepa]"'


def check(where: str) -> None:
    """Raise `UsageError` when the package is not there, or has not the pieces that are used here."""
    if find_spec("gepa") is None:
        raise UsageError(f"{where} needs the package gepa, which is not installed; {EXTRA}")
    try:
        from gepa.gepa_utils import select_program_candidate_from_pareto_front  # noqa: F401
        from gepa.strategies.instruction_proposal import InstructionProposalSignature  # noqa: F401
    except Exception as error:  # noqa: BLE001 (whatever a package does that is broken)
        raise UsageError(
            f"{where} needs the package gepa, which is installed and cannot be used ({type(error).__name__}: {error}); "
            f"install it anew: {EXTRA}"
        ) from None


def asked(current: str, examples: Sequence[Mapping[str, str]], template: str | None) -> str:
    """The question of a reflection; the published one where no other template is given."""
    from gepa.strategies.instruction_proposal import InstructionProposalSignature

    told = {"current_instruction_doc": current, "dataset_with_feedback": examples, "prompt_template": template}
    return cast(str, InstructionProposalSignature.prompt_renderer(told))


def read(reply: str) -> str:
    """The new text that a reply holds."""
    from gepa.strategies.instruction_proposal import InstructionProposalSignature

    return str(InstructionProposalSignature.output_extractor(reply.strip())["new_instruction"])


def parent(fronts: Mapping[str, set[int]], means: Sequence[float], rng: random.Random) -> int:
    """One of those that are best somewhere, drawn as often as the places where it is; the dominated are left out."""
    from gepa.gepa_utils import select_program_candidate_from_pareto_front

    return int(select_program_candidate_from_pareto_front(fronts, list(means), rng))
