"""Agents by name: `make("heuristic")`, `make("planner")`, or anybody's own `make("module:Factory")`.

A specification is `name` or `name:key=value,...` for ours; where the first part is no such name, it is a module and
something in it that makes an agent when called without arguments. Modules are looked for in the current folder, too.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pechvogel.agents.base import Agent
from pechvogel_env.game import Game, action_list
from pechvogel_env.rules import NUM_ACTIONS

AGENTS = {
    "random": "pechvogel.agents.random:RandomAgent",
    "heuristic": "pechvogel.agents.pechvogel.heuristic:HeuristicAgent",
    "planner": "pechvogel.agents.pechvogel.planner:PlannerAgent",
    "ppo": "pechvogel.agents.policy:PpoAgent",
    "optimal": "pechvogel.agents.pechvogel.optimal:OptimalAgent",
    "champion": "pechvogel.agents.pechvogel.champion:ChampionAgent",
}


def make(spec: str) -> Agent:
    """The agent that a specification names; its `name` is the specification, unless it is somebody's own."""
    name, _, rest = spec.partition(":")
    if name in AGENTS:
        factory = _load(AGENTS[name])
        options = _options(spec, factory, rest)
        try:
            agent = factory(**options)
        except TypeError as error:
            raise ValueError(f"agent {spec!r}: {error}") from None
        agent.name = spec
        return agent  # type: ignore[no-any-return]
    if not rest:
        raise ValueError(f"there is no agent {spec!r}; there are {', '.join(AGENTS)}, or your own as module:Factory")
    try:
        agent = _load(spec)()
    except Exception as error:  # whatever somebody's own code raises is the user's to see, in one sentence
        raise ValueError(f"agent {spec!r} can't be made: {type(error).__name__}: {error}") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"agent {spec!r} must have `name` and `act(position, mask, rng)`")
    return agent


def _load(entry_point: str) -> Callable[..., Any]:
    module, _, attribute = entry_point.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return getattr(importlib.import_module(module), attribute)  # type: ignore[no-any-return]


def _options(spec: str, factory: Callable[..., Any], text: str) -> dict[str, Any]:
    """`key=value,...` as keyword arguments: true, false, numbers, else text."""
    parameters = inspect.signature(factory).parameters
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        known = [name for name, parameter in parameters.items() if parameter.annotation != "Evaluation | None"]
        if not equals or key not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no options"
            raise ValueError(f"agent {spec!r}: {part!r} is no option; {spec.partition(':')[0]} {takes}")
        options[key] = _value(value)
    return options


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def is_legal(action: Any, bits: int) -> bool:
    """Whether what an agent returned is a legal action."""
    whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
    return bool(whole and 0 <= action < NUM_ACTIONS and int(bits) >> int(action) & 1)


def prepare(agent: Agent, num_players: int, copies: int) -> None:
    """Ask for one decision, so that the agent loads and compiles what it needs; ValueError if it can't play this game.

    What somebody's own agent raises is not our business here: it will forfeit.
    """
    game = Game(num_players, copies)
    game.reset(0)
    try:
        if hasattr(agent, "act_batch"):
            agent.act_batch(game.states.copy(), game.mask()[None, :], [np.random.default_rng(0)])
        else:
            agent.act(game.position(), game.mask(), np.random.default_rng(0))
    except Exception as error:
        if agent.name.partition(":")[0] in AGENTS:
            raise ValueError(f"agent {agent.name!r}: {error}") from error


def check(agent: Agent, num_players: int = 2, copies: int = 3, games: int = 2, seed: int = 0) -> None:
    """Let an agent play whole games against itself; ValueError says what is wrong with it.

    Also checks, where they are there, `act_batch`, `action_probabilities` and `action_values`.
    """
    if not isinstance(agent, Agent):
        raise ValueError("an agent must have `name` and `act(position, mask, rng)`")
    for number in range(games):
        game = Game(num_players, copies, max_turns=2000)
        game.reset(seed + number)
        rng = np.random.default_rng(seed + number)
        while game.bits:
            position, mask = game.position(), game.mask()
            where = f"agent {agent.name!r} at {position.to_text()}"
            try:
                action = agent.act(position, mask, rng)
            except Exception as error:
                raise ValueError(f"{where}: act failed: {type(error).__name__}: {error}") from error
            if not is_legal(action, game.bits):
                raise ValueError(f"{where}: act returned {action!r}; legal are {action_list(game.bits)}")
            _check_optional(agent, game, where, rng)
            game.step(int(action))


def _check_optional(agent: Any, game: Game, where: str, rng: np.random.Generator) -> None:
    mask, legal = game.mask(), game.mask().astype(bool)
    if hasattr(agent, "act_batch"):
        actions = np.asarray(agent.act_batch(game.states.copy(), mask[None, :], [rng]))
        if actions.shape != (1,) or not is_legal(actions[0], game.bits):
            raise ValueError(f"{where}: act_batch returned {actions!r}; legal are {action_list(game.bits)}")
    if hasattr(agent, "action_probabilities"):
        chances = np.asarray(agent.action_probabilities(game.position(), mask))
        wrong = chances.shape != (NUM_ACTIONS,) or not (chances >= 0).all() or chances[~legal].any()
        if wrong or abs(chances.sum() - 1) > 1e-6:
            raise ValueError(f"{where}: action_probabilities must be 18 chances of legal actions that add up to 1")
    if hasattr(agent, "action_values"):
        values = np.asarray(agent.action_values(game.position()))
        if values.shape != (NUM_ACTIONS,) or not (np.isnan(values) == ~legal).all():
            raise ValueError(f"{where}: action_values must be 18 numbers, NaN exactly where an action is illegal")
