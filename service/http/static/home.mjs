// The first page: start a game, join one by its link, play at an open table, watch.

import { look, Problem, request } from "./api.mjs";
import { byId, fill, h, name, number, plain } from "./dom.mjs";
import { lastName, seats } from "./seat.mjs";
import { create } from "./sitting.mjs";
import { optionName } from "./words.mjs";
import { whyNoChecks } from "./witness.mjs";

/** Options most tables talk about; the others are one click away. */
const FIRST = ["target", "turn_seconds"];
const USUAL_TIMES = [["", "no limit"], ["60", "1 minute"], ["300", "5 minutes"], ["3600", "1 hour"], ["86400", "1 day"], ["604800", "1 week"]];

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {any} option */
function ruleField({ name: option, meaning, standard, min, max, choices }) {
  const id = `rule-${option}`;
  const label = h("label", { for: id }, capital(optionName(option)), h("small", {}, meaning.replaceAll("_", " ")));
  if (option === "turn_seconds") return h("div", {}, h("label", { for: id }, "Time for a move", h("small", {}, "If it runs out, your opponent may claim the win")), h("select", { id, "data-rule": option }, USUAL_TIMES.map(([value, text]) => h("option", { value }, text))));
  if (choices !== undefined) return h("div", {}, label, h("select", { id, "data-rule": option, "data-standard": standard }, choices.map((/** @type {string} */ choice) => h("option", { value: choice, selected: choice === standard }, optionName(choice)))));
  return h("div", {}, label, h("input", { id, type: "number", "data-rule": option, "data-standard": standard, min, max, step: 1, value: standard ?? "", placeholder: "none" }));
}

/** The rules that differ from the standard. @param {HTMLFormElement} form */
function rulesOf(form) {
  /** @type {Record<string, string | number>} */
  const found = {};
  for (const field of /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (form.querySelectorAll("[data-rule]"))) {
    const { rule = "", standard } = field.dataset;
    if (field.value === "" || field.value === standard) continue;
    found[rule] = /^-?\d+$/.test(field.value) ? Number(field.value) : field.value;
  }
  return found;
}

/** @param {any[]} options */
function startForm(options) {
  const field = h("input", { id: "name", required: true, maxlength: 24, autocomplete: "nickname", value: lastName() });
  const first = h("select", { id: "first" }, h("option", { value: "north" }, "I do"), h("option", { value: "south" }, "the other player does"));
  const listed = h("input", { id: "listed", type: "checkbox" });
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const buttons = [h("button", { value: "friend" }, "Invite a friend"), h("button", { class: "main", value: "house" }, "Play the house")].reverse();
  const start = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const against = /** @type {HTMLButtonElement} */ (event.submitter)?.value ?? "house";
    for (const button of buttons) button.disabled = true;
    try {
      const rules = rulesOf(/** @type {HTMLFormElement} */ (event.target));
      const wanted = { name: field.value.trim(), ...(Object.keys(rules).length > 0 && { rules }), ...(first.value === "south" && { first: "south" }) };
      const open = listed.checked ? { listed: true } : {};
      location.assign(`/g/${await create({ ...wanted, ...(against === "house" ? { opponent: "house" } : open) })}`);
    } catch (error) {
      for (const button of buttons) button.disabled = false;
      problem.hidden = false;
      problem.textContent = error instanceof Problem ? error.message : "That did not work. Try it again.";
      if (!(error instanceof Problem)) throw error;
    }
  };
  const shown = options.filter(({ name: option }) => FIRST.includes(option));
  return h("form", { class: "sheet start", onsubmit: start },
    h("h2", {}, "Start a game"),
    h("div", {}, h("label", { for: "name" }, "Your name"), field),
    h("div", { class: "fields" }, FIRST.map((option) => shown.find((one) => one.name === option)).filter(Boolean).map(ruleField)),
    h("details", {}, h("summary", {}, "More rules"), h("div", { class: "fields" },
      h("div", {}, h("label", { for: "first" }, "Who drafts first"), first),
      options.filter(({ name: option }) => !FIRST.includes(option)).map(ruleField))),
    h("div", { class: "check" }, listed, h("label", { for: "listed" }, "Show a friend\u2019s table to everybody, so that anyone may sit down")),
    h("div", { class: "buttons" }, buttons),
    problem,
    h("p", { id: "no-checks", class: "quiet", hidden: true }));
}

/** Says under the form why this browser cannot check anything, if it cannot. */
async function sayChecks() {
  const note = await whyNoChecks();
  const shown = byId("no-checks");
  shown.hidden = note === null;
  shown.textContent = note;
}

/** Joining and watching by what somebody passed on. */
function linkForm() {
  const field = h("input", { id: "link", required: true, autocomplete: "off", placeholder: "https://\u2026/g/\u2026 or 16 characters" });
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const go = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const text = field.value.replace(/\s+/g, "");
    const [, host, game, rest] = /^(?:(https?:\/\/[^/]+)?\/g\/)?([0-9a-hjkmnp-tv-z]{16})((?:\/(?:replay|score))?(?:#.*)?)$/.exec(text) ?? [];
    problem.hidden = game !== undefined && (host === undefined || host === location.origin);
    if (problem.hidden) location.assign(`/g/${game}${rest}`);
    else if (game === undefined) problem.textContent = "That is no link to a table: it looks like https://\u2026/g/, then 16 characters.";
    else fill(problem, "That table is on another service: ", h("a", { href: text, rel: "noreferrer" }, plain(host)), ".");
  };
  return h("form", { class: "sheet", onsubmit: go }, h("h2", {}, "Join or watch"), h("label", { for: "link" }, "A link, or the id of a game"), h("div", { class: "beside" }, field, h("button", {}, "Open")), problem);
}

/** What kind of game it is, for who has never played it. */
function about() {
  const step = (/** @type {string} */ what, /** @type {string} */ text) => h("li", {}, h("strong", {}, what), ` ${text}`);
  return h("section", { class: "sheet about" }, h("h2", {}, "How it is played"), h("ol", {},
    step("Draft.", "Draw a card: keep it, or pass it and take the next. Thirteen each."),
    step("Bid.", "Say how many tricks you will take. Nil is none, double nil is none, said unseen."),
    step("Play.", "Follow suit if you can. Spades are trumps, and cannot be led until they are broken."),
    step("Score.", "Ten points for each trick bid and made; what you take beyond it are bags, and bags cost you in the end.")));
}

/** A game of a list: who, by which rules that are not the usual ones, and how it stands. @param {any} row */
function row({ game, names = {}, invite, rules = {}, totals, kept_for: friend }) {
  const who = Object.values(names).flatMap((text, at) => (at === 0 ? [name(String(text))] : [" against ", name(String(text))]));
  const changed = Object.entries(rules).map(([rule, value]) => `${optionName(rule)} ${typeof value === "number" ? number(value) : optionName(String(value ?? "none"))}`);
  const score = invite === undefined && totals ? ` \u00b7 ${number(totals.north)} to ${number(totals.south)}` : "";
  const address = `/g/${encodeURIComponent(game)}${invite === undefined ? "" : `#join=${encodeURIComponent(invite)}`}`;
  return h("li", {},
    h("span", {}, who, h("span", { class: "quiet" }, `${score} \u00b7 ${changed.length > 0 ? changed.join(", ") : "usual rules"}`), friend && h("span", { class: "quiet" }, " \u00b7 kept for ", name(friend))),
    h("a", { class: "button", href: address }, invite === undefined ? "Watch" : "Sit down"));
}

/** A list of games, or nothing where the service has no lists. @param {string} state @param {string} title @param {string} none */
async function games(state, title, none) {
  try {
    const { body } = await request("GET", `/v1/games?status=${state}`);
    return h("section", { class: "sheet" }, h("h2", {}, title), body.games.length > 0 ? h("ul", { class: "games" }, body.games.map(row)) : h("p", { class: "quiet" }, none));
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** The games this browser sits at that are not over. */
async function mine() {
  const found = await Promise.all(seats().slice(0, 12).map(async ({ game }) => {
    try {
      const { body } = await look(game);
      return body.phase === "ended" ? null : body;
    } catch {
      return null;
    }
  }));
  const rows = found.filter((view) => view !== null).map((view) => {
    const turn = view.turn === view.you?.seat ? h("span", { class: "tag" }, "Your turn") : null;
    const who = Object.values(view.seats).flatMap((/** @type {any} */ player, at) => (at === 0 ? [name(player.name)] : [" against ", name(player.name)]));
    return h("li", {}, h("span", {}, who, " ", turn), h("a", { class: "button", href: `/g/${view.game}` }, "Go on"));
  });
  return rows.length === 0 ? null : h("section", { class: "sheet" }, h("h2", {}, "Your games"), h("ul", { class: "games" }, rows));
}

async function show() {
  const main = byId("main");
  const intro = h("div", { class: "intro" }, h("h1", {}, "Two-player Spades, on the record"), h("p", {}, "Every card is sealed before the first is drawn. When the game is over, anybody can step through it and check that nothing was touched."));
  const lists = h("div", { class: "lists" }, linkForm());
  fill(main, intro, h("div", { class: "home-columns" }, startForm(JSON.parse(main.dataset.options ?? "[]")), lists));
  const checks = sayChecks();
  lists.prepend(...[await mine()].filter((one) => one !== null));
  const found = await Promise.all([games("open", "Open tables", "No open tables right now."), games("running", "Games to watch", "No public games right now.")]);
  lists.append(...found.filter((one) => one !== null), about());
  await checks;
}

show();
