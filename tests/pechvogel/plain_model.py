"""A plain model of Pechvogel: the rules once more, long-hand, to compare the compiled engine with.

It shares no code with the engine (`pechvogel_env`) on purpose: it was written from the rules page (R1-R22,
Q1-Q8) and from the design's action ids and position format alone, so that a mistake is unlikely to be made
twice. It uses the standard library only and favours obviousness over speed: the dice on the board are a list
of faces, markers are lists of values.

The model never skips a forced step (`skip_forced=False`): after every throw the active player is asked to
reduce, then every opponent to frustrate, and after a start every other opponent to join, also where they can
only pass. Dice are an input: in phase 'throw', `throw` is told what fell.
"""

from __future__ import annotations

import random

DICE = 7  # R1
RAVEN = 0
VALUES = [3, 4, 5, 6, 7]
FACES = [RAVEN, *VALUES]

# Action ids.
TARGET = {3: 0, 4: 1, 5: 2, 6: 3, 7: 4}
PASS = 5
REDUCE = 6
FRUSTRATE = 7  # to start, and to join
TAKE_FROM_MIDDLE = 8
STEAL = [9, 10, 11, 12]  # from the 1st, 2nd, 3rd, 4th opponent clockwise
DISCARD = {3: 13, 4: 14, 5: 15, 6: 16, 7: 17}


class PlainPlayer:
    """What lies in front of one player."""

    def __init__(self) -> None:
        self.markers: list[int] = []  # their values, e.g. [7, 3, 3]
        self.frustrations: int = 0  # R3: nobody starts with one


class PlainGame:
    """One game. Seats are 0, 1, ... clockwise, so the player on the left of seat 0 is seat 1 (R5)."""

    def __init__(self, num_players: int, copies: int = 3, italian_reading: bool = False, first_player: int = 0) -> None:
        if num_players not in (2, 3, 4, 5):
            raise ValueError(f"num_players must be 2 to 5, not {num_players}")
        if copies not in (1, 2, 3):
            raise ValueError(f"copies must be 1 to 3, not {copies}")
        if first_player not in range(num_players):
            raise ValueError(f"first_player must be a seat below {num_players}, not {first_player}")
        self.num_players = num_players
        self.copies = copies
        self.italian_reading = italian_reading

        # The table.
        self.middle: list[int] = [value for value in VALUES for _ in range(copies)]  # R2
        self.box: list[int] = []  # markers out of the game (R10)
        self.players: list[PlainPlayer] = [PlainPlayer() for _ in range(num_players)]
        self.murphy: int | None = None  # R4: the seat that holds it
        self.turn: int = 0  # finished turns
        self.active: int = first_player

        # The turn.
        self.board: list[int] = []  # the dice on the board, as faces
        self.target: int | None = None
        self.throws_made: int = 0  # in this turn, repeats included
        self.last_throw: list[int] = []  # in the order thrown; empty when taken back
        self.reduced: bool = False  # R14: once in their own turn
        self.frustraters: list[int] = []  # R15: each of them has one frustration on the board
        self.after_reduction: bool = False  # Q3: the last (or coming) throw repeats a reduced one

        # Who is asked what.
        self.phase: str = "throw"
        self.to_act: int | None = None
        self.still_to_ask: list[int] = []  # opponents whom 'frustrate' or 'join' reaches after to_act

    # ---------------------------------------------------------------- what can be read off the table

    def targets_on_board(self) -> int:
        return len([die for die in self.board if die == self.target])

    def ravens_on_board(self) -> int:
        return len([die for die in self.board if die == RAVEN])

    def opponents_clockwise(self) -> list[int]:
        """All but the active player, clockwise from the active player's left."""
        return self.others_clockwise_from(self.active)

    def others_clockwise_from(self, seat: int) -> list[int]:
        return [(seat + steps) % self.num_players for steps in range(1, self.num_players)]

    def is_first_throw(self) -> bool:
        return self.throws_made == 1  # the first throw is never repeated: R18 (a)

    def is_greedy(self) -> bool:
        return self.targets_on_board() > 4 or self.ravens_on_board() > 3  # R12, R18 (b)

    def is_empty_throw(self) -> bool:
        return RAVEN not in self.last_throw and self.target not in self.last_throw  # R18 (c)

    def throwing_stops(self) -> bool:
        return self.targets_on_board() >= 4 or self.ravens_on_board() >= 3  # R9

    def throw_may_be_answered(self) -> bool:
        """R18, for own and opponents' frustrations alike. R19: a throw that ends the turn is no exception."""
        if self.is_first_throw():
            return False  # R18 (a)
        if self.is_greedy():
            return False  # R18 (b)
        return not self.is_empty_throw()  # R18 (c)

    def active_may_reduce(self) -> bool:
        if not self.throw_may_be_answered():
            return False
        if self.reduced:
            return False  # R14: once in their own turn
        return self.players[self.active].frustrations > 0

    def may_start_to_frustrate(self, opponent: int) -> bool:
        if not self.throw_may_be_answered():
            return False
        if self.frustraters:
            return False  # R15: once per turn in all
        if self.italian_reading and self.after_reduction:
            return False  # Q3: the Italian reading of R17
        return self.players[opponent].frustrations > 0

    def may_join(self, opponent: int) -> bool:
        return self.players[opponent].frustrations > 0  # R15: the start was legal, so this is all it takes

    # ---------------------------------------------------------------- decisions

    def legal_actions(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when nobody is asked."""
        if self.phase == "target":
            return [TARGET[value] for value in VALUES if value in self.last_throw]  # R6
        if self.phase == "reduce":
            return [PASS, REDUCE] if self.active_may_reduce() else [PASS]
        if self.phase == "frustrate":
            assert self.to_act is not None
            return [PASS, FRUSTRATE] if self.may_start_to_frustrate(self.to_act) else [PASS]
        if self.phase == "join":
            assert self.to_act is not None
            return [PASS, FRUSTRATE] if self.may_join(self.to_act) else [PASS]
        if self.phase == "take":
            return self.ways_to_take()
        if self.phase == "discard":
            return [DISCARD[value] for value in VALUES if value in self.middle]  # R10
        return []  # 'throw', 'over'

    def ways_to_take(self) -> list[int]:
        """R10: from the middle, or from any opponent who has one, also while the middle still has some."""
        ways = []
        if self.target in self.middle:
            ways.append(TAKE_FROM_MIDDLE)
        for steal, opponent in zip(STEAL, self.opponents_clockwise(), strict=False):
            if self.target in self.players[opponent].markers:
                ways.append(steal)
        return ways

    def act(self, action: int) -> None:
        """Whoever is to act does this. An illegal action is a ValueError and changes nothing."""
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is illegal in phase {self.phase!r}: {self.legal_actions()}")
        if self.phase == "target":
            self.choose_target(action)
        elif self.phase == "reduce":
            self.answer_reduce(action)
        elif self.phase == "frustrate":
            self.answer_frustrate(action)
        elif self.phase == "join":
            self.answer_join(action)
        elif self.phase == "take":
            self.take_marker(action)
        elif self.phase == "discard":
            self.discard_marker(action)

    def choose_target(self, action: int) -> None:
        for value in VALUES:
            if TARGET[value] == action:
                self.target = value
        for die in self.last_throw:
            if die == self.target:
                self.board.append(die)  # R6: all dice showing it; the ravens lie there already
        self.ask_to_reduce()

    def answer_reduce(self, action: int) -> None:
        if action == REDUCE:
            self.players[self.active].frustrations -= 1  # R14: to the supply, never to the board
            self.reduced = True
            self.take_back_last_throw()
            self.next_is_a_throw(after_reduction=True)  # R17: nobody is asked to frustrate
        else:
            self.still_to_ask = self.opponents_clockwise()  # Q1: only now the opponents; Q2: clockwise
            self.ask_next_to_frustrate()

    def answer_frustrate(self, action: int) -> None:
        assert self.to_act is not None
        if action == FRUSTRATE:
            starter = self.to_act
            self.put_frustration_on_board(starter)
            # Q2: every other opponent, clockwise from the starter, including those who declined to start.
            self.still_to_ask = [seat for seat in self.others_clockwise_from(starter) if seat != self.active]
            self.ask_next_to_join()
        else:
            self.ask_next_to_frustrate()

    def answer_join(self, action: int) -> None:
        assert self.to_act is not None
        if action == FRUSTRATE:
            self.put_frustration_on_board(self.to_act)
        self.ask_next_to_join()

    def put_frustration_on_board(self, opponent: int) -> None:
        self.players[opponent].frustrations -= 1
        self.frustraters.append(opponent)

    def take_marker(self, action: int) -> None:
        assert self.target is not None
        taker = self.players[self.active]
        if action == TAKE_FROM_MIDDLE:
            self.middle.remove(self.target)
            taker.markers.append(self.target)
            self.finish_turn()
        else:
            victim = self.opponents_clockwise()[STEAL.index(action)]
            self.players[victim].markers.remove(self.target)
            taker.markers.append(self.target)
            self.phase = "discard"  # R10: whoever steals also discards one from the middle
            self.to_act = self.active

    def discard_marker(self, action: int) -> None:
        for value in VALUES:
            if DISCARD[value] == action:
                self.middle.remove(value)
                self.box.append(value)
        self.finish_turn()

    # ---------------------------------------------------------------- asking around

    def ask_to_reduce(self) -> None:
        self.phase = "reduce"
        self.to_act = self.active  # Q1: the active player speaks first

    def ask_next_to_frustrate(self) -> None:
        if self.still_to_ask:
            self.phase = "frustrate"
            self.to_act = self.still_to_ask.pop(0)
        else:
            self.throw_stands()

    def ask_next_to_join(self) -> None:
        if self.still_to_ask:
            self.phase = "join"
            self.to_act = self.still_to_ask.pop(0)
        else:
            self.take_back_last_throw()  # R15: once, however many joined
            self.next_is_a_throw(after_reduction=False)

    def throw_stands(self) -> None:
        """Nobody answers the last throw."""
        if not self.throwing_stops():
            self.next_is_a_throw(after_reduction=False)  # R8
        elif self.targets_on_board() >= 4 and self.ways_to_take():
            self.phase = "take"  # R10
            self.to_act = self.active
        else:
            self.finish_turn()  # three ravens, or R10 without a marker to be had

    # ---------------------------------------------------------------- throws

    def dice_to_throw(self) -> int:
        if self.phase != "throw":
            raise ValueError(f"no throw is due in phase {self.phase!r}")
        return DICE - len(self.board)

    def throw(self, faces: list[int]) -> None:
        """These dice fell. A wrong number of dice or a wrong face is a ValueError and changes nothing."""
        if len(faces) != self.dice_to_throw():
            raise ValueError(f"{self.dice_to_throw()} dice are to be thrown, not {len(faces)}")
        for die in faces:
            if die not in FACES:
                raise ValueError(f"no die shows {die}")

        self.last_throw = list(faces)
        self.throws_made += 1

        for die in self.last_throw:
            if die == RAVEN:
                self.board.append(die)  # R7: after every throw

        if not self.is_first_throw():
            for die in self.last_throw:
                if die == self.target:
                    self.board.append(die)  # R7: after every later throw
            self.ask_to_reduce()
        elif self.ravens_on_board() < 3:
            self.phase = "target"  # R6
            self.to_act = self.active
        else:
            # The ruling after R9: no target decision; a target only if the other four dice are alike.
            for value in VALUES:
                if self.last_throw.count(value) == 4:
                    self.target = value
                    self.board.extend([value, value, value, value])
            self.ask_to_reduce()

    def take_back_last_throw(self) -> None:
        """R16: all dice of that throw, including those it put on the board."""
        for die in self.last_throw:
            if die == RAVEN or die == self.target:
                self.board.remove(die)
        self.last_throw = []

    def next_is_a_throw(self, after_reduction: bool) -> None:
        self.after_reduction = after_reduction
        self.phase = "throw"
        self.to_act = None

    # ---------------------------------------------------------------- the end of a turn and of the game

    def finish_turn(self) -> None:
        """R11, R12, R13 (R10 is done), then the dice go to the player on the left."""
        active_player = self.players[self.active]

        if self.ravens_on_board() >= 3:  # R11
            if self.frustraters:
                active_player.frustrations += len(self.frustraters)
            else:
                active_player.frustrations += 1

        if self.is_greedy():  # R12
            self.murphy = self.active

        if self.ravens_on_board() < 3:  # R13
            for opponent in self.frustraters:
                self.players[opponent].frustrations += 1  # theirs, back from the board
                if active_player.frustrations > 0:
                    active_player.frustrations -= 1  # one more: the active player's, as long as these last
                self.players[opponent].frustrations += 1  # (Q6: else one from the supply)

        self.board = []
        self.target = None
        self.throws_made = 0
        self.last_throw = []
        self.reduced = False
        self.frustraters = []
        self.still_to_ask = []
        self.turn += 1
        self.active = (self.active + 1) % self.num_players
        self.next_is_a_throw(after_reduction=False)
        if not self.middle:
            self.phase = "over"  # R20, Q5: after the turn has been resolved in full

    def scores(self) -> list[int]:
        """R21, as of now."""
        scores = []
        for seat, player in enumerate(self.players):
            cost = 7 if seat == self.murphy else 3
            scores.append(sum(player.markers) - cost * player.frustrations)
        return scores

    def non_losers(self) -> list[int]:
        """R22: the seats tied for the best score."""
        scores = self.scores()
        return [seat for seat in range(self.num_players) if scores[seat] == max(scores)]

    def win_rewards(self) -> list[float]:
        """reward="win": zero-sum, the non-losers share the win."""
        n = self.num_players
        k = len(self.non_losers())
        rewards = []
        for seat in range(n):
            if seat in self.non_losers():
                rewards.append((1 / k - 1 / n) * n / (n - 1))
            else:
                rewards.append(-1 / (n - 1))
        return rewards

    def score_rewards(self) -> list[float]:
        """reward="score": one's own score minus the mean of the others'."""
        scores = self.scores()
        rewards = []
        for seat in range(self.num_players):
            others = [scores[other] for other in range(self.num_players) if other != seat]
            rewards.append(scores[seat] - sum(others) / len(others))
        return rewards

    # ---------------------------------------------------------------- the readable view

    def position(self) -> dict:
        """The position as the design's JSON has it, every key."""
        return {
            "num_players": self.num_players,
            "copies": self.copies,
            "italian_reading": self.italian_reading,
            "middle": [self.middle.count(value) for value in VALUES],
            "players": [
                {
                    "markers": [player.markers.count(value) for value in VALUES],
                    "frustrations": player.frustrations,
                }
                for player in self.players
            ],
            "murphy": self.murphy,
            "active": self.active,
            "target": self.target,
            "targets": self.targets_on_board(),
            "ravens": self.ravens_on_board(),
            "reduced": self.reduced,
            "frustraters": list(self.frustraters),
            "last_throw": list(self.last_throw),
            "after_reduction": self.after_reduction,
            "phase": self.phase,
            "to_act": self.to_act,
            "turn": self.turn,
        }


def random_playthrough(
    seed: int,
    num_players: int,
    copies: int = 3,
    italian_reading: bool = False,
    faces_weights: list[float] | None = None,
) -> PlainGame:
    """One game in which dice, first player and all decisions are drawn at random; the finished game.

    `faces_weights`: how likely the faces raven, 3, 4, 5, 6, 7 are, in this order (all alike unless told).
    Weights with which nobody can ever gather four of some value make an endless game (Q7).
    """
    rng = random.Random(seed)
    game = PlainGame(num_players, copies, italian_reading, first_player=rng.randrange(num_players))
    while game.phase != "over":
        if game.phase == "throw":
            game.throw(rng.choices(FACES, weights=faces_weights, k=game.dice_to_throw()))
        else:
            game.act(rng.choice(game.legal_actions()))
    return game
