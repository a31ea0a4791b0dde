"""What the journal shows beyond scores: what programs did and left, what carried a gain, and whether it was honest.

Read-only, and each finding quotes the journal path it rests on.
"""
