"""Settings of the control socket: the ``[control]`` section of a table's configuration."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict


class ControlSettings(BaseModel):
    """Where a running table listens for its floor supervisors.

    The socket belongs to the user and group that the table runs as, and is open to both (0660).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    socket: Path = Path("/run/fortune-table/control.sock")
