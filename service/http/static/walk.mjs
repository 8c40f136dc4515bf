/** Where one is in a game, and the ways from there: a card, a trick, a hand, either end. It knows no page. */

/** @typedef {import("./steps.mjs").Step} Step */
/** @typedef {import("./steps.mjs").Steps} Steps */

/** A walk; every move answers with nothing, or with the sentence that says why it went nowhere. */
export class Walk {
  /** @param {Steps} steps */
  constructor(steps) {
    this.steps = steps;
    /** The steps of the hand one is in. @type {Step[]} */
    this.here = [];
    this.at = 0;
  }

  /** @returns {Step} */
  get step() {
    return this.here[this.at];
  }

  /** Rejects with the server's problem where there is no such position. @param {string} position */
  async to(position) {
    const known = this.here.findIndex((step) => step.position === position);
    if (known >= 0) this.at = known;
    else [this.here, this.at] = await this.steps.open(position);
  }

  /** @returns {Promise<string>} */
  async next() {
    if (this.at + 1 < this.here.length) this.at += 1;
    else if (!(await this.enter(this.step.hand + 1))) return this.more();
    return "";
  }

  /** @returns {Promise<string>} */
  async back() {
    if (this.at > 0) this.at -= 1;
    else if (!(await this.enter(this.step.hand - 1, -1))) return "This is the beginning.";
    return "";
  }

  /** To the next trick that is taken. @returns {Promise<string>} */
  async nextTrick() {
    for (let hand = this.step.hand, from = this.at + 1; hand <= this.steps.hands; hand += 1, from = 0) {
      const steps = hand === this.step.hand ? this.here : await this.steps.hand(hand);
      const found = steps.findIndex(({ trick }, i) => i >= from && trick !== undefined);
      if (found >= 0) return this.stand(steps, found);
    }
    return "No trick is taken after this.";
  }

  /** To the trick taken before. @returns {Promise<string>} */
  async lastTrick() {
    for (let hand = this.step.hand, until = this.at; hand > 0; hand -= 1, until = Infinity) {
      const steps = hand === this.step.hand ? this.here : await this.steps.hand(hand);
      const found = steps.findLastIndex(({ trick }, i) => i < until && trick !== undefined);
      if (found >= 0) return this.stand(steps, found);
    }
    return "No trick is taken before this.";
  }

  /** To the beginning of the next hand. @returns {Promise<string>} */
  async nextHand() {
    return (await this.enter(this.step.hand + 1)) ? "" : "This is the last hand.";
  }

  /** To the beginning of this hand, or from there to that of the one before. @returns {Promise<string>} */
  async lastHand() {
    if (this.at > 0) return this.stand(this.here, 0);
    return (await this.enter(this.step.hand - 1)) ? "" : "This is the beginning.";
  }

  /** @returns {Promise<string>} */
  async first() {
    await this.enter(0);
    return "";
  }

  /** @returns {Promise<string>} */
  async last() {
    if (!this.steps.ended) await this.steps.refresh();
    await this.enter(this.steps.hands, -1);
    return "";
  }

  /** To a step of this hand. @param {number} index */
  place(index) {
    this.at = index;
  }

  /** @param {number} hand @param {number} [from] 0 for its first step, -1 for its last @returns {Promise<boolean>} whether there is such a hand */
  async enter(hand, from = 0) {
    if (hand < 0 || hand > this.steps.hands) return false;
    const steps = await this.steps.hand(hand);
    this.stand(steps, from < 0 ? steps.length - 1 : from);
    return true;
  }

  /** At the end: what has been played since, if anything. @returns {Promise<string>} */
  async more() {
    if (this.step.table.phase === "ended") return "This is the end.";
    const { version, hand } = this.step;
    await this.steps.refresh();
    this.here = await this.steps.hand(hand);
    this.at = this.here.findIndex((step) => step.version === version);
    const grown = this.at + 1 < this.here.length || hand < this.steps.hands;
    return grown ? this.next() : "This is the latest moment of a running game.";
  }

  /** @param {Step[]} steps @param {number} index @returns {string} */
  stand(steps, index) {
    [this.here, this.at] = [steps, index];
    return "";
  }
}

/** The step of a hand in which a card leaves it: played, or thrown in an exchange or the draft. @param {Step[]} steps @param {string} card @returns {number | undefined} */
export function placeOf(steps, card) {
  const played = steps.findIndex((step) => step.type === "card_played" && (step.trick ?? step.table.trick)?.cards.at(-1)?.card === card);
  const found = played >= 0 ? played : steps.findIndex((step) => step.moved?.to_pile.includes(card));
  return found < 0 ? undefined : found;
}
