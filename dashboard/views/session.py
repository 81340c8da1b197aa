"""Signing in and out."""

from django.contrib.auth import logout as end_session
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard.http import RoomRequest

login = login_not_required(views.LoginView.as_view(template_name="dashboard/login.html", redirect_authenticated_user=True))


@require_POST
def logout(request: RoomRequest) -> HttpResponse:
    end_session(request)
    return redirect("login")
