// "Check this game here": the second verifier on a record, in this browser, each check told as it ends.

import { fetched, Problem } from "./api.mjs";
import { byId, fill, h, plain } from "./dom.mjs";
import { evidence } from "./evidence.mjs";
import { kept } from "./seat.mjs";
import { drawn } from "./sentence.mjs";
import { STAGES, stageOf, Unreadable, verify } from "./verify.mjs";

/** @typedef {import("./verify.mjs").Stage} Stage */
/** @typedef {import("./verify.mjs").Finding} Finding */
/** @typedef {"waiting" | "running" | "ok" | "wrong" | "unchecked"} State */
/** @typedef {Awaited<ReturnType<typeof verify>>} Result */

/** @type {Record<Stage, [string, string]>} */
const CHECKS = {
  bytes: ["Form and order", "every event is written in the one form there is, and none is missing, doubled or moved"],
  chain: ["Chain", "each event holds the hash of all before it, up to the head in the header"],
  receipts: ["Signatures", "the service signed exactly this log, under the key that is trusted here"],
  contributions: ["Players' bytes", "what the players brought to the shuffle is what they had committed to"],
  deals: ["Decks", "every deck and every exchange follows from the root that was fixed before the first card"],
  seals: ["Seals", "each card that was hidden is the one that was sealed when it was drawn"],
  moves: ["Moves and scores", "every move was legal, every trick went to the right seat, every score is right"],
  end: ["The end", "play is over, and the winner is the one the scores make"],
};
/** @type {Record<State, string>} */
const SAYS = { waiting: "waiting", running: "checking", ok: "holds", wrong: "does not hold", unchecked: "could not be checked" };
const KEY = /^[0-9a-f]{64}$/;

export class Checking {
  /** @param {string} game of this page @param {{phase: string, receipt?: {key: string}, imported?: boolean}} view */
  constructor(game, view) {
    this.game = game;
    this.view = view;
    this.pin = /** @type {HTMLInputElement} */ (byId("pin"));
    this.begin = /** @type {HTMLButtonElement} */ (byId("check-here"));
    this.file = /** @type {HTMLInputElement} */ (byId("file"));
    /** @type {Map<Stage, HTMLElement>} */
    this.lines = new Map();
  }

  listen() {
    this.pin.value = kept(this.game).pin ?? "";
    this.pin.addEventListener("input", () => this.sayPin());
    this.sayPin();
    byId("download").addEventListener("click", (event) => this.download(event));
    if (globalThis.crypto?.subtle === undefined) {
      byId("insecure").hidden = false;
      this.begin.disabled = true;
      this.file.disabled = true;
      byId("drop").setAttribute("aria-disabled", "true");
      return;
    }
    this.begin.addEventListener("click", () => this.check("this game", () => this.fetched(), this.game));
    this.file.addEventListener("change", () => this.given(this.file.files?.[0]));
    const place = byId("check");
    place.addEventListener("dragover", (event) => {
      event.preventDefault();
      place.classList.add("over");
    });
    place.addEventListener("dragleave", () => place.classList.remove("over"));
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      place.classList.remove("over");
      this.given(event.dataTransfer?.files[0]);
    });
  }

  sayPin() {
    const own = kept(this.game).pin;
    const said = this.pin.value.trim();
    if (said !== "" && !KEY.test(said)) fill(byId("pin-says"), "That is no key: it has 64 hex digits, 0-9 and a-f.");
    else if (own !== undefined && said === own) fill(byId("pin-says"), "This browser has known it since it sat down at this game.");
    else if (said === "") fill(byId("pin-says"), "This browser was not at the table, so it has no key of its own. Take it from a place you trust: a player's invite, or what the operator publishes (", h("code", {}, "trickbook keys"), ").");
    else fill(byId("pin-says"), "The game is checked under this key, because you say that it is the right one.");
  }

  /** The record of this game, as the seat of this browser may have it. @returns {Promise<Uint8Array<ArrayBuffer>>} */
  async fetched() {
    const token = this.view.phase === "ended" ? undefined : kept(this.game).token;
    const response = await fetched("GET", `/v1/games/${this.game}/record`, { token, accept: "application/x-ndjson" });
    return new Uint8Array(await response.arrayBuffer());
  }

  /** While play goes on the record needs the token of a seat, which no link can carry. @param {MouseEvent} event */
  async download(event) {
    if (this.view.phase === "ended") return;
    event.preventDefault();
    try {
      const address = URL.createObjectURL(new Blob([await this.fetched()]));
      h("a", { href: address, download: `${this.game}.trickbook.ndjson` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.verdict("unchecked", "There is no record to download.", error.message);
    }
  }

  /** @param {File | undefined} file */
  given(file) {
    if (file === undefined) return;
    this.file.value = "";
    this.check(file.name, async () => new Uint8Array(await file.arrayBuffer()));
  }

  /** @param {string} what @param {() => Promise<Uint8Array>} bytes @param {string} [game] the game that was requested */
  async check(what, bytes, game) {
    const pin = this.pin.value.trim();
    if (pin !== "" && !KEY.test(pin)) {
      byId("checks").hidden = true;
      fill(byId("findings"));
      this.verdict("unchecked", "Nothing was checked: the key you entered is no key.", "A key has all 64 hex digits, 0-9 and a-f: a shorter one could be made to fit. Correct it, or leave the field empty.");
      return;
    }
    this.begin.disabled = true;
    this.list();
    this.verdict("running", `Checking ${what} …`, "");
    fill(byId("findings"));
    try {
      const record = await bytes();
      const lines = await evidence(this.game);
      const receipts = lines.some(({ kind }) => kind === "receipt");
      const result = await verify(record, { serverKey: pin === "" ? undefined : pin, game, kept: lines, receipts, progress: (stage, state) => this.mark(stage, state === "missing" ? "unchecked" : state) });
      this.show(what, result, pin !== "");
    } catch (error) {
      byId("checks").hidden = true;
      if (error instanceof Unreadable) this.verdict("wrong", `This is no record: ${error.message}.`, "A record is the file that “Download the record” gives, or the export of the command line.");
      else if (error instanceof Problem) this.verdict("unchecked", "The record could not be had.", error.message);
      else throw error;
    } finally {
      this.begin.disabled = false;
    }
  }

  list() {
    for (const stage of STAGES) {
      const [title, says] = CHECKS[stage];
      this.lines.set(stage, h("li", { "data-stage": stage }, h("b", {}, title), h("span", { class: "state" }), h("small", {}, says), h("ul", { class: "remarks" })));
      this.mark(stage, "waiting");
    }
    fill(byId("checks"), ...this.lines.values());
    byId("checks").hidden = false;
  }

  /** @param {Stage} stage @param {State} state */
  mark(stage, state) {
    const line = this.lines.get(stage);
    if (line === undefined) return;
    line.dataset.state = state;
    line.querySelector(".state")?.replaceChildren(SAYS[state]);
  }

  /** @param {Stage} stage @param {...(Node | string | (Node | string)[])} said */
  remark(stage, ...said) {
    this.lines.get(stage)?.querySelector(".remarks")?.append(h("li", {}, ...said));
  }

  /** @param {string} what @param {Result} result @param {boolean} pinned */
  show(what, result, pinned) {
    const here = result.game === this.game; // else its positions are not on this page
    for (const finding of result.findings) {
      const stage = stageOf(finding.code) ?? "bytes";
      const place = here ? h("a", { href: `#${finding.position}`, class: "position" }, finding.position) : h("b", { class: "position" }, finding.position);
      this.remark(stage, place, " ", h("code", {}, finding.code), " ", here ? drawn(finding.message) : plain(finding.message));
    }
    for (const { stage, text } of result.gaps) {
      const line = stage === undefined ? undefined : this.lines.get(stage);
      if (stage === undefined || line === undefined) continue;
      if (line.dataset.state === "ok") this.mark(stage, "unchecked");
      this.remark(stage, `not checked: ${plain(text)}`);
    }
    const notes = result.notes.map((note) => h("li", {}, "Note: ", note.position, " ", plain(note.message)));
    const wrong = result.findings.filter(({ grade }) => grade === "wrong");
    if (result.verdict === "verified") this.verdict("ok", "Verified.", `Nothing is wrong with ${what}, and the service signed exactly this log under the key that is trusted here.`);
    else if (result.verdict === "bad") this.verdict("wrong", `Something is wrong: ${wrong.length} finding${wrong.length === 1 ? "" : "s"}, the first at ${wrong[0].position}.`, blame(wrong[0]));
    else if (!pinned) this.verdict("unchecked", "Nothing wrong was found, but this is not verified: no key is pinned.", "What the record says of itself fits together. But without a key from before, whoever wrote the whole of it, key and signatures included, could not be told from the service. Enter the key you trust under “The key that is trusted” and check again.");
    else this.verdict("unchecked", "Nothing wrong was found, but this is not verified.", "What could not be checked stands below.");
    const rest = result.gaps.filter(({ stage }) => stage === undefined).map(({ text }) => h("li", {}, `Not checked: ${plain(text)}.`));
    const own = h("li", {}, "This verifier came from the service that it checks. To leave nothing to trust, run ", h("code", {}, "trickbook verify"), " on the record, or a copy of ", h("code", {}, "verify.mjs"), " whose hash you know.");
    fill(byId("findings"), h("ul", { class: "quiet" }, notes, rest, own));
  }

  /** @param {State} state @param {string} title @param {string} more */
  verdict(state, title, more) {
    const shown = h("div", { class: "verdict", "data-state": state }, h("b", {}, plain(title)), more !== "" && h("span", {}, plain(more)));
    fill(byId("verdict"), shown);
  }
}

/** Whom a finding speaks about. @param {Finding} finding */
function blame({ about }) {
  if (about === "service") return "It is in what the service itself signed.";
  return about === "file" ? "It is in this file, which the service did not sign as it stands." : "It accuses nobody by itself.";
}
