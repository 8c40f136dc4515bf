// Before and after the game: taking the seat, passing on the invite, the result and where to go from there.

import { Problem } from "./api.mjs";
import { h, name, number } from "./dom.mjs";
import { keep, kept, lastName } from "./seat.mjs";
import { create, join } from "./sitting.mjs";
import { across, called, near } from "./words.mjs";

/** @typedef {import("./table.mjs").State} State */
/** @typedef {import("./table.mjs").Acts} Acts */

/** What stands above the table in these phases. @param {State} state @param {Acts} act */
export function before(state, act) {
  const { view, game } = state;
  if (view.phase === "ended") return ended(state, act);
  if (view.phase === "waiting") {
    const { invite, link } = kept(game);
    if (view.you !== undefined) return [passOn(state, link, act)];
    if (invite !== undefined) return [invitation(state, act)];
    return [h("div", { class: "sheet" }, h("h2", {}, "This table waits for a second player"), h("p", {}, "To sit down you need the link its host passes on. You may watch from here."))];
  }
  if (view.phase === "reveal") return [reveal(state)];
  return [];
}

/** @param {State} state */
function reveal({ view, halted }) {
  if (halted !== "") return h("div", { class: "sheet", role: "alert" }, h("h2", {}, "This game should not go on"), h("p", {}, halted));
  const mine = view.turn === view.you?.seat;
  return h("div", { class: "sheet" },
    h("h2", {}, "The shuffle"),
    h("p", {}, mine ? "Checking how the game begins, before your bytes for the shuffle are revealed\u2026" : [name(called(view, view.turn)), " has brought bytes of their own to the shuffle, and reveals them now."]));
}

/** @param {State} state @param {string | undefined} link @param {Acts} act */
function passOn(state, link, act) {
  if (link === undefined) return h("div", { class: "sheet" }, h("h2", {}, "The other seat is being taken"), h("p", {}, "It takes a moment."));
  const field = h("input", { id: "link", readonly: true, value: link, onfocus: () => field.select() });
  const button = h("button", { type: "button", class: "main", "data-first": true, "data-key": "copy", onclick: () => act.copy(link, field) }, "Copy the link");
  return h("div", { class: "sheet" },
    h("h2", {}, "Invite a friend"),
    h("p", {}, "Pass this link on. Who opens it first sits down, and the game begins."),
    h("label", { for: "link" }, "The link"),
    h("div", { class: "beside" }, field, button),
    state.note && h("p", { class: "quiet" }, state.note));
}

/** @param {State} state @param {Acts} act */
function invitation(state, act) {
  const { view, game } = state;
  const field = h("input", { id: "name", name: "name", required: true, maxlength: 24, autocomplete: "nickname", value: kept(game).joining?.body.name ?? lastName() });
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const button = h("button", { class: "main", "data-key": "join" }, "Sit down");
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    try {
      await join(game, field.value.trim());
      await act.seated();
    } catch (error) {
      button.disabled = false;
      if (!(error instanceof Problem)) throw error;
      problem.hidden = false;
      problem.textContent = error.message + (error.passing ? " Try again: you cannot lose your seat by it." : "");
      if (["seat_taken", "not_allowed", "already_joined", "game_over"].includes(error.code)) {
        keep(game, { invite: undefined, joining: undefined });
        act.told(error.message);
        await act.seated();
      }
    }
  };
  return h("form", { class: "sheet", onsubmit: submit },
    h("h2", {}, name(called(view, "north")), " invites you to play"),
    h("label", { for: "name" }, "Your name"),
    h("div", { class: "beside" }, field, button),
    problem,
    state.note && h("p", { class: "quiet" }, state.note));
}

/** @param {State} state @param {Acts} act */
function ended(state, act) {
  const { view, game, imported } = state;
  const [one, two] = [near(view), across(near(view))];
  const totals = [one, two].filter((side) => view.seats[side] !== undefined);
  return [h("div", { class: "sheet ended" },
    h("p", { class: "final" }, totals.map((side) => h("span", {}, name(called(view, side)), " ", h("strong", {}, number(view.seats[side].total))))),
    view.result.corrected && h("p", {}, "The score was corrected after a dispute."),
    imported && h("p", { class: "quiet" }, "A record from elsewhere, shown as it was given."),
    h("div", { class: "buttons" },
      h("a", { class: "button main", href: `/g/${game}/replay`, "data-first": true, "data-key": "replay" }, "Step through the game"),
      h("a", { class: "button", href: `/g/${game}/score`, "data-key": "score" }, "Score sheet"),
      view.you !== undefined && totals.length === 2 && !state.noRematch && h("button", { type: "button", "data-key": "rematch", onclick: () => act.rematch() }, "Play again")),
    state.problem && h("p", { class: "notice bad", role: "alert" }, state.problem))];
}

/** Another game of the same two, by the same rules; gives its id. Throws `Problem`. @param {State} state */
export function rematch({ game }) {
  return create({ after: game }, kept(game).token);
}
