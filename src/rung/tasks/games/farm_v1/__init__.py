"""Farm: plan purchases, planting, harvests and sales under limits of cash, land and time."""
