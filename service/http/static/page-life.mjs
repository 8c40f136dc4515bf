// When a page rests, is woken, and is put aside: frozen, kept for "back", or closed. Timers of a hidden tab are slow, and those
// of a frozen one do not run; so whoever rests is woken by what happens, and not by its timer alone.

/**
 * @typedef {object} Turns
 * @property {() => void} sleep the page is put aside: it must hold nothing that others need
 * @property {() => void} resume it is back
 * @property {() => void} offline
 */

export class PageLife {
  /** @param {Turns} turns @param {AbortSignal} signal ends it */
  constructor(turns, signal) {
    this.turns = turns;
    this.signal = signal;
    this.asleep = false;
    /** @type {(() => void) | null} */
    this.end = null;
  }

  /** Listens until it is ended. */
  start() {
    const { signal } = this;
    const [sleep, resume, wake] = [() => this.sleep(), () => this.resume(), () => this.wake()];
    addEventListener("online", wake, { signal });
    addEventListener("offline", () => this.turns.offline(), { signal });
    addEventListener("pagehide", sleep, { signal });
    addEventListener("pageshow", resume, { signal });
    document.addEventListener("freeze", sleep, { signal });
    document.addEventListener("resume", resume, { signal });
    document.addEventListener("visibilitychange", () => document.hidden || this.wake(), { signal });
    signal.addEventListener("abort", wake);
  }

  sleep() {
    this.asleep = true;
    this.turns.sleep();
  }

  resume() {
    if (!this.asleep) return;
    this.asleep = false;
    this.turns.resume();
    this.wake();
  }

  /** Ends the rest that is being taken, if one is. */
  wake() {
    this.end?.();
  }

  /** Waits until the time is over or the page is woken; a page that is put aside waits until it is back. @param {number} ms */
  async rest(ms) {
    await new Promise((resolve) => {
      const timer = this.asleep ? undefined : setTimeout(resolve, ms);
      this.end = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
    this.end = null;
  }
}

/** A moment of up to `ms` in a hidden tab, so that the tabs in sight go first and the others not all at once. @param {number} ms */
export async function stagger(ms) {
  if (document.hidden) await new Promise((resolve) => setTimeout(resolve, Math.random() * ms));
}
