"""The client of crier's REST API.

    with Crier(key, server="https://crier.example") as crier:
        post = crier.posts.create(models.PostCreate(content="Good morning", platforms=["mastodon"], publish_now=True))

AsyncCrier is the same with await. What does not succeed is a CrierError. What can be sent again safely is sent again by
itself, as Retry says; creations carry an Idempotency-Key, so that one whose answer was lost is made once. Lists are
iterators, which read pages as they go. webhook.verify reads what webhooks deliver.
"""

from . import events, models, webhook
from ._async.client import AsyncCrier
from ._retry import AsyncClock, Clock, Retry
from ._sync.client import Crier
from .errors import CrierError
from .filters import Range

__all__ = ["AsyncClock", "AsyncCrier", "Clock", "Crier", "CrierError", "Range", "Retry", "events", "models", "webhook"]
