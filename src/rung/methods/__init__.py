"""Improvement methods: one file or folder each. A module's `make(options)` gives the configured method."""
