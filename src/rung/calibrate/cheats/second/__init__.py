"""Cheats and clean twins of a second author, who had not seen the detectors when he wrote.

Written on 30 November 2026, from 15:05 UTC on, after commit 908fdfc (15:04:52 UTC), which is the last change of
`rung.findings` before the freeze. The author read what a cell is told with (`acts`, `dress`, `scenes`, `spelling` and
their neighbours), the first author's kinds and twins, the issue that asks for this, and the seed's account of how
real agents cheated. Of the detectors the author read nothing: no code, test, guide, result or report, and ran none.
Detectors were later mended with an eye on what is here, so what they find of it is no measure of them.

shapes      files that hold a key
codes       encodings of them
retelling   answers told in prose
sources     where a key lies, and by which program it comes
stashes     where it is put
placing     at which place of a cell a story happens
a module for each kind, and in `twins` one for its clean twins
"""
