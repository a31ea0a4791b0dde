"""Places where foreign code runs."""
