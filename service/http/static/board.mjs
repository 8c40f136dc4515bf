// The table's regions, made once and painted anew whenever something changes; the focus stays where it was.

import { withCards } from "./cards.mjs";
import { byId, fill, h, name, plain, repaint } from "./dom.mjs";
import { hand } from "./hand.mjs";
import { here, lastTrick, middle, opposite } from "./middle.mjs";
import { disputed, lastHand, rules, scores, story } from "./side.mjs";
import { before } from "./waiting.mjs";
import { called, status, timeLeft } from "./words.mjs";

/** @typedef {import("./table.mjs").State} State */
/** @typedef {import("./table.mjs").Acts} Acts */

const ALMOST_UP = 20_000; // ms: then the clock stands out

export class Board {
  /** @param {HTMLElement} main @param {Acts} acts */
  constructor(main, acts) {
    this.main = main;
    this.acts = acts;
    /** Which hand's score was put away. */
    this.putAway = 0;
    this.built = false;
  }

  build() {
    this.built = true;
    const region = (/** @type {string} */ id, /** @type {Record<string, unknown>} */ more = {}) => h("section", { id, ...more });
    this.clockText = h("span", { class: "clock" });
    this.statusText = h("h1", { id: "status" });
    this.claim = h("button", { type: "button", class: "main", "data-key": "claim", hidden: true, onclick: () => this.acts.claim() }, "Claim the game");
    this.resign = this.resignButton();
    fill(
      this.main,
      h("div", { id: "turn", class: "turn" }, this.statusText, this.clockText, this.claim),
      h("div", { id: "unsent", class: "notice bad unsent", role: "alert", hidden: true }, h("p", {}),
        h("button", { type: "button", "data-key": "again", onclick: () => this.acts.sendAgain() }, "Send again now")),
      h("div", { class: "play" },
        h("div", { id: "board", class: "board", tabindex: -1 },
          region("opposite", { class: "strip", "aria-label": "The other player" }),
          region("before"),
          region("scored", { class: "sheet scored", "aria-label": "The last hand" }),
          region("middle", { class: "middle", "aria-label": "The table" }),
          region("here", { class: "strip", "aria-label": "This side" }),
          region("hand"),
          h("p", { id: "problem", class: "notice bad", role: "alert", hidden: true })),
        h("aside", { class: "side", "aria-label": "Beside the table" },
          region("scores"),
          region("last", { class: "last", "aria-label": "The last trick" }),
          region("disputes", { "aria-label": "Disputes" }),
          region("story", { "aria-label": "The story of this hand" }),
          h("details", { id: "rules" }, h("summary", {}, "Rules in force"), h("div", {})),
          h("p", { id: "note", class: "quiet", hidden: true }),
          this.resign)),
    );
  }

  /** Resigning asks first. */
  resignButton() {
    const dialog = h("dialog", { "aria-labelledby": "resigning" },
      h("h2", { id: "resigning" }, "Resign this game?"),
      h("p", {}, "The other player wins it, and that is on the record. It cannot be taken back."),
      h("form", { method: "dialog", class: "buttons" },
        h("button", { class: "main", value: "no", autofocus: true }, "Play on"),
        h("button", { value: "resign" }, "Resign")));
    dialog.addEventListener("close", () => dialog.returnValue === "resign" && this.acts.resign());
    const ask = () => {
      dialog.returnValue = "no";
      dialog.showModal();
    };
    return h("p", { class: "resign" }, h("button", { type: "button", class: "plain", "data-key": "resign", onclick: ask }, "Resign\u2026"), dialog);
  }

  /** @param {State} state */
  show(state) {
    if (!this.built) this.build();
    const { view } = state;
    const mine = view.turn !== undefined && view.turn === view.you?.seat;
    byId("turn").className = `turn${mine ? " mine" : ""}${view.phase === "ended" ? " over" : ""}`;
    fill(/** @type {HTMLElement} */ (this.statusText), mine && h("span", { class: "tag" }, "Your turn"), " ", state.slow ? "Sending your move\u2026" : h("span", {}, status(view)));
    document.title = `${mine ? "Your turn \u00b7 " : ""}${Object.values(view.seats).map((/** @type {any} */ player) => plain(player.name)).join(" against ")} \u00b7 Trickbook`;
    this.unsent(state);
    this.paint("opposite", opposite(state), !["ended", "waiting"].includes(view.phase));
    const board = byId("board");
    const held = board.contains(document.activeElement) ? document.activeElement : null;
    const still = view.frozen !== undefined && view.phase !== "ended";
    if (!still && (view.phase === "ended" || view.phase === "waiting" || view.phase === "reveal")) this.paintOnce("before", JSON.stringify([view.version, state.note, state.problem, state.halted, state.noRematch]), () => before(state, this.acts));
    else this.paint("before", [], false);
    this.scored(state);
    this.paint("middle", middle(state, this.acts), !["ended", "waiting", "reveal"].includes(view.phase));
    this.paint("here", here(state), view.phase !== "ended" && view.phase !== "waiting");
    this.paint("hand", view.you === undefined ? [] : hand(state, this.acts), view.hand !== undefined && view.phase !== "ended" && view.you !== undefined);
    this.refocus(board, held, state.busy);
    this.paint("scores", [scores(state)]);
    this.paint("last", lastTrick(state), view.last_trick !== undefined && view.phase !== "ended");
    this.paint("disputes", disputed(state), view.disputes !== undefined);
    this.paint("story", [h("h2", {}, "This hand"), ...story(state)], view.hand !== undefined);
    const problem = byId("problem");
    problem.hidden = state.problem === "" || view.phase === "ended";
    fill(problem, withCards(state.problem));
    this.rules(state);
    const note = view.phase === "waiting" ? "" : state.note; // there it stands beside the link
    byId("note").hidden = note === "";
    byId("note").textContent = note;
    /** @type {HTMLElement} */ (this.resign).hidden = view.you === undefined || still || view.phase === "ended";
  }

  /** @param {string} id @param {import("./dom.mjs").Child[]} children @param {boolean} [shown] */
  paint(id, children, shown = true) {
    const region = byId(id);
    region.hidden = !shown;
    repaint(region, children);
  }

  /** A region somebody may be writing in: only painted when what it shows has changed. @param {string} id @param {string} stamp @param {() => import("./dom.mjs").Child[]} make */
  paintOnce(id, stamp, make) {
    const region = byId(id);
    region.hidden = false;
    if (region.dataset.stamp === stamp) return;
    region.dataset.stamp = stamp;
    repaint(region, make());
  }

  /** Where the focus was on something that is gone, it goes to what is to be done now. @param {HTMLElement} board @param {Element | null} held @param {boolean} busy */
  refocus(board, held, busy) {
    if (held === null) return;
    const active = document.activeElement;
    const settled = active instanceof HTMLElement && active.dataset.key !== undefined && board.contains(active) && active.offsetParent !== null;
    if (settled && (busy || active.getAttribute("aria-disabled") !== "true")) return;
    const first = /** @type {HTMLElement[]} */ ([...board.querySelectorAll("[data-first]:not(:disabled)")]).find(({ offsetParent }) => offsetParent !== null);
    if (first !== undefined) first.focus({ preventScroll: true });
    else if (!settled) board.focus({ preventScroll: true });
  }

  /** What is said while a move is not confirmed. @param {State} state */
  unsent({ late }) {
    const place = byId("unsent");
    const text = late === null ? "" : `Your move may not have been sent: ${late === "" ? "the service has not answered." : late} This page keeps sending it until the service confirms it. It is made only once.`;
    const paragraph = /** @type {HTMLElement} */ (place.firstElementChild);
    if (paragraph.textContent !== text) paragraph.textContent = text;
    place.hidden = late === null;
  }

  /** The score of the last hand, until it is put away or the next one is played. @param {State} state */
  scored(state) {
    const { view, sheet } = state;
    const last = sheet?.hands.at(-1)?.hand ?? 0;
    const fresh = last > this.putAway && (view.phase === "ended" || (view.hand === last + 1 && ["draft", "exchange"].includes(view.phase)));
    const away = () => {
      this.putAway = last;
      this.show(state);
    };
    const button = view.phase === "ended" ? false : h("button", { type: "button", "data-key": "away", onclick: away }, "Close");
    this.paint("scored", fresh ? [...lastHand(state), button] : [], fresh);
  }

  /** @param {State} state */
  rules(state) {
    if (state.options.length === 0) return;
    const { table, changed } = rules(state);
    const [summary, place] = /** @type {HTMLElement[]} */ ([...byId("rules").children]);
    fill(summary, "Rules in force", changed > 0 && h("span", { class: "tag" }, `${changed} house rule${changed === 1 ? "" : "s"}`));
    fill(place, table);
  }

  /** @param {string} text */
  hint(text) {
    fill(byId("hint"), withCards(text));
  }

  copied() {
    const button = document.querySelector("[data-key=copy]");
    if (button !== null) button.textContent = "Copied";
  }

  /** What is left of the time, and claiming it. @param {State} state @param {number} now */
  clock({ view, busy }, now) {
    if (!this.built) return;
    const clock = /** @type {HTMLElement} */ (this.clockText);
    const claim = /** @type {HTMLButtonElement} */ (this.claim);
    const left = view.deadline === undefined || view.phase === "ended" ? undefined : view.deadline - now;
    const timed = left !== undefined && (view.rules.turn_seconds !== undefined || left < 3_600_000);
    clock.hidden = !timed;
    claim.hidden = left === undefined || left > 0 || view.you === undefined || view.turn === view.you.seat;
    claim.disabled = busy;
    if (!timed) return;
    const mine = view.turn === view.you?.seat;
    clock.className = `clock${left < ALMOST_UP ? " soon" : ""}`;
    fill(clock, left > 0 ? `${timeLeft(left)} left` : mine ? "Your time has run out" : ["The time of ", name(called(view, view.turn)), " has run out"]);
  }
}

