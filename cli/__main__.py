"""`python -m cli`, where `drover` is not installed."""

from cli.main import main

main()
