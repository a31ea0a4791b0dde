"""A toy of known truth: the lock's riddle under another key, so that nothing learned of one helps with the other."""
