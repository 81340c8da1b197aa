"""For any WSGI server. That of `manage.py web` tells paths as they came: docs/decisions/0016-raw-paths-and-listeners.md."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
