"""The tables of SelfImprove-Bench over several studies: methods, transfer, schedules, harnesses, general agents.

`read` makes them from journals, `sections` puts them in words, `page` and `text` print them. Whoever has more to say of
the same studies, such as what was changed in meaning, hands in sections of its own.
"""

from rung.reports.method_tables.page import html
from rung.reports.method_tables.read import read
from rung.reports.method_tables.sections import sections
from rung.reports.method_tables.text import csv_cells, csv_differences, markdown
from rung.reports.method_tables.values import Section, Tables

__all__ = ["Section", "Tables", "csv_cells", "csv_differences", "html", "markdown", "read", "sections"]
