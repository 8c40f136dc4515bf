// Messages between the tabs of this origin. They carry only what every spectator may know: the id of a game, its version and
// head, and which tab listens. A token, a view or a sealed part is never among them.

/**
 * @typedef {object} Message
 * @property {string} from the tab
 * @property {"where" | "here" | "news" | "left" | "want" | "claim" | "refuse" | "held"} kind
 * @property {string} [game]
 * @property {number} [version]
 * @property {string} [head]
 * @property {boolean} [visible] whether the tab that sends it is in sight
 * @property {number} [connection] the number of one of the browser's connections
 * @property {string} [name] of a claim
 * @property {string} [rank] of who claims it: the lower one has it
 */
/** @typedef {{post: (message: Message) => void, close: () => void}} Way between the tabs */

const NAME = "trickbook";
const STORED = "trickbook/message";

export class Channel {
  /** @param {string} tab @param {(message: Message) => void} hear what other tabs post @param {() => void} broken */
  constructor(tab, hear, broken) {
    this.tab = tab;
    this.hear = hear;
    this.broken = broken;
    /** @type {Way | null} */
    this.way = null;
    /** Questions that wait for an answer. @type {Set<(message: Message) => void>} */
    this.questions = new Set();
  }

  /** Whether other tabs can be reached; not where the browser denies storage. */
  get isOpen() {
    return this.way !== null;
  }

  open() {
    const take = (/** @type {Message} */ message) => {
      for (const question of [...this.questions]) question(message);
      this.hear(message);
    };
    try {
      this.way ??= typeof BroadcastChannel === "function" ? byBroadcast(take) : byStorage(take);
    } catch {
      // denied: then this tab is alone
    }
  }

  close() {
    this.way?.close();
    this.way = null;
  }

  /** @param {Omit<Message, "from">} message */
  post(message) {
    try {
      this.way?.post({ from: this.tab, ...message });
    } catch {
      this.close(); // the storage is full
      this.broken();
    }
  }

  /** The first answer to a question, null where none comes in time. @param {Omit<Message, "from">} question @param {number} ms @param {(message: Message) => boolean} fits */
  ask(question, ms, fits) {
    return new Promise((/** @type {(answer: Message | null) => void} */ resolve) => {
      const end = (/** @type {Message | null} */ message) => {
        clearTimeout(timer);
        this.questions.delete(take);
        resolve(message);
      };
      const take = (/** @type {Message} */ message) => void (fits(message) && end(message));
      const timer = setTimeout(() => end(null), this.isOpen ? ms : 0);
      this.questions.add(take);
      this.post(question);
    });
  }
}

/** @param {(message: Message) => void} hear @returns {Way} */
function byBroadcast(hear) {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => hear(data);
  return { post: (message) => channel.postMessage(message), close: () => channel.close() };
}

/** A value that is stored is an event in every other tab. @param {(message: Message) => void} hear @returns {Way} */
function byStorage(hear) {
  const take = (/** @type {StorageEvent} */ { key, newValue }) => {
    if (key === STORED && newValue !== null) hear(JSON.parse(newValue).message);
  };
  let count = 0;
  localStorage.getItem(STORED); // throws where storage is denied
  addEventListener("storage", take);
  return {
    post: (message) => {
      count += 1; // the same message twice is two values
      localStorage.setItem(STORED, JSON.stringify({ count, message }));
    },
    close: () => removeEventListener("storage", take),
  };
}
