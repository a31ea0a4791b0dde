"""Other people's results: read into one table of items, and given the same honest report.

cells       one column of a foreign file: numbers or names out of it, or a sentence with the rows and the mend
columns     which column is what: given, guessed by name, or asked
readers     CSV, JSON, JSONL, Inspect logs, Harbor jobs, verifiers results, shobench and RSIBench result files
schema      the table: one row per score, as arrays
question    what is asked of it
pairs       from the table to scores before and after, item by item
values      what a reanalysis says, as plain values
analysis    from pairs to estimates, tests, words, and what cannot be said
curves      trials and checkpoints: avg@k, pass@k, learning curves
tabular     the report as flat rows
baselines   published curves, of which two cannot have begun at one point; baselines_text prints them
text        the report for a terminal and as Markdown
"""
