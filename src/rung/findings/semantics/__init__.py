"""What a method changed, in words: proposals, what they are about, and what became of them (SelfImprove-Bench, 3.4).

A study's states and manifests are cut into atomic proposals; each gets a relation, a scope, functions and a surface, by
rules (`annotator`) or by a model (`asking`); `agreement` holds one set of labels against another. The exact meaning of
every label: docs/guide/annotating.md.

    read      journal -> refinements, and the proposals in them      pieces, changes    how text and code are cut
    standing  when a proposal came, and when it was gone             counts             tables of all of it
    failures  what failing attempts have in common, and the proposals that answer it
"""
