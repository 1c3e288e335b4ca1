"""A simulated table without any screen: OUT BROKER_URL VIDEO_DRIVER.

Plays a round while its sign looks for a display, with a SIGHUP in the middle of it, and prints one
JSON object at the end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from table_process import PATIENCE_S, advance, play_to, until

from firmware_app.commands.run import _stop_on_signals
from firmware_app.rules.profile import load_profile
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.window import SignWindow
from firmware_app.simulation.stage import Places, Stage
from firmware_app.table.values import Phase


def main() -> None:
    out, broker_url, driver = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    settings = SignSettings.model_validate({"driver": driver, "size": "1280x720"})
    loop = SignLoop(SignWindow(settings, load_profile("envy")))
    _stop_on_signals(loop)
    # The console that started it went away: the default would end the process.
    os.kill(os.getpid(), signal.SIGHUP)
    with Stage(
        "envy",
        Places(out),
        seed=3,
        broker_url=broker_url,
        sign=settings.model_dump(),
        observers=(loop.show,),
        health_of=(loop.health,),
    ) as stage:

        def play() -> None:
            try:
                stage.start()
                stage.watch.until(
                    lambda view: any(alarm.code == "display-failed" for alarm in view.alarms),
                    "the display to be missed",
                    PATIENCE_S,
                )
                play_to(stage, Phase.REVEALED)
                os.kill(os.getpid(), signal.SIGHUP)
                advance(stage)
                until(stage.watch, Phase.SETTLED)
                stage.finish()
            finally:
                loop.stop()

        player = threading.Thread(target=play)
        player.start()
        loop.run(stage.table.tick)
        player.join()
        view = stage.watch.view
        assert view is not None
        said = {
            "phase": view.phase,
            "owed": [spot.owed_cents for spot in view.spots],
            "alarms": [alarm.text for alarm in view.alarms],
            "modules": sorted(name for name in sys.modules if name.startswith("pygame.mixer")),
        }
        print(json.dumps(said), flush=True)  # noqa: T201 - the parent reads it


main()
