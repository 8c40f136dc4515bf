// The disputes of a game. Its two players read them whole, with the report; everybody else reads that there is one.

import { look, Problem } from "./api.mjs";
import { byId, fill, h, number, plain } from "./dom.mjs";
import { kept } from "./seat.mjs";
import { drawn } from "./sentence.mjs";

/** @typedef {import("./steps.mjs").Seat} Seat */
/** @typedef {Partial<Record<"bid" | "tricks" | "points" | "bags" | "total", number | string>>} Figures */
/** @typedef {{hands?: ({hand: number} & Partial<Record<Seat, Figures>>)[], result?: Partial<Record<Seat | "winner", number | string>>}} Claim */
/** @typedef {{n: number, seat: Seat, hand: number, version: number, claim?: Claim, status?: string, verdict?: string, reason?: string, note?: string}} Dispute */
/** @typedef {{summary: string[], claim: {holds: boolean, differences: {message: string}[], search?: {readings: {sentence: string}[], not_tried?: string[]}}, plays: Record<Seat, number>, moment: {position: string, sentences: string[]}}} Report */

const SEATS = /** @type {const} */ (["north", "south"]);

/**
 * Shows what there is to be shown of them; nothing where there is none.
 * @param {string} game @param {{disputes?: Dispute[]}} view the game as this browser sees it
 * @param {number} [fresh] the one that was opened just now: it is shown open
 */
export async function showDisputes(game, view, fresh) {
  const disputes = await known(game, view);
  byId("disputes").hidden = disputes.length === 0;
  fill(byId("disputes-list"), disputes.map((dispute) => item(game, dispute, dispute.n === fresh)));
  if (fresh !== undefined) byId("disputes").scrollIntoView({ block: "nearest" });
}

/** @param {string} game @param {{disputes?: Dispute[]}} view @returns {Promise<Dispute[]>} */
async function known(game, view) {
  if (kept(game).token === undefined) return view.disputes ?? [];
  try {
    return (await look(game, "/disputes")).body.disputes;
  } catch (error) {
    if (error instanceof Problem && [401, 403, 404].includes(error.status)) return view.disputes ?? [];
    throw error;
  }
}

/** @param {string} game @param {Dispute} dispute @param {boolean} open */
function item(game, dispute, open) {
  const place = h("a", { class: "position", href: `#v${dispute.version}` }, `v${dispute.version}`);
  const state = dispute.verdict ?? "open";
  const title = [h("b", {}, `Dispute ${dispute.n}`), ` by ${dispute.seat}, hand ${dispute.hand}, `, h("span", { class: "state", "data-state": state }, state)];
  if (dispute.claim === undefined) return h("p", { class: "dispute" }, title, ", about ", place);
  const report = h("div", { class: "report" }, h("p", { class: "quiet" }, "The report is made …"));
  const details = h(
    "details",
    { class: "dispute", "data-n": dispute.n },
    h("summary", {}, title),
    h("p", {}, "About ", place, `. Claimed: ${claimed(dispute.claim)}.`),
    dispute.note && h("blockquote", {}, plain(dispute.note)),
    dispute.reason && h("p", {}, h("b", {}, `The operator has ${state} it: `), plain(dispute.reason)),
    report,
  );
  let asked = false;
  details.addEventListener("toggle", async () => {
    if (!details.open || asked) return;
    asked = true;
    try {
      fill(report, ...reported((await look(game, `/disputes/${dispute.n}`)).body.report));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      asked = false;
      fill(report, h("p", { class: "notice bad" }, error.message));
    }
  });
  details.open = open;
  return details;
}

/** @param {Report} report */
function reported({ summary, claim, moment }) {
  const readings = claim.search?.readings ?? [];
  const untried = claim.search?.not_tried ?? []; // a report kept by an older version has none
  return [
    h("h3", {}, "The report"),
    h("p", { class: "notice" }, drawn(summary[0])),
    h("ul", {}, summary.slice(1).map((text) => h("li", {}, drawn(text)))),
    claim.differences.length > 1 && h("details", {}, h("summary", {}, `All ${claim.differences.length} figures that differ`), h("ul", {}, claim.differences.map(({ message }) => h("li", {}, drawn(message))))),
    readings.length > 1 && h("details", {}, h("summary", {}, `All ${readings.length} readings that would make it true`), h("ol", {}, readings.map(({ sentence }) => h("li", {}, drawn(sentence))))),
    untried.length > 0 && h("p", { class: "quiet" }, drawn(`Not tried: ${untried.join("; ")}.`)),
    h("p", { class: "quiet" }, drawn(`${moment.position}: `), moment.sentences.flatMap((sentence) => [...drawn(sentence), " "])),
  ].filter((part) => part !== false);
}

/** The figures of a claim in words. @param {Claim} claim */
function claimed({ hands = [], result = {} }) {
  const told = (/** @type {number | string} */ value) => (typeof value === "number" ? number(value) : value.replace("_", " "));
  const figures = (/** @type {Figures} */ each) => Object.entries(each).map(([name, value]) => `${name} ${told(value)}`).join(", ");
  const ofHands = hands.flatMap((hand) => SEATS.flatMap((seat) => (hand[seat] === undefined ? [] : [`hand ${hand.hand}, ${seat}: ${figures(hand[seat])}`])));
  const end = Object.entries(result).map(([name, value]) => `${name} ${told(value)}`).join(", ");
  return [...ofHands, ...(end === "" ? [] : [end])].join("; ");
}
