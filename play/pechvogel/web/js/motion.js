// How pieces move: from where they were to where they are (FLIP), by the browser's own animations.

/** Whether nothing shall move: the reader wants it so, or the browser can't. */
export const still = () =>
  typeof document.body.animate !== "function" ||
  Boolean(window.matchMedia?.("(prefers-reduced-motion: reduce)").matches);

const middleOf = (box) => [box.left + box.width / 2, box.top + box.height / 2];

/** From one box to another: how far, and how much smaller or larger. */
export function difference(from, to) {
  const [x, y] = middleOf(from);
  const [x1, y1] = middleOf(to);
  return { x: x - x1, y: y - y1, scale: to.width ? from.width / to.width : 1 };
}

const place = ({ x, y }, scale = 1, turn = 0) =>
  `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) rotate(${turn}deg) scale(${scale.toFixed(3)})`;

/** An animation that the next one of the same element replaces. */
export function animate(element, frames, options) {
  if (still()) return null;
  element.moving?.cancel();
  const moving = element.animate(frames, { fill: "backwards", ...options });
  element.moving = moving;
  return moving;
}

/** Glide from a box to where the element is now, in a flat arc. */
export function glide(element, from, { takes, lift = 0, after = 0 }) {
  if (!takes || still()) return;
  element.moving?.cancel();
  const by = difference(from, element.getBoundingClientRect());
  if (Math.abs(by.x) < 1 && Math.abs(by.y) < 1 && Math.abs(by.scale - 1) < 0.05) return;
  const half = { x: by.x / 2, y: by.y / 2 - lift };
  const raised = lift ? 1.25 : 1;
  element.classList.add("in-the-air");
  const moving = animate(
    element,
    [
      { transform: place(by, by.scale), easing: "cubic-bezier(.4,0,.7,.6)" },
      { transform: place(half, ((by.scale + 1) / 2) * raised), offset: 0.5, easing: "cubic-bezier(.3,.4,.3,1)" },
      { transform: "none" },
    ],
    { duration: takes, delay: after },
  );
  const land = () => element.classList.remove("in-the-air");
  moving.finished.then(land, land); // also if something else moves it before it is there
}

/** Thrown: out of a hand, over the table, and it bounces once. */
export function tumble(element, hand, { takes, after = 0, turn = 0 }) {
  if (!takes || still()) return;
  element.moving?.cancel();
  const by = difference(hand, element.getBoundingClientRect());
  const way = (share, up = 0) => ({ x: by.x * share, y: by.y * share - up });
  animate(
    element,
    [
      { transform: place(way(1), 0.35, turn - 200), opacity: 0, easing: "ease-in" },
      { transform: place(way(0.8), 0.7, turn - 160), opacity: 1, offset: 0.15, easing: "ease-out" },
      { transform: place(way(0.3, 26), 1.25, turn - 70), offset: 0.5, easing: "ease-in" },
      { transform: place(way(0.06), 1, turn - 16), offset: 0.72, easing: "ease-out" },
      { transform: place(way(0.02, 7), 1.06, turn - 6), offset: 0.85, easing: "ease-in" },
      { transform: "none", opacity: 1 },
    ],
    { duration: takes, delay: after },
  );
}

/** A short shake: somebody is robbed, or a click came too early. */
export function shake(element, far = 6, takes = 380) {
  if (still()) return;
  element.animate(
    [0, -1, 1, -0.7, 0.7, -0.3, 0].map((share) => ({ transform: `translateX(${share * far}px)` })),
    { duration: takes, easing: "ease-out" },
  );
}

/** It lights up for a moment. */
export function pulse(element, colour, takes = 700) {
  if (still()) return;
  element.animate(
    [
      { boxShadow: `0 0 0 0 ${colour}` },
      { boxShadow: `0 0 22px 7px ${colour}`, offset: 0.3 },
      { boxShadow: "0 0 0 0 transparent" },
    ],
    { duration: takes },
  );
}
