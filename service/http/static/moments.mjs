// The list of a hand's moments: draft, exchange, bids, tricks, score. Each line is a link to its position.

import { cardSmall } from "./cards.mjs";
import { fill, h } from "./dom.mjs";
import { drawnFor, toldOf, whole } from "./sentence.mjs";

/** @typedef {import("./steps.mjs").Step} Step */
/** @typedef {import("./sentence.mjs").Looks} Looks */

/** @type {Record<string, string>} */
const PARTS = { hand_started: "Draft", looked: "Draft", double_nil_bid: "Draft", card_kept: "Draft", cards_exchanged: "Exchange", bid_placed: "Bids", card_played: "Play", hand_scored: "Score", game_ended: "The end" };

/** The list of one hand; `mark` says where one stands. */
export class Moments {
  /** @param {HTMLElement} place scrolls by itself */
  constructor(place) {
    this.place = place;
    /** What is drawn. @type {{steps: Step[], looks: string}} */
    this.shown = { steps: [], looks: "" };
    /** @type {Map<string, HTMLElement>} */
    this.lines = new Map();
  }

  /** @param {Step[]} steps @param {Step} now @param {Looks} looks */
  mark(steps, now, looks) {
    const seen = JSON.stringify(looks);
    if (this.shown.steps !== steps || this.shown.looks !== seen) this.draw(steps, looks);
    this.shown = { steps, looks: seen };
    this.place.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const line = this.lines.get(now.position);
    if (line === undefined) return;
    line.setAttribute("aria-current", "step");
    this.reach(line);
  }

  /** Brings a line into the middle of the list without moving the page. @param {HTMLElement} line */
  reach(line) {
    const [list, own] = [this.place.getBoundingClientRect(), line.getBoundingClientRect()];
    if (own.top < list.top + 40 || own.bottom > list.bottom - 40) {
      this.place.scrollTop += own.top - list.top - list.height / 2;
    }
  }

  /** @param {Step[]} steps @param {Looks} looks */
  draw(steps, looks) {
    this.lines.clear();
    /** @type {(Node | string)[]} */
    const parts = [];
    let title = "";
    /** @type {HTMLElement | undefined} */
    let list;
    for (const step of steps) {
      const part = PARTS[step.type] ?? "Before the first hand";
      const after = step.type.startsWith("dispute") || step.type === "score_corrected" ? "Afterwards" : part;
      if (after !== title || list === undefined) {
        title = after;
        list = h("ol", { class: after === "Play" ? "tricks" : "told-lines" });
        parts.push(h("h3", {}, title), list);
      }
      if (step.type === "card_played") this.card(list, step);
      else list.append(h("li", {}, this.line(step, drawnFor(step, whole(toldOf(step, looks).text)).map(unlinked))));
    }
    fill(this.place, parts);
  }

  /** A card is told in the line of its trick. @param {HTMLElement} list @param {Step} step */
  card(list, step) {
    const trick = step.trick ?? step.table.trick;
    const played = trick?.cards.at(-1);
    if (trick === undefined || played === undefined) return;
    const link = this.line(step, [h("span", {}, played.seat), " ", cardSmall(played.card)]);
    if (trick.cards.length === 1) list.append(h("li", {}, h("span", { class: "no", "aria-hidden": "true" }, trick.number), link));
    else list.lastElementChild?.append(link, h("small", {}, trick.winner, h("span", {}, " takes")));
  }

  /** @param {Step} step @param {(Node | string)[]} said */
  line(step, said) {
    const link = h("a", { href: `#${step.position}` }, said);
    this.lines.set(step.position, link);
    return link;
  }
}

/** A line is a link as a whole. @param {Node | string} part */
function unlinked(part) {
  return part instanceof HTMLAnchorElement ? (part.textContent ?? "") : part;
}
