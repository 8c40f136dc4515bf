// The table at one step: both hands, what lies between them, and the figures. It shows what the step says and nothing else.

import { cardBack, cardFace, cardName } from "./cards.mjs";
import { fill, h, name, number } from "./dom.mjs";
import { isCovered, upper } from "./sentence.mjs";
import { across, bidText } from "./words.mjs";

/** @typedef {import("./steps.mjs").Step} Step */
/** @typedef {import("./steps.mjs").Seat} Seat */
/** @typedef {import("./sentence.mjs").Looks} Looks */
/** @typedef {Partial<Record<Seat, string>>} Names */

/** @param {string} text */
const large = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Draws a step.
 * @param {Element} place @param {Step} step @param {Looks} looks @param {Names} names
 * @param {(card: string) => void} chosen a card was pressed
 */
export function drawBoard(place, step, looks, names, chosen) {
  const far = upper(looks);
  const near = across(far);
  const hands = step.hand > 0;
  fill(
    place,
    strip(step, far, names),
    hands && handOf(step, far, looks, chosen),
    h("div", { class: "between" }, ...middle(step, looks, far, near, chosen)),
    hands && handOf(step, near, looks, chosen),
    strip(step, near, names),
  );
}

/** @param {Step} step @param {Seat} seat @param {Names} names */
function strip(step, seat, names) {
  const { seats, turn, first } = step.table;
  const player = seats[seat];
  const told = player === undefined ? undefined : names[seat];
  const role = first === undefined ? "" : first === seat ? ", drafts first" : ", leads first";
  return h(
    "div",
    { class: `seat-line${turn === seat ? " on-turn" : ""}` },
    h(
      "p",
      { class: "seat-name" },
      h("span", {}, told === undefined ? h("span", { class: "quiet" }, "nobody yet") : name(told), " ", turn === seat && h("small", { class: "on-move" }, "to move")),
      h("small", {}, seat, role),
    ),
    player !== undefined &&
      h(
        "dl",
        { class: "figures" },
        ...figure("Score", number(player.total)),
        ...figure("Bags", player.bags),
        ...(player.tricks === undefined ? [] : [...figure("Bid", bidText(player.bid)), ...figure("Tricks", player.tricks)]),
      ),
  );
}

/** @param {string} what @param {string | number} value */
function figure(what, value) {
  return [h("div", {}, h("dt", {}, what), h("dd", {}, value))];
}

/** @param {Step} step @param {Seat} seat @param {Looks} looks @param {(card: string) => void} chosen */
function handOf(step, seat, looks, chosen) {
  const held = isCovered(looks, seat) ? undefined : step.hands[seat];
  const count = step.table.seats[seat].cards ?? 0;
  const legal = step.legal?.seat === seat ? step.legal.cards : undefined;
  const label = `${large(seat)}'s hand, ${count} card${count === 1 ? "" : "s"}${held === undefined && count > 0 ? ", face down" : ""}`;
  const cards = held === undefined ? Array.from({ length: count }, () => h("span", { class: "held" }, cardBack({ named: false }))) : held.map((card) => heldCard(card, legal, step, chosen));
  return h("div", { class: "fan", role: "group", "aria-label": label }, cards.length > 0 ? cards : h("span", { class: "no-cards" }, "no cards"));
}

/** @param {string} card @param {string[] | undefined} legal @param {Step} step @param {(card: string) => void} chosen */
function heldCard(card, legal, step, chosen) {
  const kind = legal === undefined ? "" : legal.includes(card) ? " may" : " may-not";
  const fresh = step.moved?.to_hand.includes(card) ? " fresh" : "";
  return cardButton(card, `held${kind}${fresh}`, kind === " may" ? ", may be played" : "", chosen);
}

/** @param {string} card @param {string} kind @param {string} more @param {(card: string) => void} chosen */
function cardButton(card, kind, more, chosen) {
  const label = `${cardName(card)}${more}: go to where it goes`;
  return h("button", { type: "button", class: kind, tabindex: -1, "aria-label": label, title: cardName(card), onclick: () => chosen(card) }, cardFace(card, { named: false }));
}

/** What lies between the hands. @param {Step} step @param {Looks} looks @param {Seat} far @param {Seat} near @param {(card: string) => void} chosen */
function middle(step, looks, far, near, chosen) {
  const { table, trick } = step;
  if (step.type === "hand_scored" || table.result !== undefined) return outcome(step, far, near);
  if (trick !== undefined) return trickOf(trick, table, far, near, chosen);
  if (table.draft !== undefined) return draftOf(step, looks, chosen);
  if (step.type === "cards_exchanged") return exchangeOf(step, looks, chosen);
  if (table.phase === "play" && table.trick !== undefined) return trickOf(table.trick, table, far, near, chosen);
  const said = { waiting: "Waiting for the second player", reveal: "Both players' bytes are revealed", exchange: "The exchange", bidding: "The bids" };
  return [note(said[/** @type {keyof said} */ (table.phase)] ?? large(table.phase), "")];
}

/** @param {import("./steps.mjs").Trick} trick @param {import("./steps.mjs").Moment} table @param {Seat} far @param {Seat} near @param {(card: string) => void} chosen */
function trickOf(trick, table, far, near, chosen) {
  const slot = (/** @type {Seat} */ seat) => {
    const card = trick.cards.find((played) => played.seat === seat)?.card;
    const taken = trick.winner === seat;
    const says = taken ? "takes it" : trick.leader === seat ? (card === undefined ? "to lead" : "leads") : card === undefined ? "to follow" : "follows";
    return h(
      "div",
      { class: `spot${taken ? " takes" : ""}` },
      card === undefined ? h("span", { class: "empty" }) : cardButton(card, "face-up", "", chosen),
      h("small", {}, `${large(seat)} ${says}`),
    );
  };
  const broken = table.spades_broken ? "Spades are broken" : "Spades are not broken";
  return [note(`Trick ${trick.number}`, broken), h("div", { class: "spots" }, slot(far), slot(near))];
}

/** @param {Step} step @param {Looks} looks @param {(card: string) => void} chosen */
function draftOf(step, looks, chosen) {
  const { draft } = step.table;
  if (draft === undefined) return [];
  const drawn = step.drawn === undefined || isCovered(looks, step.drawn.seat) ? undefined : step.drawn;
  const turn = step.type === "card_kept";
  const moved = step.covered !== undefined && isCovered(looks, step.covered.seat) ? undefined : step.moved;
  return [
    h(
      "div",
      { class: "spots draft" },
      pile("Stock", draft.stock),
      turn && slotOf("Into the hand", moved?.to_hand[0], chosen),
      turn && slotOf("To the pile", moved?.to_pile[0], chosen),
      !turn && drawn !== undefined && slotOf(`${large(drawn.seat)} draws`, drawn.card, chosen),
      pile("Pile", draft.pile),
    ),
  ];
}

/** @param {string} what @param {number} count */
function pile(what, count) {
  const shape = count > 0 ? h("span", { class: "face-up stack" }, cardBack({ named: false }), h("b", { class: "count" }, count)) : h("span", { class: "empty" });
  return h("div", { class: "spot" }, shape, h("small", {}, `${what}, ${count}`));
}

/** @param {string} what @param {string | undefined} card face down where nothing is known @param {(card: string) => void} chosen */
function slotOf(what, card, chosen) {
  return h("div", { class: "spot" }, card === undefined ? h("span", { class: "face-up" }, cardBack()) : cardButton(card, "face-up", "", chosen), h("small", {}, what));
}

/** @param {Step} step @param {Looks} looks @param {(card: string) => void} chosen */
function exchangeOf(step, looks, chosen) {
  const moved = step.covered !== undefined && isCovered(looks, step.covered.seat) ? undefined : step.moved;
  if (moved === undefined) return [note("The exchange", "What was exchanged is not shown.")];
  const group = (/** @type {string} */ what, /** @type {string[]} */ cards) =>
    h("div", { class: "spot" }, h("span", { class: "few" }, cards.map((card) => cardButton(card, "face-up", "", chosen))), h("small", {}, what));
  return [h("div", { class: "spots" }, group("Thrown on the pile", moved.to_pile), group("Drawn from it", moved.to_hand))];
}

/** @param {Step} step @param {Seat} far @param {Seat} near */
function outcome(step, far, near) {
  const { result, seats } = step.table;
  const title = result === undefined ? `Hand ${step.hand} is scored` : result.winner === undefined ? "Nobody wins" : `${large(result.winner)} wins`;
  const score = (/** @type {Seat} */ seat) => h("div", { class: "spot" }, h("b", { class: "total" }, number(seats[seat]?.total ?? 0)), h("small", {}, large(seat)));
  return [note(title, ""), h("div", { class: "spots" }, score(far), score(near))];
}

/** @param {string} title @param {string} more */
function note(title, more) {
  return h("p", { class: "stands" }, h("b", {}, title), more !== "" && h("small", {}, more));
}
