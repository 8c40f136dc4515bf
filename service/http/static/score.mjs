// The score sheet, as people write it on paper. What a line scores, and how, comes from the service.

import { look, Problem } from "./api.mjs";
import { chart, SEATS } from "./chart.mjs";
import { byId, fill, gameHere, h, name, number, plain } from "./dom.mjs";
import { sitDown } from "./seat.mjs";
import { signed } from "./words.mjs";

/** @typedef {"north" | "south"} Seat */
/** @typedef {{bid: number | "double_nil", tricks: number, points: number, new_bags: number, penalty: number, total: number, bags: number, lines: string[]}} Line */
/** @typedef {{hand: number, north: Line, south: Line}} Row */
/** @typedef {{version: number, hand: number, seat: Seat, old: Line, new: Line, why: string}} Correction */
/** @typedef {{hands: Row[], totals: Record<Seat, number>, result?: {reason: string, winner?: Seat}, corrections?: Correction[]}} Sheet */
/** @typedef {{phase: string, hand?: number, rules: Record<string, any>, seats: Partial<Record<Seat, {name: string, bags: number}>>}} View */

/** @type {Record<string, string>} */
const ENDS = { target: "The target is reached.", floor: "A score is at or under the floor.", hand_limit: "The last hand is played.", resigned: "The other seat resigned.", timed_out: "The other seat's time ran out.", abandoned: "The game was abandoned." };

const NARROW = matchMedia("(max-width: 43.99rem)");

/** @param {string} game @param {string} path */
async function ask(game, path) {
  try {
    return (await look(game, path)).body;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return (await look(game, path, { token: undefined })).body;
    throw error;
  }
}

/** @param {number | "double_nil"} bid */
function bidOf(bid) {
  return bid === "double_nil" ? h("abbr", { title: "double nil" }, "DN") : bid === 0 ? "nil" : String(bid);
}

class ScoreSheet {
  /** @param {string} game @param {View} view @param {Sheet} sheet */
  constructor(game, view, sheet) {
    this.game = game;
    this.view = view;
    this.sheet = sheet;
  }

  /** @param {Seat} seat */
  name(seat) {
    return this.view.seats[seat]?.name ?? seat;
  }

  draw() {
    const { north, south } = this.view.seats;
    fill(byId("title"), north ? name(north.name) : "Somebody", " and ", south ? name(south.name) : "nobody yet");
    fill(byId("standing"), this.standing());
    byId("sheet").hidden = false;
    if (this.sheet.hands.length === 0) {
      fill(byId("sheet"), h("p", { class: "none" }, this.view.phase === "ended" ? "Play ended before a hand was scored." : "No hand has been scored yet. The sheet begins with the end of the first hand."));
      return;
    }
    fill(byId("sheet"), this.table(), this.corrections(), this.buttons());
    this.span();
    NARROW.addEventListener("change", () => this.span());
    byId("chart").hidden = false;
    fill(byId("chart"), ...chart(this.sheet.hands, { north: this.name("north"), south: this.name("south") }, this.view.rules.target));
  }

  /** On a narrow screen the bags stand beside the total, and a player has a column less. */
  span() {
    for (const each of byId("sheet").querySelectorAll("th.player")) each.setAttribute("colspan", NARROW.matches ? "3" : "4");
  }

  standing() {
    const { result, totals } = this.sheet;
    const goal = `Played to ${this.view.rules.target}.`;
    if (result === undefined) {
      const ahead = totals.north === totals.south ? "The two are level." : [name(this.name(totals.north > totals.south ? "north" : "south")), ` is ahead by ${Math.abs(totals.north - totals.south)}.`];
      return [`${goal} Hand ${this.view.hand ?? 1} is being played. `, ...[ahead].flat()];
    }
    const won = result.winner === undefined ? ["Nobody won. "] : [name(this.name(result.winner)), " won. "];
    return [...won, ENDS[result.reason] ?? "", ` ${goal}`];
  }

  table() {
    const head = h(
      "thead",
      {},
      h("tr", {}, h("th", { scope: "col", rowspan: 2 }, "Hand"), SEATS.map((seat) => h("th", { scope: "colgroup", colspan: 4, class: "player" }, name(this.name(seat)), h("small", {}, seat), this.sheet.result?.winner === seat && h("b", { class: "won" }, "won")))),
      h("tr", {}, SEATS.flatMap((seat) => [h("th", { scope: "col", class: "figure first" }, "Bid", h("span", { class: "unseen" }, " and taken")), h("th", { scope: "col", class: "figure" }, "Points"), h("th", { scope: "col", class: "figure" }, "Total", h("sup", { class: "narrow" }, "bags")), h("th", { scope: "col", class: "figure wide" }, "Bags")])),
    );
    const last = this.sheet.hands.at(-1);
    const sum = h(
      "tr",
      { class: "sum" },
      h("th", { scope: "row" }, this.sheet.result === undefined ? "Now" : "End"),
      SEATS.flatMap((seat) => [h("td", { class: "first", colspan: 2 }), h("td", { class: "figure total" }, number(this.sheet.totals[seat]), h("sup", { class: "narrow" }, last?.[seat].bags)), h("td", { class: "figure wide" }, last?.[seat].bags)]),
    );
    const caption = h("caption", { class: "unseen" }, "The score hand by hand: bid and tricks taken, points, total, bags");
    return h("table", { class: "score-table" }, caption, head, this.sheet.hands.map((row) => this.hand(row)), h("tfoot", {}, sum));
  }

  /** A hand is a body of two rows: the figures, and how they come about. @param {Row} row */
  hand(row) {
    const place = `/g/${this.game}/replay#${row.hand}.s`;
    const mended = (this.sheet.corrections ?? []).filter(({ hand }) => hand === row.hand);
    const figures = h("tr", {}, h("th", { scope: "row" }, h("a", { href: place, "aria-label": `Hand ${row.hand}: the score in the replay` }, row.hand)), SEATS.flatMap((seat) => this.line(row[seat], mended.some((each) => each.seat === seat))));
    const sums = SEATS.map((seat) => h("div", {}, h("p", { class: "whose" }, name(this.name(seat))), h("ul", {}, row[seat].lines.map((line) => h("li", {}, line))), h("p", {}, `Total ${number(row[seat].total)}, ${row[seat].bags} bag${row[seat].bags === 1 ? "" : "s"}.`)));
    const details = h("details", {}, h("summary", {}, `How hand ${row.hand} comes out`), h("div", { class: "sums" }, sums), h("p", {}, h("a", { href: place }, `${row.hand}.s in the replay`)));
    return h("tbody", {}, figures, h("tr", { class: "how" }, h("td", { colspan: 9 }, details)));
  }

  /** @param {Line} line @param {boolean} mended */
  line(line, mended) {
    return [
      h("td", { class: "figure first" }, bidOf(line.bid), h("span", { class: "took" }, h("span", { class: "unseen" }, " bid, took "), h("i", { "aria-hidden": "true" }, "/"), line.tricks)),
      h("td", { class: "figure" }, signed(line.points), line.penalty > 0 && h("span", { class: "penalty" }, `−${line.penalty}`)),
      h("td", { class: "figure total" }, number(line.total), h("sup", { class: "narrow" }, line.bags), mended && h("span", { class: "mended" }, "corrected")),
      h("td", { class: "figure bags wide" }, line.bags),
    ];
  }

  corrections() {
    const { corrections = [] } = this.sheet;
    if (corrections.length === 0) return null;
    const items = corrections.map((each) => h("li", {}, h("a", { href: `/g/${this.game}/replay#v${each.version}` }, `v${each.version}`), ` Hand ${each.hand}, `, name(this.name(each.seat)), `: total ${number(each.old.total)} became ${number(each.new.total)}. `, plain(each.why)));
    return h("section", { class: "corrections" }, h("h2", {}, "Corrected"), h("ul", {}, items));
  }

  buttons() {
    const all = h("button", { type: "button", "aria-pressed": "false" }, "Show all arithmetic");
    all.addEventListener("click", () => {
      const open = all.getAttribute("aria-pressed") !== "true";
      all.setAttribute("aria-pressed", String(open));
      all.textContent = open ? "Hide the arithmetic" : "Show all arithmetic";
      for (const each of byId("sheet").querySelectorAll("details")) each.open = open;
    });
    return h("div", { class: "buttons" }, all, h("button", { type: "button", onclick: () => print() }, "Print"));
  }
}

const game = gameHere();
sitDown(game);

async function open() {
  try {
    const [view, sheet] = await Promise.all([ask(game, ""), ask(game, "/scoresheet")]);
    new ScoreSheet(game, view, sheet).draw();
    byId("notice").hidden = true;
    return view.phase === "ended";
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    byId("notice").textContent = plain(error.message);
    byId("notice").hidden = false;
    return false;
  }
}

let over = await open();
// Who comes back to the page of a game that goes on sees it as it is now.
document.addEventListener("visibilitychange", async () => {
  if (!over && document.visibilityState === "visible") over = await open();
});
