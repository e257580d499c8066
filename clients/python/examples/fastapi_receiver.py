"""Receives events with FastAPI: CRIER_WEBHOOK_SECRET=whsec_… uvicorn fastapi_receiver:app"""

import os

from fastapi import FastAPI, Request, Response

from crier import events, webhook

app = FastAPI()


@app.post("/hook")
async def hook(request: Request) -> Response:
    try:
        event = webhook.verify(os.environ["CRIER_WEBHOOK_SECRET"], request.headers, await request.body())
    except webhook.WebhookError as refused:
        return Response(str(refused), status_code=401)
    match event:
        case events.PostEvent(event="post.failed"):
            print(event.data.post.id, event.data.post.platforms)
        case events.UnknownEvent():
            print("newer than this package:", event.event)
    return Response(status_code=204)  # any other answer has crier send the event again
