// The newest view of a game this tab has, wherever it came from: a look, the answer to a move, or news of another tab.

import { etagOf, look, request } from "./api.mjs";
import { stagger } from "./page-life.mjs";
import { kept } from "./seat.mjs";

const ANSWER = 8000; // ms: a short request holds its connection no longer
const HIDDEN = 1000; // ms: the hidden tabs of a game look within this time

/**
 * @typedef {object} Taker
 * @property {(view: any) => void} view a newer one
 * @property {(place: import("./tabs.mjs").Place) => void} news this tab knows something that no other has told it
 * @property {() => void} failed a look at news failed
 */

export class Newest {
  /** @param {string} game @param {Taker} taker @param {AbortSignal} signal ends what is being fetched */
  constructor(game, taker, signal) {
    this.game = game;
    this.taker = taker;
    this.signal = signal;
    /** @type {any} */
    this.view = null;
    /** The newest version another tab knows, and whether this tab is looking at it. */
    this.told = { version: 0, looking: false };
  }

  get version() {
    return this.view?.version ?? 0;
  }

  get ended() {
    return this.view?.phase === "ended";
  }

  /** Whether the newest view is that of a game whose history was lost. */
  get frozen() {
    return this.view?.frozen !== undefined;
  }

  /** Looks at once. What was asked for before this tab sat down is not taken. Throws `Problem`. */
  async refresh() {
    const { token } = kept(this.game);
    const known = this.view;
    const { status, body } = await this.fetch(known);
    if (status !== 200 || kept(this.game).token !== token) return;
    if (known !== null && body.version < known.version && body.frozen === undefined) await this.prove(known);
    else this.take(body);
  }

  /** The view, if it is another one. @param {any} known */
  fetch(known) {
    const ifNoneMatch = known === null ? undefined : etagOf(known);
    return look(this.game, "", { ifNoneMatch, signal: this.signal, timeout: ANSWER });
  }

  /** The service shows less than it has signed: the receipt of the known view proves it, and freezes the game. @param {any} known */
  async prove({ receipt }) {
    if (receipt === undefined) return;
    const sent = { body: receipt, signal: this.signal, timeout: ANSWER };
    const { outcome } = (await request("POST", `/v1/games/${this.game}/receipts`, sent)).body;
    if (outcome === "in_log") return; // the answers came out of order
    if (outcome === "loss_accepted") this.view = null;
    const { status, body } = await this.fetch(null);
    if (status === 200) this.take(body);
  }

  /** Looks because another tab knows a version, and once more for what it tells meanwhile. @param {number} version */
  async learn(version) {
    const { told } = this;
    told.version = Math.max(told.version, version);
    if (told.looking || version <= this.version) return;
    told.looking = true;
    try {
      await stagger(HIDDEN);
      let known;
      do {
        known = told.version;
        await this.refresh();
      } while (told.version > known);
    } catch {
      this.taker.failed();
    } finally {
      told.looking = false;
    }
  }

  /** An older view changes nothing, except that of a game whose history was lost. @param {any} view */
  take(view) {
    if (view.version < this.version && view.frozen === undefined) return;
    const changed = this.view === null || etagOf(view) !== etagOf(this.view);
    this.view = view;
    if (!changed) return;
    if (view.version > this.told.version) this.taker.news(view);
    try {
      this.taker.view(view);
    } catch (error) {
      reportError(error); // an error of the page does not concern the connection
    }
  }
}
