// What this browser keeps of a game: the token of a seat, the move that is under way, the player's own bytes.
// The token comes in by the fragment once and is taken out of the address at once; it goes nowhere but into a header.

/** @typedef {import("./verify.mjs").KeptLine} KeptLine */
/**
 * A request whose answer is not known yet; it is repeated under the same key.
 * @typedef {{key: string, body: Record<string, unknown>, etag?: string}} Pending
 */
/**
 * @typedef {object} Seat
 * @property {string} game
 * @property {"north" | "south"} [seat]
 * @property {string} [name]
 * @property {string} [token]
 * @property {string} [invite] of a game to join: as the link has it
 * @property {string} [link] to pass on to a friend
 * @property {string} [own] 32 bytes for the shuffle, hex
 * @property {string} [pin] the id of the key that is trusted
 * @property {string} [pinHead] the head after event 2, from the invite
 * @property {object} [receipt] the last one
 * @property {unknown} [evidence] what did not fit
 * @property {Pending} [pending] a move
 * @property {Pending} [joining] a join
 */

const PREFIX = "trickbook/game/";
const LAST_NAME = "trickbook/name";
/** Where the browser gives us no storage: as long as the page is open. @type {Map<string, string>} */
const fallback = new Map();

/** @param {string} key @returns {string | null} */
function read(key) {
  try {
    return localStorage.getItem(key) ?? fallback.get(key) ?? null;
  } catch {
    return fallback.get(key) ?? null;
  }
}

/** @param {string} key @param {string} value */
function write(key, value) {
  fallback.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    // full or forbidden: then it is kept as long as the page is open
  }
}

/** What is kept of a game. @param {string} game @returns {Seat} */
export function kept(game) {
  try {
    const found = JSON.parse(read(PREFIX + game) ?? "{}");
    return { ...found, game };
  } catch {
    return { game };
  }
}

/** Keeps more of a game; undefined takes something out. @param {string} game @param {Partial<Seat>} more @returns {Seat} */
export function keep(game, more) {
  const whole = { ...kept(game), ...more };
  write(PREFIX + game, JSON.stringify(whole));
  return whole;
}

/** The games this browser has a seat in. @returns {Seat[]} */
export function seats() {
  const keys = new Set(fallback.keys());
  try {
    for (let at = 0; at < localStorage.length; at += 1) keys.add(localStorage.key(at) ?? "");
  } catch {
    // no storage
  }
  const games = [...keys].filter((key) => key.startsWith(PREFIX)).map((key) => kept(key.slice(PREFIX.length)));
  return games.filter(({ token }) => token !== undefined);
}

/** The name last sat down with. */
export function lastName() {
  return read(LAST_NAME) ?? "";
}

/** @param {string} name */
export function rememberName(name) {
  write(LAST_NAME, name);
}

/** A key for one request: 128 random bits. */
export function freshKey() {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Takes an invite (`#join=`) or a token (`#token=`) out of the address, keeps it, and gives what is kept of the game.
 * A fragment of another kind, a position of the replay, stays.
 * @param {string} game
 */
export function sitDown(game) {
  const [, kind, value] = /^#(join|token)=([A-Za-z0-9._-]{1,400})$/.exec(location.hash) ?? [];
  if (kind === undefined) return kept(game);
  history.replaceState(history.state, "", location.pathname + location.search);
  if (kind === "token") return keep(game, { token: value });
  return kept(game).token === undefined ? keep(game, { invite: value }) : kept(game);
}

/** What this player kept, as the verifier reads it. @param {string} game @returns {KeptLine[]} */
export function keptLines(game) {
  const { seat, own, pin, receipt } = kept(game);
  /** @type {object[]} */
  const lines = [];
  if (pin !== undefined && seat !== undefined) lines.push({ kind: "pinned", game, key: pin, seat });
  if (own !== undefined && seat !== undefined) lines.push({ kind: "own", bytes: own, game, seat });
  if (receipt !== undefined) lines.push({ kind: "receipt", ...receipt });
  return /** @type {KeptLine[]} */ (lines);
}
