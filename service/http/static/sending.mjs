// Sending what a player does: one move for one press, repeated under its key until the answer is known, never twice.

import { etagOf, move, Problem, resend } from "./api.mjs";
import { kept } from "./seat.mjs";

const QUICK = 300; // ms: no second move is meant so soon
const TWICE = 700; // ms: nor by what the system calls a double click
const SLOW = 700; // ms: then it is said that a move is under way

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
    this.sending = false;
    this.lastPress = -Infinity;
  }

  /** Whether the answer to a move is not known yet. */
  get underWay() {
    return kept(this.game).pending !== undefined;
  }

  /** Whether no move is taken: another is under way, or was made a moment ago. */
  get busy() {
    return this.underWay || performance.now() - this.lastPress < QUICK;
  }

  /** Whether a move takes so long that it should be said. */
  get slow() {
    return this.underWay && performance.now() - this.lastPress >= SLOW;
  }

  /** What a press asks for, unless it is the other half of a double click. @param {MouseEvent} event @param {Record<string, unknown>} body @param {any} view */
  press(event, body, view) {
    if (this.busy || (event.detail > 1 && performance.now() - this.lastPress < TWICE)) return;
    this.lastPress = performance.now();
    for (const later of [QUICK, SLOW]) setTimeout(() => this.told.changed(), later + 1);
    this.send(body, view);
  }

  /** @param {Record<string, unknown>} body @param {any} view what the player looked at */
  send(body, view) {
    if (!this.underWay) this.until(() => move(this.game, body, etagOf(view)));
  }

  /** Sends what is under way again, if anything is. */
  settle() {
    if (this.underWay) this.until(() => resend(this.game));
  }

  /** @param {() => Promise<import("./api.mjs").Answer | null>} ask */
  async until(ask) {
    if (this.sending) return;
    this.sending = true;
    try {
      const asked = ask(); // it is kept before it is sent
      this.told.changed();
      const answer = await asked;
      if (answer !== null) this.told.answered(answer.body.view);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.passing) setTimeout(() => this.settle(), 1000 * Math.max(1, error.retryAfter));
      else await this.told.refused(error);
    } finally {
      this.sending = false;
      this.told.changed();
    }
  }
}
