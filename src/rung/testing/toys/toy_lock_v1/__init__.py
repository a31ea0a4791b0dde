"""A toy of known truth: a lock shows a number, and one other number opens it."""
