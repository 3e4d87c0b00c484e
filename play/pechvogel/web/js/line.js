// A position from its one-line form, which `pechvogel_env/position.py` describes.

const digits = (run) => (run === "-" ? [] : [...run].map(Number));
const seatOf = (text) => (text === "-" || text === "" ? null : Number(text));

/** The same as the server's JSON; the line comes from the server, so nothing is checked. */
export function positionOf(line) {
  const [setting, middle, players, murphy, active, board, flags, thrown, asked, turn] = line.split("_");
  const [target, targets, ravens] = digits(board);
  const [, phase, seat] = /^([a-z]+)(\d?)$/.exec(asked);
  return {
    num_players: Number(setting[0]),
    copies: Number(setting[2]),
    italian_reading: setting.endsWith("i"),
    middle: digits(middle),
    players: players.split(".").map((player) => {
      const [markers, frustrations] = player.split("f");
      return { markers: digits(markers), frustrations: Number(frustrations) };
    }),
    murphy: seatOf(murphy),
    active: Number(active),
    target: target || null,
    targets,
    ravens,
    reduced: flags.includes("r"),
    frustraters: digits(flags.replace(/^r?a?/, "")),
    last_throw: digits(thrown),
    after_reduction: flags.includes("a"),
    phase,
    to_act: seatOf(seat),
    turn: Number(turn),
  };
}
