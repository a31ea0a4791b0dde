"""What a study keeps: the journal, snapshots, blobs and model calls, and the directory they lie in.

`journal`        the record: facts, observations and blobs in one SQLite file; `memory`, the same for simulations
`snapshots`      immutable states in the journal, with a git repository as their readable projection
`calls`          model calls as lists of message hashes
`homes`          what agent programs leave, kept as `manifests` and forked; `walker` and `trees` go through it unharmed
`run_directory`  where a run lies, who may write there, and how it is asked to stop
"""
