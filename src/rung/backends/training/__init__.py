"""Models whose weights can be trained here, and how an epoch of each is done (see `rung.core.training.Trainable`)."""
