"""QEMU's control socket (QMP): one command, one answer."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any


class QmpError(RuntimeError):
    """QEMU refused a command."""


class Qmp:
    """A conversation with one QEMU. Use it as a context manager, or close it."""

    def __init__(self, path: Path, timeout_s: float = 60.0) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout_s)
        self._socket.connect(str(path))
        self._stream = self._socket.makefile("rw", encoding="utf-8")
        self._stream.readline()
        self.execute("qmp_capabilities")

    def execute(self, command: str, **arguments: Any) -> Any:
        """Return QEMU's answer; raise :class:`QmpError` where it refuses."""
        self._stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._stream.flush()
        while True:
            answer = json.loads(self._stream.readline())
            if "error" in answer:
                raise QmpError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def close(self) -> None:
        self._stream.close()
        self._socket.close()
