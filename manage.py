#!/usr/bin/env python
"""Drover's command line for operators and developers: `manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # Its message is for whoever set the variable; where it was read is nothing to them.
        sys.exit(f"Drover cannot start: {error}")


if __name__ == "__main__":
    main()
