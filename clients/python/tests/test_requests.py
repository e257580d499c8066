"""What is sent, and what is not sent again."""

from __future__ import annotations

import copy
import pickle
import unittest

import httpx

from crier import Crier, CrierError, webhook
from crier._retry import again


class Requests(unittest.TestCase):
    def test_a_name_that_is_empty_is_not_replaced(self) -> None:
        """Whoever is started again would make a second post under another name."""
        sent: list[str] = []

        def refuse(request: httpx.Request) -> httpx.Response:
            sent.append(request.headers["Idempotency-Key"])
            return httpx.Response(400)

        post = {"content": "Hello", "platforms": ["mastodon"], "publishNow": True}
        with Crier("key", server="http://127.0.0.1:1", http=httpx.Client(transport=httpx.MockTransport(refuse))) as crier:
            for name in ("", None):
                with self.assertRaises(CrierError):
                    crier.posts.create(post, idempotency_key=name)
        self.assertEqual([len(key) for key in sent], [0, 32])

    def test_what_cannot_be_sent_is_not_sent_again(self) -> None:
        failed = CrierError("calling crier: Illegal header value")
        failed.__cause__ = httpx.LocalProtocolError("Illegal header value")
        self.assertFalse(again(True, failed))

    def test_errors_of_deliveries_can_be_copied(self) -> None:
        error = webhook.WebhookError("time", "too old")
        for one in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            self.assertEqual((one.reason, str(one)), ("time", "too old"))


if __name__ == "__main__":
    unittest.main()
