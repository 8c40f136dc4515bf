// Going on by itself, moment by moment, until it is stopped or the game is over.

/** Less is moved at once where less motion is asked for: then a moment stays at least as long as this, in ms. */
const CALM = 2400;

export class Player {
  /** @param {() => Promise<boolean>} next goes on; false where there is nothing more @param {(playing: boolean) => void} told */
  constructor(next, told) {
    this.next = next;
    this.told = told;
    this.ms = 1200;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** @param {number} ms how long a moment stays */
  pace(ms) {
    this.ms = ms;
  }

  toggle() {
    if (this.timer === undefined) this.start();
    else this.stop();
  }

  start() {
    this.told(true);
    this.wait(0);
  }

  stop() {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.told(false);
  }

  /** @param {number} ms */
  wait(ms) {
    const timer = setTimeout(async () => {
      const more = await this.next();
      if (this.timer !== timer) return; // stopped, or begun again, meanwhile
      if (!more) this.stop();
      else this.wait(matchMedia("(prefers-reduced-motion: reduce)").matches ? Math.max(this.ms, CALM) : this.ms);
    }, ms);
    this.timer = timer;
  }
}
