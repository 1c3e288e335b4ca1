"""One connection of the guest to the broker outside: ``relay.py PORT``, started by QEMU for each.

QEMU's own forwarding to a TCP address makes one connection in the machine's whole life; a table
that is started again could not reach its broker.
"""

from __future__ import annotations

import select
import socket
import sys


def main() -> None:
    """Carry bytes both ways until either side ends."""
    guest = socket.socket(fileno=0)
    try:
        broker = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    except ConnectionRefusedError:
        return  # no broker outside: the guest's connection ends
    other = {guest: broker, broker: guest}
    while True:
        for ready in select.select([guest, broker], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            other[ready].sendall(data)


main()
