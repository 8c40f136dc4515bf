// The service's sentences as they stand on a page: their cards drawn, their positions to be gone to.

import { inWords, withCards } from "./cards.mjs";
import { h, plain } from "./dom.mjs";

/** @typedef {import("./steps.mjs").Step} Step */
/** @typedef {import("./steps.mjs").Seat} Seat */
/** @typedef {{flipped: boolean, hidden: boolean}} Looks how the table is looked at: turned round; the upper hand face down */

// A rule is named as `§7.4`: that is no place in a game.
const PLACES = /(?<![§.\d])\b(v[1-9]\d*|[1-9]\d*\.(?:s|[dxb]\d+|\d+(?:\.[12])?))\b(?!\.\d)/;
const IN_HASH = /^#(v\d+|\d+(\.\w+(\.\d+)?)?)$/;

/** The position a link of ours names, or nothing. @param {string} hash */
export function positionIn(hash) {
  return IN_HASH.test(hash) ? hash.slice(1) : "";
}

/** What somebody wrote behind the `#`: whether it is a position is for the service to say. @param {string} hash */
export function asked(hash) {
  return hash === "#main" ? "" : hash.slice(1, 40);
}

/** @param {string} text @param {string} [base] where the positions open, this page if nothing is said @returns {(Node | string)[]} */
export function drawn(text, base = "") {
  return plain(text)
    .split(PLACES)
    .flatMap((part, i) => (i % 2 ? [h("a", { class: "position", href: `${base}#${part}` }, part)] : withCards(part)));
}

/** Without the names of players, in which nothing is a card. @param {Step} step @param {string} text @param {string} [base] */
export function drawnFor(step, text, base) {
  return step.type === "player_joined" ? [plain(text)] : drawn(text, base);
}

/** The first letter large, a full stop at the end. @param {string} text */
export function whole(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** What a step says, without what a hand that lies face down would tell. @param {Step} step @param {Looks} looks @returns {{text: string, why: string[]}} */
export function toldOf(step, looks) {
  return step.covered !== undefined && isCovered(looks, step.covered.seat) ? step.covered : step;
}

/** @param {Looks} looks @returns {Seat} */
export function upper(looks) {
  return looks.flipped ? "south" : "north";
}

/** @param {Looks} looks @param {Seat} seat */
export function isCovered(looks, seat) {
  return looks.hidden && seat === upper(looks);
}

/** A sentence for who listens. @param {Step} step @param {Looks} looks */
export function stepSpoken(step, looks) {
  const text = whole(toldOf(step, looks).text);
  const trick = step.trick === undefined ? "" : ` ${whole(`${step.trick.winner} takes the trick`)}`;
  return step.type === "player_joined" ? plain(text) : inWords(text) + trick;
}
