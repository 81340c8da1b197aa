"""Which worker runs what, as the workers' page shows it: pure functions of values, like `dashboard.fleet`."""
