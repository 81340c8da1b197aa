"""What runs on this one machine: the broker, Redis, and the supervisor that keeps every process alive (`manage.py up`)."""

from django.apps import AppConfig


class LocalConfig(AppConfig):
    name = "local"
