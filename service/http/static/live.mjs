// Following a game: the event stream over fetch (it carries the token in a header, which EventSource cannot), resumed by
// Last-Event-ID; asking with `wait` where there is no place for a stream. It says how the connection is, and goes on by itself.

import { etagOf, fetched, look, Problem } from "./api.mjs";
import { kept } from "./seat.mjs";

/** @typedef {"live" | "waiting" | "lost"} State how news come: by the stream, by asking, or not at the moment */
/**
 * @typedef {object} Listener
 * @property {(view: any) => void} view the table, whenever it has changed
 * @property {(state: State, why?: string) => void} state
 * @property {(problem: Problem) => void} stopped what no waiting mends; nothing follows
 */

const LONGEST_PAUSE = 15_000;
const SILENCE = 40_000; // two heartbeats and a half: then the connection is dead, whatever the browser believes
const WAIT = 25; // seconds
const QUICK = 1000; // what ends sooner than this is not asked for again at once

/** Follows one game for one listener until `stop`. */
export class Follower {
  /** @param {string} game @param {Listener} listener */
  constructor(game, listener) {
    this.game = game;
    this.listener = listener;
    this.version = 0;
    /** @type {any} */
    this.view = null;
    this.failures = 0;
    this.stopper = new AbortController();
    /** Of the stream that is read. @type {AbortController | null} */
    this.reading = null;
    /** @type {(() => void) | null} */
    this.wake = null;
    this.online = () => this.wake?.();
    this.offline = () => this.lost();
  }

  /** Begins, and goes on until it is stopped or cannot. */
  async start() {
    addEventListener("online", this.online);
    addEventListener("offline", this.offline);
    let way = () => this.stream();
    while (!this.stopper.signal.aborted) {
      const began = performance.now();
      try {
        await this.refresh();
        await way();
        way = () => this.stream();
        if (performance.now() - began < QUICK) await this.rest(QUICK);
      } catch (error) {
        if (this.stopper.signal.aborted) return;
        if (error instanceof Problem && !error.passing) return this.end(error);
        if (error instanceof Problem && error.status === 429) way = () => this.ask();
        else this.failures += 1;
      }
      if (this.failures > 0) await this.pause();
    }
  }

  stop() {
    this.stopper.abort();
    this.reading?.abort();
    this.wake?.();
    removeEventListener("online", this.online);
    removeEventListener("offline", this.offline);
  }

  /** Looks at once, for who has just been told that something changed. */
  async refresh() {
    const { body } = await look(this.game, "", { signal: this.stopper.signal });
    this.take(body);
  }

  /** A view from anywhere, also from the answer to a move; an older one changes nothing. @param {any} view */
  take(view) {
    if (this.view !== null && view.version < this.version) return;
    const news = this.view === null || view.version !== this.version || view.head !== this.view.head;
    this.version = view.version;
    this.view = view;
    if (!news) return;
    try {
      this.listener.view(view);
    } catch (error) {
      reportError(error); // a fault of the page is none of the connection
    }
  }

  /** @param {Problem} problem */
  end(problem) {
    this.stop();
    this.listener.stopped(problem);
  }

  lost() {
    this.failures = Math.max(this.failures, 1);
    this.reading?.abort();
  }

  /** Reads the stream until it ends. */
  async stream() {
    const { token } = kept(this.game);
    const reading = new AbortController();
    this.reading = reading;
    const path = `/v1/games/${this.game}/events?after=${this.version}`;
    const response = await fetched("GET", path, { token, accept: "text/event-stream", signal: reading.signal });
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
    let silence = setTimeout(() => reading.abort(), SILENCE);
    let text = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return; // it ends after five minutes, or with the process: the next one follows at once
        this.listening("live");
        clearTimeout(silence);
        silence = setTimeout(() => reading.abort(), SILENCE);
        const frames = (text + value).split("\n\n");
        text = frames.pop() ?? "";
        if (frames.some((frame) => /^(id|event): /m.test(frame))) await this.refresh();
      }
    } finally {
      clearTimeout(silence);
      reader.cancel().catch(() => {});
    }
  }

  /** Asks for news for a while; then the stream is tried again. */
  async ask() {
    for (let turn = 0; turn < 4; turn += 1) {
      this.listening("waiting");
      const began = performance.now();
      const options = { ifNoneMatch: etagOf(this.view), signal: this.stopper.signal };
      const { status, body } = await look(this.game, `?wait=${WAIT}`, options);
      if (status === 200) this.take(body);
      else if (performance.now() - began < QUICK) await this.rest(2.5 * QUICK); // no place to wait at either
    }
  }

  /** @param {State} state */
  listening(state) {
    this.failures = 0;
    this.listener.state(state);
  }

  /** Waits longer after each failure; being online again ends it. */
  async pause() {
    this.listener.state("lost", navigator.onLine ? "The service cannot be reached." : "This device is offline.");
    await this.rest(Math.min(LONGEST_PAUSE, 500 * 2 ** Math.min(this.failures, 6)) * (0.75 + Math.random() / 2));
  }

  /** @param {number} ms */
  async rest(ms) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
    this.wake = null;
  }
}
