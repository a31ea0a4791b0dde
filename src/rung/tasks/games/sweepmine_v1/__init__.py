"""Sweepmine: mark every mine and no safe cell, in as few actions as deduction allows."""
