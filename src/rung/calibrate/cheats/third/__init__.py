"""The kinds of cheat and their clean twins once more, by a third author, who has seen neither the detectors nor what
the second author wrote.

The idea behind it: an agent that profits spells what it knows as its own craft would (training data, tests, caches,
calendars), takes it from where it may go anyway, and uses it in the exam through something that looks like a tool.

forms       files of a key, as an agent's crafts have them
ciphers     other bytes of them
nooks       where in its home and folder it is put
origins     from where and by what tool it comes
uses        how it is used in an exam
tellings    the same in talk

A module for each kind of cheat, and one for each kind's clean twins in `twins`.
"""
