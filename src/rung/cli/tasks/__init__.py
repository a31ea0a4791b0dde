"""`rung tasks`: a group of commands about families and what a config draws of them."""

from rung.cli._group import LazyGroup

COMMANDS = {
    "list": "List the families: capability, settings and scale of each.",
    "show": "Show a drawn example as an agent sees it.",
    "transcript": "Show a task worked by the solver and by a newcomer.",
    "generate": "Print the tasks that a config draws.",
    "check": "Try a family against what every family promises.",
}

command = LazyGroup(
    name="tasks",
    package="rung.cli.tasks",
    commands=COMMANDS,
    help="Look at families of tasks, and at what a config draws.",
)
