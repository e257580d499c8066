"""Receives events with Django: CRIER_WEBHOOK_SECRET=whsec_… python django_receiver.py runserver

In a project of your own, the view and its line of urlpatterns are all that is needed.
"""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crier import events, webhook


@csrf_exempt  # crier has no session here: the signature says who it is
@require_POST
def hook(request: HttpRequest) -> HttpResponse:
    try:
        event = webhook.verify(os.environ["CRIER_WEBHOOK_SECRET"], request.headers, request.body)
    except webhook.WebhookError as refused:
        return HttpResponse(str(refused), status=401)
    match event:
        case events.PostEvent(event="post.failed"):
            print(event.data.post.id, event.data.post.platforms)
        case events.UnknownEvent():
            print("newer than this package:", event.event)
    return HttpResponse(status=204)  # any other answer has crier send the event again


urlpatterns = [path("hook", hook)]

if not settings.configured:
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], DEBUG=False, SECRET_KEY=os.environ.get("DJANGO_SECRET_KEY", "of an example"))

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
