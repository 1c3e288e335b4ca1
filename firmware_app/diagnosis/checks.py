"""All checks of a table, in the order in which a technician reads them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from firmware_app.config import TableConfig
from firmware_app.diagnosis.bounded import Check, run_checks
from firmware_app.diagnosis.broker_check import broker_names, check_broker
from firmware_app.diagnosis.certificate_check import check_certificate
from firmware_app.diagnosis.device_check import check_device
from firmware_app.diagnosis.display_check import check_display
from firmware_app.diagnosis.finding import Finding
from firmware_app.diagnosis.journal_check import check_disk, check_journal
from firmware_app.diagnosis.pins_check import OpenPins, check_pins, wiring
from firmware_app.diagnosis.reader_check import check_reader
from firmware_app.diagnosis.rules_check import check_rules
from firmware_app.diagnosis.running import table_runs
from firmware_app.diagnosis.secrets_check import check_secrets
from firmware_app.runtime.health import HealthWatch
from hw.health import PiHealth


def check_table(
    config: TableConfig, open_pins: OpenPins, pi: PiHealth | None = None
) -> list[Finding]:
    """Look at everything that the table needs, and give all of it back. Raises nothing.

    What a running table holds is left alone. Takes up to twice
    :data:`~firmware_app.diagnosis.bounded.LIMIT_S`.
    """
    pi = pi or PiHealth()
    found = [wiring(config.panel), *check_rules(config.game.profile)]
    try:
        running = table_runs(config.journal.path)
    except OSError as error:
        # A table may be running that this user cannot see: what it would hold is left alone.
        detail = f"{config.journal.path}.mark: {error.strerror}, so the devices are left alone"
        cure = "run as the service's user, for example with sudo -u"
        found.append(Finding("journal", "failed", detail, cure))
        return found + run_checks(list(_surroundings(config, pi, running=True)))
    if running:
        found += _held()
        return found + run_checks(list(_surroundings(config, pi, running=True)))
    # Alone, since lgpio is imported in a directory of its own, which the whole process enters.
    found += run_checks([Check("chip", lambda: check_pins(config.panel, open_pins))])
    return found + run_checks([*_devices(config), *_surroundings(config, pi, running=False)])


def _devices(config: TableConfig) -> Iterator[Check]:
    yield Check("reader", lambda: check_reader(config.reader))
    yield Check("display", lambda: [check_display(config.sign)], worst="warning")
    yield Check("journal", lambda: check_journal(config.journal.path))


def _surroundings(config: TableConfig, pi: PiHealth, *, running: bool) -> Iterator[Check]:
    def broker(turn: int) -> list[Finding]:
        # Beside a running table, whose own messages stand on this topic, nothing is published.
        health = None if running else _health_message(pi)
        return [check_broker(config.mqtt, health, turn=turn)]

    for turn, name in enumerate(broker_names(config.mqtt)):
        yield Check(name, partial(broker, turn), worst="warning")
    yield Check("certificate", lambda: check_certificate(config.mqtt), worst="warning")
    yield Check("secrets", lambda: check_secrets(config.mqtt), worst="warning")
    journal = config.journal
    yield Check("disk", lambda: [check_disk(journal.path, journal.reserve_mib)])
    yield Check("device", lambda: check_device(pi), worst="warning")


def _held() -> Iterator[Finding]:
    detail = "in use by the running table, and left alone"
    cure = "to test it, stop the table first: systemctl stop fortune-table"
    for name in ("chip", "reader", "display"):
        yield Finding(name, "unsupported", detail, cure)
    yield Finding("journal", "ok", detail)


def _health_message(pi: PiHealth) -> bytes:
    watch = HealthWatch([pi.read])
    watch.look()
    return watch.report({}, {})
