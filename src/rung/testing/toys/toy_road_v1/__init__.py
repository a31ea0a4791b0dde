"""A toy of known truth in two calls: a road has two signposts, and each is half of the score."""
