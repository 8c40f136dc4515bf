// Sending what a player does: one move for one press, kept with its key before it is sent, and repeated under this key until
// the answer is known. So it is made once, also by a page opened later or by another tab of the same seat.

import { etagOf, Problem, request } from "./api.mjs";
import { freshKey, keep, kept } from "./seat.mjs";

const DOUBLE_PRESS = 300; // ms: no second move is meant so soon
const TWICE = 700; // ms: nor by what the system calls a double click
const SLOW = 700; // ms: then the page says that a move is under way
const LATE = 3000; // ms: then it says that the move may not have been sent
const TRY = 8000; // ms: a request without an answer is given up and sent again
const PAUSE = 1000; // ms between two tries

/**
 * @typedef {object} Told
 * @property {() => void} changed a move is under way, or no longer
 * @property {(view: any) => void} answered
 * @property {(problem: Problem) => Promise<void>} refused
 */

export class Sender {
  /** @param {string} game @param {Told} told */
  constructor(game, told) {
    this.game = game;
    this.told = told;
    /** Of the request that is under way. @type {AbortController | null} */
    this.trying = null;
    this.lastPress = -Infinity;
    /** When this page first saw the move that is under way, and why it was not made yet. @type {{key: string, since: number, why: string} | null} */
    this.seen = null;
    this.timer = 0;
  }

  /** Whether the answer to a move is not known yet. */
  get underWay() {
    return kept(this.game).pending !== undefined;
  }

  /** Whether no move is taken: another is under way, or was made a moment ago. */
  get busy() {
    return this.underWay || performance.now() - this.lastPress < DOUBLE_PRESS;
  }

  /** Whether a move takes so long that it should be said. */
  get slow() {
    return this.underWay && performance.now() - this.lastPress >= SLOW;
  }

  /** Why the move that is under way was not confirmed for three seconds, null while it is not late. @returns {string | null} */
  get late() {
    if (this.seen === null || kept(this.game).pending?.key !== this.seen.key) return null;
    return performance.now() - this.seen.since < LATE ? null : this.seen.why;
  }

  /** What a press asks for, unless it is the other half of a double click. @param {MouseEvent} event @param {Record<string, unknown>} body @param {any} view */
  press(event, body, view) {
    if (this.busy || (event.detail > 1 && performance.now() - this.lastPress < TWICE)) return;
    this.lastPress = performance.now();
    for (const later of [DOUBLE_PRESS, SLOW]) setTimeout(() => this.told.changed(), later + 1);
    this.send(body, view);
  }

  /** Makes a move, unless another is under way. @param {Record<string, unknown>} body @param {any} view what the player looked at */
  send(body, view) {
    if (this.underWay) return;
    keep(this.game, { pending: { key: freshKey(), body, etag: etagOf(view) } });
    this.settle();
  }

  /** Sends what is under way, if anything is, unless it is being sent. */
  settle() {
    if (this.underWay && this.trying === null) this.attempt();
  }

  /** Gives up the request that has no answer, and sends the move again at once. */
  again() {
    clearTimeout(this.timer);
    if (this.trying === null) this.settle();
    else this.trying.abort();
  }

  /** One request, and what follows from its answer. */
  async attempt() {
    const { token, pending } = kept(this.game);
    if (pending === undefined) return;
    this.notice(pending.key);
    const trying = new AbortController();
    this.trying = trying;
    this.told.changed();
    try {
      const path = `/v1/games/${this.game}/moves`;
      const answer = await request("POST", path, { token, body: pending.body, key: pending.key, ifMatch: pending.etag, signal: trying.signal, timeout: TRY, priority: "high" });
      this.forget(pending.key);
      this.told.answered(answer.body.view);
    } catch (error) {
      if (trying.signal.aborted) this.later(0);
      else if (!(error instanceof Problem)) throw error;
      else if (error.passing) this.later(Math.max(PAUSE, 1000 * error.retryAfter), error.message);
      else {
        this.forget(pending.key);
        await this.told.refused(error);
      }
    } finally {
      this.trying = null;
      this.told.changed();
    }
  }

  /** Begins the time after which a move is late. @param {string} key */
  notice(key) {
    if (this.seen?.key === key) return;
    this.seen = { key, since: performance.now(), why: "" };
    setTimeout(() => this.told.changed(), LATE + 1);
  }

  /** @param {number} pause in ms @param {string} [why] */
  later(pause, why) {
    if (this.seen !== null && why !== undefined) this.seen.why = why;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), pause);
  }

  /** Another page of this seat may have begun another move meanwhile: that one stays. @param {string} key */
  forget(key) {
    if (kept(this.game).pending?.key === key) keep(this.game, { pending: undefined });
  }
}
