"""Brokers as the samples configure them, with nothing changed but the places of files and ports."""

from __future__ import annotations

from pathlib import Path

from firmware_app.feed.demo_broker import HOST, DemoBroker
from firmware_app.feed.settings import BrokerSettings, TlsSettings

SAMPLES = Path(__file__).parents[2] / "systemd" / "mosquitto"
CERTIFICATES = Path(__file__).with_name("certificates")
SITE = "casino"


def certificate_of(name: str) -> TlsSettings:
    return TlsSettings(
        ca=CERTIFICATES / "authority.pem",
        certificate=CERTIFICATES / f"{name}.pem",
        key=CERTIFICATES / f"{name}.key",
    )


def sample(name: str, places: dict[str, str]) -> str:
    """The text of a sample, each place in it put where the test has it."""
    text = (SAMPLES / name).read_text("utf-8")
    for place, here in places.items():
        assert place in text, f"{name} has no {place} any more"
        text = text.replace(place, here)
    return text


class SampleBroker(DemoBroker):
    """A mosquitto that runs a sample."""

    def _mosquitto_config(self) -> str:
        # The first three are Debian's mosquitto.conf, which includes the samples.
        here = Path(self._directory.name)
        return f"persistence true\npersistence_location {here}/\nuser root\n{self.sample()}"

    def sample(self) -> str:
        raise NotImplementedError


class SiteBroker(SampleBroker):
    """The site's broker: TLS, and only what its list of rights allows."""

    def sample(self) -> str:
        return sample(
            "site.conf",
            {
                "listener 8883": f"listener {self.port} {HOST}",
                "/etc/mosquitto/ca_certificates/fortune-ca.pem": f"{CERTIFICATES}/authority.pem",
                "/etc/mosquitto/certs/site-broker": f"{CERTIFICATES}/site-broker",
                "/etc/mosquitto/fortune-site.acl": f"{SAMPLES}/site.acl",
            },
        )

    def as_seen_by(self, name: str) -> BrokerSettings:
        """How the owner of the certificate ``name`` reaches it."""
        return BrokerSettings(host=HOST, port=self.port, tls=certificate_of(name))


class TableBroker(SampleBroker):
    """The broker on a table, with its bridge to the site."""

    def __init__(self, table: str, site: SiteBroker) -> None:
        super().__init__()
        self._table = table
        self._site = site

    def sample(self) -> str:
        here = sample("table.conf", {"listener 1883 127.0.0.1": f"listener {self.port} {HOST}"})
        bridge = sample(
            "bridge.conf",
            {
                "address broker.casino.example:8883": f"address {HOST}:{self._site.port}",
                "/etc/mosquitto/ca_certificates/fortune-ca.pem": f"{CERTIFICATES}/authority.pem",
                "/etc/mosquitto/certs/": f"{CERTIFICATES}/",
                "fpg-01": self._table,
            },
        )
        return f"{here}\n{bridge}"
