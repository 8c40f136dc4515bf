// This player's own part in the shuffle: 32 bytes brought, and revealed only after the log up to there is in order
// (fairness.md, The shuffle, 3). Where a page cannot check, it brings none and says so.

import { fetched, look } from "./api.mjs";
import { canonical } from "./evidence.mjs";
import { hex, keep, kept, keptLines } from "./seat.mjs";

/** Something does not fit. The evidence is kept, the bytes are not revealed. */
export class Suspicion extends Error {}

/** Why this page cannot check anything, or null if it can. @returns {Promise<string | null>} */
export async function whyNoChecks() {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) {
    return "Checking needs https: this page has a plain http address, so your browser brings nothing of its own to the shuffle and checks nothing.";
  }
  const { steps } = await import("./verify.mjs");
  if (await steps.platform(subtle).knowsEd25519()) return null;
  return "This browser cannot check Ed25519 signatures, so it brings nothing of its own to the shuffle.";
}

/** Fresh bytes and what is said of them when sitting down; nothing where they could not be checked. */
export async function bring() {
  if ((await whyNoChecks()) !== null) return {};
  const { steps } = await import("./verify.mjs");
  const own = crypto.getRandomValues(new Uint8Array(32));
  return { own: hex(own), contribution: hex(await steps.platform(crypto.subtle).hash("contribution", own)) };
}

/**
 * Whether the game begins as it should; throws `Suspicion` where it does not. What may be missing is only that it is not over.
 * @param {string} game
 */
export async function checkStart(game) {
  const { token, pin, pinHead, own } = kept(game);
  if (own === undefined) throw new Suspicion("The bytes of this seat are in the browser that sat down: open the game there.");
  const { verify } = await import("./verify.mjs");
  const record = new Uint8Array(await (await fetched("GET", `/v1/games/${game}/record`, { token })).arrayBuffer());
  const judged = await verify(record, { serverKey: pin, game, kept: keptLines(game), receipts: false });
  const wrong = judged.findings.find(({ code }) => code !== "game_not_over");
  if (wrong !== undefined) throw suspicion(game, wrong.message, judged.findings);
  if (judged.not_checked.some((text) => text.startsWith("signatures") || text.startsWith("who wrote"))) {
    throw suspicion(game, "Nobody has signed how this game begins.", judged.not_checked);
  }
  const head = pinHead === undefined ? undefined : await headAfterTwo(game);
  if (head !== pinHead) throw suspicion(game, "The game begins otherwise than your invite says.", [head, pinHead]);
}

/** The head that the first two events really give. @param {string} game */
async function headAfterTwo(game) {
  const { steps } = await import("./verify.mjs");
  const platform = steps.platform(crypto.subtle);
  const { body } = await look(game, "/events");
  let head = await platform.hash("genesis", game);
  for (const { public: part } of body.events.slice(0, 2)) head = await platform.hash("event", head, canonical(part));
  return hex(head);
}

/** @param {string} game @param {string} message @param {unknown} evidence */
function suspicion(game, message, evidence) {
  keep(game, { evidence: { message, evidence } });
  return new Suspicion(`${message} Your bytes are not revealed; what was found is kept in this browser.`);
}
