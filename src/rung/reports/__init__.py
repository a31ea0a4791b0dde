"""From the journal to what a person reads: tables, report values, and their pages. Nothing here writes to a journal."""
