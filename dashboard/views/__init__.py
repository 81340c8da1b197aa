"""Views parse and answer. What is shown comes from `dashboard.queries`, what is changed goes through `dashboard.actions`."""
