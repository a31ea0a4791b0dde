"""What sections of a config are made of: a base that refuses unknown keys, and the types of values that recur."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from rung.core.canonical import JSON

Count: TypeAlias = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
SeedNumber: TypeAlias = Annotated[int, Field(ge=-(2**63), lt=2**63, strict=True)]
Difficulty: TypeAlias = Annotated[int, Field(ge=1, le=100, strict=True)]
Many: TypeAlias = Annotated[int, Field(ge=1, le=10**15, strict=True)]
Whole: TypeAlias = Annotated[int, Field(ge=0, strict=True)]
Seconds: TypeAlias = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False, strict=True)]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$")]
ArmName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")]
ModelName: TypeAlias = Annotated[
    str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._:/@-]*$", max_length=200)
]


class Section(BaseModel):
    """A section whose keys are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Plugin(BaseModel):
    """A section whose further keys belong to the plug-in it names."""

    model_config = ConfigDict(extra="allow", frozen=True)

    @property
    def options(self) -> Mapping[str, JSON]:
        """The plug-in's own keys."""
        return dict(self.__pydantic_extra__ or {})
