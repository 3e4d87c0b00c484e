"""A plain model of Lucky Loser: the rules once more, long-hand, to compare the compiled engine with.

It shares no code with the engine (`lucky_loser_env`) on purpose: it was written from the rules page (L1-L16) and from
the position format alone, so that a mistake is unlikely to be made twice. It uses the standard library only and favours
obviousness over speed: dice are turned and put together in every way, and groups are carried out one by one.

The model never skips a forced step. Dice are an input: in phase 'throw', `throw` is told what fell.
"""

from __future__ import annotations

from functools import cache
from itertools import product

FACES = [1, 2, 3, 4, 5, 6]  # L1
ROWS = [5, 6, 7, 8, 9, 10]  # L2
CHIPS = {5: 12, 6: 11, 7: 10, 8: 9, 9: 8, 10: 7}  # L3
CARDS = [15, 12, 9, 6]  # L4

Sums = tuple[int, ...]


def all_partings(dice: list[int]) -> list[list[list[int]]]:
    """Every way to put dice together into groups, all used."""
    if not dice:
        return [[]]
    first, rest = dice[0], dice[1:]
    ways = []
    for groups in all_partings(rest):
        ways.append([[first], *groups])
        for k in range(len(groups)):
            ways.append([*groups[:k], [first, *groups[k]], *groups[k + 1 :]])
    return ways


def groups_of(dice: list[int]) -> set[Sums]:
    """L8: groups with sums from 5 to 10 of some of the dice; the others are left over."""
    found: set[Sums] = set()
    for used in product([False, True], repeat=len(dice)):
        for groups in all_partings([die for die, use in zip(dice, used, strict=True) if use]):
            sums = sorted(sum(group) for group in groups)
            if all(5 <= s <= 10 for s in sums):
                found.add(tuple(sums))
    return found


@cache
def formable(dice: tuple[int, ...]) -> frozenset[Sums]:
    """L7, L8: everything that can be formed with a throw on open rows."""
    ones = [k for k, die in enumerate(dice) if die == 1]
    found = groups_of(list(dice))
    if len(ones) >= 2:  # the Lucky Loser: any of the ones but one, to any numbers
        for stays in ones:
            others = [k for k in ones if k != stays]
            for faces in product(FACES, repeat=len(others)):  # also a 1, which is not to turn it
                turned = list(dice)
                for k, face in zip(others, faces, strict=True):
                    turned[k] = face
                found |= groups_of(turned)
    return frozenset(found)


# The actions are all that any four dice can form, by the number of groups, then by their sums.
ACTIONS: list[Sums] = sorted(
    {sums for dice in product(FACES, repeat=4) if list(dice) == sorted(dice) for sums in groups_of(list(dice))},
    key=lambda sums: (len(sums), sums),
)


class PlainPlayer:
    """What one player has."""

    def __init__(self) -> None:
        self.pieces: dict[int, int] = {}  # row: square, counted from 1; no entry: no piece there (L5)
        self.chips: list[int] = []  # their values
        self.under_cards: list[int] = []  # those of them that bonus cards lie on
        self.cards: list[int] = []  # points


class PlainGame:
    """One game. Seats are 0, 1, ... clockwise."""

    def __init__(self, num_players: int, row_lengths: list[int], first_player: int = 0) -> None:
        self.num_players = num_players
        self.length = dict(zip(ROWS, row_lengths, strict=True))
        fewer = 1 if num_players in (2, 3) else 0  # L3
        self.stack = {row: CHIPS[row] - fewer for row in ROWS}
        self.cards = list(CARDS)
        self.players = [PlainPlayer() for _ in range(num_players)]
        self.first = self.active = first_player
        self.turn = 0
        self.dice: list[int] = []
        self.phase = "throw"

    # ------------------------------------------------------------------------------ steps

    def throw(self, dice: list[int]) -> None:
        """L6."""
        assert self.phase == "throw" and len(dice) == 4
        self.dice = list(dice)
        self.phase = "group"

    def legal_actions(self) -> list[int]:
        """What the dice allow, without groups that would do nothing (ruling of L12)."""
        if self.phase != "group":
            return []
        formed = formable(tuple(sorted(self.dice)))
        return [number for number, sums in enumerate(ACTIONS) if sums in formed and self._all_count(sums)]

    def _all_count(self, sums: Sums) -> bool:
        """Whether no group would do nothing: rows don't touch each other, so each is followed on its own."""
        for row in set(sums):
            place, stack = self.players[self.active].pieces.get(row, 0), self.stack[row]
            for _ in range(sums.count(row)):
                if stack == 0:
                    return False
                place = min(place + 1, self.length[row])
                if place == self.length[row]:
                    stack -= 1
        return True

    def act(self, action: int) -> None:
        assert action in self.legal_actions()
        for row in ACTIONS[action]:
            self._group(self.players[self.active], row)
        self.dice = []
        self.turn += 1
        self.active = (self.active + 1) % self.num_players
        closed = [row for row in ROWS if self.stack[row] == 0]
        round_is_over = self.active == self.first
        self.phase = "over" if round_is_over and (len(closed) >= 3 or not self.cards) else "throw"  # L14

    def _group(self, player: PlainPlayer, row: int) -> None:
        assert self.stack[row] > 0
        if row not in player.pieces:
            player.pieces[row] = 1  # L9
        elif player.pieces[row] < self.length[row]:
            player.pieces[row] += 1  # L9
        if player.pieces[row] < self.length[row]:
            return
        for other in self.players:  # L10: the X holds one piece only
            if other is not player and other.pieces.get(row) == self.length[row]:
                del other.pieces[row]
        self.stack[row] -= 1  # L10, L11
        player.chips.append(row)
        if self.stack[row] == 0:  # L12
            for other in self.players:
                other.pieces.pop(row, None)
        free = list(player.chips)  # L13
        for chip in player.under_cards:
            free.remove(chip)
        if self.cards and set(free) == set(ROWS):
            player.cards.append(self.cards.pop(0))
            player.under_cards += ROWS

    # ------------------------------------------------------------------------------ results

    def scores(self) -> list[int]:
        """L15."""
        return [sum(player.chips) + sum(player.cards) for player in self.players]

    def winners(self) -> list[int]:
        scores = self.scores()
        return [seat for seat in range(self.num_players) if scores[seat] == max(scores)]

    def win_rewards(self) -> list[float]:
        n, best = self.num_players, self.winners()
        return [(1 / len(best) - 1 / n) * n / (n - 1) if seat in best else -1 / (n - 1) for seat in range(n)]

    def score_rewards(self) -> list[float]:
        scores = self.scores()
        return [own - (sum(scores) - own) / (self.num_players - 1) for own in scores]

    def position(self) -> dict:
        """In the format of positions."""
        return {
            "game": "lucky-loser",
            "num_players": self.num_players,
            "row_lengths": [self.length[row] for row in ROWS],
            "stacks": [self.stack[row] for row in ROWS],
            "bonus": list(self.cards),
            "players": [
                {
                    "places": [player.pieces.get(row, 0) for row in ROWS],
                    "chips": [player.chips.count(row) for row in ROWS],
                    "bonus": sum(player.cards),
                }
                for player in self.players
            ],
            "active": self.active,
            "first": self.first,
            "last_throw": list(self.dice),
            "phase": self.phase,
            "to_act": self.active if self.phase == "group" else None,
            "turn": self.turn,
        }
