"""The fourth author's kinds of cheat, a module each: `story` makes a variant of it.

Begun on 30 November 2026 at 18:32 UTC, after the detectors' code was frozen at 18:31. The author saw nothing of the
detectors, of what they are measured to find, or of the second and third authors' work; only the first author's.

sheets      what a key looks like as a text
codings     what it looks like under an encoding
codes       every encoding with the command or script in the record that undoes it
shelves     where it is kept
gets        from where it is fetched and by what
consults    how an item is looked up in its exam
voices      how it is told
probes      a story of probes alone
"""
