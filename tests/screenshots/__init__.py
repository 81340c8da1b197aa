"""`make screenshots`: every page of the control room over two real clusters, light, dark and narrow, into docs/screenshots/."""
