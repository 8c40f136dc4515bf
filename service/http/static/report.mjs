// "Report this": a dispute about the moment that is shown, with what is claimed instead. Only a seat may open one.

import { Problem, request } from "./api.mjs";
import { byId, fill, h, plain } from "./dom.mjs";
import { showDisputes } from "./disputes.mjs";
import { freshKey, kept } from "./seat.mjs";

/** @typedef {import("./steps.mjs").Step} Step */

const NOTE = 500; // characters, as the service counts them: code points
const FIGURES = /** @type {const} */ ([["bid", "Bid"], ["tricks", "Tricks taken"], ["points", "Points of the hand"], ["bags", "Bags after it"], ["total", "Total after it"]]);

export class Reports {
  /** @param {string} game @param {() => Step} step where one stands @param {() => void} opened the game has an event more */
  constructor(game, step, opened) {
    this.game = game;
    this.opened = opened;
    this.step = step;
    this.button = /** @type {HTMLButtonElement} */ (byId("report"));
    this.dialog = /** @type {HTMLDialogElement} */ (byId("report-form"));
    this.view = {};
  }

  /** @param {{imported?: boolean, disputes?: import("./disputes.mjs").Dispute[]}} view @param {boolean} seated whether this browser is a seat of the game */
  open(view, seated) {
    const { seat } = kept(this.game);
    const may = seated && view.imported !== true;
    this.button.disabled = !may;
    byId("who-may").textContent = may
      ? ""
      : view.imported === true
        ? "This game was imported: nobody here can settle a dispute about it."
        : "Only the two players may report a moment, in the browser they played in.";
    this.button.addEventListener("click", () => this.ask(seat ?? "north"));
    this.view = view;
    showDisputes(this.game, view).catch(passing);
  }

  /** @param {Step} step */
  at(step) {
    this.button.title = `Open a dispute at ${step.position}`;
  }

  /** @param {"north" | "south"} seat */
  ask(seat) {
    const step = this.step();
    const key = freshKey(); // one for this form: sent twice it is one dispute
    const hand = Math.max(1, step.hand);
    const wrong = h("p", { class: "notice bad", role: "alert", hidden: true });
    const left = h("small", { id: "note-left" }, `${NOTE} characters left`);
    const note = h("textarea", { id: "note", name: "note", rows: 4, "aria-describedby": "note-left", oninput: () => fill(left, `${NOTE - [...note.value].length} characters left`) });
    const form = h(
      "form",
      { method: "dialog", class: "claim", novalidate: true },
      h("h2", { id: "report-title" }, `Report ${step.position}`),
      h("p", { class: "quiet" }, "What you claim stands in the log of the game for everybody; your own words go to the operator and the other player alone. Nothing in the game changes until it is settled."),
      h("fieldset", {}, h("legend", {}, "What should the score be?"), choice("totals", "The totals", true), choice("hand", "The figures of one hand", false)),
      h("fieldset", { class: "part of-totals" }, h("legend", { class: "unseen" }, "Totals"), figureField("north", "North's total"), figureField("south", "South's total")),
      h(
        "fieldset",
        { class: "part of-hand" },
        h("legend", { class: "unseen" }, "One hand"),
        h("label", {}, "Hand ", h("input", { name: "number", type: "number", min: 1, value: hand })),
        h("label", {}, "Seat ", h("select", { name: "seat" }, ["north", "south"].map((each) => h("option", { value: each, selected: each === seat }, each)))),
        FIGURES.map(([name, says]) => (name === "bid" ? bids() : figureField(name, says))),
      ),
      h("label", { for: "note" }, "What happened, in your words"),
      note,
      left,
      wrong,
      h("div", { class: "buttons" }, h("button", { class: "main", value: "send" }, "Send the report"), h("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel")),
    );
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const said = await this.send(form, step, key);
      wrong.hidden = said === "";
      wrong.textContent = plain(said);
    });
    fill(this.dialog, form);
    this.dialog.showModal();
  }

  /** Sends it; answers with what is wrong, or nothing. @param {HTMLFormElement} form @param {Step} step @param {string} key @returns {Promise<string>} */
  async send(form, step, key) {
    const claim = claimOf(new FormData(form));
    if (typeof claim === "string") return claim;
    const note = String(new FormData(form).get("note") ?? "").trim();
    if ([...note].length > NOTE) return `Your words are longer than ${NOTE} characters.`;
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button.main"));
    button.disabled = true;
    try {
      const body = { position: step.position, claim, ...(note === "" ? {} : { note }) };
      const { body: answer } = await request("POST", `/v1/games/${this.game}/disputes`, { token: kept(this.game).token, key, body });
      this.dialog.close();
      this.opened();
      await showDisputes(this.game, this.view, answer.dispute.n);
      return "";
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return error.passing ? `${error.message} Nothing is lost: send it again, it will be one report.` : error.message;
    } finally {
      button.disabled = false;
    }
  }
}

/** @param {string} value @param {string} says @param {boolean} checked */
function choice(value, says, checked) {
  return h("label", { class: "choice" }, h("input", { type: "radio", name: "kind", value, checked }), says);
}

/** @param {string} name @param {string} says */
function figureField(name, says) {
  return h("label", {}, says, " ", h("input", { name, inputmode: "text", pattern: "[+\\-−]?[0-9]{1,6}", autocomplete: "off" }));
}

function bids() {
  const numbers = Array.from({ length: 13 }, (_, i) => h("option", { value: i + 1 }, i + 1));
  return h("label", {}, "Bid ", h("select", { name: "bid" }, h("option", { value: "" }, "not claimed"), h("option", { value: 0 }, "nil"), h("option", { value: "double_nil" }, "double nil"), numbers));
}

/** The claim of a form as the service reads it, or what is wrong with it. @param {FormData} data @returns {object | string} */
function claimOf(data) {
  /** @type {Record<string, number | string>} */
  const said = {};
  const totals = data.get("kind") === "totals";
  for (const name of totals ? ["north", "south"] : FIGURES.map(([each]) => each)) {
    const text = String(data.get(name) ?? "").trim().replace("−", "-");
    if (text === "") continue;
    if (text === "double_nil") said[name] = text;
    else if (/^[+-]?\d{1,6}$/.test(text)) said[name] = Number(text);
    else return `${text.slice(0, 20)} is no whole number.`;
  }
  if (Object.keys(said).length === 0) return "Say at least one figure as you have it.";
  if (totals) return { result: said };
  const hand = Number(data.get("number"));
  if (!Number.isInteger(hand) || hand < 1) return "Say which hand, from 1 on.";
  return { hands: [{ hand, [String(data.get("seat"))]: said }] };
}

/** What is asked for beside the page itself may be missing: then it is not shown. @param {unknown} error */
function passing(error) {
  if (!(error instanceof Problem)) throw error;
}
