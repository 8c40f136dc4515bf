// The table: follows the game, shows it, sends what its player does. It knows no rule: what may be done, why not, who took a
// trick and what a line scores all come from the service.

import { look, now, Problem, request } from "./api.mjs";
import { Board } from "./board.mjs";
import { byId, gameHere, h, fill, plain, say } from "./dom.mjs";
import { keepUpTo, whyNotKept } from "./evidence.mjs";
import { Follower } from "./live.mjs";
import { keep, kept, leave, sitDown } from "./seat.mjs";
import { Sender } from "./sending.mjs";
import { rematch } from "./waiting.mjs";
import { spoken, status } from "./words.mjs";
import { checkStart, Suspicion, whyNoChecks } from "./witness.mjs";

/**
 * Everything the page shows.
 * @typedef {object} State
 * @property {string} game
 * @property {any} view
 * @property {any[]} steps of this hand, as the replay tells them
 * @property {any} sheet the score sheet, null until there is one
 * @property {any[]} options of the rules, with what is usual
 * @property {Set<string>} chosen cards for the exchange
 * @property {string | null} roving the card the arrow keys are at
 * @property {boolean} busy no move is taken at the moment
 * @property {boolean} slow a move is under way, and takes its time
 * @property {string | null} late why a move that is under way was not confirmed for so long, null while that is not so
 * @property {string} hint about a card
 * @property {string} problem what was refused
 * @property {string} note what this page cannot check
 * @property {string} halted why this player should not go on
 * @property {boolean} imported
 * @property {boolean} noRematch
 */
/**
 * What a player can do.
 * @typedef {object} Acts
 * @property {(event: MouseEvent, body: Record<string, unknown>) => void} move
 * @property {(event: MouseEvent, card: string) => void} play
 * @property {(card: string) => void} choose
 * @property {(card: string) => void} rove
 * @property {(why: string, aloud: boolean) => void} hint
 * @property {() => void} sendAgain
 * @property {() => void} resign
 * @property {() => void} claim
 * @property {() => Promise<void>} seated
 * @property {() => void} rematch
 * @property {(text: string) => void} told
 * @property {(link: string, field: HTMLInputElement) => void} copy
 */

const MOST_SAID = 6; // sentences: who comes back after a while does not want to hear the whole hand

class Table {
  /** @param {string} game */
  constructor(game) {
    this.game = game;
    sitDown(game);
    /** @type {State} */
    this.state = { game, view: null, steps: [], sheet: null, options: [], chosen: new Set(), roving: null, busy: false, slow: false, late: null, hint: "", problem: "", note: "", halted: "", imported: false, noRematch: false };
    this.acts = this.makeActs();
    this.board = new Board(byId("main"), this.acts);
    this.follower = this.makeFollower();
    this.sender = new Sender(game, {
      changed: () => this.show(),
      answered: (view) => this.follower.take(view),
      refused: (problem) => this.refused(problem),
    });
    this.learning = false;
    this.told = 0;
    /** @type {Promise<void>} */
    this.telling = Promise.resolve();
    /** @type {Promise<void>} */
    this.keeping = Promise.resolve();
  }

  async start() {
    this.follower.start();
    this.sender.settle();
    this.state.note = (await whyNoChecks()) ?? "";
    this.show();
  }

  /** What the options of the rules are, and what is usual; asked for until it is known. */
  async learnRules() {
    if (this.learning || this.state.options.length > 0) return;
    this.learning = true;
    try {
      this.state.options = (await request("GET", "/v1/rules")).body.options;
      this.show();
    } catch (error) {
      if (!(error instanceof Problem)) throw error; // it is tried again with the next news
    } finally {
      this.learning = false;
    }
  }

  makeFollower() {
    return new Follower(this.game, {
      view: (view) => this.take(view),
      state: (state, why) => this.connection(state, why),
      stopped: (problem) => this.stopped(problem),
    });
  }

  /** Keeps what proves this log, for a seat alone: all that has happened since the last time, also while no page was open. @param {any} view */
  async keep(view) {
    if (view.you === undefined) return;
    await keepUpTo(this.game, view.version);
    const why = whyNotKept();
    if (why === "" || this.state.note.includes(why)) return;
    this.state.note = `${this.state.note} ${why}`.trim();
    this.show();
  }

  /** @param {any} view */
  take(view) {
    const { state } = this;
    const before = state.view;
    if (before?.hand !== view.hand || before?.phase !== view.phase) Object.assign(state, { chosen: new Set(), roving: null });
    if (before?.version !== view.version) Object.assign(state, { hint: "", problem: "" });
    Object.assign(state, { view, imported: view.imported === true });
    if (view.you !== undefined && view.receipt !== undefined) keep(this.game, { receipt: view.receipt });
    this.show();
    this.keeping = this.keeping.then(() => this.keep(view));
    this.telling = this.telling.then(() => this.tell(view)).catch(() => {}); // the table stands without the story
    if (view.phase === "reveal" && view.turn === view.you?.seat) this.reveal();
  }

  /** Fetches what has happened since, for the story, the last trick's reason and who listens. @param {any} view */
  async tell(view) {
    const { state } = this;
    if (view.hand === undefined && view.phase !== "ended") return;
    const first = this.told === 0;
    const path = first ? `/replay?hand=${view.hand ?? 1}` : `/replay?after=${this.told}`;
    const { body } = view.hand === undefined ? { body: { steps: [] } } : await look(this.game, path);
    state.steps = [...state.steps, ...body.steps].filter(({ hand }) => hand >= view.hand - 1);
    this.told = Math.max(this.told, ...body.steps.map((/** @type {any} */ { version }) => version));
    const scored = body.steps.some((/** @type {any} */ { type }) => type === "hand_scored" || type === "score_corrected");
    if (scored || (first && view.hand > 1) || (first && view.phase === "ended")) state.sheet = (await look(this.game, "/scoresheet")).body;
    this.show();
    const news = first ? [] : body.steps.map((/** @type {any} */ step) => `${spoken(view, step.text)}.`);
    const taken = body.steps.filter((/** @type {any} */ { trick }) => trick && !first).map((/** @type {any} */ { trick }) => spoken(view, `${trick.winner} takes the trick: ${trick.why}.`));
    const turn = view.turn === undefined || view.turn !== view.you?.seat ? "" : `Your turn. ${status(view)}.`;
    say([...[...news, ...taken].slice(-MOST_SAID), turn].join(" "));
  }

  show() {
    const { state } = this;
    if (state.view === null) return;
    Object.assign(state, { busy: this.sender.busy, slow: this.sender.slow, late: this.sender.late });
    this.board.show(state);
  }

  /** @param {string} kind @param {string} [why] */
  connection(kind, why = "") {
    const place = byId("connection");
    const lost = kind === "lost";
    place.hidden = !lost;
    place.textContent = lost ? `Connection lost. ${why} It is tried again by itself.` : "";
    if (lost) return;
    this.sender.settle();
    this.learnRules();
  }

  /** @param {Problem} problem */
  stopped(problem) {
    const unknown = problem.code === "unauthorized";
    const sentence = unknown ? "This link is not one of a seat at this table." : problem.message;
    if (unknown) leave(this.game);
    const back = kept(this.game).token === undefined ? "Watch as a spectator" : "Back to your seat";
    fill(byId("main"), h("h1", {}, "This table cannot be shown"), h("p", {}, sentence), h("p", {}, unknown ? h("a", { href: location.pathname }, back) : h("a", { href: "/" }, "To the start")));
  }

  /** Nothing was done: says why, at the table as it is now. @param {Problem} problem */
  async refused(problem) {
    await this.follower.refresh().catch(() => {});
    this.state.problem = problem.status === 412 ? "The table changed while you chose: look again." : problem.message;
    say(this.state.problem);
  }

  /** Reveals this seat's bytes, once the log is in order up to there. */
  async reveal() {
    if (this.state.halted !== "" || this.sender.underWay) return;
    try {
      await checkStart(this.game);
      this.sender.send({ type: "reveal", bytes: kept(this.game).own }, this.state.view);
    } catch (error) {
      if (error instanceof Problem) return void setTimeout(() => this.state.view.phase === "reveal" && this.reveal(), 2000);
      if (!(error instanceof Suspicion)) throw error;
      this.state.halted = error.message;
      this.show();
    }
  }

  /** @returns {Acts} */
  makeActs() {
    return {
      move: (event, body) => this.sender.press(event, body, this.state.view),
      play: (event, card) => this.sender.press(event, { type: "play", card }, this.state.view),
      choose: (card) => this.choose(card),
      rove: (card) => void (this.state.roving = card),
      hint: (why, aloud) => this.hint(why, aloud),
      sendAgain: () => this.sender.again(),
      resign: () => this.sender.send({ type: "resign" }, this.state.view),
      claim: () => this.sender.send({ type: "claim_timeout" }, this.state.view),
      seated: () => this.seated(),
      rematch: () => this.again(),
      told: (text) => say(plain(text)),
      copy: (link, field) => this.copy(link, field),
    };
  }

  /** @param {string} card */
  choose(card) {
    const { chosen, view } = this.state;
    const { max } = view.you.legal.find((/** @type {any} */ { type }) => type === "exchange").discard;
    if (chosen.has(card)) chosen.delete(card);
    else if (chosen.size < max) chosen.add(card);
    else this.state.hint = `At most ${max} cards may be exchanged.`;
    this.show();
  }

  /** @param {string} why @param {boolean} aloud */
  hint(why, aloud) {
    this.state.hint = why;
    this.board.hint(why);
    if (aloud) say(why);
  }

  /** The seat is taken, or is not to be had: look again with what is kept now. */
  async seated() {
    this.follower.restart();
  }

  async again() {
    try {
      location.assign(`/g/${await rematch(this.state)}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      Object.assign(this.state, error.passing ? {} : { noRematch: true }, { problem: error.message });
      this.show();
    }
  }

  /** @param {string} link @param {HTMLInputElement} field */
  async copy(link, field) {
    try {
      await navigator.clipboard.writeText(link);
      say("The link is copied.");
      this.board.copied();
    } catch {
      field.select();
      say("Copy the link that is selected now.");
    }
  }
}

/** The page's clock for what runs out. */
const table = new Table(gameHere());
table.start();
setInterval(() => table.state.view !== null && table.board.clock(table.state, now()), 1000);
