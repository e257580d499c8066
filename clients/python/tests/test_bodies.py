"""What creations take: models, and dicts of their fields."""

from __future__ import annotations

import unittest

from pydantic import ValidationError

from crier import Crier, models


class Bodies(unittest.TestCase):
    def test_a_dict_has_the_names_of_the_api_or_of_python(self) -> None:
        post = models.PostCreate(content="Hello", platforms=["mastodon"], publish_now=True)
        for given in (
            post,
            {"content": "Hello", "platforms": ["mastodon"], "publishNow": True},
            {"content": "Hello", "platforms": ["mastodon"], "publish_now": True},
        ):
            self.assertEqual(models.PostCreate.body_of(given), {"content": "Hello", "platforms": ["mastodon"], "publishNow": True})

    def test_a_dict_is_validated(self) -> None:
        with self.assertRaisesRegex(ValidationError, "platforms"):
            models.PostCreate.body_of({"content": "Hello"})

    def test_anything_else_is_refused_by_the_name_of_the_model(self) -> None:
        with Crier("key", server="http://127.0.0.1:1") as crier:
            with self.assertRaisesRegex(TypeError, r"crier\.models\.PostCreate or a dict is wanted, not str"):
                crier.posts.create("Hello")  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
