"""Runs held against each other, and the arms inside one: who gained more, by how much, and may it be said?

values      what a comparison says, as plain values
runs        the runs and their arms, read once, and what is refused at the door
alike       whether they may be held against each other: exams, models as reported, decoding, limits, references
drift       the same A_0 in several runs, against itself
exams       one cell of the exam and one pair of arms, under three ways to count what was not scored
replays     the same on the replays (G0), where each lineage has its own tasks
rows        every row, Holm over all that were planned, and the words
ranks       which rank each gain can have, and no more
prices      a gain by what it cost, where the cost is uncertain too
controls    gains over controls, per dollar and per million tokens
whole       from journals to a comparison
text        the comparison for a terminal and as Markdown
"""
