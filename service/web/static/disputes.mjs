// The disputes of a game and their reports, as far as the reader may see them.

/** @param {string} game @param {number} [fresh] the one that was opened just now */
export async function showDisputes(game, fresh) {}
