// What this browser keeps of a game: the token of a seat, the move that is under way, the player's own bytes.
// The token comes in by the fragment once and is taken out of the address at once; it goes nowhere but into a header.

import { ofBrowser, ofTab } from "./storage.mjs";

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
const PLACE = "trickbook/place/";
const LAST_NAME = "trickbook/name";

// A browser may hold both seats of a game. The first is kept under the id of the game, another under `<id>/2`; each tab
// remembers its own, so that no tab acts with the token of another one.

/** Where this tab keeps what it has of a game. @param {string} game */
function place(game) {
  return PREFIX + game + (ofTab.get(PLACE + game) ?? "");
}

/** Every place where this browser keeps something of a game. @param {string} game */
function placesOf(game) {
  return ofBrowser.keys(PREFIX + game).filter((key) => gameAt(key) === game).sort();
}

/** @param {string} key of a place */
function gameAt(key) {
  return key.slice(PREFIX.length).split("/")[0];
}

/** @param {string} key of a place @returns {Seat} */
function keptAt(key) {
  const game = gameAt(key);
  try {
    return { ...JSON.parse(ofBrowser.get(key) ?? "{}"), game };
  } catch {
    return { game };
  }
}

/** What this tab keeps of a game. @param {string} game @returns {Seat} */
export function kept(game) {
  return keptAt(place(game));
}

/** Keeps more of a game; undefined takes something out. @param {string} game @param {Partial<Seat>} more @returns {Seat} */
export function keep(game, more) {
  const whole = { ...kept(game), ...more };
  ofBrowser.set(place(game), JSON.stringify(whole));
  return whole;
}

/** The games this browser has a seat in, as this tab keeps them. @returns {Seat[]} */
export function seats() {
  return [...new Set(ofBrowser.keys(PREFIX).map(gameAt))].filter(hasSeat).map(kept);
}

/** Whether any tab of this browser has a seat in a game. @param {string} game */
export function hasSeat(game) {
  return placesOf(game).some((key) => keptAt(key).token !== undefined);
}

/** Lets this tab sit where the browser has a token, the first place first. @param {string} game @param {string} [token] a new one */
function choosePlace(game, token) {
  const places = placesOf(game).filter((key) => keptAt(key).token === token || token === undefined);
  let chosen = places.find((key) => keptAt(key).token !== undefined) ?? PREFIX + game;
  if (token !== undefined && places.length === 0) {
    for (let number = 2; keptAt(chosen).token !== undefined; number += 1) chosen = `${PREFIX}${game}/${number}`;
  }
  ofTab.set(PLACE + game, chosen.slice(PREFIX.length + game.length));
}

/** Forgets a token that is not of a seat. This tab goes to another seat of this browser, if there is one. @param {string} game */
export function leave(game) {
  keep(game, { token: undefined });
  choosePlace(game);
}

/** The name last sat down with. */
export function lastName() {
  return ofBrowser.get(LAST_NAME) ?? "";
}

/** @param {string} name */
export function rememberName(name) {
  ofBrowser.set(LAST_NAME, name);
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
  if (kind === "token" || ofTab.get(PLACE + game) === null) choosePlace(game, kind === "token" ? value : undefined);
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
