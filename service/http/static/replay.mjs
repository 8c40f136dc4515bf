// The replay page: one moment of the game, the ways from it, and its address.

import { look, Problem } from "./api.mjs";
import { Checking } from "./check.mjs";
import { byId, fill, gameHere, h, name, plain, say } from "./dom.mjs";
import { Moments } from "./moments.mjs";
import { Player } from "./player.mjs";
import { drawBoard } from "./replay-board.mjs";
import { actionOf, HELP } from "./replay-keys.mjs";
import { Reports } from "./report.mjs";
import { kept, sitDown } from "./seat.mjs";
import { asked, drawnFor, isCovered, positionIn, stepSpoken, toldOf, whole } from "./sentence.mjs";
import { Steps } from "./steps.mjs";
import { placeOf, Walk } from "./walk.mjs";

/** @typedef {import("./replay-keys.mjs").Action} Action */
/** @typedef {import("./sentence.mjs").Looks} Looks */

const WAYS = /** @type {const} */ (["first", "lastHand", "nextHand", "lastTrick", "nextTrick", "back", "next", "last"]);

/** The address is changed at most this often, in ms: some browsers allow a hundred changes in thirty seconds. */
const OFTEN = 320;

class Replay {
  /** @param {string} game */
  constructor(game) {
    this.game = game;
    /** Whether the service does not know the token of this browser, or there is none. */
    this.stranger = kept(game).token === undefined;
    this.steps = new Steps(async (query) => (await this.ask(`/replay?${query}`)).body);
    this.walk = new Walk(this.steps);
    this.moments = new Moments(byId("moments"));
    /** @type {Looks} */
    this.looks = { flipped: kept(game).seat === "north", hidden: false };
    /** @type {import("./replay-board.mjs").Names} */
    this.names = {};
    this.player = new Player(() => this.act("next"), (playing) => this.playing(playing));
    /** What is asked for is done one after another, so that a fast finger loses nothing. */
    this.under = Promise.resolve();
    this.addressed = -OFTEN;
    /** @type {number | undefined} */
    this.later = undefined;
    this.reports = new Reports(game, () => this.walk.step, () => this.steps.refresh().catch(() => {}));
  }

  /** As the seat of this browser; with a token this service does not know, as anybody. @param {string} path @returns {Promise<import("./api.mjs").Answer>} */
  async ask(path) {
    try {
      return await look(this.game, path, this.stranger ? { token: undefined } : {});
    } catch (error) {
      if (this.stranger || !(error instanceof Problem) || error.status !== 401) throw error;
      this.stranger = true;
      return this.ask(path);
    }
  }

  async open() {
    const view = (await this.ask("")).body;
    for (const seat of /** @type {const} */ (["north", "south"])) this.names[seat] = view.seats[seat]?.name;
    fill(byId("title"), this.names.north ? name(this.names.north) : "Somebody", " and ", this.names.south ? name(this.names.south) : "nobody yet");
    this.steps.ended = view.phase === "ended";
    this.listen();
    byId("walk").hidden = false;
    await this.go(asked(location.hash) || "v1");
    new Checking(this.game, view).listen();
    this.reports.open(view, !this.stranger);
  }

  listen() {
    addEventListener("hashchange", () => {
      if (location.hash !== "#main") this.go(asked(location.hash) || "v1");
    });
    addEventListener("keydown", (event) => {
      const action = actionOf(event);
      if (action === undefined) return;
      event.preventDefault();
      this.press(action);
    });
    for (const way of WAYS) byId(`go-${way}`).addEventListener("click", () => this.press(way));
    for (const button of /** @type {const} */ (["play", "flip", "hide", "help"])) byId(button).addEventListener("click", () => this.press(button));
    document.addEventListener("click", (event) => this.followed(event));
    byId("go").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = /** @type {HTMLInputElement} */ (byId("position"));
      if (field.value.trim() !== "") this.go(field.value.trim());
    });
    byId("speed").addEventListener("change", (event) => this.player.pace(Number(/** @type {HTMLSelectElement} */ (event.target).value)));
    byId("copy").addEventListener("click", () => this.copy());
    const list = HELP.map(([keys, says]) => h("div", {}, h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, says)));
    fill(byId("keys-list"), list);
  }

  /** A link to a place in this game is gone to at once, without a new entry in the history. @param {MouseEvent} event */
  followed(event) {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    const position = positionIn(link?.getAttribute("href") ?? "");
    if (position === "" || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.go(position);
  }

  /** @param {Action} action */
  press(action) {
    if (action !== "play") this.player.stop();
    if (action === "play") this.player.toggle();
    else if (action === "help") /** @type {HTMLDialogElement} */ (byId("keys")).showModal();
    else if (action === "flip") this.look({ flipped: !this.looks.flipped });
    else if (action === "hide") this.look({ hidden: !this.looks.hidden });
    else this.act(action);
  }

  /** @param {Partial<Looks>} change */
  look(change) {
    this.looks = { ...this.looks, ...change };
    byId("flip").setAttribute("aria-pressed", String(this.looks.flipped));
    byId("hide").setAttribute("aria-pressed", String(this.looks.hidden));
    this.draw();
  }

  /** Goes one way; false where it leads nowhere. @param {(typeof WAYS)[number]} way @returns {Promise<boolean>} */
  act(way) {
    return this.do(() => this.walk[way]());
  }

  /** @param {string} position @returns {Promise<boolean>} */
  go(position) {
    this.player.stop();
    return this.do(async () => {
      await this.walk.to(position);
      return "";
    });
  }

  /** @param {string} card */
  goTo(card) {
    const place = placeOf(this.walk.here, card);
    this.do(async () => {
      if (place === undefined) return "This card was never played.";
      this.walk.place(place);
      return "";
    });
  }

  /** @param {() => Promise<string>} move @returns {Promise<boolean>} */
  do(move) {
    const done = this.under.then(async () => {
      try {
        const said = await move();
        this.tell(said);
        this.draw();
        if (said === "") say(stepSpoken(this.walk.step, this.looks));
        return said === "";
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (this.walk.here.length === 0) {
          await this.walk.to("v1");
          this.draw();
        }
        this.tell(error.message);
        return false;
      }
    });
    this.under = done.then(() => {}, () => {});
    return done;
  }

  /** @param {string} text */
  tell(text) {
    const place = byId("notice");
    place.textContent = plain(text);
    place.hidden = text === "";
  }

  draw() {
    const { step, here, at } = this.walk;
    const told = toldOf(step, this.looks);
    drawBoard(byId("board"), step, this.looks, this.names, (card) => this.goTo(card));
    byId("place").textContent = step.position;
    const version = step.position.startsWith("v") ? "" : `v${step.version}, `;
    byId("of").textContent = `${version}${at + 1} of ${here.length}${step.hand ? ` in hand ${step.hand}` : " before the first hand"}`;
    fill(byId("what"), drawnFor(step, whole(told.text)));
    const taken = step.trick === undefined || told.why.some((why) => why.includes("takes the trick")) ? [] : [h("li", {}, `${step.trick.winner} takes the trick`)];
    fill(byId("why"), told.why.slice(1).map((why) => h("li", {}, drawnFor(step, why))), taken);
    byId("list-title").textContent = step.hand ? `Hand ${step.hand}` : "Before the first hand";
    this.hands(step.hand);
    this.moments.mark(here, step, this.looks);
    this.address(step.position);
    this.steps.prepare(step.hand);
    this.reports.at(step);
    const hidden = isCovered(this.looks, "north") || isCovered(this.looks, "south");
    byId("hide").textContent = hidden ? "Show upper hand" : "Hide upper hand";
  }

  /** The address names the position; a held key would change it more often than browsers let it. @param {string} position */
  address(position) {
    clearTimeout(this.later);
    const put = () => {
      this.addressed = performance.now();
      history.replaceState(history.state, "", `#${position}`);
    };
    if (performance.now() - this.addressed > OFTEN) put();
    else this.later = setTimeout(put, OFTEN);
  }

  /** @param {number} now */
  hands(now) {
    const links = Array.from({ length: this.steps.hands }, (_, i) => h("a", { href: `#${i + 1}`, "aria-current": now === i + 1 ? "true" : false, "aria-label": `Hand ${i + 1}` }, i + 1));
    fill(byId("hands"), h("a", { href: "#v1", "aria-current": now === 0 ? "true" : false, "aria-label": "Before the first hand" }, "Start"), links);
  }

  /** @param {boolean} playing */
  playing(playing) {
    byId("play").setAttribute("aria-pressed", String(playing));
    byId("play-says").textContent = playing ? "Pause" : "Play";
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.tell("The link to this moment is copied.");
    } catch {
      this.tell(`The link to this moment: ${location.href}`);
    }
  }
}

const game = gameHere();
sitDown(game);
new Replay(game).open().catch((error) => {
  if (!(error instanceof Problem)) throw error;
  const place = byId("notice");
  place.textContent = plain(error.message);
  place.hidden = false;
});
