// Following a game: by its stream where this tab has the right to one of the browser's connections that wait, by what another
// tab hears, else by short requests that hold no connection. It says how the connection is, and recovers by itself.

import { Problem } from "./api.mjs";
import { Newest } from "./newest.mjs";
import { PageLife, stagger } from "./page-life.mjs";
import { kept } from "./seat.mjs";
import { readStream } from "./stream.mjs";
import { QUESTION, Tabs } from "./tabs.mjs";

/** @typedef {"live" | "waiting" | "lost"} State how news come: by a stream, by short requests, or not at the moment */
/**
 * @typedef {object} Listener
 * @property {(view: any) => void} view the table, whenever it has changed
 * @property {(state: State, why?: string) => void} state
 * @property {(problem: Problem) => void} stopped what no waiting mends; nothing follows
 */

const LONGEST_PAUSE = 15_000;
const SHORT_STREAM = 1000; // a stream that ends sooner than this is not opened again at once
const REFUSED = 15_000; // until a stream is tried again where the service had no place for it
const BROKEN = 2000; // the same where the connection was lost
const YIELDED = 10_000; // until a tab that gave its stream up wants one again
const BETWEEN_READS = { shown: 2000, hidden: 15_000 }; // between two short requests
const ENDED = { shown: 10_000, hidden: 60_000 }; // the same for a game that is over
/** Why a stream is ended that nothing was wrong with. */
const GIVEN_UP = "given up";

/** Follows one game for one listener until `stop`. */
export class Follower {
  /** @param {string} game @param {Listener} listener */
  constructor(game, listener) {
    this.game = game;
    this.listener = listener;
    this.failures = 0;
    /** When a stream may be wanted again. */
    this.notBefore = -Infinity;
    this.stopper = new AbortController();
    this.reading = new AbortController();
    /** @type {import("./tabs.mjs").Right | null} */
    this.right = null;
    const { signal } = this.stopper;
    const vacant = () => stagger(SHORT_STREAM).then(() => this.life.wake());
    this.newest = new Newest(game, { view: listener.view, news: (place) => this.tabs.news(place), failed: () => this.life.wake() }, signal);
    this.tabs = new Tabs(game, { vacant, news: ({ version }) => this.newest.learn(version), giveWay: () => this.giveUp(YIELDED) });
    this.life = new PageLife({ sleep: () => this.putAside(), resume: () => this.tabs.open(), offline: () => this.lost() }, signal);
  }

  /** Begins, and goes on until it is stopped or cannot. */
  async start() {
    const { signal } = this.stopper;
    this.tabs.open();
    this.life.start();
    while (!signal.aborted) {
      try {
        if (this.life.asleep) await this.life.rest(0);
        await this.newest.refresh();
        this.failures = 0;
        await this.round();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && !error.passing) return this.end(error);
        this.failures += 1;
      }
      if (this.failures > 0 && !signal.aborted) await this.pause();
    }
  }

  stop() {
    this.putAside();
    this.stopper.abort();
  }

  /** Looks with the token that is kept now. */
  restart() {
    this.newest.view = null;
    this.giveUp(0);
    this.life.wake();
  }

  /** Looks at once, after something changed. Throws `Problem`. */
  refresh() {
    return this.newest.refresh();
  }

  /** A view from the answer to a move. @param {any} view */
  take(view) {
    this.newest.take(view);
  }

  /** One round of following: a stream, or another tab, or a pause until the next short request. */
  async round() {
    const began = performance.now();
    const mayStream = () => !this.newest.ended && !this.life.asleep && performance.now() >= this.notBefore;
    this.right = mayStream() ? await this.tabs.take() : null;
    if (this.right !== null) return this.stream();
    while (this.newest.view !== null && !this.tabs.left && (await this.tabs.followed())) {
      this.listening("live");
      await this.life.rest(document.hidden ? BETWEEN_READS.hidden : QUESTION);
      if (this.failures > 0 || this.stopper.signal.aborted) return;
    }
    if (this.newest.view === null || (this.tabs.left && mayStream())) return;
    this.listening("waiting");
    const pause = (this.newest.ended ? ENDED : BETWEEN_READS)[document.hidden ? "hidden" : "shown"] * (0.75 + Math.random() / 2);
    await this.life.rest(Math.max(0, pause - (performance.now() - began)));
  }

  /** Reads the stream, and the next one when it ends, as long as this tab has the right to it and needs it. */
  async stream() {
    try {
      while (this.right !== null && !this.newest.ended) {
        const began = performance.now();
        this.reading = new AbortController();
        await readStream(`/v1/games/${this.game}/events?after=${this.newest.version}`, kept(this.game).token, this.reading, (frames) => this.hear(frames));
        if (this.newest.frozen) await this.life.rest(2 * SHORT_STREAM); // until every process of the service knows that it thawed
        else if (performance.now() - began < SHORT_STREAM) await this.life.rest(SHORT_STREAM);
      }
    } catch (error) {
      if (error instanceof Problem && !error.passing) throw error;
      const pause = error instanceof Problem && error.status > 0 ? Math.max(REFUSED, 1000 * error.retryAfter) : BROKEN;
      if (this.reading.signal.reason !== GIVEN_UP) this.notBefore = performance.now() + pause * (1 + Math.random() / 2);
    } finally {
      this.giveUp(0);
    }
  }

  /** Takes a sign of life of the stream, and what came with it. @param {import("./stream.mjs").Frame[]} frames */
  async hear(frames) {
    this.listening("live");
    if (frames.length > 0 || this.newest.frozen) await this.refresh();
    if (this.newest.view !== null) this.tabs.streamed(this.newest.view);
    if (this.newest.ended) this.giveUp(0);
  }

  /** Ends the stream of this tab, if it has one, and gives its right up. @param {number} pause until it wants one again, in ms */
  giveUp(pause) {
    if (this.right === null) return;
    this.right.release();
    this.right = null;
    this.reading.abort(GIVEN_UP);
    this.notBefore = Math.max(this.notBefore, performance.now() + pause);
  }

  /** Holds neither a connection nor a right that another tab could use. */
  putAside() {
    this.giveUp(0);
    this.tabs.close();
  }

  /** @param {Problem} problem */
  end(problem) {
    this.stop();
    this.listener.stopped(problem);
  }

  lost() {
    this.failures = Math.max(this.failures, 1);
    this.reading.abort();
    this.life.wake();
  }

  /** @param {State} state */
  listening(state) {
    this.failures = 0;
    this.listener.state(state);
  }

  /** Waits longer after each failure; being online again ends it. */
  async pause() {
    this.listener.state("lost", navigator.onLine ? "The service cannot be reached." : "This device is offline.");
    await this.life.rest(Math.min(LONGEST_PAUSE, 500 * 2 ** Math.min(this.failures, 6)) * (0.75 + Math.random() / 2));
  }
}
