// Both totals over the hands, as a small picture. The sheet above it says the same in figures.

import { h, name, number, svg } from "./dom.mjs";

/** @typedef {import("./score.mjs").Row} Row */
/** @typedef {import("./score.mjs").Seat} Seat */

const [WIDTH, HEIGHT] = [640, 260];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 18, 16, 34];
export const SEATS = /** @type {const} */ (["north", "south"]);
const ROUND = [10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];

/** @param {Row[]} rows @param {Record<Seat, string>} names @param {number} target @returns {Element[]} */
export function chart(rows, names, target) {
  const totals = { north: [0, ...rows.map(({ north }) => north.total)], south: [0, ...rows.map(({ south }) => south.total)] };
  const all = [...totals.north, ...totals.south];
  const near = Math.max(...all) > target / 2; // a target far away would press the lines flat
  const scale = scaleOf(Math.min(...all), near ? Math.max(target, ...all) : Math.max(...all));
  const x = (/** @type {number} */ hand) => LEFT + ((WIDTH - LEFT - RIGHT) * hand) / rows.length;
  const y = (/** @type {number} */ total) => TOP + ((HEIGHT - TOP - BOTTOM) * (scale.high - total)) / (scale.high - scale.low);
  const ends = SEATS.map((seat) => `${names[seat]} ${number(totals[seat].at(-1) ?? 0)}`).join(", ");
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Both totals over ${rows.length} hand${rows.length === 1 ? "" : "s"}: in the end ${ends}` },
    scale.lines.map((at) => [svg("line", { class: at === 0 ? "zero" : "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(at), y2: y(at) }), svg("text", { x: LEFT - 8, y: y(at) + 4, "text-anchor": "end" }, number(at))]).flat(),
    near ? [svg("line", { class: "target", x1: LEFT, x2: WIDTH - RIGHT, y1: y(target), y2: y(target) }), svg("text", { class: "target-says", x: LEFT + 6, y: y(target) - 5 }, `target ${target}`)] : [],
    hands(rows.length).map((hand) => svg("text", { x: x(hand), y: HEIGHT - 10, "text-anchor": "middle" }, hand)),
    SEATS.map((seat) => line(seat, totals[seat], x, y)),
  );
  const legend = SEATS.map((seat) => h("span", { class: `key ${seat}` }, svg("svg", { viewBox: "0 0 30 12", "aria-hidden": "true" }, svg("line", { x1: 0, x2: 30, y1: 6, y2: 6 }), mark(seat, 15, 6)), name(names[seat])));
  return [h("figcaption", {}, h("h2", {}, "The totals over the hands"), h("p", { class: "legend" }, legend)), picture];
}

/** Rounded ends, and lines in between: at most six. @param {number} lowest @param {number} highest */
function scaleOf(lowest, highest) {
  const span = Math.max(highest, 0) - Math.min(lowest, 0) || 10;
  const step = ROUND.find((each) => span / each <= 5) ?? 10_000;
  const low = Math.floor(Math.min(lowest, 0) / step) * step;
  const high = Math.max(Math.ceil(Math.max(highest, 0) / step) * step, low + step);
  const lines = [];
  for (let at = low; at <= high; at += step) lines.push(at);
  return { low, high, lines };
}

/** The hands that are named below: at most twelve of them. @param {number} count */
function hands(count) {
  const every = Math.ceil((count + 1) / 12);
  return Array.from({ length: Math.floor(count / every) + 1 }, (_, i) => i * every);
}

/** @param {Seat} seat @param {number[]} totals @param {(hand: number) => number} x @param {(total: number) => number} y */
function line(seat, totals, x, y) {
  const points = totals.map((total, hand) => `${x(hand).toFixed(1)},${y(total).toFixed(1)}`).join(" ");
  return svg("g", { class: `line ${seat}` }, svg("polyline", { points }), totals.map((total, hand) => mark(seat, x(hand), y(total), totals.length > 40 ? 2.5 : 4)));
}

/** North is round, south is square: the colours are not needed. @param {Seat} seat @param {number} x @param {number} y @param {number} [size] */
function mark(seat, x, y, size = 4) {
  if (seat === "north") return svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: size });
  return svg("rect", { x: (x - size).toFixed(1), y: (y - size).toFixed(1), width: 2 * size, height: 2 * size });
}
