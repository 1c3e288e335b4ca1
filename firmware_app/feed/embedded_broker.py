"""The embedded broker as a process: ``python -m firmware_app.feed.embedded_broker HOST PORT``.

For demonstrations and tests where no mosquitto is installed. MQTT 3.1.1, nothing kept on disk.
"""

from __future__ import annotations

import asyncio
import signal
import sys


async def serve(host: str, port: int) -> None:
    """Run the broker until the process is asked to end."""
    # Imported here: the extra is not installed on a table.
    from amqtt.broker import Broker
    from amqtt.contexts import BrokerConfig, ListenerConfig

    broker = Broker(
        BrokerConfig(
            listeners={"default": ListenerConfig(bind=f"{host}:{port}")},
            plugins={"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        )
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await broker.start()
    await stop.wait()
    await broker.shutdown()


def main() -> None:
    host, port = sys.argv[1:]
    asyncio.run(serve(host, int(port)))


if __name__ == "__main__":
    main()
