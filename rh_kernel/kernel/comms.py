"""Comms: channels of their own between a widget in a page and the kernel; ipykernel's manager keeps the list."""

from typing import Any

import comm

MESSAGES = ("comm_open", "comm_msg", "comm_close")
CONTROL = "jupyter.widget.control"


def manager() -> Any:
    """The manager of this process. A page that asks for the state of all widgets is told that there are none yet."""
    comms = comm.get_comm_manager()
    if CONTROL not in comms.targets:
        comms.register_target(CONTROL, _no_widgets)
    return comms


def _no_widgets(channel: Any, _opened: Any) -> None:
    def answer(_message: Any) -> None:
        channel.send({"method": "update_states", "states": {}, "buffer_paths": []})

    channel.on_msg(answer)
