"""The models of a study: made from their names, checked before anything starts, or played by a recording."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rung.backends.models import providers
from rung.backends.models.gateway import REAL, Gateway
from rung.backends.models.prices import FREE, known
from rung.core.config import Config, PriceConfig
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Amount, Answered, Provider, Spending
from rung.core.values import ModelRequest
from rung.protocols.study import Arm
from rung.protocols.training import Unasked

BY_GATEWAY = ("anthropic/", "scripted/worker")
"""Models that answer programs through the gateway alone, and are behind no port."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A model whose every answer is in a recording; itself it is never asked (see `rung.core.ports.Provider`)."""

    id: str
    live: bool = False
    price: PriceConfig | None = None
    images: bool = True  # whether the one recorded did is not known

    @property
    def trainable(self) -> Unasked:
        """Its weights come from the recording too."""
        return Unasked()

    def worst(self, request: ModelRequest) -> Amount:
        """Nothing: a recording is free."""
        return Amount(0.0, 0)

    async def ask(self, request: ModelRequest, spending: Spending) -> Answered:
        """There is nobody to ask."""
        raise InstrumentFault("recording", f"{self.id} is played by a recording and was asked outside it")

    async def close(self) -> None:
        """There is nothing to let go of."""


@dataclass(frozen=True, slots=True)
class Gated(Recorded):
    """A model that answers programs through the gateway in its own format. Here it has a name and a price, by which a
    study is bounded, and is never asked."""

    live: bool = True

    async def ask(self, request: ModelRequest, spending: Spending) -> Answered:
        """It has no port to be asked through."""
        raise InstrumentFault("gateway", f"{self.id} answers programs through the gateway alone")


def made(
    config: Config,
    *,
    recorded: bool = False,
    tell: Callable[[str], None] = lambda text: None,
    but: Collection[str] = (),
    stop: Callable[[], bool] | None = None,
) -> Mapping[str, Provider]:
    """Every model that a config's arms use, by name, `but` those; `tell` hears of long waits for one, and
    `stop` ends them.

    The programs of a cell reach some models in those models' own format alone; of these only name and price are.

    Raises `UsageError` for one that cannot be reached.
    """
    _refuse_unused(config)
    if recorded:
        return {name: Recorded(name) for name in config.models_used()}
    pace = replace(REAL, tell=tell, stop=stop)
    names = [name for name in config.models_used() if name not in but]
    return {
        name: gated(config, name)
        if _by_gateway(config, name)
        else providers.provider(name, config.reached(name), pace=pace)
        for name in names
    }


def priced(config: Config, name: str) -> PriceConfig | None:
    """The price of a model of programs, by name; None where none is known."""
    free = name.partition("/")[0] in providers.HERE
    return config.reached(name).price or (FREE if free else known(name))


def gated(config: Config, name: str) -> Gated:
    """A model of programs, by its name; it has a price and nobody is reached."""
    return Gated(name, live=name.partition("/")[0] not in providers.HERE, price=priced(config, name))


def _by_gateway(config: Config, name: str) -> bool:
    return config.protocol == "cell" and name.startswith(BY_GATEWAY)


def unreached(config: Config) -> Mapping[str, Gateway]:
    """The same models with nobody behind them, for who wants to know what calls cost and has no key."""
    _refuse_unused(config)
    return {name: providers.unreached(name, config.reached(name)) for name in config.models_used()}


def _refuse_unused(config: Config) -> None:
    unused = sorted(set(config.models) - set(config.models_used()))
    if unused:
        used = ", ".join(config.models_used()) or "none"
        raise UsageError(f"models: {unused[0]!r} is described, but no arm uses it (used: {used}); remove the section")


def refuse_unbounded(config: Config, arms: Iterable[Arm]) -> None:
    """Refuse a live model without a budget, and a budget in dollars for a model without a price."""
    budget = config.budget
    for provider in _of(arms):
        if provider.live and budget.usd is None and budget.tokens is None:
            raise UsageError(
                f"budget: {provider.id} costs money, and nothing says how much it may cost; "
                "give [budget] usd = 5.0, or tokens = 1_000_000"
            )
        sections = (budget, budget.lineage, budget.session, budget.task)
        if provider.live and provider.price is None and any(each.usd is not None for each in sections):
            raise UsageError(
                f"budget: no price of {provider.id} is known, so dollars cannot be counted; give "
                f'[models.{provider.id!r}] price = {{ input = 1.0, output = 4.0, date = "2026-11-30" }} '
                "(dollars a million tokens), or a budget in tokens"
            )


def live(arms: Iterable[Arm]) -> bool:
    """Whether any arm calls a live model."""
    return any(provider.live for provider in _of(arms))


def prices(arms: Iterable[Arm]) -> Mapping[str, PriceConfig | None]:
    """The price of every model in use, by name; None where none is known."""
    return {provider.id: provider.price for provider in _of(arms)}


async def close(arms: Sequence[Arm]) -> None:
    """Let go of all that the models hold, asked by us or by a program."""
    for provider in _of(arms):
        await provider.close()
    for arm in arms:
        if arm.hand is not None:
            await arm.hand.close()


def _of(arms: Iterable[Arm]) -> Sequence[Provider]:
    found = {p.id: p for arm in arms for p in (arm.model, arm.improver, arm.judging.model) if p is not None}
    return [found[name] for name in sorted(found)]
