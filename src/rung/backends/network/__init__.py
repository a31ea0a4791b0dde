"""The network record of a confined program, kept from outside: whom it asked for and reached, and how much went."""
