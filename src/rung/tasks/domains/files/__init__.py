"""A user's own tasks, one a line of a JSONL file (see docs/guide/tasks-of-your-own.md)."""
