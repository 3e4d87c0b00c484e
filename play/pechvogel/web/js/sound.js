// Sounds, made on the spot: no files. Off unless somebody wants them.

import { recall } from "./words.js";

let context = null;
let noise = null;

export const soundOn = () => recall("sound", false) === true;

/** Browsers are silent until somebody has touched the page; then this opens their ears. */
function listening() {
  const Context = window.AudioContext;
  if (!soundOn() || !Context) return null;
  context ??= new Context();
  if (context.state === "suspended") context.resume();
  return context;
}

function hiss() {
  if (noise) return noise;
  noise = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
  const samples = noise.getChannelData(0);
  for (let k = 0; k < samples.length; k++) samples[k] = 2 * Math.random() - 1;
  return noise;
}

/** Louder at once, then fading. */
function fading(at, loud, takes) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(loud, at + 0.005);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + takes);
  gain.connect(context.destination);
  return gain;
}

function knock(after, pitch, loud = 0.25, takes = 0.07) {
  const at = context.currentTime + after;
  const source = context.createBufferSource();
  source.buffer = hiss();
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = pitch;
  filter.Q.value = 4;
  source.connect(filter).connect(fading(at, loud, takes));
  source.start(at, Math.random() * 0.3, takes + 0.05);
}

function tone(after, pitch, { to = pitch, loud = 0.12, takes = 0.25, type = "sine" } = {}) {
  const at = context.currentTime + after;
  const source = context.createOscillator();
  source.type = type;
  source.frequency.setValueAtTime(pitch, at);
  source.frequency.exponentialRampToValueAtTime(to, at + takes);
  source.connect(fading(at, loud, takes));
  source.start(at);
  source.stop(at + takes + 0.05);
}

const SOUNDS = {
  throw: (takes, dice = 7) => {
    for (let k = 0; k < 9; k++) knock(0.03 * k, 1400 + 900 * Math.random(), 0.07, 0.04); // rattling in the hand
    for (let k = 0; k < dice; k++) {
      knock(takes * (0.62 + 0.03 * k), 700 + 500 * Math.random(), 0.4);
      knock(takes * (0.82 + 0.03 * k), 900 + 500 * Math.random(), 0.18, 0.05);
    }
  },
  place: () => knock(0, 1100, 0.3, 0.06),
  raven: () => {
    for (const after of [0, 0.17]) tone(after, 620, { to: 330, type: "sawtooth", loud: 0.05, takes: 0.15 });
  },
  marker: () => [660, 880, 1320].forEach((pitch, k) => tone(0.07 * k, pitch, { loud: 0.09, takes: 0.3 })),
  steal: () => {
    tone(0, 300, { to: 1400, type: "triangle", loud: 0.1, takes: 0.3 });
    tone(0.3, 1100, { to: 700, type: "triangle", loud: 0.1, takes: 0.2 });
  },
  frustrate: () => {
    tone(0, 190, { to: 70, type: "square", loud: 0.06, takes: 0.35 });
    knock(0, 240, 0.5, 0.2);
  },
  murphy: () =>
    [440, 370, 330, 262].forEach((pitch, k) => tone(0.11 * k, pitch, { type: "square", loud: 0.035, takes: 0.12 })),
  turn: () => [784, 1047].forEach((pitch, k) => tone(0.12 * k, pitch, { loud: 0.08, takes: 0.35 })),
  win: () => [523, 659, 784, 1047, 1319].forEach((pitch, k) => tone(0.12 * k, pitch, { loud: 0.1, takes: 0.5 })),
  lose: () =>
    [392, 370, 349, 262].forEach((pitch, k) => tone(0.18 * k, pitch, { type: "triangle", loud: 0.08, takes: 0.4 })),
};

/** Let something be heard, if sounds are wanted. */
export function play(name, ...how) {
  if (listening()) SOUNDS[name](...how);
}

/** A phone trembles, if that is wanted. */
export function tremble(...milliseconds) {
  if (recall("vibration", false) === true) navigator.vibrate?.(milliseconds);
}
