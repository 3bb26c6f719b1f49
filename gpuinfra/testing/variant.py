"""How the look-ups of one recording are answered, where nobody gave an answer.

What an account holds is not known here, and a program goes on with what it is told: it counts, cuts, compares and loops.
So a program that looks something up is recorded twice, with answers that differ in everything, and what then differs in
its resources is unknown (see `either`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Variant:
    """One way to answer."""

    lengths: tuple[int, int, int]
    """Of a list in an answer, of one inside its elements, and of those further in."""
    letters: str = ""
    """Ten letters that write the numbers of texts; empty: texts are `${<function>.<property>}`."""
    core: str = ""
    """What stands in the middle of each text."""
    flag: bool | None = None
    same: bool = False
    """Whether a text that nobody knows is the text that it is compared with."""
    small: int | None = None
    """A number that counts something; None: numbers are left out."""
    large: int | None = None
    """A number that measures something: bytes, megabits."""
    network: str = ""
    """Two octets of an address, of the range that is kept for measurements (RFC 2544)."""

    @property
    def open(self) -> bool:
        """Whether what differs from another variant is meant to be unknown."""
        return bool(self.letters)


PLAIN: Final = Variant((1, 1, 1))
"""One element, names of properties for texts, and neither numbers nor flags: readable where a person sees it."""

# No letter of one is a letter of the next at the same place, so that not even a part of a text is the same in two.
_LOW, _HIGH = ("abcdefghij", "qjxb"), ("klmnopqrst", "wzvk")
OPEN: Final = (
    Variant((3, 2, 1), *_LOW, flag=False, same=False, small=2, large=8192, network="198.18"),
    Variant((4, 3, 2), *_HIGH, flag=True, same=True, small=64, large=1048576, network="198.19"),
    Variant((5, 2, 1), *_LOW, flag=False, same=True, small=4, large=16384, network="198.18"),
    Variant((6, 3, 2), *_HIGH, flag=True, same=False, small=32, large=2097152, network="198.19"),
)
"""The first two differ in everything. The others are for a program that refuses one of them (`raise` where a flag is not
set, where there are too few of something): whichever it wants of the two questions, two variants say so."""
