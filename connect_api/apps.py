from django.apps import AppConfig


class ConnectApiConfig(AppConfig):
    name = "connect_api"
