"""For plug-in authors and for the instrument's own tests: contract suites and families of known truth."""
