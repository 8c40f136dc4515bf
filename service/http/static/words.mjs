// What the table says in words. Nothing here decides anything: every fact is the service's.

import { cardName, inWords, withCards } from "./cards.mjs";
import { name, number, plain } from "./dom.mjs";

/** @typedef {"north" | "south"} Side */

/** @param {Side} side @returns {Side} */
export function across(side) {
  return side === "north" ? "south" : "north";
}

/** Who is at the bottom of the table: the one who looks, or north for who only watches. @param {any} view @returns {Side} */
export function near(view) {
  return view.you?.seat ?? "north";
}

/** The name of a seat. @param {any} view @param {Side} side */
export function called(view, side) {
  return plain(view.seats[side]?.name ?? side);
}

/** A bid in words. @param {any} bid */
export function bidText(bid) {
  if (bid === undefined) return "\u2013";
  return bid === "double_nil" ? "double nil" : bid === 0 ? "nil" : String(bid);
}

/** A sentence of the service with the players' names in it, as nodes. @param {any} view @param {string} text @returns {(Node | string)[]} */
export function withNames(view, text) {
  return text.split(/\b(north|south)\b/i).flatMap((part) => {
    const side = part.toLowerCase();
    return side === "north" || side === "south" ? [name(called(view, side))] : withCards(part);
  });
}

/** The same for who listens. @param {any} view @param {string} text */
export function spoken(view, text) {
  return text.split(/\b(north|south)\b/i).map((part) => {
    const side = part.toLowerCase();
    return side === "north" || side === "south" ? called(view, side) : inWords(part);
  }).join("");
}

/** @type {Record<string, string>} */
const DOING = { reveal: "to reveal", draft: "to draft", exchange: "to exchange", bidding: "to bid", play: "to play" };

/** What the one who looks is to do now. @param {any} view */
export function task(view) {
  const kinds = view.you?.legal.map((/** @type {any} */ option) => option.type) ?? [];
  if (kinds.includes("look")) return "Look at your first card, or bid double nil unseen";
  if (kinds.includes("keep")) return "Keep this card, or pass it and take the next";
  if (kinds.includes("exchange")) return "Choose what to exchange";
  if (kinds.includes("bid")) return "How many tricks will you take?";
  if (kinds.includes("play")) return view.trick?.cards.length ? "Play a card" : "Lead a card";
  if (kinds.includes("reveal")) return "Checking how the game begins";
  return "";
}

/** Where the game is, in a line: whose turn, and for what. @param {any} view */
export function status(view) {
  if (view.frozen !== undefined) return `This game is frozen: part of its history was lost (version ${view.frozen.version} is missing). Nobody can move, and no clock runs`;
  if (view.phase === "waiting") return `${called(view, "north")} waits for somebody to play`;
  if (view.phase === "ended") return result(view);
  if (view.turn === view.you?.seat) return task(view);
  return `${called(view, view.turn)} is ${DOING[view.phase]}`;
}

/** How play ended. @param {any} view */
export function result(view) {
  const { reason, winner, by } = view.result;
  /** @type {Record<string, string>} */
  const reasons = {
    target: "the target is reached",
    floor: "a score is at or under the floor",
    hand_limit: "the last hand is played",
    resigned: `${by === undefined ? "somebody" : called(view, by)} resigned`,
    timed_out: `${by === undefined ? "somebody" : called(view, by)} ran out of time`,
    abandoned: "the game was abandoned",
  };
  const who = winner === undefined ? "Nobody won" : winner === view.you?.seat ? "You won" : `${called(view, winner)} won`;
  return `${who}: ${reasons[reason] ?? reason}`;
}

/** Points with their sign. @param {number} points */
export function signed(points) {
  return points > 0 ? `+${points}` : number(points);
}

/** Time left, short. @param {number} ms */
export function timeLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  if (days >= 2) return `${days} days`;
  if (hours >= 2) return `${hours} hours`;
  return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}

/** An option of the rules, as a person would write it. @param {string} option */
export function optionName(option) {
  return option.replaceAll("_", " ");
}

/** @param {string[]} cards */
export function listed(cards) {
  return cards.map(cardName).join(", ");
}
