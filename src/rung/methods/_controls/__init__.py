"""Controls of a method: arms that spend what it spends and cannot gain what it gains.

Each wraps a method of its own kind. That is asked at every step, with every call it makes, its candidates are tried as
often, and it selects; only what it proposes is put out of work first:

    discard       is tried and selected among, and never taken over: A_T is A_0. The spending alone.
    no-op         is replaced by the incumbent itself. What the gate takes over that changes nothing.
    random-edit   is replaced by as large an edit of the same files, of random letters. A change alone.
    shuffled      goes in with its words in another order. The length and the presence of an artifact alone.

An arm with a control begins as the arm that it controls, and so shares its A_0 and its static arm.
"""

from collections.abc import Mapping

from rung.core.controls import ControlName
from rung.core.ports import Method
from rung.methods._controls.wrappers import Controlled, Discard, NoOp, RandomEdit, Shuffled

_KINDS: Mapping[ControlName, type[Controlled]] = {
    "discard": Discard,
    "no-op": NoOp,
    "random-edit": RandomEdit,
    "shuffled": Shuffled,
}


def controlled(control: ControlName, method: Method) -> Method:
    """The method with what it proposes put out of work."""
    return _KINDS[control](method)
