// What this browser keeps of a game it has a seat in, beside the last receipt: every receipt, and the public bytes of events
// with the head before each, so that a history that is cut and signed again can be proved later (fairness.md, The receipt).
// It is kept in IndexedDB, bounded; where the browser denies storage, the table says so.

import { keptLines } from "./seat.mjs";

/** @typedef {import("./verify.mjs").KeptLine} KeptLine */
/** @typedef {{public: any, head: string, receipt?: object}} Line an event as the service sends it */
/** @typedef {{game: string, seq: number, at: number, event?: object, receipt?: object}} Row */

const DATABASE = "trickbook-evidence";
const ROWS = "rows";
const MOST_GAMES = 50;
const MOST_ROWS = 5000; // of one game: a game of 200 hands has some 17,000 commits, the last ones decide

/** @type {Promise<IDBDatabase> | null} */
let opened = null;
let denied = false;

/** Why nothing can be kept in this browser, empty while it can. */
export function whyNotKept() {
  return denied ? "Your browser denies this page storage: it cannot keep receipts, so it can prove less after the game." : "";
}

/** @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(ROWS, { keyPath: ["game", "seq"] }).createIndex("at", "at");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
  return opened;
}

/**
 * Keeps what a stream brought. Never throws: a game is not held up by its evidence.
 * @param {string} game @param {string} before the head before the first of them @param {Line[]} lines in order
 * @param {boolean} begins whether the first of them begins a commit
 */
export async function keepEvents(game, before, lines, begins) {
  try {
    const rows = rowsOf(game, before, lines, begins);
    const rowsStore = (await database()).transaction(ROWS, "readwrite");
    const store = rowsStore.objectStore(ROWS);
    for (const row of rows) store.put(row);
    await done(rowsStore);
    await forgetOld(game);
  } catch {
    denied = true;
  }
}

/** @param {string} game @param {string} before @param {Line[]} lines @param {boolean} begins @returns {Row[]} */
function rowsOf(game, before, lines, begins) {
  /** @type {Row[]} */
  const rows = [];
  let [head, first] = [before, begins];
  for (const { public: part, head: after, receipt } of lines) {
    const ends = receipt !== undefined;
    const event = !first || ends ? { before: head, public: canonical(part), seq: part.seq } : undefined;
    if (event !== undefined) rows.push({ game, seq: part.seq, at: Date.now(), event, receipt });
    [head, first] = [after, ends];
  }
  return rows;
}

/** Forgets the rows of the oldest games, and the oldest rows of a long one. @param {string} game */
async function forgetOld(game) {
  const transaction = (await database()).transaction(ROWS, "readwrite");
  const store = transaction.objectStore(ROWS);
  const range = IDBKeyRange.bound([game], [game, []]);
  const count = await answer(store.count(range));
  if (count > MOST_ROWS) {
    const keys = await answer(store.getAllKeys(range, count - MOST_ROWS));
    for (const key of keys) store.delete(key);
  }
  /** @type {Map<string, number>} */
  const games = new Map();
  const all = await answer(store.getAllKeys());
  if (all.length > MOST_ROWS) {
    for (const row of await answer(store.index("at").getAll())) games.set(row.game, row.at);
    const old = [...games].sort((one, other) => one[1] - other[1]).slice(0, Math.max(0, games.size - MOST_GAMES));
    for (const [name] of old) store.delete(IDBKeyRange.bound([name], [name, []]));
  }
  await done(transaction);
}

/** All that is kept of a game, as the verifier reads it. @param {string} game @returns {Promise<KeptLine[]>} */
export async function evidence(game) {
  /** @type {object[]} */
  const lines = [...keptLines(game)];
  try {
    const store = (await database()).transaction(ROWS).objectStore(ROWS);
    /** @type {Row[]} */
    const rows = await answer(store.getAll(IDBKeyRange.bound([game], [game, []])));
    for (const { event, receipt } of rows) {
      if (event !== undefined) lines.push({ kind: "event", game, ...event });
      if (receipt !== undefined) lines.push({ kind: "receipt", ...receipt });
    }
  } catch {
    denied = true;
  }
  return /** @type {KeptLine[]} */ (lines);
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
function done(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

/** The canonical bytes of a value of our profile, as text. @param {any} value @returns {string} */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}
