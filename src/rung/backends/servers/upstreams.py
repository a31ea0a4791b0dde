"""From a model's name in a config to who answers behind the gateway: its own server where that speaks the program's
format, and else the model port."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from rung.backends.models import providers
from rung.backends.models.gateway import REAL, Pace
from rung.backends.servers import relay, worker
from rung.backends.servers.played import Played
from rung.backends.servers.port import Port
from rung.backends.servers.relay import Relay
from rung.backends.servers.upstream import Flow, Sent, Upstream
from rung.core.config import ModelConfig, PriceConfig
from rung.core.ports import Provider, Spending
from rung.core.proxied import WireName


@dataclass(frozen=True, slots=True)
class Either:
    """A relay for the formats that its server speaks, and the model port for the others. See `upstream.Upstream`."""

    relay: Relay
    port: Port

    @property
    def model(self) -> str:
        """The name by which its server knows it."""
        return self.relay.model

    @property
    def price(self) -> PriceConfig | None:
        """What it is paid by."""
        return self.relay.price

    def speaks(self, wire: WireName) -> bool:
        """Every format, one way or the other."""
        return True

    async def open(self, sent: Sent, spending: Spending) -> Flow:
        """Ask whichever speaks the format."""
        asked: Upstream = self.relay if self.relay.speaks(sent.format.name) else self.port
        return await asked.open(sent, spending)

    async def close(self) -> None:
        """Let go of what both hold."""
        await self.relay.close()
        await self.port.close()


def upstream(
    model: str,
    config: ModelConfig | None = None,
    *,
    provider: Provider | None = None,
    environ: Mapping[str, str] | None = None,
    pace: Pace = REAL,
) -> Upstream:
    """Who answers for `provider/name`; `provider` is the same model behind its port, where it has been made already.

    `scripted/worker` is a program's alone. Claude's own service (`anthropic/...`) is reached by a relay alone, in its
    own format. Raises `UsageError` as `providers.provider` does.
    """
    if model == worker.NAME:
        return Played(worker.brain, model=worker.NAME)
    config, environ = config or ModelConfig(), os.environ if environ is None else environ
    straight = relay.make(model, config, environ)
    if straight is not None and model.startswith("anthropic/"):
        return straight
    port = Port(provider or providers.provider(model, config, environ=environ, pace=pace))
    return port if straight is None else Either(straight, port)
