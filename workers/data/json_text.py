"""JSON texts taken apart at their quotes, as SQL: for what has to be done to numbers or to strings wherever they stand, which a
regular expression over the whole text could not do without recursion. Pure.

No character of JSON is U+0001 or U+0002 itself, so these can stand for the escapes that would be in the way.
"""

_BACKSLASH, _QUOTE = r"'\u0001'", r"'\u0002'"


def pieces(json: str) -> str:
    """An array of texts: the odd ones (from 0) are the insides of strings. To be put together with quotes between them."""
    return rf"""split(replace(replace({json}, '\\\\', {_BACKSLASH}), '\\"', {_QUOTE}), '"')"""


def whole(piece: str) -> str:
    """With the escapes that were replaced."""
    return rf"""replace(replace({piece}, {_QUOTE}, '\\"'), {_BACKSLASH}, '\\\\')"""


def unescaped(piece: str) -> str:
    """What the inside of a string says."""
    json = rf"""concat('["', {whole(piece)}, '"]')"""
    return rf"if({piece} RLIKE '[\u0001\u0002\\\\]', from_json({json}, 'array<string>')[0], {piece})"
