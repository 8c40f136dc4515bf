// The hand as a row of buttons: arrow keys walk along it, Enter or a click plays. A card that may not be played is there all
// the same and says why not; what may be played is the service's word.

import { sentence } from "./api.mjs";
import { cardFace, cardName, cardSmall, inWords, withCards } from "./cards.mjs";
import { h } from "./dom.mjs";
import { called } from "./words.mjs";

/** @typedef {import("./table.mjs").State} State */
/** @typedef {import("./table.mjs").Acts} Acts */

/** What may be done with a card now: nothing, playing it, choosing it for the exchange. @param {State} state @param {string} card */
function standing({ view }, card) {
  const { legal, unplayable = [] } = view.you;
  const option = legal.find((/** @type {any} */ { type }) => type === "play" || type === "exchange");
  if (option?.type === "exchange") return { does: "choose", why: "" };
  if (option?.type === "play" && option.card.includes(card)) return { does: "play", why: "" };
  const objection = unplayable.find((/** @type {any} */ one) => one.card === card);
  if (objection !== undefined) return { does: "", why: sentence(objection.message) };
  if (view.phase === "play" && view.turn !== view.you.seat) return { does: "", why: `It is ${called(view, view.turn)}\u2019s turn.` };
  return { does: "", why: view.phase === "draft" ? "The play begins when both hands are full." : "The play has not begun." };
}

/** The hand. @param {State} state @param {Acts} act */
export function hand(state, act) {
  const { you, phase } = state.view;
  const playing = you.legal.some((/** @type {any} */ { type }) => type === "play");
  const cards = you.hand.map((/** @type {string} */ card, /** @type {number} */ at) => cardButton(state, act, card, at, playing));
  const empty = phase === "draft" ? "Your hand is still empty." : "";
  return [
    h("h2", { class: "unseen" }, `Your hand, ${you.hand.length} cards`),
    cards.length > 0
      ? h("div", { class: "hand", role: "toolbar", "aria-label": "Your hand", onkeydown: walk }, cards)
      : h("p", { class: "quiet center" }, empty),
    h("p", { id: "hint", class: "hint" }, withCards(state.hint)),
    you.discarded.length > 0 && h("p", { class: "quiet gone" }, "You have seen go:", you.discarded.map(cardSmall)),
  ];
}

/** @param {State} state @param {Acts} act @param {string} card @param {number} at @param {boolean} playing */
function cardButton(state, act, card, at, playing) {
  const { does, why } = standing(state, card);
  const chosen = does === "choose" ? state.chosen.has(card) : null;
  const stop = state.roving !== null && state.view.you.hand.includes(state.roving) ? state.roving === card : at === first(state);
  return h(
    "button",
    {
      class: `in-hand${does ? " can" : playing ? " cannot" : ""}`,
      type: "button",
      tabindex: stop ? 0 : -1,
      "data-key": card,
      "data-card": card,
      "data-first": stop && does !== "",
      "aria-label": cardName(card) + (does || !playing ? "" : `, not now: ${inWords(why)}`),
      "aria-disabled": does && !state.busy ? null : "true",
      "aria-pressed": chosen,
      onclick: (/** @type {MouseEvent} */ event) => {
        if (does === "play") act.play(event, card);
        else if (does === "choose") act.choose(card);
        else act.hint(why, true);
      },
      onfocus: () => act.rove(card),
      onpointerenter: () => act.hint(why, false),
    },
    cardFace(card, { named: false }),
  );
}

/** The place in the hand that Tab comes to: the first card that may be played. @param {State} state */
function first({ view }) {
  const play = view.you.legal.find((/** @type {any} */ { type }) => type === "play");
  return Math.max(0, play === undefined ? 0 : view.you.hand.findIndex((/** @type {string} */ card) => play.card.includes(card)));
}

/** Arrow keys, Home and End move the focus along a row of buttons. @param {KeyboardEvent} event */
export function walk(event) {
  const row = /** @type {HTMLElement} */ (event.currentTarget);
  const buttons = /** @type {HTMLButtonElement[]} */ ([...row.querySelectorAll("button")]);
  const here = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const columns = buttons.filter(({ offsetTop }) => offsetTop === buttons[0].offsetTop).length;
  /** @type {Record<string, number>} */
  const goes = { ArrowLeft: here - 1, ArrowRight: here + 1, ArrowUp: here - columns, ArrowDown: here + columns, Home: 0, End: buttons.length - 1 };
  const next = goes[event.key];
  if (next === undefined || here < 0) return;
  event.preventDefault();
  buttons[Math.min(buttons.length - 1, Math.max(0, next))].focus();
}
