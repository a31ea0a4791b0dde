"""What a study will use, what it can show, and what is promised of it before it starts.

power       the smallest gain that a design detects, and what one more task, lineage or repeat does to it
predict     the range of a total over a new study, from the attempts of a pilot
pilot       what earlier runs say of use and of noise
use         calls, tokens, dollars and hours of a config
blind       the same without a pilot, from scripted players
study       all of it together: the plan of a study, and its registration

It reads reports of pilots and lays out protocols, so it stands above both. The formulas of `power` are no estimators:
they plan with numbers that are given, and the certificate of `rung.stats` is not about them.
"""
