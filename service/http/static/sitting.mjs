// Sitting down: a new game, a friend's, or another against the same player. Each request keeps its key until it is answered,
// so that a lost answer costs nobody a seat.

import { Problem, request } from "./api.mjs";
import { freshKey, keep, kept, rememberName } from "./seat.mjs";
import { ofTab } from "./storage.mjs";
import { bring } from "./witness.mjs";

const CREATING = "trickbook/creating";

/** The create under way, if this tab began one with the same wishes. @param {string} wishes @returns {any} */
function underWay(wishes) {
  const begun = JSON.parse(ofTab.get(CREATING) ?? "null");
  return begun?.wishes === wishes ? begun : null;
}

/**
 * Makes a game and keeps the seat; gives its id. Throws `Problem`.
 * @param {Record<string, unknown>} wanted @param {string} [token] of the game before, for a rematch
 */
export async function create(wanted, token) {
  const wishes = JSON.stringify(wanted);
  let asked = underWay(wishes);
  if (asked === null) {
    const { own, contribution } = await bring();
    asked = { wishes, key: freshKey(), own, body: { ...wanted, ...(contribution && { contribution }) } };
    ofTab.set(CREATING, JSON.stringify(asked));
  }
  const made = await once(() => request("POST", "/v1/games", { token, body: asked.body, key: asked.key }), () => ofTab.set(CREATING, null));
  const { game, seat, token: mine, server_key: key, invite_link: link, view } = made.body;
  const { name } = view.seats[seat];
  keep(game, { seat, token: mine, name, own: asked.own, pin: key.id, link });
  rememberName(name);
  return /** @type {string} */ (game);
}

/** Takes the other seat with the invite that is kept. Throws `Problem`. @param {string} game @param {string} name */
export async function join(game, name) {
  const { invite } = kept(game);
  let { joining } = kept(game);
  if (joining === undefined || joining.body.name !== name) {
    const { own, contribution } = await bring();
    const [, pinHead, pin] = (invite ?? "").split(".");
    joining = { key: freshKey(), body: { name, invite, ...(contribution && { contribution }) } };
    keep(game, { joining, own, pin, pinHead });
  }
  const { body, key } = joining;
  const forget = () => keep(game, { joining: undefined });
  const made = await once(() => request("POST", `/v1/games/${game}/join`, { body, key }), forget);
  const { seat, token, server_key: server } = made.body;
  keep(game, { seat, token, name, pin: kept(game).pin ?? server.id, invite: undefined });
  rememberName(name);
}

/** A request whose key is forgotten when its answer is known. @template T @param {() => Promise<T>} ask @param {() => void} forget */
async function once(ask, forget) {
  try {
    const answer = await ask();
    forget();
    return answer;
  } catch (error) {
    if (error instanceof Problem && !error.passing) forget();
    throw error;
  }
}
