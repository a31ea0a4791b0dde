"""A group whose commands are imported when they are asked for, so that `rung --help` imports none of them."""

import difflib
import importlib
from collections.abc import Mapping

import click

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class LazyGroup(click.Group):
    """Commands by name, each `command` of the module of that name in `package`; here stands only its line of help."""

    def __init__(self, *, name: str, package: str, commands: Mapping[str, str], help: str) -> None:  # noqa: A002
        super().__init__(name=name, help=help, context_settings=dict(SETTINGS))
        self._package = package
        self.lines = commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which a newcomer needs them."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self.lines:
            return None
        command: click.Command = importlib.import_module(f"{self._package}.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Refuse an unknown name with the nearest one."""
        name = args[0]
        if name not in self.lines and not name.startswith("-"):
            near = difflib.get_close_matches(name, self.lines, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(self.lines)}"
            raise click.UsageError(f"no command named {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names and lines of help, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands before options: they are what is looked for."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a command, print the help and leave in peace."""
        if not args:
            click.echo(ctx.get_help())
            ctx.exit(0)
        return super().parse_args(ctx, args)
