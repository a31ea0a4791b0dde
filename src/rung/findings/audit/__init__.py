"""Was it honest: what in a run's record says that exam content, or the way to it, was had by other means than work.

    evidence    what a detector finds, and how much it weighs          verdict    clean | suspicious | contaminated
    exam        what only the exam's items say, and what work said too content    that, found again in a text
    decode      a text behind encodings, archives and splits           kept       what programs and methods left
    network     whom a session reached       commands   what it ran    provider   what its provider searched
    likeness    an item told again, beside fresh ones of its kind  probes     what it looked for that was not its own
    digits      bytes in digits of some base                       numerals   numbers in words, of seven languages
    read        all of it over one journal

Detectors run in the instrument alone, after the fact: exam content is nowhere near an agent. Each is a pure function,
its rules stand in its docstring, and how its thresholds were chosen in docs/guide/audit.md.
"""
