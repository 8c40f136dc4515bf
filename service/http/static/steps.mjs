/**
 * The steps of a game as the server tells them, fetched hand by hand and kept. Nothing is worked out here: what happened,
 * why, and what a viewer may see comes with each step.
 */

/** @typedef {"north" | "south"} Seat */
/** @typedef {{number: number, leader: Seat, cards: {seat: Seat, card: string}[], winner?: Seat, why?: string}} Trick */
/** @typedef {{total: number, bags: number, bid?: number | "double_nil", tricks?: number, cards?: number, exchanged?: number}} Player */
/** @typedef {{phase: string, first?: Seat, turn?: Seat, spades_broken?: boolean, seats: Record<Seat, Player>, draft?: {stock: number, pile: number}, trick?: Trick, last_trick?: Trick, result?: {reason: string, winner?: Seat, by?: Seat}}} Moment */
/** @typedef {{position: string, version: number, hand: number, at: number, type: string, text: string, why: string[], hands: Partial<Record<Seat, string[]>>, table: Moment, discarded?: Partial<Record<Seat, string[]>>, moved?: {to_hand: string[], to_pile: string[]}, drawn?: {seat: Seat, card: string}, covered?: {seat: Seat, text: string, why: string[]}, legal?: {seat: Seat, cards: string[]}, trick?: Trick}} Step */
/** @typedef {{game: string, hands: number, version: number, at?: number, steps: Step[]}} Answer */

/** The hands of one game, each fetched at most once unless it has grown. */
export class Steps {
  /** @param {(query: string) => Promise<Answer>} fetched asks for `/replay` with this query; rejects with a problem */
  constructor(fetched) {
    this.fetched = fetched;
    /** How many hands have begun, and the last version. */
    this.hands = 0;
    this.version = 0;
    /** Whether play is known to have ended: then nothing is hidden any more, and nothing follows. */
    this.ended = false;
    /** @type {Map<number, Promise<Step[]>>} */
    this.kept = new Map();
  }

  /** The hand a position lies in, and the place in it. Rejects with the server's problem. @param {string} position @returns {Promise<[Step[], number]>} */
  async open(position) {
    const answer = await this.fetched(`at=${encodeURIComponent(position)}`);
    const steps = this.take(answer);
    return [steps, steps.findIndex(({ version }) => version === answer.at)];
  }

  /** The steps of a hand; 0 is what came before the first. @param {number} hand @returns {Promise<Step[]>} */
  hand(hand) {
    const kept = this.kept.get(hand);
    if (kept !== undefined) return kept;
    const asked = this.fetched(`hand=${hand}`).then((answer) => this.take(answer));
    this.kept.set(hand, asked);
    asked.catch(() => this.kept.delete(hand)); // asked again next time; who waits for it is told now
    return asked;
  }

  /** Asks for the last hand again: a game that goes on has more of it by now. */
  async refresh() {
    const last = this.hands;
    this.kept.delete(last);
    await this.hand(last);
  }

  /** Fetches the hands beside this one, so that nobody waits for them. @param {number} hand */
  prepare(hand) {
    for (const near of [hand + 1, hand - 1]) {
      if (near >= 0 && near <= this.hands) this.hand(near).catch(() => {});
    }
  }

  /** @param {Answer} answer */
  take(answer) {
    this.hands = Math.max(this.hands, answer.hands);
    this.version = Math.max(this.version, answer.version);
    if (!this.ended && answer.steps.at(-1)?.table.phase === "ended") {
      this.ended = true;
      this.kept.clear(); // what was hidden is open now: every hand is told anew
    }
    this.kept.set(answer.steps[0].hand, Promise.resolve(answer.steps));
    return answer.steps;
  }
}
