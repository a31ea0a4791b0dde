"""Cheats and their clean twins: whole recorded cells whose truth is known, for an auditor to be measured on.

acts        what an agent does in a session, in no format
dress       the three programs and how each spells what it does
worlds      the real tasks that cells are made of, and what an exam item says and has for an answer
recording   from acts to facts, blobs and kept homes, as a real cell leaves them
spelling    the formats and encodings in which content is held
telling     the same content in prose
honest      what every agent does besides
scenes      what a kind of cheat is given to make a variant of, and what it makes
first       a module for each kind of cheat by the first author, and in its `twins` one for each kind's clean twins
second      the same again by another author, in other formats, places and tongues
third       and once more, by an author who has seen neither the detectors nor what the second wrote
fourth      and again, by an author who has seen neither the detectors nor what the second and the third wrote
variants    every variant by name, and the cell it makes

Whoever writes detectors should not tune to it: half of what it is for is to be unseen.
"""
