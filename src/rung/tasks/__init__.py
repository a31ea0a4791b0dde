"""Kinds of task: games, domains, and the sequence that draws tasks from them."""
