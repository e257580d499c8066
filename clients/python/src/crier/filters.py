from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class Range:
    """What figures are of; what is None is what the server takes by default."""

    first: date | None = None
    """A day, in UTC."""
    last: date | None = None
    """A day, in UTC, which is included."""
    platform: str | None = None
    account_id: str | None = None
    brand_id: str | None = None

    def query(self) -> dict[str, Any]:
        return {"from": self.first, "to": self.last, "platform": self.platform, "accountId": self.account_id, "brandId": self.brand_id}
