"""Agents under test: one file a kind. A module's `make(variant, options)` gives the configured agent."""
