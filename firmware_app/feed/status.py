"""The retained ``status`` message: whether the table is on the line, and why not."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

REASON_LOST = "connection lost"
REASON_STOPPED = "stopped"


class Status(BaseModel):
    """``offline`` with ``connection lost`` is the will: the broker speaks, not the table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Literal["online", "offline"]
    reason: str | None = Field(default=None, description="why the table is offline")

    def encode(self) -> bytes:
        return self.model_dump_json().encode()


ONLINE = Status(status="online").encode()
LOST = Status(status="offline", reason=REASON_LOST).encode()
STOPPED = Status(status="offline", reason=REASON_STOPPED).encode()
