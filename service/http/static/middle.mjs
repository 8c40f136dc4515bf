// The middle of the table: what lies there in each phase, and what the one who looks may do about it.

import { cardBack, cardFace } from "./cards.mjs";
import { h, name } from "./dom.mjs";
import { walk } from "./hand.mjs";
import { across, called, near, withNames } from "./words.mjs";

/** @typedef {import("./table.mjs").State} State */
/** @typedef {import("./table.mjs").Acts} Acts */

/** @param {State} state @param {Acts} act */
export function middle(state, act) {
  if (state.view.frozen !== undefined) return [];
  switch (state.view.phase) {
    case "draft":
      return draft(state, act);
    case "exchange":
      return exchange(state, act);
    case "bidding":
      return bidding(state, act);
    case "play":
      return trick(state);
    default:
      return [];
  }
}

/** @param {State} state @param {string} kind */
function option({ view }, kind) {
  return view.you?.legal.find((/** @type {any} */ { type }) => type === kind);
}

/** @param {State} state @param {Acts} act @param {string} kind @param {string} text @param {Record<string, unknown>} [more] */
function button({ busy }, act, kind, text, more = {}) {
  const press = (/** @type {MouseEvent} */ event) => act.move(event, { type: kind });
  return h("button", { type: "button", "data-key": kind, "aria-disabled": busy || null, onclick: press, ...more }, text);
}

/** @param {State} state @param {Acts} act */
function draft(state, act) {
  const { view } = state;
  const { you, rules } = view;
  const stock = h("figure", { class: "pile" }, cardBack({ named: false }), h("figcaption", {}, `Stock ${view.draft.stock}`));
  const drawn = you?.drawn;
  /** @type {Node[]} */
  let below = [];
  if (option(state, "look")) {
    const value = rules.double_nil_value;
    below = [
      h("p", { class: "says" }, "Before you see a card of this hand you may bid ", h("strong", {}, "double nil"), `: no trick at all, for ${value} points, or ${value} lost. Looking gives that up for this hand.`),
      h("div", { class: "buttons" },
        button(state, act, "look", "Look at the first card", { class: "main", "data-first": true }),
        button(state, act, "double_nil", "Bid double nil")),
    ];
  } else if (option(state, "keep")) {
    const second = rules.second_card === "seen" ? "you see the next one go" : "the next one goes unseen";
    below = [
      h("div", { class: "buttons" },
        button(state, act, "keep", "Keep it", { class: "main", "data-first": true }),
        button(state, act, "pass", "Pass, take the next")),
      h("p", { class: "quiet" }, `Keep it and ${second} to the pile; pass it and you must take the next.`),
    ];
  }
  const shown = drawn === undefined ? h("div", { class: "slot" }) : h("div", { class: "slot filled" }, cardFace(drawn));
  return [h("div", { class: "laid" }, stock, h("figure", { class: "pile" }, shown, h("figcaption", {}, drawn === undefined ? "\u00a0" : "You drew"))), ...below];
}

/** @param {State} state @param {Acts} act */
function exchange(state, act) {
  const can = option(state, "exchange");
  if (can === undefined) return [h("p", { class: "says" }, name(called(state.view, state.view.turn)), " bid double nil and may exchange cards with the pile.")];
  const count = state.chosen.size;
  const text = count === 0 ? "Exchange nothing" : `Exchange ${count} card${count > 1 ? "s" : ""}`;
  const press = (/** @type {MouseEvent} */ event) => act.move(event, { type: "exchange", discard: [...state.chosen] });
  return [
    h("p", { class: "says" }, `Choose up to ${can.discard.max} cards of your hand to throw. You get as many from the pile, drawn at random.`),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "main", "data-key": "exchange", "aria-disabled": state.busy || null, onclick: press }, text)),
  ];
}

/** @param {State} state @param {Acts} act */
function bidding(state, act) {
  const can = option(state, "bid");
  if (can === undefined) return [];
  const bids = [];
  for (let tricks = can.tricks.min; tricks <= can.tricks.max; tricks += 1) {
    const press = (/** @type {MouseEvent} */ event) => act.move(event, { type: "bid", tricks });
    const first = tricks === can.tricks.min;
    bids.push(h("button", { type: "button", "data-key": `bid-${tricks}`, "data-first": first, "aria-disabled": state.busy || null, onclick: press, "aria-label": tricks === 0 ? "Bid nil" : `Bid ${tricks}` }, tricks === 0 ? "Nil" : String(tricks)));
  }
  return [h("div", { class: "bids", role: "group", "aria-label": "Your bid", onkeydown: walk }, bids)];
}

/** @param {State} state */
function trick(state) {
  const { view } = state;
  const now = view.trick;
  if (now === undefined) return [];
  const order = /** @type {import("./words.mjs").Side[]} */ ([now.leader, across(now.leader)]);
  const slots = order.map((side, at) => {
    const laid = now.cards.find((/** @type {any} */ one) => one.seat === side);
    const who = side === view.you?.seat ? "You" : called(view, side);
    const does = at === 0 ? (laid ? "led" : "to lead") : laid ? "played" : "to follow";
    return h("figure", { class: `pile${view.turn === side ? " next" : ""}` },
      h("div", { class: `slot${laid ? " filled" : ""}` }, laid && cardFace(laid.card)),
      h("figcaption", {}, name(who), ` ${does}`));
  });
  return [
    h("p", { class: "quiet center" }, `Trick ${now.number} of 13 \u00b7 spades ${view.spades_broken ? "broken" : "not broken yet"}`),
    h("div", { class: "laid" }, slots),
  ];
}

/** The trick before this one: who took it and why. @param {State} state */
export function lastTrick(state) {
  const { view } = state;
  const last = view.last_trick;
  if (last === undefined) return [];
  const why = [...state.steps].reverse().find(({ trick: one }) => one?.number === last.number)?.trick.why;
  const took = last.winner === view.you?.seat ? ["You took it"] : [name(called(view, last.winner)), " took it"];
  return [
    h("h3", {}, `Trick ${last.number}`),
    h("div", { class: "taken" }, last.cards.map((/** @type {any} */ { seat, card }) =>
      h("figure", { class: seat === last.winner ? "won" : "" }, cardFace(card), h("figcaption", {}, name(seat === view.you?.seat ? "You" : called(view, seat)))))),
    h("p", {}, took, why === undefined ? "." : [": ", ...withNames(view, why), "."]),
  ];
}

/** Who sits across: name, bid, tricks, and the cards held, face down. @param {State} state */
export function opposite(state) {
  const { view } = state;
  return strip(state, across(near(view)), true);
}

/** Who sits here. @param {State} state */
export function here(state) {
  return strip(state, near(state.view), state.view.you === undefined);
}

/** @param {State} state @param {import("./words.mjs").Side} side @param {boolean} backs */
function strip({ view }, side, backs) {
  const player = view.seats[side];
  if (player === undefined) return [h("p", { class: "quiet" }, "Nobody sits here yet")];
  const held = backs && player.cards > 0 ? h("div", { class: "backs", role: "img", "aria-label": `${player.cards} cards` }, Array.from({ length: player.cards }, () => cardBack({ named: false }))) : null;
  const role = view.hand === undefined || view.phase === "ended" ? "" : view.first === side ? "drafts first" : "leads first";
  return [
    h("p", { class: `who${view.turn === side ? " on-turn" : ""}` }, name(called(view, side), "name strong"), side === view.you?.seat && h("span", { class: "tag" }, "you"), role && h("span", { class: "quiet" }, role)),
    player.bid !== undefined && h("p", { class: "bid" }, player.bid === "double_nil" ? "Double nil" : player.bid === 0 ? "Nil" : `Bid ${player.bid}`, view.phase === "play" && h("span", {}, ` \u00b7 took ${player.tricks}`)),
    held,
  ];
}
