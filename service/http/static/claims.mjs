// Claims: names that one tab of the browser holds at a time. Web Locks where there are any (https, localhost); elsewhere by
// messages: a claim stands when no tab has refused it in time. A tab that is closed, killed or frozen refuses nothing.

/** @typedef {import("./channel.mjs").Message} Message */
/** @typedef {Pick<Message, "kind" | "name" | "rank">} Word */
/** @typedef {() => void} Release */
/**
 * @typedef {object} Claims
 * @property {(name: string, lost: () => void) => Promise<Release | null>} take null where another tab holds it; `lost` is
 *   called where two tabs took it at once, in the one that has to give way
 * @property {(message: Message) => void} hear
 */

const OBJECTION = 250; // ms a tab has to refuse a claim

/** @param {LockManager} locks @returns {Claims} */
export function claimsByLocks(locks) {
  const take = (/** @type {string} */ name) => new Promise((/** @type {(release: Release | null) => void} */ resolve) => {
    const held = (/** @type {Lock | null} */ lock) => {
      if (lock === null) return resolve(null);
      return new Promise((/** @type {(nothing: void) => void} */ release) => resolve(() => release()));
    };
    locks.request(`trickbook/${name}`, { ifAvailable: true }, held).catch(() => resolve(null));
  });
  return { take, hear: () => {} };
}

/** @implements {Claims} */
export class ClaimsByMessages {
  /** @param {string} tab @param {(word: Word) => void} post */
  constructor(tab, post) {
    this.tab = tab;
    this.post = post;
    /** What this tab holds, and what is called when it has to give way. @type {Map<string, () => void>} */
    this.held = new Map();
    /** What this tab claims at the moment. @type {Map<string, {rank: string, refused: boolean}>} */
    this.claimed = new Map();
  }

  /** @param {string} name @param {() => void} lost @returns {Promise<Release | null>} */
  async take(name, lost) {
    if (this.held.has(name) || this.claimed.has(name)) return null;
    const claim = { rank: `${document.hidden ? 1 : 0}${this.tab}`, refused: false };
    this.claimed.set(name, claim);
    this.post({ kind: "claim", name, rank: claim.rank });
    await new Promise((resolve) => setTimeout(resolve, OBJECTION));
    this.claimed.delete(name);
    if (claim.refused) return null;
    this.held.set(name, lost);
    this.post({ kind: "held", name });
    return () => void (this.held.get(name) === lost && this.held.delete(name));
  }

  /** @param {Message} message */
  hear({ kind, from, name = "", rank = "" }) {
    const claim = this.claimed.get(name);
    if (kind === "claim" && (this.held.has(name) || (claim !== undefined && claim.rank < rank))) this.post({ kind: "refuse", name, rank });
    else if (claim !== undefined && (kind === "claim" || kind === "held" || (kind === "refuse" && claim.rank === rank))) claim.refused = true;
    else if (kind === "held" || (kind === "refuse" && rank.slice(1) === this.tab)) this.settle(name, from);
  }

  /** Two tabs hold the same name, because one did not hear the other in time. @param {string} name @param {string} other */
  settle(name, other) {
    const lost = this.held.get(name);
    if (lost === undefined) return;
    if (this.tab < other) return this.post({ kind: "held", name });
    this.held.delete(name);
    lost();
  }
}
