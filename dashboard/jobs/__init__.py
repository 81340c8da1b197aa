"""Work on many connectors at once: what is asked for here goes on when the page that asked for it is closed.

`verbs`, `turns`, `answers`, `watch`, `preview` and `page` are decisions over values; `begin` writes a job down, `run` carries it
out, a round at a time, in threads of the control process (`runner`).
"""
