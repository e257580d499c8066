from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

# Names that are others in Python, since Python or pydantic has them.
_OTHERS = {"from_": "from", "schema_": "schema", "copy_": "copy", "json_": "json", "global_": "global", "google_business": "google-business"}


def _alias(name: str) -> str:
    return _OTHERS.get(name) or to_camel(name)


class Model(BaseModel):
    """What the API says or takes, with names as Python writes them."""

    model_config = ConfigDict(alias_generator=_alias, populate_by_name=True, extra="allow", protected_namespaces=())

    def body(self) -> dict[str, Any]:
        """What is sent: what was set, by the API's names."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @classmethod
    def body_of(cls, given: Model | Mapping[str, Any]) -> dict[str, Any]:
        """What is sent of one of these, or of a dict of its fields, by the API's names or Python's."""
        if isinstance(given, Mapping):
            given = cls.model_validate(given)
        if not isinstance(given, cls):
            raise TypeError(f"crier.models.{cls.__name__} or a dict is wanted, not {type(given).__name__}")
        return given.body()
