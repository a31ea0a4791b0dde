"""The version of this package, as installed."""

from importlib import metadata

VERSION = metadata.version("rung")
