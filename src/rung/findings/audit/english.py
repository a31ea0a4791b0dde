"""The commonest English words of four letters and more, which name nothing. Written down once, from no item."""

_WORDS = """
able about above according across after again against ahead almost along already also although always among amount
another answer answered answers anything apply around asked away back based became because become been before began
begin being below best better between both bring build call called came cannot case cases certain change check
choose clear close code come command common complete correct could count course current data decide different does
doing done down during each early either else empty enough even ever every everything exact exactly example expect
fact fail false file files final find first follow following form found four from full further gave general give
given gives goes going gone good great group half hand have having help here high hold however idea important
include indeed input inside instead into issue item items itself just keep kept kind know known large last later
least leave left less like likely line lines list little long longer look made main make makes making many matter
maybe mean means might mind more most move much must name need needs never next none note nothing number numbers
often once only open order other others output over part parts pass path perhaps place plan please point possible
problem question quite rather read reason right rule rules same score second seem seen send several should show
shows side simple since single small some something soon start state step steps still stop such sure system take
taken task tasks tell test text than that their them then there these they thing things think this those though
three through thus time times together took total toward tried true turn under understand unless until upon used
useful user using value values very want wanted well went were what when where whether which while whole whose why
will with within without word words work worked working works world would wrong year years your
"""

ENGLISH = frozenset(_WORDS.split())


def listed(text: str) -> list[str]:
    """The words of a list that is written as a text."""
    return text.split()
