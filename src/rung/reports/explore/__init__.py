"""The report of an exploring study (S3Gym): curves, decisions, judging, self-testing, coupling, and the paper's tables.

values      what it says, as plain values
scores      one arm in one game: checkpoints and baseline as arrays
decisions   what is decided on them: the signed gain, the slope, and the words
shuffles    Avg., Max., AUC+ and NABA beside what an agent that never changes gets
couplings   judging against the gain that follows
read        from the journal to the values
wording, terminal, markdown, flat, page, drawing    the renderers, which compute nothing
"""
