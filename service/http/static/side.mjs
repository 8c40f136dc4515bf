// Beside the table: both score columns, the hand just scored, what has happened, the rules in force.

import { h, name, number } from "./dom.mjs";
import { across, bidText, called, near, optionName, signed, withNames } from "./words.mjs";

/** @typedef {import("./table.mjs").State} State */

/** Both players' columns. @param {State} state */
export function scores({ view }) {
  const sides = [across(near(view)), near(view)].filter((side) => view.seats[side] !== undefined);
  /** @param {string} label @param {(player: any) => string | null} figure */
  const row = (label, figure) => h("tr", {}, h("th", { scope: "row" }, label), sides.map((side) => h("td", { class: "figure" }, figure(view.seats[side]) ?? "\u2013")));
  const playing = view.hand !== undefined && view.phase !== "ended";
  return h("table", { class: "scores" },
    h("caption", {}, view.hand === undefined ? `To ${view.rules.target}` : `Hand ${view.hand} \u00b7 to ${view.rules.target}`),
    h("thead", {}, h("tr", {}, h("td", {}), sides.map((side) => h("th", { scope: "col", class: `figure${view.turn === side ? " on-turn" : ""}` }, name(called(view, side)))))),
    h("tbody", {},
      row("Score", ({ total }) => number(total)),
      row("Bags", ({ bags }) => String(bags)),
      view.rules.bag_limit > 0 && row("Penalty in", ({ penalty_in: left }) => (left === undefined ? null : `${left} bag${left === 1 ? "" : "s"}`)),
      playing && row("Bid", ({ bid }) => bidText(bid)),
      playing && row("Tricks", ({ tricks }) => String(tricks ?? 0))));
}

/** The hand scored last, with its arithmetic. @param {State} state */
export function lastHand({ view, sheet }) {
  const last = sheet?.hands.at(-1);
  if (last === undefined) return [];
  return [
    h("h2", {}, `Hand ${last.hand} is scored`),
    h("div", { class: "lines" }, [near(view), across(near(view))].map((side) => {
      const line = last[side];
      return h("div", {},
        h("h3", {}, name(called(view, side)), ` ${signed(line.points - line.penalty)}`),
        h("p", { class: "quiet" }, `Bid ${bidText(line.bid)}, took ${line.tricks}`),
        h("ul", {}, line.lines.map((/** @type {string} */ text) => h("li", {}, text))),
        h("p", {}, `Total ${number(line.total)}, ${line.bags} bag${line.bags === 1 ? "" : "s"}`));
    })),
  ];
}

/** What is in dispute, each with the address of its moment. @param {State} state */
export function disputed({ view, game }) {
  const open = view.disputes ?? [];
  return open.map((/** @type {any} */ { seat, hand, version }) =>
    h("p", {}, name(called(view, seat)), " disputes the score of ", h("a", { href: `/g/${game}/replay#v${version}` }, `hand ${hand}`), "."));
}

/** What has happened in this hand, newest first, each with the address of its moment. @param {State} state */
export function story({ view, steps, game }) {
  const told = steps.filter(({ hand, type }) => hand === view.hand && type !== "hand_started").reverse();
  if (told.length === 0) return [h("p", { class: "quiet" }, "Nothing yet.")];
  return [h("ol", { class: "story", reversed: true, tabindex: 0, "aria-label": "What has happened in this hand" }, told.map(({ position, text }) =>
    h("li", {}, h("a", { href: `/g/${game}/replay#${position}` }, position), h("span", {}, withNames(view, text)))))];
}

/** The rules in force: those that differ from the standard stand out. @param {State} state */
export function rules({ view, options }) {
  const rows = options.map((/** @type {any} */ option) => {
    const value = view.rules[option.name];
    const differs = value !== option.standard;
    return { differs, row: h("tr", { class: differs ? "differs" : "" },
      h("th", { scope: "row" }, optionName(option.name), h("small", {}, option.meaning.replaceAll("_", " "))),
      h("td", {}, value === undefined ? "none" : typeof value === "number" ? number(value) : optionName(value), differs && h("small", {}, `usually ${option.standard === undefined ? "none" : optionName(String(option.standard))}`))) };
  });
  const changed = rows.filter(({ differs }) => differs).length;
  return { table: h("table", {}, h("tbody", {}, rows.map(({ row }) => row))), changed };
}
