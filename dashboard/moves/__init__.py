"""A connector goes from one cluster to another, with its offsets (KIP-875, KIP-980).

`plan`, `decide`, `checks`, `classes` and `page` are decisions over values; `prepare` asks both clusters whether it can be done,
`begin` writes a move down, `run` carries it out, a step at a time, in threads of the control process (`runner`).
"""
