// What the tabs of one browser share: at most three of its connections wait for news, one for each game at most, and a tab
// that hears news says so to the others. Nothing depends on another tab for longer than a question takes to be unanswered.

import { Channel } from "./channel.mjs";
import { ClaimsByMessages, claimsByLocks } from "./claims.mjs";
import { freshKey } from "./seat.mjs";

/** @typedef {import("./channel.mjs").Message} Message */
/** @typedef {{version: number, head: string}} Place how far a log was heard */
/** @typedef {{release: () => void}} Right to one of the connections that wait, for one game */
/**
 * @typedef {object} Told
 * @property {(place: Place) => void} news another tab knows this game up to there
 * @property {() => void} vacant a connection is free
 * @property {() => void} giveWay the right of this tab is wanted by a tab that needs it more, or was lost
 */

export const CONNECTIONS = [0, 1, 2]; // of the six a browser opens to one host: the others are for what a player does
export const QUESTION = 3000; // ms between two questions of a tab in sight
const TAB_ANSWER = 1000; // ms until a tab counts as closed or frozen
const YIELD = 200; // ms
const IN_SIGHT = 1000; // ms: who only passes by on the way to another tab takes nobody's connection

export class Tabs {
  /** @param {string} game @param {Told} told */
  constructor(game, told) {
    this.game = game;
    this.told = told;
    this.id = freshKey();
    /** The stream of this tab, and how far it was heard; no place before it has brought anything. @type {{connection: number, place: Place | null} | null} */
    this.streaming = null;
    this.watchedAt = -Infinity; // when a tab in sight last asked for what this one streams
    this.shownAt = performance.now();
    /** Whether the tab that streamed this game has left. */
    this.left = false;
    this.channel = new Channel(this.id, (message) => this.hear(message), () => told.giveWay());
    /** @type {import("./claims.mjs").Claims} */
    this.claims = navigator.locks === undefined ? new ClaimsByMessages(this.id, (word) => this.channel.post(word)) : claimsByLocks(navigator.locks);
    this.shown = () => void (this.shownAt = performance.now());
  }

  open() {
    this.channel.open();
    document.addEventListener("visibilitychange", this.shown);
  }

  close() {
    this.channel.close();
    document.removeEventListener("visibilitychange", this.shown);
  }

  /** Says that the game has come to a place. @param {Place} place */
  news({ version, head }) {
    this.channel.post({ kind: "news", game: this.game, version, head });
  }

  /** Says that the stream of this tab lives, and has come to a place. @param {Place} place */
  streamed({ version, head }) {
    if (this.streaming === null) return;
    const place = { version, head };
    const { place: before } = this.streaming;
    this.streaming.place = place;
    if (before?.head !== place.head) this.channel.post({ kind: "here", game: this.game, ...place });
  }

  /** The right to stream this game, null where another tab does or no connection is left. @returns {Promise<Right | null>} */
  async take() {
    this.left = false;
    if (!this.channel.isOpen) return null; // nobody could be asked
    let stands = true;
    const lost = () => {
      stands = false;
      this.told.giveWay();
    };
    const game = await this.claims.take(`game/${this.game}`, lost);
    if (game === null) return null;
    const [connection, release] = (await this.connection(lost)) ?? [];
    if (connection === undefined || release === undefined || !stands || !this.channel.isOpen) {
      release?.();
      game();
      return null;
    }
    /** @type {{connection: number, place: Place | null}} */
    const streaming = { connection, place: null };
    this.streaming = streaming;
    return {
      release: () => {
        if (this.streaming !== streaming) return;
        this.streaming = null;
        release();
        game();
        this.channel.post({ kind: "left", game: this.game, connection });
      },
    };
  }

  /** A free connection, or one that a hidden tab gives up for a tab in sight. @param {() => void} lost @returns {Promise<[number, () => void] | null>} */
  async connection(lost) {
    const mayAsk = !document.hidden && performance.now() - this.shownAt > IN_SIGHT;
    for (const asking of mayAsk ? [false, true] : [false]) {
      for (const number of CONNECTIONS) {
        if (asking && !(await this.channel.ask({ kind: "want", connection: number }, YIELD, (message) => message.kind === "left" && message.connection === number))) continue;
        const release = await this.claims.take(`connection/${number}`, lost);
        if (release !== null) return [number, release];
      }
    }
    return null;
  }

  /** Whether another tab streams this game, and is alive. */
  async followed() {
    const here = (/** @type {Message} */ { kind, game }) => game === this.game && (kind === "here" || kind === "left");
    const answer = await this.channel.ask({ kind: "where", game: this.game, visible: !document.hidden }, TAB_ANSWER, here);
    return answer?.kind === "here";
  }

  /** @param {Message} message */
  hear(message) {
    const { kind, game, connection, version = 0, head = "", visible = false } = message;
    this.claims.hear(message);
    if (kind === "left" && game === this.game) this.left = true;
    if (kind === "left") this.told.vacant();
    if (kind === "want" && this.streaming?.connection === connection && !this.inUse) this.told.giveWay();
    if (game !== this.game) return;
    if (kind === "where" && this.streaming !== null) this.answer(visible);
    if (kind === "here" || kind === "news") this.told.news({ version, head });
  }

  /** @param {boolean} visible whether the tab that asks is in sight */
  answer(visible) {
    if (visible) this.watchedAt = performance.now();
    if (this.streaming?.place) this.channel.post({ kind: "here", game: this.game, ...this.streaming.place });
  }

  /** Whether somebody looks at what this tab streams. */
  get inUse() {
    return !document.hidden || performance.now() - this.watchedAt < 2 * QUESTION + TAB_ANSWER;
  }
}
