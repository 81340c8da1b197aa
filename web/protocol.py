"""HTTP/1.1 as uvicorn speaks it, but for answers that are there already."""

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from web.remembered import Remembered


class Protocol(HttpToolsProtocol):
    """`config.app` is a `Bridge`."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._remembered: Remembered = self.config.app.remembered  # type: ignore[union-attr]
        self._answered = False

    def on_headers_complete(self) -> None:
        answer = self._remembered.find(self.url, self.headers) if self._may_answer() else None
        if answer is None:
            super().on_headers_complete()
            return
        self._answered = True
        fields = b"".join(b"%b: %b\r\n" % field for field in self.server_state.default_headers)
        self.transport.writelines((STATUS_LINE[200], fields, answer))

    def _may_answer(self) -> bool:
        """Nobody before this one waits on the connection, which goes on afterwards; and what was sent has been taken."""
        return (
            self.parser.get_method() == b"GET"
            and (self.cycle is None or self.cycle.response_complete)
            and not self.flow.write_paused
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
        )

    def on_message_complete(self) -> None:
        if self._answered:
            self._answered = False
            self.on_response_complete()
        else:
            super().on_message_complete()
