"""The profile for an engine says to every call what the filter says, read by a second reader of such profiles."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from rung.backends.sandbox import seccomp
from rung.backends.sandbox.profile import LET_THROUGH, profile

X86 = seccomp._MACHINES["x86_64"]
COMPARED = {
    "SCMP_CMP_EQ": lambda seen, value, other: seen == value,
    "SCMP_CMP_GE": lambda seen, value, other: seen >= value,
    "SCMP_CMP_MASKED_EQ": lambda seen, value, other: seen & value == other,
}
NAMESPACES = [1 << bit for bit in (17, 25, 26, 27, 28, 29, 30)]
RIGHTS = [0, 0o755, 0o4000, 0o2000, 0o6755, 0o1777]


def said(call: str, arguments: Sequence[int]) -> seccomp.Verdict:
    """What an engine does with a call: rules of a name that hold all say the same, else the default is taken."""
    whole: Mapping[str, Any] = profile()
    verdicts = {
        "allow" if entry["action"] == "SCMP_ACT_ALLOW" else entry["errnoRet"]
        for entry in whole["syscalls"]
        if call in entry["names"] and all(holds(each, arguments) for each in entry["args"])
    }
    assert len(verdicts) <= 1, (call, arguments, verdicts)
    return verdicts.pop() if verdicts else whole["defaultErrnoRet"]


def holds(condition: Mapping[str, Any], arguments: Sequence[int]) -> bool:
    seen = arguments[condition["index"]]
    return COMPARED[condition["op"]](seen, condition["value"], condition["valueTwo"])


def filtered(call: str, arguments: Sequence[int]) -> seccomp.Verdict:
    """What the filter of bubblewrap says."""
    code = seccomp.program("x86_64")
    return seccomp.verdict(code, arch=X86.audit, number=X86.numbers[call], arguments=arguments)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        *(("socket", (kind, 1, 0)) for kind in (*range(46), 1 << 32 | 40)),
        *(("clone", (17 | flags,)) for flags in (0, 0x3D0F00, *NAMESPACES, sum(NAMESPACES))),
        *((call, (0, mode)) for call in ("chmod", "fchmod", "creat", "mkdir", "mknod") for mode in RIGHTS),
        *((call, (0, 0, mode)) for call in ("fchmodat", "fchmodat2", "mkdirat", "mknodat") for mode in RIGHTS),
        *(("open", (0, flags, mode)) for flags in (0, 0o100, 0o1101) for mode in RIGHTS),
        *(("openat", (0, 0, flags, mode)) for flags in (0, 0o100, 0o1101) for mode in RIGHTS),
    ],
    ids=str,
)
def test_a_call_that_depends_on_its_arguments_is_judged_alike(call: str, arguments: tuple[int, ...]):
    padded = [*arguments, *([0] * (6 - len(arguments)))]
    assert said(call, padded) == filtered(call, padded)


def test_a_call_that_is_always_refused_is_refused_with_the_same_error():
    always = [call for rule in seccomp.RULES if not rule.when for call in rule.calls]
    assert {call: said(call, [0] * 6) for call in always} == {
        call: rule.error for rule in seccomp.RULES if not rule.when for call in rule.calls
    }
    assert LET_THROUGH.isdisjoint(always)


def test_a_call_that_nobody_named_is_one_that_the_kernel_has_not():
    assert said("a_call_of_next_year", [0] * 6) == 38
    assert said("read", [0] * 6) == "allow"


def test_no_rule_compares_an_argument_twice():
    """An engine would take such comparisons for rules of their own, of which one is enough."""
    whole: Mapping[str, Any] = profile()
    for entry in whole["syscalls"]:
        indices = [each["index"] for each in entry["args"]]
        assert len(indices) == len(set(indices)), entry
