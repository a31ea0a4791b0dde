"""The fixed wording of flags, so that a report can look for one without spelling it again."""

NO_VARIATION = "interval not estimable (no variation)"
ONE_TASK = "interval not estimable (one task)"
NO_COMPLETE_TASK = "not estimable (no task is complete in every lineage)"
UNDER_SIX = "fewer than 6 tasks"
SMALL = "small"
FEW_INFORMATIVE = "few informative tasks"
END_STATE_ONLY = "this end state only"
TWO_LINEAGES = "two lineages: no verdict"
IDENTICAL = "the lineages do not differ from one another"
SHARED_BEFORE = "shared before-exam"
NORMAL = "assumes normal differences"
IMPRECISE = "imprecise"
NOT_A_BOUND = "reference is not an upper bound"
NO_BOUND = "no worst-case bound: the scale has an open end"

MIN_TASKS = 6  # below: no distribution-free two-sided 5% test exists
SMALL_TASKS = 20  # below: interval and exact test have to agree
MIN_INFORMATIVE = 10  # non-zero differences; below: the same


def size_flags(tasks: int, informative: int) -> tuple[str, ...]:
    """What has to be said of a sample of this many tasks, of which `informative` changed at all.

    >>> size_flags(12, 4), size_flags(40, 20), size_flags(5, 5)
    (('small', 'few informative tasks'), (), ('fewer than 6 tasks', 'few informative tasks'))
    """
    small = (UNDER_SIX,) if tasks < MIN_TASKS else (SMALL,) if tasks < SMALL_TASKS else ()
    return (*small, FEW_INFORMATIVE) if informative < MIN_INFORMATIVE else small
