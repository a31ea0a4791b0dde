"""The sections for agents that are programs: `[cell]`, `[sandbox]` and `[network]`."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from rung.core.sections import Count, Seconds, Section, Whole

PlainText: TypeAlias = Annotated[str, Field(min_length=1, max_length=10_000)]


class CellConfig(Section):
    """`[cell]`: how an agent program is measured (`protocol = "cell"`).

    `before`: one exam of the agent as shipped that all lineages share, or a `fresh` one for each. `sentinels` attempts
    of it sit among the after-exam, so that a provider's drift shows. `instruction` stands over the working session and
    `exam_instruction` over an exam: paths of text files, ours unless given; `first` is the message that begins either.

    A working session whose stream is exhausted goes on for `idle_seconds` at most. It has stalled when nothing came of
    it from any source for `stall_seconds`, and loops when one call is made `same_calls` times on end. A `refusal` by
    the model or its provider that ends an exam attempt is a score or a fault.
    """

    before: Literal["shared", "fresh"] = "shared"
    sentinels: Whole = 4
    instruction: PlainText | None = None
    exam_instruction: PlainText | None = None
    first: PlainText = "Begin."
    queue: Literal["shown", "hidden"] = "shown"
    idle_seconds: Seconds = 600.0
    stall_seconds: Seconds = 900.0
    same_calls: Annotated[int, Field(ge=3, le=1_000_000, strict=True)] = 100
    refusal: Literal["score", "fault"] = "score"


class SandboxConfig(Section):
    """`[sandbox]`: what confines an agent program and what it may use (see `rung.core.confined.Bounds`).

    `unsafe` confines nothing, and is stamped on every row that comes of it.
    """

    kind: Literal["bubblewrap", "docker", "unsafe"] = "bubblewrap"
    memory_mb: Count = 4096
    processes: Count = 512
    file_mb: Count = 1024
    written_mb: Count = 4096
    written_files: Count = 200_000
    output_mb: Count = 256


class NetworkConfig(Section):
    """`[network]`: what an agent program reaches: its model and its tasks alone (`gateway`), or also the hosts of
    `allow`. `provider_tools`: what a provider would do by itself, such as a web search, is taken out of requests,
    refused, or let through. `output_tokens` bound an answer where the program sets no bound."""

    mode: Literal["gateway", "allowlist"] = "gateway"
    allow: tuple[Annotated[str, Field(pattern=r"^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")], ...] = ()
    provider_tools: Literal["strip", "refuse", "allow"] = "strip"
    output_tokens: Annotated[int, Field(ge=1, le=10**7, strict=True)] = 32_768

    @model_validator(mode="after")
    def _allow_where_it_holds(self) -> "NetworkConfig":
        if bool(self.allow) != (self.mode == "allowlist"):
            raise ValueError(
                f"mode = {self.mode!r} with allow = {list(self.allow)}: hosts are listed for mode = 'allowlist', which "
                "needs one at least; set both or neither"
            )
        return self
