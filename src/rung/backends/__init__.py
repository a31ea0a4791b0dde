"""The outside world, behind ports of one method: models, sandboxes, and later networks and servers."""
