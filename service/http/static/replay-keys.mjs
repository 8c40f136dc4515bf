// The keys of the replay, the same as in `trickbook replay --step`, and what they are called.

/** @typedef {"next" | "back" | "nextTrick" | "lastTrick" | "nextHand" | "lastHand" | "first" | "last" | "play" | "flip" | "hide" | "help"} Action */

/** @type {Record<string, Action>} */
const ACTIONS = {
  ArrowRight: "next",
  ArrowLeft: "back",
  ArrowDown: "nextTrick",
  ArrowUp: "lastTrick",
  t: "nextTrick",
  T: "lastTrick",
  h: "nextHand",
  H: "lastHand",
  Home: "first",
  End: "last",
  " ": "play",
  f: "flip",
  x: "hide",
  "?": "help",
};

/** What stands in the list of keys. @type {readonly [string[], string][]} */
export const HELP = Object.freeze([
  [["→"], "the next moment"],
  [["←"], "the one before"],
  [["↓", "t"], "the next trick"],
  [["↑", "T"], "the trick before"],
  [["h"], "the next hand"],
  [["H"], "this hand's beginning, then the hand before"],
  [["Home", "End"], "the beginning, the end"],
  [["Space"], "play, pause"],
  [["f"], "turn the table round"],
  [["x"], "hide the upper hand"],
  [["?"], "these keys"],
]);

/** What a key press asks for, or nothing: it belongs to a field, a button, an open dialog, or the browser. @param {KeyboardEvent} event @returns {Action | undefined} */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return undefined;
  if (document.querySelector("dialog[open]") !== null) return undefined;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, textarea, select, [contenteditable]")) return undefined;
  if (event.key === " " && target?.closest("button, summary")) return undefined;
  return Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : undefined;
}
