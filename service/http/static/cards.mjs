// The cards, drawn here: four colours, a corner that is legible when the next card lies over the rest, and names in words.

import { h, svg } from "./dom.mjs";

/** @type {Record<string, string>} */
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
/** @type {Record<string, string>} */
const RANKS = { 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
/** In a square of 24. @type {Record<string, string>} */
const SHAPES = {
  C: "M12 2.2a4.6 4.6 0 0 1 3.6 7.5 4.6 4.6 0 1 1-2.9 7.6c.1 2.2.9 3.8 2.5 4.7H8.8c1.6-.9 2.4-2.5 2.5-4.7a4.6 4.6 0 1 1-2.9-7.6A4.6 4.6 0 0 1 12 2.2Z",
  D: "M12 1.5C14.5 5.5 17 9 20.5 12 17 15 14.5 18.5 12 22.5 9.5 18.5 7 15 3.5 12 7 9 9.5 5.5 12 1.5Z",
  H: "M12 21.5C5 15.5 2 11.8 2 8 2 5 4.3 3 6.9 3 9 3 10.9 4.1 12 6.2 13.1 4.1 15 3 17.1 3 19.7 3 22 5 22 8 22 11.8 19 15.5 12 21.5Z",
  S: "M12 2C15 7 21 10 21 15.2 21 18 19 19.8 16.8 19.8 15 19.8 13.6 18.9 12.8 17.5 12.9 19.7 13.7 21.2 15.2 22H8.8C10.3 21.2 11.1 19.7 11.2 17.5 10.4 18.9 9 19.8 7.2 19.8 5 19.8 3 18 3 15.2 3 10 9 7 12 2Z",
};
const CODE = /\b([2-9TJQKA][CDHS])\b/;

/** Whether a text is a card's. @param {unknown} text */
export function isCard(text) {
  return typeof text === "string" && /^[2-9TJQKA][CDHS]$/.test(text);
}

/** `QS` is "queen of spades". @param {string} card */
export function cardName(card) {
  return `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]] ?? card[1]}`;
}

/** The rank as it is printed: `T` is "10". @param {string} card */
function rank(card) {
  return card[0] === "T" ? "10" : card[0];
}

/** @param {string} suit @param {number} x @param {number} y @param {number} size */
function pip(suit, x, y, size) {
  return svg("path", { class: "pip", d: SHAPES[suit] ?? "", transform: `translate(${x} ${y}) scale(${size / 24})` });
}

/**
 * A card's face. It has its name, unless what it lies in says it already (`named: false`).
 * @param {string} card @param {{named?: boolean}} [options]
 */
export function cardFace(card, { named = true } = {}) {
  const suit = card[1];
  const label = named ? { role: "img", "aria-label": cardName(card) } : { "aria-hidden": "true" };
  const court = "JQK".includes(card[0]);
  const middle = court
    ? [
        svg("rect", { class: "panel", x: 37, y: 47, width: 53, height: 83, rx: 5 }),
        svg("text", { class: "letter", x: 63.5, y: 105, "text-anchor": "middle" }, card[0]),
        pip(suit, 41, 51, 11),
        pip(suit, 75, 115, 11),
      ]
    : [pip(suit, card[0] === "A" ? 30 : 36, card[0] === "A" ? 66 : 74, card[0] === "A" ? 62 : 52)];
  return svg(
    "svg",
    { class: `card face suit-${suit}`, viewBox: "0 0 100 140", ...label },
    svg("rect", { class: "paper", x: 1, y: 1, width: 98, height: 138, rx: 10 }),
    ...middle,
    svg("text", { class: "rank", x: card[0] === "T" ? 24 : 20, y: 35, "text-anchor": "middle" }, rank(card)),
    pip(suit, 9, 41, 22),
  );
}

/** The back of a card nobody sees. @param {{named?: boolean}} [options] */
export function cardBack({ named = true } = {}) {
  const lines = [];
  for (let at = -84; at < 84; at += 14) lines.push(`M${at} 8l168 168`, `M${100 - at} 8l-168 168`);
  const label = named ? { role: "img", "aria-label": "a card face down" } : { "aria-hidden": "true" };
  return svg(
    "svg",
    { class: "card back", viewBox: "0 0 100 140", ...label },
    svg("rect", { class: "paper", x: 1, y: 1, width: 98, height: 138, rx: 10 }),
    svg("svg", { x: 8, y: 8, width: 84, height: 124, viewBox: "8 8 84 124" }, svg("rect", { class: "cloth", x: 8, y: 8, width: 84, height: 124 }), svg("path", { class: "weave", d: lines.join("") })),
    svg("rect", { class: "edge", x: 8, y: 8, width: 84, height: 124, rx: 5 }),
  );
}

/** A card in a line of text. @param {string} card */
export function cardSmall(card) {
  const shape = svg("svg", { class: "suit", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { class: "pip", d: SHAPES[card[1]] ?? "" }));
  return h("span", { class: `small suit-${card[1]}`, role: "img", "aria-label": cardName(card) }, rank(card), shape);
}

/** A sentence with its cards drawn: "QS beats JS". @param {string} text @returns {(Node | string)[]} */
export function withCards(text) {
  return text.split(CODE).map((part) => (isCard(part) ? cardSmall(part) : part));
}

/** A sentence with its cards in words, for who listens. @param {string} text */
export function inWords(text) {
  return text.split(CODE).map((part) => (isCard(part) ? cardName(part) : part)).join("");
}
