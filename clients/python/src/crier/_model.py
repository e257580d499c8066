from __future__ import annotations

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
