"""The card reader: serial port to signals. ``PROTOCOL.md`` describes what goes over the wire."""

from __future__ import annotations

from hw.reader.health import ReaderStatus
from hw.reader.link import ReaderLink
from hw.reader.settings import LineSettings, ReaderSettings
from hw.reader.statistics import ReaderStatistics

__all__ = ["LineSettings", "ReaderLink", "ReaderSettings", "ReaderStatistics", "ReaderStatus"]
