// What this browser keeps of a game it has a seat in, beside the last receipt: every receipt, and the public bytes of events
// with the head before each, so that a history that is cut and signed again can be proved later (fairness.md, The receipt).
// It is kept in IndexedDB, bounded; where the browser denies storage, the table says so.

import { look, Problem } from "./api.mjs";
import { keptLines } from "./seat.mjs";

/** @typedef {import("./verify.mjs").KeptLine} KeptLine */
/** @typedef {{public: any, head: string, receipt?: object}} Line an event as the service sends it */
/** @typedef {{game: string, seq: number, at: number, event?: object, receipt?: object}} Row */

const DATABASE = "trickbook-evidence";
const ROWS = "rows";
const MOST_GAMES = 50;
const MOST_ROWS = 5000; // of one game: a game of 200 hands has some 17,000 commits, the last ones decide
/** The games of which this page has forgotten the oldest since it was opened. */
let tidied = false;

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
 * Keeps all events up to a version that are not kept yet. Never throws: a game is not held up by its evidence, and what is
 * missing now is kept the next time.
 * @param {string} game @param {number} version
 */
export async function keepUpTo(game, version) {
  try {
    let last = await lastReceipt(game);
    while (last.seq < version) {
      const { body } = await look(game, `/events?after=${last.seq}`);
      const { rows, next } = rowsOf(game, last, body.events);
      if (next.seq === last.seq) return;
      await keepRows(game, rows);
      last = next;
    }
    if (!tidied) await forgetOldGames();
    tidied = true;
  } catch (error) {
    if (!(error instanceof Problem)) denied = true;
  }
}

/** @param {string} game @param {IDBTransactionMode} mode @returns {Promise<{store: IDBObjectStore, range: IDBKeyRange}>} */
async function storeOf(game, mode) {
  const store = (await database()).transaction(ROWS, mode).objectStore(ROWS);
  return { store, range: IDBKeyRange.bound([game], [game, []]) };
}

/** The last event of which a receipt is kept, and the head after it. @param {string} game @returns {Promise<{seq: number, head: string, ends: boolean}>} */
async function lastReceipt(game) {
  const { store, range } = await storeOf(game, "readonly");
  const request = store.openCursor(range, "prev");
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      const cursor = request.result;
      const receipt = cursor?.value.receipt;
      if (cursor && receipt === undefined) cursor.continue();
      else resolve({ seq: receipt?.seq ?? 0, head: receipt?.head ?? "", ends: true });
    };
    request.onerror = () => reject(request.error);
  });
}

/**
 * The rows that are kept of some events, and where the next ones follow. Event 1 begins a commit and never ends one, so that
 * the head before it is not needed.
 * @param {string} game @param {{seq: number, head: string, ends: boolean}} from @param {Line[]} lines in order
 */
function rowsOf(game, from, lines) {
  /** @type {Row[]} */
  const rows = [];
  let next = from;
  for (const { public: part, head, receipt } of lines) {
    if (part.seq !== next.seq + 1) break;
    const ends = receipt !== undefined;
    if (!next.ends || ends) {
      const event = { before: next.head, public: canonical(part), seq: part.seq };
      rows.push({ game, seq: part.seq, at: Date.now(), event, receipt });
    }
    next = { seq: part.seq, head, ends };
  }
  return { rows, next };
}

/** Keeps rows, and of a long game forgets the oldest. @param {string} game @param {Row[]} rows */
async function keepRows(game, rows) {
  const { store, range } = await storeOf(game, "readwrite");
  for (const row of rows) store.put(row);
  const many = (await answer(store.count(range))) - MOST_ROWS;
  if (many > 0) for (const key of await answer(store.getAllKeys(range, many))) store.delete(key);
  await done(store.transaction);
}

/** Forgets the games that were longest not played, where there are too many. */
async function forgetOldGames() {
  const store = (await database()).transaction(ROWS, "readwrite").objectStore(ROWS);
  /** @type {{game: string, at: number}[]} */
  const games = [];
  const request = store.openCursor(null, "prev");
  request.onsuccess = () => {
    const cursor = request.result;
    if (cursor === null) {
      games.sort((one, other) => other.at - one.at);
      for (const { game } of games.slice(MOST_GAMES)) store.delete(IDBKeyRange.bound([game], [game, []]));
      return;
    }
    const { game, at } = cursor.value; // its last row; the next one is the last row of the game before
    games.push({ game, at });
    cursor.continue([game]);
  };
  await done(store.transaction);
}

/** All that is kept of a game, as the verifier reads it. @param {string} game @returns {Promise<KeptLine[]>} */
export async function evidence(game) {
  /** @type {object[]} */
  const lines = [...keptLines(game)];
  try {
    const { store, range } = await storeOf(game, "readonly");
    /** @type {Row[]} */
    const rows = await answer(store.getAll(range));
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
