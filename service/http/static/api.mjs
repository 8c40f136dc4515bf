// Asking the service. Every refusal becomes a sentence, and no request holds one of the browser's few connections without end.

import { kept } from "./seat.mjs";

/** @typedef {{status: number, body: any, etag: string | null, headers: Headers}} Answer */

/** A request that was not done. `status` is 0 where the service could not be reached. */
export class Problem extends Error {
  /** @param {number} status @param {string} code @param {string} message @param {number} [retryAfter] in seconds */
  constructor(status, code, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may be made again, because nobody knows or it is only for now. */
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** How far the service's clock is ahead of ours at least, in ms, as its answers tell: in whole seconds, rounded down. */
let ahead = -Infinity;
const CLOCK_CHANGED = 1500; // ms

/** The time on the service's clock, in ms since 1970. */
export function now() {
  return Date.now() + (Number.isFinite(ahead) ? ahead : 0);
}

/** @param {number} told how far an answer says the clocks are apart, in ms */
function hearClock(told) {
  if (told > ahead || told < ahead - CLOCK_CHANGED) ahead = told;
}

/**
 * @typedef {object} Options
 * @property {string} [token]
 * @property {unknown} [body]
 * @property {string} [key] Idempotency-Key
 * @property {string} [ifMatch]
 * @property {string} [ifNoneMatch]
 * @property {string} [accept]
 * @property {AbortSignal} [signal]
 * @property {RequestPriority} [priority] "high" goes before what waits for a connection, "low" after it
 * @property {number} [timeout] of a request with a JSON answer, in ms
 */

const LONGEST = 30_000; // ms: a GET that takes longer has lost its connection

/** The response of a request; throws `Problem`. @param {string} method @param {string} path @param {Options} [options] */
export async function fetched(method, path, options = {}) {
  const { token, body, key, ifMatch, ifNoneMatch, accept = "application/json", signal, priority } = options;
  /** @type {Record<string, string>} */
  const headers = { Accept: accept };
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  if (ifMatch !== undefined) headers["If-Match"] = ifMatch;
  if (ifNoneMatch !== undefined) headers["If-None-Match"] = ifNoneMatch;
  let response;
  try {
    const sent = body === undefined ? null : JSON.stringify(body);
    response = await fetch(path, { method, headers, body: sent, signal, priority, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "unreachable", "The service cannot be reached.");
  }
  hearClock(Date.parse(response.headers.get("Date") ?? "") - Date.now());
  if (response.ok || response.status === 304) return response;
  throw await problemOf(response);
}

/** A request with a JSON answer; throws `Problem`. @param {string} method @param {string} path @param {Options} [options] @returns {Promise<Answer>} */
export async function request(method, path, options = {}) {
  const { signal, timeout = method === "GET" ? LONGEST : undefined } = options;
  const limit = new AbortController();
  const stop = () => limit.abort();
  const timer = timeout === undefined ? undefined : setTimeout(stop, timeout);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  try {
    const response = await fetched(method, path, { ...options, signal: limit.signal });
    const { status, headers } = response;
    return { status, headers, etag: headers.get("ETag"), body: status === 304 ? null : await response.json() };
  } catch (error) {
    if (error instanceof Problem || signal?.aborted) throw error;
    if (limit.signal.aborted) throw new Problem(0, "unanswered", "The service does not answer.");
    throw new Problem(0, "cut_off", "The answer was cut off.");
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  const retryAfter = Number(response.headers.get("Retry-After") ?? 0) || 0;
  try {
    const { code, detail } = await response.json();
    return new Problem(response.status, String(code), sentence(String(detail)), retryAfter);
  } catch {
    return new Problem(response.status, "unreadable", `The service answered ${response.status}.`, retryAfter);
  }
}

/** @param {string} text */
export function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** `"<version>.<head>"` of a view, as If-Match takes it. @param {{version: number, head: string, frozen?: object}} view */
export function etagOf({ version, head, frozen }) {
  return `"${version}.${head}${frozen === undefined ? "" : ".frozen"}"`;
}

/** Something of a game, as its seat here or as a spectator may see it. @param {string} game @param {string} [path] @param {Options} [options] */
export function look(game, path = "", options = {}) {
  return request("GET", `/v1/games/${game}${path}`, { token: kept(game).token, ...options });
}
