"""Both receivers take what the secret signs, and nothing else."""

import base64
import hashlib
import hmac
import os
import time
import unittest

SECRET = os.environ["CRIER_WEBHOOK_SECRET"] = "whsec_" + base64.b64encode(b"the secret of the receiver").decode()

import django  # noqa: E402
from django.test import Client  # noqa: E402
from fastapi.testclient import TestClient  # noqa: E402

import django_receiver  # noqa: E402
import fastapi_receiver  # noqa: E402

BODY = (
    b'{"id": "evt_1", "event": "post.failed", "test": false, "createdAt": "2026-12-01T08:00:00Z", "data": {"post": {"id": "post_1",'
    b' "content": "Gr\xc3\xbc\xc3\x9fe", "status": "failed", "platforms": [{"platform": "mastodon", "accountId": "acc_1", "status": "failed"}]}}}'
)


def signature(body: bytes, age: int = 0) -> str:
    at = int(time.time()) - age
    return f"t={at},v1=" + hmac.digest(SECRET.encode(), f"{at}.".encode() + body, hashlib.sha256).hex()


CASES = {
    "signed": (BODY, signature(BODY), 204),
    "of a kind to come": (unknown := BODY.replace(b"post.failed", b"poll.ended"), signature(unknown), 204),
    "changed on its way": (BODY + b" ", signature(BODY), 401),
    "old": (BODY, signature(BODY, age=400), 401),
    "without a signature": (BODY, "", 401),
}


class Receivers(unittest.TestCase):
    def test_fastapi(self) -> None:
        receiver = TestClient(fastapi_receiver.app)
        for name, (body, signed, want) in CASES.items():
            with self.subTest(name):
                self.assertEqual(receiver.post("/hook", content=body, headers={"X-Webhook-Signature": signed}).status_code, want)

    def test_django(self) -> None:
        django.setup()
        receiver = Client()
        for name, (body, signed, want) in CASES.items():
            with self.subTest(name):
                answer = receiver.post("/hook", data=body, content_type="application/json", headers={"X-Webhook-Signature": signed})
                self.assertEqual(answer.status_code, want)


if __name__ == "__main__":
    unittest.main()
