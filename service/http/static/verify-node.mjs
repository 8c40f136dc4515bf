/**
 * The second verifier from a command line: `node verify-node.mjs [--server-key KEY] [--game ID] [--receipts FILE]... FILE...`
 * prints one line of JSON a record, also for a file it cannot read. Exit code: 0 all verified, 1 one not verified, 3 one bad,
 * 2 wrong use or an unreadable file; the worst of several counts. With `--cases` it judges what it is given as NDJSON, so that a test starts Node once.
 */

import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { BadOption, NotCanonical, Unreadable, readCanonical, readKept, steps, verify } from "./verify.mjs";

const USAGE = "Usage: node verify-node.mjs [--server-key KEY] [--game ID] [--receipts FILE]... FILE...";
const subtle = /** @type {SubtleCrypto} */ (webcrypto.subtle);
/** From best to worst. @type {readonly [string, number][]} */
const EXITS = [
  ["verified", 0],
  ["not_verified", 1],
  ["unreadable", 2],
  ["bad", 3],
];

/** A platform that knows everything but Ed25519, as older browsers do. */
const withoutEd25519 = /** @type {SubtleCrypto} */ ({
  digest: (algorithm, data) => subtle.digest(algorithm, data),
  sign: (algorithm, key, data) => subtle.sign(algorithm, key, data),
  importKey: (/** @type {any[]} */ ...given) =>
    given[2].name === "Ed25519"
      ? Promise.reject(new DOMException("unknown algorithm", "NotSupportedError"))
      : Reflect.apply(subtle.importKey, subtle, given),
});

/** A value of a canonical reader as JSON can say it, so that a Map and its order show. @param {any} value @returns {any} */
function plain(value) {
  if (value instanceof Map) return { object: [...value].map(([key, item]) => [key, plain(item)]) };
  return Array.isArray(value) ? value.map(plain) : value;
}

/** @param {() => any} work */
async function readable(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: { line: error.line, message: error.message } };
    if (error instanceof NotCanonical || error instanceof BadOption) return { refused: error.message };
    throw error;
  }
}

/** One case of a test. @param {any} given */
function judged(given) {
  const bytes = (/** @type {string} */ text) => new Uint8Array(Buffer.from(text, "base64"));
  if (given.record !== undefined) {
    return readable(() => {
      const kept = given.kept === undefined ? undefined : readKept(bytes(given.kept));
      const platform = given.without_ed25519 ? withoutEd25519 : subtle;
      /** @type {[string, string][]} */
      const told = [];
      const progress = (/** @type {string} */ stage, /** @type {string} */ state) => told.push([stage, state]);
      return verify(bytes(given.record), { serverKey: given.server_key, game: given.game, kept, subtle: platform, progress }).then((result) =>
        given.told ? { ...result, told } : result,
      );
    });
  }
  if (given.canonical !== undefined) return readable(() => ({ value: plain(readCanonical(bytes(given.canonical))) }));
  return step(given.step);
}

/** One step of fairness.md. @param {any} given */
async function step({ name, root, game, hand, north, south, key, label, n, count, seat, pile }) {
  const platform = steps.platform(subtle);
  const raw = (/** @type {string | undefined} */ text) => new Uint8Array(Buffer.from(text ?? "", "hex"));
  const hex = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString("hex");
  if (name === "hand_key") return hex(await steps.handKey(platform, raw(root), game, hand, raw(north), raw(south)));
  if (name === "stock") return steps.stockOf(platform, raw(key));
  if (name === "exchange") return steps.exchangeOf(platform, raw(key), seat, pile, count);
  const words = steps.wordsOf(platform, await platform.hmacKey(raw(key)), label, 1);
  const found = [];
  for (let i = 0; i < count; i += 1) found.push(name === "below" ? await steps.below(words, n) : (await words.next()).value);
  return found;
}

async function cases() {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await judged(JSON.parse(line)))}\n`);
  }
  return 0;
}

const OPTIONS = new Map(/** @type {const} */ ([["--server-key", "serverKey"], ["--game", "game"], ["--receipts", "receipts"]]));

/** @param {string[]} given */
function read(given) {
  /** @type {{files: string[], receipts: string[], serverKey: string | undefined, game: string | undefined}} */
  const asked = { files: [], receipts: [], serverKey: undefined, game: undefined };
  for (let i = 0; i < given.length; i += 1) {
    const name = OPTIONS.get(/** @type {any} */ (given[i]));
    if (name === undefined && given[i].startsWith("-")) return null;
    if (name === undefined) asked.files.push(given[i]);
    else if (given[++i] === undefined) return null;
    else if (name === "receipts") asked.receipts.push(given[i]);
    else asked[name] = given[i];
  }
  return asked.files.length > 0 ? asked : null;
}

/** The bytes of a file. Throws `Unreadable`. @param {string} name */
function bytesOf(name) {
  try {
    return new Uint8Array(readFileSync(name));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Unreadable(0, code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`);
  }
}

/** @param {string[]} given */
async function main(given) {
  if (given.length === 1 && given[0] === "--cases") return cases();
  const asked = read(given);
  if (asked === null) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const { serverKey, game } = asked;
  const kept = asked.receipts.length === 0 ? undefined : asked.receipts.flatMap((name) => keptIn(name));
  let worst = 0;
  for (const file of asked.files) {
    const result = await readable(() => verify(bytesOf(file), { serverKey, game, kept, subtle }));
    if (result.refused !== undefined) throw new BadOption(result.refused);
    process.stdout.write(`${JSON.stringify({ file, ...result })}\n`);
    worst = Math.max(worst, new Map(EXITS).get(result.verdict ?? "unreadable") ?? 2);
  }
  return worst;
}

/** The lines of a file of receipts. Throws an `Error` that names it. @param {string} name */
function keptIn(name) {
  try {
    return readKept(bytesOf(name));
  } catch (error) {
    throw error instanceof Unreadable ? new Error(`${name} is no file of kept receipts: ${error.message}`) : error;
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}
