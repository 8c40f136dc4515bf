/**
 * The second verifier of a game's record, for the page and for Node. It reads the bytes of a record and what a player kept,
 * and says what is wrong, where, and whom that speaks about.
 *
 * It was written from rules.md, fairness.md, additions.md and record.md and shares no line with the first one (projections/verify): where
 * the two differ, one of them is wrong. It uses Web Crypto and nothing else: no dependency, no network, no clock, no chance.
 * What comes out of a file is a Map or an object without a prototype, and numbers are judged on their text.
 */

/** @typedef {"north" | "south"} Seat */
/** @typedef {"verified" | "not_verified" | "bad"} Outcome */
/** @typedef {"bytes" | "chain" | "receipts" | "contributions" | "deals" | "seals" | "moves" | "end"} Stage */
/** @typedef {{code: string, position: string, version: number, message: string, about: "service" | "file" | "nobody", grade: "wrong" | "missing"}} Finding */
/** What was not checked; `stage` is the check it belongs to, where it is one. @typedef {{text: string, stage?: Stage}} Gap */
/** @typedef {{at: number, game: string, head: string, key: string, seq: number, signature: string}} Receipt */
/** @typedef {{seq: number, at: number, type: string, data: any, seal?: string, owner?: string, salt?: string, secret?: any}} GameEvent */
/** @typedef {{kind: "pinned" | "own" | "receipt" | "event" | "drawn" | "evidence", game: string, [field: string]: any}} KeptLine */
/** An event as a player keeps it: its public bytes as text, and the head before it. @typedef {{before: string, game: string, public: string, seq: number}} PublicEvent */
/** @typedef {(code: string, position: string, version: number, message: string) => void} Note */

const KIB = 1024;
const LIMITS = Object.freeze({ line: 64 * KIB, events: 20_000, file: 64 * KIB * KIB, keptLine: 64 * KIB, keptLines: 100_000 });
const LF = 10;

/** The checks in the order in which they are made and told. @type {readonly Stage[]} */
export const STAGES = Object.freeze(["bytes", "chain", "receipts", "contributions", "deals", "seals", "moves", "end"]);

/** Bytes that are not canonical JSON of the profile (fairness.md, Canonical JSON). */
export class NotCanonical extends Error {}

/** A pinned key or a game's id that cannot be one. */
export class BadOption extends Error {}

/** The value, where the line above it made sure that there is one. @template T @param {T} value @returns {NonNullable<T>} */
const sure = (value) => /** @type {NonNullable<T>} */ (value);

/** Bytes as Web Crypto takes them: nothing here is in shared memory. @param {Uint8Array} bytes */
const source = (bytes) => /** @type {Uint8Array<ArrayBuffer>} */ (bytes);

/** A value of another shape than its place asks for. */
class Misfit extends Error {}

/** A file that has no readable line `line` (from 1; 0 for a file that cannot be opened), and of which nothing can be said. */
export class Unreadable extends Error {
  /** @param {number} line @param {string} message */
  constructor(line, message) {
    super(line > 0 ? `line ${line}: ${message}` : message);
    this.line = line;
  }
}

// Bytes and text -------------------------------------------------------------------------------------------------------

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const NONE = new Uint8Array(0);

/** @param {Uint8Array} bytes */
function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** @param {string} text lower-case hex digits, an even number of them */
function fromHex(text) {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/** @param {(Uint8Array | string | number)[]} parts bytes, text as UTF-8, or single bytes */
function join(...parts) {
  const pieces = parts.map((part) => (typeof part === "string" ? utf8.encode(part) : typeof part === "number" ? [part] : part));
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Four bytes, big-endian. @param {number} n */
function u32(n) {
  return Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n);
}

/** @param {Uint8Array} bytes all of them ASCII */
function ascii(bytes) {
  return bytes.length < 200 ? String.fromCharCode(...bytes) : strictUtf8.decode(bytes);
}

/** @param {string} one @param {string} two both ASCII */
const inOrderOfText = (one, two) => (one < two ? -1 : one > two ? 1 : 0);

/** @param {Uint8Array} one @param {Uint8Array} two */
function sameBytes(one, two) {
  return one.length === two.length && one.every((byte, i) => byte === two[i]);
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The bytes of unpadded base64url in its one spelling, or null. @param {string} text of the alphabet */
function fromBase64url(text) {
  const bytes = [];
  let bits = 0;
  let held = 0;
  for (const letter of text) {
    held = (held << 6) | BASE64URL.indexOf(letter);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
      held &= (1 << bits) - 1;
    }
  }
  return held === 0 && bits < 6 ? Uint8Array.from(bytes) : null;
}

// Canonical JSON -------------------------------------------------------------------------------------------------------

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const LITERALS = [
  { bytes: utf8.encode("true"), value: true },
  { bytes: utf8.encode("false"), value: false },
];
const DEEPEST = 8;
const MOST_DIGITS = 16;
const GREATEST = "9007199254740991"; // 2^53 − 1, compared as text

/** @param {number} byte */
const isDigit = (byte) => byte >= 0x30 && byte <= 0x39;
/** @param {number} byte */
const isLower = (byte) => byte >= 0x61 && byte <= 0x7a;

/** Reads bytes that must be their own canonical form: whatever could be spelled in two ways is refused where it stands. */
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    /** Where the members of the outermost object stand. @type {Map<string, Uint8Array>} */
    this.members = new Map();
  }

  /** @returns {any} a Map, an array, a string, a number or a boolean */
  whole() {
    const value = this.value(0);
    if (this.at !== this.bytes.length) this.refuse("something follows the value");
    return value;
  }

  /** @param {string} why @returns {never} */
  refuse(why) {
    throw new NotCanonical(`${why}, at byte ${this.at}`);
  }

  /** @param {number} byte */
  took(byte) {
    if (this.bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  /** @param {number} byte @param {string} what */
  need(byte, what) {
    if (!this.took(byte)) this.refuse(`${what} is expected`);
  }

  /** @param {number} around how many objects and arrays are around it @returns {any} */
  value(around) {
    const byte = this.bytes[this.at];
    if (byte === QUOTE) return this.string();
    if (byte === MINUS || isDigit(byte)) return this.integer();
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (around === DEEPEST) this.refuse(`nesting goes deeper than ${DEEPEST}`);
      this.at += 1;
      return byte === OPEN_OBJECT ? this.object(around + 1) : this.array(around + 1);
    }
    for (const literal of LITERALS) {
      if (sameBytes(this.bytes.subarray(this.at, this.at + literal.bytes.length), literal.bytes)) {
        this.at += literal.bytes.length;
        return literal.value;
      }
    }
    return this.refuse("no value of the profile stands here");
  }

  /** @param {number} depth */
  object(depth) {
    /** @type {Map<string, any>} */
    const found = new Map();
    if (this.took(CLOSE_OBJECT)) return found;
    let last = "";
    do {
      const key = this.key();
      if (key <= last) this.refuse(key === last ? "a key is given twice" : "keys are not sorted");
      last = key;
      this.need(COLON, "a colon");
      const start = this.at;
      found.set(key, this.value(depth));
      if (depth === 1) this.members.set(key, this.bytes.subarray(start, this.at));
    } while (this.took(COMMA));
    this.need(CLOSE_OBJECT, "the end of an object");
    return found;
  }

  /** @param {number} depth */
  array(depth) {
    /** @type {any[]} */
    const found = [];
    if (this.took(CLOSE_ARRAY)) return found;
    do found.push(this.value(depth));
    while (this.took(COMMA));
    this.need(CLOSE_ARRAY, "the end of an array");
    return found;
  }

  /** A key is ASCII, so that every order of text is the same order. */
  key() {
    this.need(QUOTE, "a key");
    const start = this.at;
    if (!isLower(this.bytes[this.at])) this.refuse("a key begins with a small letter");
    let byte = this.bytes[this.at];
    while (isLower(byte) || isDigit(byte) || byte === 0x5f) byte = this.bytes[++this.at];
    const key = ascii(this.bytes.subarray(start, this.at));
    this.need(QUOTE, "the end of a key");
    return key;
  }

  string() {
    const start = ++this.at;
    let escaped = false;
    let plain = true;
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte === undefined) this.refuse("a string does not end");
      if (byte === QUOTE) break;
      if (byte < 0x20 || byte === 0x7f) this.refuse("a control character");
      if (byte === 0xc2 && this.bytes[this.at + 1] < 0xa0) this.refuse("a control character"); // U+0080 to U+009F
      if (byte > 0x7f) plain = false;
      if (byte === BACKSLASH) {
        escaped = true;
        this.at += 1;
        if (this.bytes[this.at] !== QUOTE && this.bytes[this.at] !== BACKSLASH) this.refuse("a needless escape");
      }
      this.at += 1;
    }
    const text = this.text(this.bytes.subarray(start, this.at), plain);
    this.at += 1;
    return escaped ? text.replace(/\\(["\\])/g, "$1") : text;
  }

  /** @param {Uint8Array} bytes @param {boolean} plain whether they are all ASCII */
  text(bytes, plain) {
    if (plain) return ascii(bytes);
    try {
      return strictUtf8.decode(bytes);
    } catch {
      return this.refuse("no UTF-8");
    }
  }

  integer() {
    const start = this.at;
    const negative = this.took(MINUS);
    const first = this.at;
    while (isDigit(this.bytes[this.at]) && this.at - first <= MOST_DIGITS) this.at += 1;
    const digits = ascii(this.bytes.subarray(first, this.at));
    if (digits === "") this.refuse("a number has no digits");
    if (digits.startsWith("0") && (digits !== "0" || negative)) this.refuse("a number is written with a needless zero or sign");
    if (digits.length > MOST_DIGITS || (digits.length === MOST_DIGITS && digits > GREATEST)) {
      this.at = start;
      this.refuse("an integer is outside ±(2^53 − 1)");
    }
    return negative ? -Number(digits) : Number(digits);
  }
}

/**
 * The value of canonical bytes: objects are Maps. Throws `NotCanonical` for bytes that are not their own canonical form.
 * @param {Uint8Array} bytes
 */
export function readCanonical(bytes) {
  return new Reader(bytes).whole();
}

/** @param {string} text without control characters */
const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&")}"`;

// Shapes: what a value must look like; each gives the value, or undefined where it does not fit ---------------------------

/** @typedef {(value: any) => any} Field */

/** @param {number} low @param {number} high @returns {Field} */
const whole = (low, high = Number.MAX_SAFE_INTEGER) => (value) =>
  typeof value === "number" && value >= low && value <= high ? value : undefined;

/** @param {RegExp} pattern @returns {Field} */
const matching = (pattern) => (value) => (typeof value === "string" && pattern.test(value) ? value : undefined);

/** @param {(string | number)[]} values @returns {Field} */
const oneOf = (...values) => (value) => (values.includes(value) ? value : undefined);

/** Text of so many characters (code points). @param {number} low @param {number} high @returns {Field} */
const textOf = (low, high) => (value) => {
  if (typeof value !== "string") return undefined;
  const length = [...value].length;
  return length >= low && length <= high ? value : undefined;
};

/** @param {Field} field @param {number} low @param {number} high @returns {Field} */
const listOf = (field, low, high) => (value) => {
  if (!Array.isArray(value) || value.length < low || value.length > high) return undefined;
  const items = value.map(field);
  return items.includes(undefined) ? undefined : items;
};

/**
 * An object of exactly these fields, of which some may be left out.
 * @param {Record<string, Field>} needed @param {Record<string, Field>} optional @returns {Field}
 */
const shape = (needed, optional = {}) => {
  const fields = new Map([...Object.entries(needed), ...Object.entries(optional)]);
  const required = Object.keys(needed);
  return (value) => {
    if (!(value instanceof Map) || !required.every((name) => value.has(name))) return undefined;
    const fitted = Object.create(null);
    for (const [name, member] of value) {
      const item = fields.get(name)?.(member);
      if (item === undefined) return undefined;
      fitted[name] = item;
    }
    return fitted;
  };
};

/** A Map of integers and strings under any keys. @type {Field} */
const options = (value) =>
  value instanceof Map && [...value.values()].every((item) => typeof item === "number" || typeof item === "string")
    ? value
    : undefined;

const any = textOf(0, Infinity);
const positive = whole(1);
const natural = whole(0);
const integer = whole(Number.MIN_SAFE_INTEGER);
const hex32 = matching(/^[0-9a-f]{64}$/);
const hex16 = matching(/^[0-9a-f]{32}$/);
const card = matching(/^[2-9TJQKA][CDHS]$/);
const seat = oneOf("north", "south");
const tricks = whole(0, 13);
const gameId = matching(/^[0-9a-hjkmnp-tv-z]{16}$/);
const sentence = textOf(1, 500);
/** @type {Field} */
const truth = (value) => (typeof value === "boolean" ? value : undefined);
const serverKey = shape({ id: hex32, ed25519: matching(/^[A-Za-z0-9_-]{43}$/) });
const handAndSeat = { hand: positive, seat };
const oneCard = shape({ card });
/** @type {Field} */
const bidShape = (value) => tricks(value) ?? oneOf("double_nil")(value);
const scoreLine = shape({
  bid: bidShape,
  tricks,
  points: integer,
  new_bags: natural,
  penalty: natural,
  total: integer,
  bags: natural,
});
const claimed = (/** @type {Record<string, Field>} */ fields) => shape({}, fields);
const claimedFigures = claimed({ bid: bidShape, tricks, points: integer, bags: integer, total: integer });
const claimShape = claimed({
  hands: listOf(shape({ hand: positive }, { north: claimedFigures, south: claimedFigures }), 0, 200),
  result: claimed({ north: integer, south: integer, winner: oneOf("north", "south", "draw", "none") }),
});
const receiptShape = shape({
  at: natural,
  game: any,
  head: hex32,
  key: hex32,
  seq: positive,
  signature: matching(/^[A-Za-z0-9_-]{86}$/),
});
const headerShape = shape({
  events: positive,
  format: oneOf("trickbook-record"),
  game: gameId,
  head: hex32,
  server_key: serverKey,
  v: oneOf(1),
});

/**
 * The events (fairness.md, The events): the public data, the sealed data where there is any, and whether it is opened at the end.
 * @typedef {{data: Field, secret?: Field, opened?: boolean, version?: (data: any) => number}} EventKind
 * @type {Map<string, EventKind>}
 */
const EVENTS = new Map(/** @type {[string, EventKind][]} */ ([
  [
    "game_created",
    {
      data: shape(
        { rules: options, first: seat, root_commitment: hex32, server_key: serverKey },
        { listed: truth, rated: truth, names: shape({ north: textOf(1, 64), south: textOf(1, 64) }), after: gameId },
      ),
      secret: shape({ root: hex32, invite_hash: hex32 }),
      opened: true,
      // What version 1 cannot say (additions.md, game_created).
      version: ({ listed, rated, names, after }) => (listed || rated || names !== undefined || after !== undefined ? 2 : 1),
    },
  ],
  [
    "player_joined",
    { data: shape({ seat, name: textOf(1, 64) }, { contribution: hex32 }), secret: shape({ token_hash: hex32 }), opened: false },
  ],
  ["contribution_revealed", { data: shape({ seat, bytes: hex32 }) }],
  [
    "hand_started",
    { data: shape({ hand: positive, first: seat }), secret: shape({ stock: listOf(card, 52, 52) }), opened: true },
  ],
  ["looked", { data: shape(handAndSeat) }],
  ["double_nil_bid", { data: shape(handAndSeat) }],
  ["card_kept", { data: shape({ ...handAndSeat, choice: oneOf("first", "second") }), secret: oneCard, opened: true }],
  ["card_discarded", { data: shape(handAndSeat), secret: oneCard, opened: true }],
  [
    "cards_exchanged",
    {
      data: shape({ ...handAndSeat, count: whole(0, 3) }),
      secret: shape({ discarded: listOf(card, 0, 3), drawn: listOf(card, 0, 3) }),
      opened: true,
    },
  ],
  ["bid_placed", { data: shape({ ...handAndSeat, tricks }) }],
  ["card_played", { data: shape({ ...handAndSeat, trick: whole(1, 13), card }) }],
  ["hand_scored", { data: shape({ hand: positive, north: scoreLine, south: scoreLine }) }],
  [
    "game_ended",
    {
      data: shape(
        {
          reason: oneOf("target", "floor", "hand_limit", "resigned", "timed_out", "abandoned"),
          totals: shape({ north: integer, south: integer }),
          root: hex32,
        },
        { winner: seat, by: seat },
      ),
    },
  ],
  [
    "dispute_opened",
    {
      data: shape({ n: positive, seat, version: positive, head: hex32, claim: claimShape }),
      secret: shape({ note: textOf(0, 500) }),
      opened: false,
    },
  ],
  ["dispute_settled", { data: shape({ n: positive, verdict: oneOf("upheld", "rejected"), reason: sentence }) }],
  [
    "score_corrected",
    {
      data: shape(
        {
          hand: positive,
          seat,
          old: scoreLine,
          new: scoreLine,
          totals: shape({ north: integer, south: integer }),
          bags: shape({ north: natural, south: natural }),
          why: sentence,
        },
        { winner: seat },
      ),
    },
  ],
  ["loss_accepted", { data: shape({ version: positive, head: hex32, why: sentence }) }],
]));
/** What is no part of play: it may follow the end of it. */
const REVIEW = new Set(["dispute_opened", "dispute_settled", "score_corrected", "loss_accepted"]);

const publicShape = shape(
  { at: natural, data: (value) => value, seq: positive, type: (value) => (EVENTS.has(value) ? value : undefined), v: positive },
  { seal: hex32 },
);
const sealedShape = shape({ data: (value) => value, owner: oneOf("north", "south", "house"), salt: hex16 });

/**
 * The event of a line's two parts. Throws `Misfit`.
 * @param {any} publicPart @param {any} sealedPart undefined where there is none @returns {GameEvent}
 */
function eventOf(publicPart, sealedPart) {
  const { at, data, seq, type, v, seal } = fitting(publicShape, publicPart, "its public part is of no event known here");
  const kind = sure(EVENTS.get(type));
  if ((kind.secret === undefined) !== (seal === undefined)) throw new Misfit(`${type} with or without a seal, contrary to its kind`);
  if (kind.secret === undefined && sealedPart !== undefined) throw new Misfit(`${type} has no sealed part`);
  const event = { seq, at, type, seal, salt: undefined, data: fitting(kind.data, data, `the data is not that of ${type}`) };
  if (v !== (kind.version?.(event.data) ?? 1)) throw new Misfit(`${type} of version ${v}, which this is not`);
  if (sealedPart === undefined) return event;
  const sealed = fitting(sealedShape, sealedPart, "its sealed part is none");
  return { ...event, owner: sealed.owner, salt: sealed.salt, secret: fitting(sure(kind.secret), sealed.data, `the sealed data is not that of ${type}`) };
}

/** @param {Field} field @param {any} value @param {string} otherwise */
function fitting(field, value, otherwise) {
  const fitted = field(value);
  if (fitted === undefined) throw new Misfit(otherwise);
  return fitted;
}

// Files ----------------------------------------------------------------------------------------------------------------

/**
 * The lines of a file without their LF. Throws `Misfit` for one that is too long, a file too large, or an unfinished line.
 * @param {Uint8Array} bytes
 */
function* recordLines(bytes) {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.subarray(start, start + LIMITS.line + 1).indexOf(LF);
    const next = end < 0 ? Math.min(bytes.length, start + LIMITS.line + 1) : start + end + 1;
    if (next - start > LIMITS.line) throw new Misfit("it is longer than 64 KiB");
    if (next > LIMITS.file) throw new Misfit("the file is larger than 64 MiB");
    if (end < 0) throw new Misfit("it does not end with a line feed");
    yield bytes.subarray(start, next - 1);
    start = next;
  }
}

/** A line of a record that holds an event: its two parts, each as value and as bytes. */
class Entry {
  /** @param {any} publicPart @param {Uint8Array} publicBytes @param {any} [sealedPart] @param {Uint8Array} [sealedBytes] */
  constructor(publicPart, publicBytes, sealedPart, sealedBytes) {
    this.publicPart = publicPart;
    this.publicBytes = publicBytes;
    this.sealedPart = sealedPart;
    this.sealedBytes = sealedBytes;
    /** Whether the sealed part is the one that the seal was made of; known once the seals have been hashed. */
    this.underSeal = false;
    /** @type {GameEvent | Misfit | undefined} */
    this.read = undefined;
  }

  /** The event, or why it is none. */
  get event() {
    if (this.read === undefined) {
      try {
        this.read = eventOf(this.publicPart, this.sealedPart);
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
        this.read = error;
      }
    }
    return this.read;
  }

  /** What is left of it once a sealed part that is not under the seal is taken away. @returns {Entry} */
  get genuine() {
    return this.sealedBytes === undefined || this.underSeal ? this : new Entry(this.publicPart, this.publicBytes);
  }
}

/** @typedef {{header: any, entries: Entry[], receipt?: {value: any}, broken?: string}} Read */

/**
 * A record up to the first line that is not accepted (record.md §1). Throws `Unreadable` where that is the header.
 * @param {Uint8Array} bytes @returns {Read}
 */
function readRecord(bytes) {
  /** @type {Read} */
  const read = { header: null, entries: [] };
  let line = 0;
  try {
    for (const text of recordLines(bytes)) {
      if (read.receipt !== undefined) throw new Misfit("nothing may follow the receipt");
      takeLine(read, new Reader(text));
      line += 1;
    }
    if (read.header === null) throw new Misfit("the file is empty");
  } catch (error) {
    if (!(error instanceof NotCanonical || error instanceof Misfit)) throw error;
    if (read.header === null) throw new Unreadable(1, error.message);
    return { header: read.header, entries: read.entries, broken: `line ${line + 1}: ${error.message}` };
  }
  return read;
}

/** @param {Read} read @param {Reader} reader */
function takeLine(read, reader) {
  const value = reader.whole();
  if (read.header === null) {
    read.header = fitting(headerShape, value, "it is not the header of a record");
    return;
  }
  const names = value instanceof Map ? [...value.keys()].join(" ") : "";
  if (names === "receipt") {
    read.receipt = { value: value.get("receipt") };
  } else if (names === "public" || names === "public sealed") {
    if (read.entries.length === LIMITS.events) throw new Misfit(`there are more than ${LIMITS.events} events`);
    const { members } = reader;
    read.entries.push(new Entry(value.get("public"), sure(members.get("public")), value.get("sealed"), members.get("sealed")));
  } else {
    throw new Misfit("it is neither an event nor a receipt");
  }
}

/** The lines a player's file may hold. @type {Map<string, Field>} */
const KEPT = new Map([
  ["pinned", shape({ game: any, key: hex32, seat })],
  ["own", shape({ bytes: hex32, game: any, seat })],
  ["receipt", receiptShape],
  ["event", shape({ before: hex32, game: any, public: any, seq: positive })],
  ["drawn", shape({ card, game: any, version: positive })],
  ["evidence", shape({ answer: any, code: any, game: any, message: textOf(0, 1000) })],
]);

/**
 * The lines of a file a player kept. An unfinished last line is left out; throws `Unreadable` for the first that is none.
 * @param {Uint8Array} bytes @returns {KeptLine[]}
 */
export function readKept(bytes) {
  const found = [];
  let start = 0;
  for (let line = 1; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LF, start);
    const next = end < 0 ? bytes.length : end + 1;
    if (next - start > LIMITS.keptLine || line > LIMITS.keptLines) throw new Unreadable(line, "it is too long");
    if (end < 0) break;
    found.push(keptLine(bytes.subarray(start, end), line));
    start = next;
  }
  return found;
}

/** @param {Uint8Array} bytes @param {number} line @returns {KeptLine} */
function keptLine(bytes, line) {
  try {
    const value = readCanonical(bytes);
    const [[kind, data]] = value instanceof Map && value.size === 1 ? value : [["", null]];
    const field = KEPT.get(kind);
    if (field === undefined) throw new Misfit("it is nothing a player keeps");
    return Object.assign(Object.create(null), { kind }, fitting(field, data, `it is no ${kind}`));
  } catch (error) {
    if (error instanceof NotCanonical || error instanceof Misfit) throw new Unreadable(line, error.message);
    throw error;
  }
}

// Hashes, keys and signatures ------------------------------------------------------------------------------------------

const PREFIX = "trickbook/1/";
/** RFC 8032, 7.1, test 1: what every Ed25519 must accept. */
const KNOWN = Object.freeze({
  key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  signature:
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
});

/** The few functions of Web Crypto that are needed. */
class Platform {
  /** @param {SubtleCrypto} subtle */
  constructor(subtle) {
    this.subtle = subtle;
  }

  /** @param {Uint8Array} bytes */
  async sha256(bytes) {
    return new Uint8Array(await this.subtle.digest("SHA-256", source(bytes)));
  }

  /** `H(tag, x)` of fairness.md. @param {string} tag @param {...(Uint8Array | string | number)} x */
  hash(tag, ...x) {
    return this.sha256(join(PREFIX, tag, 0, ...x));
  }

  /** @param {Uint8Array} raw */
  hmacKey(raw) {
    return this.subtle.importKey("raw", source(raw), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  }

  /** `M(key, tag, x)` of fairness.md. @param {CryptoKey} key @param {string} tag @param {...(Uint8Array | string | number)} x */
  async keyed(key, tag, ...x) {
    return new Uint8Array(await this.subtle.sign("HMAC", key, source(join(PREFIX, tag, 0, ...x))));
  }

  /** Whether the signature holds. @param {Uint8Array} raw the public key @param {Uint8Array} signature @param {Uint8Array} message */
  async signed(raw, signature, message) {
    try {
      const key = await this.subtle.importKey("raw", source(raw), { name: "Ed25519" }, false, ["verify"]);
      return await this.subtle.verify({ name: "Ed25519" }, key, source(signature), source(message));
    } catch {
      return false;
    }
  }

  /** Whether this platform can judge signatures at all. */
  knowsEd25519() {
    return this.signed(fromHex(KNOWN.key), fromHex(KNOWN.signature), NONE);
  }
}

/** A server's public key as event 1 names it, and the judge of what it signed. */
class Signatures {
  /** @param {Platform} platform @param {{id: string, ed25519: string}} key @param {boolean} able whether signatures can be judged */
  constructor(platform, key, able) {
    this.platform = platform;
    this.id = key.id;
    this.able = able;
    this.raw = fromBase64url(key.ed25519);
    /** What is wrong with the key. @type {string | null} */
    this.problem = null;
  }

  async check() {
    if (this.raw === null) this.problem = "it is not base64url in its one spelling";
    else if (toHex(await this.platform.sha256(this.raw)) !== this.id) this.problem = "its id is not the SHA-256 of it";
    return this;
  }

  /** True or false, or undefined where the platform cannot say. @param {Receipt} receipt */
  async hold(receipt) {
    const signature = fromBase64url(receipt.signature);
    if (receipt.key !== this.id || this.problem !== null || signature === null) return false;
    if (!this.able) return undefined;
    const { at, game, head, seq } = receipt;
    const text = `{"at":${at},"game":${quoted(game)},"head":"${head}","seq":${seq}}`;
    return this.platform.signed(sure(this.raw), signature, join(PREFIX, "receipt", 0, text));
  }
}

// The shuffle (fairness.md, The shuffle) -------------------------------------------------------------------------------

const RANKS = "23456789TJQKA";
const SUIT_NAMES = new Map([
  ["C", "clubs"],
  ["D", "diamonds"],
  ["H", "hearts"],
  ["S", "spades"],
]);
const DECK = Object.freeze([...SUIT_NAMES.keys()].flatMap((suit) => [...RANKS].map((rank) => rank + suit)));
const PLACE_IN_DECK = new Map(DECK.map((name, index) => [name, index]));

/** Step 4. @param {Platform} platform @param {Uint8Array} root @param {string} game @param {number} hand @param {Uint8Array} north @param {Uint8Array} south */
async function handKey(platform, root, game, hand, north, south) {
  const key = await platform.hmacKey(root);
  return platform.keyed(key, "hand", game, 0, u32(hand), north.length, north, south.length, south);
}

/** Step 5: the endless words of a label. @param {Platform} platform @param {CryptoKey} key @param {string} label @param {number} together */
async function* wordsOf(platform, key, label, together) {
  for (let from = 0; ; from += together) {
    const numbers = Array.from({ length: together }, (_, i) => from + i);
    for (const block of await Promise.all(numbers.map((i) => platform.keyed(key, "draw", label, 0, u32(i))))) {
      const view = new DataView(block.buffer);
      for (let at = 0; at < 32; at += 4) yield view.getUint32(at);
    }
  }
}

/** Step 5: a number under `n` without bias. @param {AsyncGenerator<number, void>} words @param {number} n */
async function below(words, n) {
  const rejected = 2 ** 32 - (2 ** 32 % n);
  for (;;) {
    const x = Number((await words.next()).value);
    if (x < rejected) return x % n;
  }
}

/** @param {any[]} list @param {number} i @param {number} j */
function swap(list, i, j) {
  [list[i], list[j]] = [list[j], list[i]];
}

/** Step 6: the stock of a hand. @param {Platform} platform @param {Uint8Array} key */
async function stockOf(platform, key) {
  const cards = [...DECK];
  const words = wordsOf(platform, await platform.hmacKey(key), "deck", 7);
  for (let i = 51; i > 0; i -= 1) swap(cards, i, await below(words, i + 1));
  return cards;
}

/** Step 7: the cards drawn in an exchange. @param {Platform} platform @param {Uint8Array} key @param {Seat} who @param {string[]} pile @param {number} count */
async function exchangeOf(platform, key, who, pile, count) {
  const cards = [...pile].sort((one, two) => sure(PLACE_IN_DECK.get(one)) - sure(PLACE_IN_DECK.get(two)));
  const words = wordsOf(platform, await platform.hmacKey(key), `exchange/${who}`, 1);
  for (let t = 0; t < count; t += 1) swap(cards, t, t + (await below(words, cards.length - t)));
  return cards.slice(0, count);
}

/** The steps of fairness.md one by one, for who wants to check them against the vectors. */
export const steps = Object.freeze({
  /** @param {SubtleCrypto} subtle */
  platform: (subtle) => new Platform(subtle),
  handKey,
  wordsOf,
  below,
  stockOf,
  exchangeOf,
});

// What is said of a finding --------------------------------------------------------------------------------------------

/** The codes of each stage. @type {readonly [Stage, string][]} */
const SAID = [
  ["bytes", "other_game not_canonical not_an_event event_missing event_doubled event_renumbered events_swapped events_cut events_added"],
  ["bytes", "time_went_back"],
  ["chain", "head_mismatch"],
  ["receipts", "key_not_pinned pins_differ other_server_key bad_server_key server_key_mismatch bad_receipt bad_signature"],
  ["receipts", "receipt_mismatch file_not_signed kept_receipt_invalid contradicts_receipt file_older_than_receipt"],
  ["receipts", "service_signed_two_histories no_kept_receipt"],
  ["contributions", "wrong_seat contribution_stripped contribution_replaced contribution_mismatch"],
  ["deals", "root_mismatch bad_deck deck_not_derived exchange_not_derived"],
  ["seals", "seal_mismatch salt_repeated sealed_missing wrong_owner drawn_card_changed"],
  ["moves", "impossible wrong_event commit_cut commit_split wrong_name wrong_hand wrong_first_player game_not_ended"],
  ["moves", "not_their_turn"],
  ["moves", "wrong_phase card_twice card_not_from_stock card_not_held card_not_in_pile too_many_cards wrong_count wrong_trick"],
  ["moves", "revoke spades_not_broken wrong_score wrong_totals wrong_end wrong_winner wrong_dispute unfounded_correction"],
  ["end", "event_after_end game_not_over"],
];
const STAGE_OF = new Map(SAID.flatMap(([stage, codes]) => codes.split(" ").map((code) => /** @type {const} */ ([code, stage]))));
/** Nothing is wrong, but it cannot be called verified. */
const MISSING = new Set(["key_not_pinned", "file_not_signed", "file_older_than_receipt", "no_kept_receipt", "game_not_over"]);
/** What accuses no one: something is not there, or there is only the player's word for it, in a file that nobody signed. */
const ABOUT_NOBODY = new Set([
  ...["key_not_pinned", "pins_differ", "kept_receipt_invalid", "file_older_than_receipt", "no_kept_receipt", "game_not_over"],
  "other_game",
  ...["contribution_stripped", "contribution_replaced", "drawn_card_changed"],
]);

/** The check a finding belongs to. @param {string} code @returns {Stage | undefined} */
export const stageOf = (code) => STAGE_OF.get(code);

/** @typedef {{code: string, position: string, version: number, message: string}} Noted */

/** The findings as they are made. */
class Notes {
  constructor() {
    /** @type {Noted[]} */
    this.all = [];
  }

  /** @type {Note} */
  note = (code, position, version, message) => {
    if (!STAGE_OF.has(code)) throw new RangeError(`no finding is called ${code}`);
    this.all.push({ code, position, version, message });
  };

  /** A finding of a whole event. @param {string} code @param {number} version @param {string} message */
  at(code, version, message) {
    this.note(code, `v${version}`, version, message);
  }

  /** Those of a stage. @param {Stage} stage */
  of(stage) {
    return this.all.filter(({ code }) => STAGE_OF.get(code) === stage);
  }
}

/** How a stage stands. @param {Noted[]} noted */
function stateOf(noted) {
  if (noted.length === 0) return "ok";
  return noted.every(({ code }) => MISSING.has(code)) ? "missing" : "wrong";
}

/**
 * What was found, by stage, then version, then code. What follows from bytes that the service signed is told as the
 * service's, and told once.
 * @param {Notes} found in the file @param {Notes} proven in what was signed @returns {Finding[]}
 */
function told(found, proven) {
  const seen = new Set(proven.all.map(({ code, version }) => `${code} ${version}`));
  const rest = found.all.filter(({ code, version }) => !seen.has(`${code} ${version}`));
  const order = (/** @type {Noted} */ { code }) => STAGES.indexOf(sure(STAGE_OF.get(code)));
  /** @type {(Noted & {about: "service" | "file"})[]} */
  const all = [...proven.all.map((one) => ({ ...one, about: /** @type {const} */ ("service") })), ...rest.map((one) => ({ ...one, about: /** @type {const} */ ("file") }))];
  return all
    .sort((one, two) => order(one) - order(two) || one.version - two.version || inOrderOfText(one.code, two.code))
    .map((one) => ({
      ...one,
      about: ABOUT_NOBODY.has(one.code) ? "nobody" : one.about,
      grade: MISSING.has(one.code) ? "missing" : "wrong",
    }));
}

// Bytes and numbers ----------------------------------------------------------------------------------------------------

/** A log to be judged: its entries, how many there should be, and why reading ended early. @typedef {{entries: Entry[], claimed: number, broken?: string}} Log */

/**
 * The events in order, up to the first that has no place; what is wrong is noted.
 * @param {Log} log @param {Notes} notes @returns {{events: GameEvent[], stopped: string | null}}
 */
function inOrder(log, notes) {
  /** @type {GameEvent[]} */
  const events = [];
  for (const { event } of log.entries) {
    const place = events.length + 1;
    if (event instanceof Misfit) {
      notes.at("not_an_event", place, `Event ${place} cannot be read: ${event.message}.`);
      return { events, stopped: `event ${place} cannot be read` };
    }
    if (event.seq !== place) {
      notes.at(...misnumbered(log.entries, place, event.seq));
      return { events, stopped: `another event stands in place ${place}` };
    }
    const before = events.at(-1);
    if (before !== undefined && event.at < before.at) {
      notes.at("time_went_back", place, `Event ${place} is dated ${before.at - event.at} ms before event ${place - 1}.`);
    }
    events.push(event);
  }
  return { events, stopped: lengthJudged(log, notes) };
}

/** @param {Log} log @param {Notes} notes */
function lengthJudged({ entries, claimed, broken }, notes) {
  const there = entries.length;
  if (broken !== undefined) {
    notes.at("not_canonical", there + 1, `The file cannot be read on, ${broken}.`);
    return broken;
  }
  if (there < claimed) notes.at("events_cut", there + 1, `There should be ${claimed} events; the file ends after ${there}.`);
  if (there > claimed) notes.at("events_added", claimed + 1, `There should be ${claimed} events; the file has ${there}.`);
  return null;
}

/** @param {Entry[]} entries @param {number} place @param {number} seq @returns {[string, number, string]} */
function misnumbered(entries, place, seq) {
  if (seq < place) {
    const same = sameBytes(entries[seq - 1].publicBytes, entries[place - 1].publicBytes);
    const code = same ? "event_doubled" : "event_renumbered";
    return [code, place, `Place ${place} has number ${seq} again${same ? "" : ", with other bytes"}.`];
  }
  const later = entries.slice(place).some(({ publicPart }) => publicPart instanceof Map && publicPart.get("seq") === place);
  if (later) return ["events_swapped", place, `Event ${seq} stands in place ${place}; event ${place} comes later.`];
  return ["event_missing", place, `Event ${place} is missing: event ${seq} stands in its place.`];
}

/**
 * The heads from the genesis on, as hex, whatever the events are: the one after event n has index n.
 * @param {Platform} platform @param {Read} read
 */
async function headsOf(platform, { header, entries }) {
  const start = join(PREFIX, "event", 0);
  let head = await platform.hash("genesis", header.game);
  const heads = [toHex(head)];
  for (const { publicBytes } of entries) {
    head = await platform.sha256(join(start, head, publicBytes));
    heads.push(toHex(head));
  }
  return heads;
}

/** Hashes every sealed part, and marks those under their seal. @param {Platform} platform @param {Entry[]} entries */
async function compareSeals(platform, entries) {
  await Promise.all(
    entries.map(async (entry) => {
      if (entry.sealedBytes === undefined || !(entry.publicPart instanceof Map)) return;
      entry.underSeal = toHex(await platform.hash("seal", entry.sealedBytes)) === entry.publicPart.get("seal");
    }),
  );
}

/** What contributions and roots commit to, hashed at once so that the game can be followed without waiting. */
class Commitments {
  /** @param {Platform} platform */
  constructor(platform) {
    this.platform = platform;
    /** Tag and bytes, to the hash. @type {Map<string, string>} */
    this.known = new Map();
  }

  /** @param {GameEvent[]} events @param {KeptLine[]} kept */
  async gather(events, kept) {
    const wanted = new Set();
    for (const { type, data, secret } of events) {
      if (type === "contribution_revealed") wanted.add(`contribution ${data.bytes}`);
      if (type === "game_ended") wanted.add(`root ${data.root}`);
      if (type === "game_created" && secret !== undefined) wanted.add(`root ${secret.root}`);
    }
    for (const line of kept) if (line.kind === "own") wanted.add(`contribution ${line.bytes}`);
    await Promise.all(
      [...wanted].map(async (each) => {
        const [tag, bytes] = each.split(" ");
        this.known.set(each, toHex(await this.platform.hash(tag, fromHex(bytes))));
      }),
    );
    return this;
  }

  /** @param {"root" | "contribution"} tag @param {string} bytes hex */
  of(tag, bytes) {
    return this.known.get(`${tag} ${bytes}`);
  }
}

// Receipts -------------------------------------------------------------------------------------------------------------

/** Whose word stands behind the file: the pinned keys, the receipts in the file and those that were kept. */
class Vouching {
  /**
   * @param {Notes} notes @param {Read} read @param {GameEvent[]} genuine the events without what is under no seal
   * @param {string[]} heads @param {KeptLine[]} kept the lines for this game @param {string | undefined} serverKeyId
   * @param {number | undefined} others how many receipts of other games were given, undefined where no file of receipts was
   */
  constructor(notes, read, genuine, heads, kept, serverKeyId, others) {
    this.notes = notes;
    this.read = read;
    this.genuine = genuine;
    this.heads = heads;
    this.kept = kept;
    this.others = others;
    const pins = new Set(kept.filter((line) => line.kind === "pinned").map((line) => line.key));
    if (serverKeyId) pins.add(serverKeyId);
    this.pinsDiffer = pins.size > 1;
    /** @type {string | undefined} */
    this.pinned = this.pinsDiffer ? undefined : [...pins][0];
    this.named = genuine[0]?.type === "game_created" ? genuine[0].data.server_key : undefined;
    /** @type {Signatures | undefined} */
    this.signatures = undefined;
    /** Whether something could not be judged for want of Ed25519. */
    this.unjudged = false;
    /** The receipts whose signature holds, in order: without a pin, under the key that event 1 names. @type {Receipt[]} */
    this.held = [];
    /** Those of them that the player kept. @type {Receipt[]} */
    this.heldOfKept = [];
    /** How many receipts the player kept. */
    this.keptCount = 0;
    /** How many kept events lead to no receipt. */
    this.unused = 0;
    /** Up to which event the service has vouched for these bytes. */
    this.upTo = 0;
    /** The same, if those receipts held that this platform cannot judge. */
    this.perhapsUpTo = 0;
    /** @type {Receipt[]} */
    this.proof = [];
    /** @type {PublicEvent[]} */
    this.proofEvents = [];
  }

  /** @param {Platform} platform @param {GameEvent[]} events those of the file @param {Notes} proven */
  async check(platform, events, proven) {
    if (this.named !== undefined) {
      this.signatures = await new Signatures(platform, this.named, await platform.knowsEd25519()).check();
    }
    if (events[0]?.type === "game_created") {
      this.keyOfTheLog();
      await this.receiptOfTheFile(events);
    }
    const kept = differentReceipts(this.kept.filter((line) => line.kind === "receipt"));
    const ofTheFile = this.read.receipt && receiptShape(this.read.receipt.value);
    const all = differentReceipts([...kept, ...(ofTheFile ? [ofTheFile] : [])]);
    this.keptCount = kept.length;
    const hold = await Promise.all(all.map((receipt) => this.holds(receipt)));
    all.forEach((receipt, i) => this.weigh(receipt, hold[i]));
    this.pins();
    const places = new Map(all.map((receipt, i) => [spelled(receipt), i]));
    const held = kept.map((receipt) => hold[sure(places.get(spelled(receipt)))]);
    this.heldOfKept = kept.filter((_, i) => held[i] === true);
    this.unsigned(kept.filter((receipt, i) => this.isUnsigned(receipt, held[i])));
    this.later(kept.filter((_, i) => held[i] !== false && this.comparable));
    this.misdated(proven);
    const graph = await new SignedHeads(platform, this.held).walk(differentEvents(this.kept));
    this.unused = graph.unused;
    const differs = this.differing(graph);
    this.twoHistories(graph, proven, differs);
    return this;
  }

  /** How many events there are. */
  get length() {
    return this.read.entries.length;
  }

  /** Whether the log's key is the pinned one, and one at all. */
  get trusted() {
    return this.signatures !== undefined && this.signatures.problem === null && this.signatures.id === this.pinned;
  }

  /** Whether there is a key that receipts are verified under: the pinned one or, without a pin, the one event 1 names. */
  get comparable() {
    return this.pinned === undefined ? this.signatures !== undefined && this.signatures.problem === null : this.trusted;
  }

  /** Whether a receipt is for this game and signed; undefined where the platform cannot say. @param {Receipt} receipt */
  async holds(receipt) {
    if (!this.comparable || receipt.game !== this.read.header.game) return false;
    const holds = await sure(this.signatures).hold(receipt);
    if (holds === undefined) this.unjudged = true;
    return holds;
  }

  /** Whether a head is the one after that event of the file. @param {{seq: number, head: string}} place */
  fits({ seq, head }) {
    return this.heads[seq] === head;
  }

  /** @param {Receipt} receipt @param {boolean | undefined} holds */
  weigh(receipt, holds) {
    if (holds) this.held.push(receipt);
    if (!this.trusted) return;
    if (holds && this.fits(receipt)) this.upTo = Math.max(this.upTo, receipt.seq);
    if (holds !== false && this.fits(receipt)) this.perhapsUpTo = Math.max(this.perhapsUpTo, receipt.seq);
  }

  keyOfTheLog() {
    const { header } = this.read;
    if (sure(this.signatures).problem !== null) {
      this.notes.at("bad_server_key", 1, `The signing key in event 1 cannot be one: ${sure(this.signatures).problem}.`);
    }
    if (header.server_key.id !== sure(this.named).id || header.server_key.ed25519 !== sure(this.named).ed25519) {
      this.notes.at("server_key_mismatch", 1, "The header names another signing key than event 1.");
    }
  }

  /** The receipt in the file against the file, whoever's key is pinned. @param {GameEvent[]} events */
  async receiptOfTheFile(events) {
    const { header, receipt: line } = this.read;
    const last = events.length;
    if (line === undefined || this.length !== last) return;
    const receipt = receiptShape(line.value);
    if (receipt === undefined) {
      this.notes.at("bad_receipt", last, "The last line is no receipt.");
      return;
    }
    const told = receipt.head === this.heads[last] || (header.events === last && receipt.head === header.head);
    if (receipt.game !== header.game || receipt.seq !== last || !told || receipt.at !== events[last - 1].at) {
      this.notes.at("receipt_mismatch", last, "The receipt is for another game, number, head or time.");
    } else if (sure(this.signatures).problem === null) {
      const holds = await sure(this.signatures).hold(receipt);
      if (holds === undefined) this.unjudged = true;
      if (holds === false) this.notes.at("bad_signature", last, "The receipt was not signed by the key of event 1.");
    }
  }

  pins() {
    if (this.pinsDiffer) {
      this.notes.at("pins_differ", 1, "You pinned keys that differ from each other: say which one you trust.");
    } else if (this.pinned === undefined) {
      this.notes.at("key_not_pinned", 1, "You pinned no key, and with a key of their own anybody can sign.");
    } else if (this.named !== undefined && this.named.id !== this.pinned) {
      this.notes.at("other_server_key", 1, "Event 1 names another signing key than the one you pinned.");
    }
    if (this.pinned !== undefined && (this.perhapsUpTo < this.length || this.length === 0)) {
      const since = this.upTo > 0 ? ` Only up to event ${this.upTo} does the service vouch for it.` : "";
      this.notes.at("file_not_signed", Math.max(this.length, 1), `No valid receipt is for the last event.${since}`);
    }
    if (this.others !== undefined && this.keptCount === 0) {
      this.notes.at("no_kept_receipt", Math.max(this.length, 1), "None of the receipts you gave is for this game.");
    }
  }

  /** @param {Receipt} receipt @param {boolean | undefined} holds */
  isUnsigned(receipt, holds) {
    return (this.pinned !== undefined && receipt.key !== this.pinned) || (this.comparable && holds === false);
  }

  /** @param {Receipt[]} unsigned */
  unsigned(unsigned) {
    if (unsigned.length === 0) return;
    const more = unsigned.length === 1 ? "" : ` Nor are ${unsigned.length - 1} others.`;
    const whose = this.pinned === undefined ? "the key of event 1" : "the pinned key";
    this.notes.at("kept_receipt_invalid", unsigned[0].seq, `The receipt you kept of event ${unsigned[0].seq} is not signed by ${whose}.${more}`);
  }

  /** Receipts of events that the file does not reach. @param {Receipt[]} kept those that hold, or may */
  later(kept) {
    const beyond = kept.filter(({ seq }) => seq > this.length);
    if (beyond.length === 0) return;
    const { seq } = sure(beyond.at(-1));
    const end = this.genuine.find(({ type }) => type === "game_ended");
    const file = end === undefined ? `The file ends with event ${this.length}` : `The file says that play ended with event ${end.seq}`;
    const hold = beyond.length === 1 ? `a receipt of event ${seq}` : `${beyond.length} receipts of later events, the last of event ${seq}`;
    this.notes.at("file_older_than_receipt", seq, `${file}, but you hold ${hold}${end === undefined ? ": ask for a newer one" : ""}.`);
  }

  /** Whether the file differs, where nobody vouches for it, from what kept receipts are for. @param {SignedHeads} graph */
  differing(graph) {
    const kept = new Set(this.heldOfKept.map(spelled));
    const differs = graph.heads.find(
      (one) =>
        one.seq > this.upTo && one.seq <= this.length && !this.fits(one) && kept.has(spelled(one.receipt)),
    );
    if (differs === undefined) return false;
    this.notes.at("contradicts_receipt", differs.seq, `Event ${differs.seq} is not the one your receipts are for.`);
    return true;
  }

  /** Receipts for these events that were signed with another time than the events have. @param {Notes} proven */
  misdated(proven) {
    for (const receipt of this.trusted ? this.held : []) {
      const event = this.genuine[receipt.seq - 1];
      if (this.fits(receipt) && event !== undefined && event.at !== receipt.at) {
        proven.at("receipt_mismatch", receipt.seq, `The service signed event ${receipt.seq} with another time than it has.`);
      }
    }
  }

  /** Receipts that cannot both be for one log. @param {SignedHeads} graph @param {Notes} proven @param {boolean} differs */
  twoHistories(graph, proven, differs) {
    const two = graph.contradiction(this, this.genuine);
    if (two === undefined) return;
    if (this.trusted) {
      proven.at("service_signed_two_histories", two.seq, `The service signed two histories: ${two.text}.`);
      this.proof = two.receipts;
      this.proofEvents = two.events;
    } else if (!differs) {
      this.notes.at("contradicts_receipt", two.seq, `The holder of the key of event 1 signed two histories: ${two.text}.`);
    }
  }
}

/** Each dispute is opened once and settled once, and two losses are accepted: more commits cannot follow the end of play (additions.md). */
const MOST_AFTER_END = 42;
const MOST_LOSSES = 2;

/** A head that a receipt vouches for; `by` are the kept events that lead from it to the receipt's own. @typedef {{seq: number, head: string, receipt: Receipt, by?: PublicEvent, above?: Vouched}} Vouched */
/** @typedef {{seq: number, receipts: Receipt[], events: PublicEvent[], text: string}} Contradiction */

/** The heads that receipts sign: their own and, event by event, those before it, as far as the player kept what leads there. */
class SignedHeads {
  /** @param {Platform} platform @param {Receipt[]} receipts those whose signature holds, in order */
  constructor(platform, receipts) {
    this.platform = platform;
    this.receipts = receipts;
    /** By seq and head. @type {Map<string, Vouched>} */
    this.known = new Map();
    /** Kept events by seq and the head after them. @type {Map<string, PublicEvent>} */
    this.events = new Map();
    /** In order. @type {Vouched[]} */
    this.heads = [];
    this.unused = 0;
  }

  /** @param {PublicEvent[]} kept */
  async walk(kept) {
    const after = (/** @type {PublicEvent} */ each) => this.platform.hash("event", fromHex(each.before), each.public);
    const heads = await Promise.all(kept.map(after));
    kept.forEach((each, i) => this.events.set(`${each.seq} ${toHex(heads[i])}`, each));
    const add = (/** @type {Vouched} */ place) => {
      const name = `${place.seq} ${place.head}`;
      if (this.known.has(name)) return false;
      this.known.set(name, place);
      return true;
    };
    const own = this.receipts.map((receipt) => ({ seq: receipt.seq, head: receipt.head, receipt }));
    own.forEach(add);
    for (const start of own) {
      /** @type {Vouched} */
      let place = start;
      for (;;) {
        const by = this.events.get(`${place.seq} ${place.head}`);
        if (by === undefined || place.seq === 1) break;
        const before = { seq: place.seq - 1, head: by.before, receipt: start.receipt, by, above: place };
        if (!add(before)) break;
        place = before;
      }
    }
    this.heads = [...this.known.values()].sort((one, two) => one.seq - two.seq || inOrderOfText(one.head, two.head));
    this.unused = [...this.events.keys()].filter((name) => !this.known.has(name)).length;
    return this;
  }

  /** What shows that more than one history was signed. @param {Vouching} file @param {GameEvent[]} events @returns {Contradiction | undefined} */
  contradiction(file, events) {
    const vouching = this.receipts.filter((receipt) => file.fits(receipt));
    let found = this.ofHeads(file, vouching);
    if (found.length === 0) found = this.afterTheEnd(file, vouching, events);
    if (found.length === 0) return undefined;
    const plain = found.filter((one) => one.events.length === 0);
    const clear = plain.find(({ receipts: [one, two] }) => one.seq === two.seq) ?? plain[0];
    const best = clear ?? found.find(({ receipts: [one, two] }) => one.seq === two.seq) ?? found[0];
    return { ...best, seq: Math.min(...found.map(({ seq }) => seq)) };
  }

  /** @param {Vouching} file @param {Receipt[]} vouching @returns {Contradiction[]} */
  ofHeads(file, vouching) {
    /** @type {Map<number, Vouched[]>} */
    const bySeq = new Map();
    for (const each of this.heads) bySeq.set(each.seq, [...(bySeq.get(each.seq) ?? []), each]);
    const last = vouching.at(-1);
    return this.heads.flatMap((one) => {
      if (file.fits(one)) return [];
      const others = sure(bySeq.get(one.seq)).filter((each) => each !== one);
      const other = others.find(({ by }) => by === undefined) ?? others[0];
      const against = other?.receipt ?? (last !== undefined && last.seq >= one.seq ? vouching.find(({ seq }) => seq >= one.seq) : undefined);
      if (against === undefined) return [];
      const text = `its receipts of events ${one.receipt.seq} and ${against.seq} contradict`;
      return [{ seq: one.seq, receipts: [one.receipt, against], events: [...leading(one), ...leading(other)], text }];
    });
  }

  /** Play that goes on after its signed end, or too many commits after it. @param {Vouching} file @param {Receipt[]} vouching @param {GameEvent[]} events @returns {Contradiction[]} */
  afterTheEnd(file, vouching, events) {
    const ended = events.find(({ type }) => type === "game_ended")?.seq;
    const end = ended === undefined ? undefined : vouching.find(({ seq }) => seq >= ended);
    if (ended === undefined || end === undefined) return [];
    /** @type {Contradiction[]} */
    const found = [];
    for (const one of this.heads) {
      const event = this.events.get(`${one.seq} ${one.head}`);
      if (event === undefined || one.seq <= ended || file.fits(one) || !isPlay(event)) continue;
      const text = `that play ended with event ${ended}, and that it went on with event ${one.seq}`;
      found.push({ seq: one.seq, receipts: [one.receipt, end], events: [...leading(one), event], text });
    }
    const after = this.receipts.filter(({ seq }) => seq > ended);
    const newest = after.at(-1);
    const count = new Set(after.map(({ seq }) => seq)).size;
    if (newest !== undefined && count > MOST_AFTER_END && !file.fits(newest)) {
      const text = `that play ended with event ${ended}, and ${count} commits after it, where ${MOST_AFTER_END} are possible`;
      found.push({ seq: newest.seq, receipts: [newest, end], events: [], text });
    }
    return found;
  }
}

/** The kept events from a receipt's own down to a head. @param {Vouched | undefined} place @returns {PublicEvent[]} */
function leading(place) {
  const found = [];
  for (let at = place; at?.by !== undefined; at = at.above) found.unshift(at.by);
  return found;
}

/** Whether an event is one that cannot follow the end of play. @param {PublicEvent} event */
function isPlay(event) {
  try {
    const type = readCanonical(utf8.encode(event.public))?.get?.("type");
    return EVENTS.has(type) && !REVIEW.has(type);
  } catch (error) {
    if (error instanceof NotCanonical) return false;
    throw error;
  }
}

/** The kept events, each once. @param {KeptLine[]} lines @returns {PublicEvent[]} */
function differentEvents(lines) {
  const events = lines.filter(({ kind }) => kind === "event").map(({ before, game, public: text, seq }) => ({ before, game, public: text, seq }));
  return [...new Map(events.map((one) => [spelled(one), one])).values()];
}

/** All that is in a receipt or a kept event, as text. @param {Receipt | PublicEvent} one */
const spelled = (one) => JSON.stringify(Object.values(one));

/** The same receipts, each once, by number, head, time and signature. @param {any[]} lines @returns {Receipt[]} */
function differentReceipts(lines) {
  const receipts = lines.map(({ at, game, head, key, seq, signature }) => ({ at, game, head, key, seq, signature }));
  const different = new Map(receipts.map((one) => [spelled(one), one]));
  return [...different.values()].sort(
    (one, two) =>
      one.seq - two.seq ||
      inOrderOfText(one.head, two.head) ||
      one.at - two.at ||
      inOrderOfText(one.signature, two.signature),
  );
}

// The rules (rules.md §9) ----------------------------------------------------------------------------------------------

/** @type {Map<string, {fits: Field, optional?: boolean}>} */
const OPTIONS = new Map([
  ["ruleset", { fits: oneOf("two-player/1") }],
  ["target", { fits: whole(50, 10_000) }],
  ["nil_value", { fits: whole(0, 1000) }],
  ["double_nil_value", { fits: whole(0, 1000) }],
  ["bag_limit", { fits: whole(0, 100) }],
  ["bag_penalty", { fits: whole(0, 1000) }],
  ["bag_carry", { fits: oneOf("remainder", "zero") }],
  ["failed_nil", { fits: oneOf("ignore", "bags", "bags_and_points") }],
  ["second_card", { fits: oneOf("hidden", "seen") }],
  ["exchange_max", { fits: whole(0, 3) }],
  ["floor", { fits: whole(-10_000, -50), optional: true }],
  ["max_hands", { fits: whole(1, 200) }],
  ["turn_seconds", { fits: whole(5, 1_209_600), optional: true }],
]);

/** What is wrong with a ruleset, or null. @param {Map<string, string | number>} rules */
function rulesProblem(rules) {
  for (const name of rules.keys()) if (!OPTIONS.has(name)) return `there is no option ${name.slice(0, 40)}`;
  for (const [name, { fits, optional }] of OPTIONS) {
    if (!rules.has(name) && !optional) return `${name} is not set`;
    if (rules.has(name) && fits(rules.get(name)) === undefined) return `${name} may not be ${String(rules.get(name)).slice(0, 40)}`;
  }
  return null;
}

/** @param {string} name */
const suitOf = (name) => name[1];
/** @param {Seat} who @returns {Seat} */
const across = (who) => (who === "north" ? "south" : "north");
/** @type {readonly Seat[]} */
const SEATS = Object.freeze(["north", "south"]);

/**
 * What a hand comes to (rules.md §7). Sums go over 2^53 only in a log that lies, and then they must still be right.
 * @param {any} rules @param {{total: number, bags: number, bid: any, tricks: number}} before
 */
function scoreOf(rules, { total, bags, bid, tricks: taken }) {
  let points;
  let newBags = 0;
  if (bid === 0 || bid === "double_nil") {
    const value = bid === 0 ? rules.nil_value : rules.double_nil_value;
    points = taken === 0 ? value : -value;
    if (rules.failed_nil !== "ignore") newBags = taken;
    if (rules.failed_nil === "bags_and_points") points += taken;
  } else if (taken < bid) {
    points = -10 * bid;
  } else {
    newBags = taken - bid;
    points = 10 * bid + newBags;
  }
  const count = BigInt(bags) + BigInt(newBags);
  const limit = BigInt(rules.bag_limit);
  const due = limit === 0n ? 0n : count / limit;
  const left = due > 0n && rules.bag_carry === "zero" ? 0n : count - due * limit;
  const penalty = due * BigInt(rules.bag_penalty);
  return { points, new_bags: newBags, penalty, total: BigInt(total) + BigInt(points) - penalty, bags: left };
}

/**
 * How the game ends after a hand, or null where it goes on (rules.md §8.7).
 * @param {any} rules @param {number} hand @param {number} north @param {number} south
 */
function endAfter(rules, hand, north, south) {
  const winner = north === south ? undefined : north > south ? "north" : "south";
  const decided = winner !== undefined;
  if (decided && Math.max(north, south) >= rules.target) return { reason: "target", winner };
  if (decided && rules.floor !== undefined && Math.min(north, south) <= rules.floor) return { reason: "floor", winner };
  return hand >= rules.max_hands ? { reason: "hand_limit", winner } : null;
}

// The course of the game -----------------------------------------------------------------------------------------------

/** Thrown after an event that leaves nothing to judge what follows by. */
class Halt extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** What is known of a seat. In a file that shows only one hand, `known` is false for the other. */
class Place {
  name = "";
  /** @type {string | undefined} */
  contribution = undefined;
  /** @type {string | undefined} */
  revealed = undefined;
  total = 0;
  bags = 0;
  looked = false;
  /** @type {number | "double_nil" | undefined} */
  bid = undefined;
  /** @type {number | undefined} */
  exchanged = undefined;
  tricks = 0;
  known = true;
  /** @type {Set<string>} */
  cards = new Set();
  /** The cards this seat saw itself throw in the draft. @type {Set<string>} */
  thrown = new Set();

  newHand() {
    this.looked = false;
    this.bid = undefined;
    this.exchanged = undefined;
    this.tricks = 0;
    this.known = true;
    this.cards = new Set();
    this.thrown = new Set();
  }
}

/** Cards that the root must give. @typedef {{position: string, version: number, hand: number, cards: string[], seat?: Seat, pile?: string[]}} Deal */

const FOLLOWS_A_HAND = Object.freeze(["hand_started", "game_ended"]);
/** What is never a move of its own. */
const ONLY_IN_A_COMMIT = new Set(["hand_started", "card_discarded", "hand_scored"]);
const DAY = 24 * 60 * 60;

/** The game as the events tell it, from the first to the last that can be judged. */
class Course {
  /** @param {Note} note @param {Commitments} commitments @param {string[]} heads */
  constructor(note, commitments, heads) {
    this.note = note;
    this.commitments = commitments;
    this.version = 0;
    this.at = 0;
    /** When the last event of play was; disputes give nobody more time. */
    this.playedAt = 0;
    /** @type {any} */
    this.rules = undefined;
    /** The names that alone may sit down, where event 1 has any. @type {Record<Seat, string> | undefined} */
    this.keptFor = undefined;
    /** @type {Record<Seat, Place>} */
    this.seats = { north: new Place(), south: new Place() };
    this.phase = "waiting";
    /** @type {Seat | undefined} */
    this.turn = undefined;
    /** What must follow in the same commit. @type {readonly string[]} */
    this.due = [];
    this.hand = 0;
    /** @type {Seat} */
    this.first = "north";
    this.drafted = 0;
    /** @type {string | undefined} */
    this.choice = undefined;
    /** @type {string[] | undefined} */
    this.stock = undefined;
    /** @type {string[] | undefined} */
    this.pile = undefined;
    this.broken = false;
    /** @type {{number: number, leader: Seat, lead: string | undefined} | undefined} */
    this.trick = undefined;
    /** The cards played in this hand. @type {Map<string, {seat: Seat, trick: number, led: string}>} */
    this.played = new Map();
    /** @type {Deal[]} */
    this.deals = [];
    /** @type {GameEvent | undefined} */
    this.ended = undefined;
    /** Why the rest was not judged. @type {string | null} */
    this.stopped = null;
    this.position = "v1";
    /** The heads of the log, the one after event n at index n. */
    this.heads = heads;
    /** The scored hands: what each seat bid and took, its line in force, and its line as the plays make it. @type {Record<Seat, Reckoned>[]} */
    this.scored = [];
    /** The versions of their scores. @type {number[]} */
    this.scoredAt = [];
    /** The lines that were recorded wrongly. @type {(Noted & {hand: number, seat: Seat, mended?: number})[]} */
    this.wrongLines = [];
    /** Losses of history that the operator accepted: no findings. @type {Noted[]} */
    this.losses = [];
    /** The disputes, and whether each is open. @type {{seat: Seat, hand: number, open: boolean}[]} */
    this.disputes = [];
    /** The type of the event before. */
    this.before = "";
    /** Who has won, once play has ended. @type {Seat | undefined} */
    this.winner = undefined;
  }

  /** @param {GameEvent[]} events @param {boolean} complete whether nothing follows that could not be read */
  follow(events, complete) {
    this.walk(events, complete);
    for (const { code, position, version, message, mended } of this.wrongLines) {
      if (mended === undefined) this.note(code, position, version, message);
    }
  }

  /** The lines that were recorded wrongly and put right later: no findings. */
  get notes() {
    const mended = this.wrongLines
      .filter(({ mended }) => mended !== undefined)
      .map(({ position, version, message, mended }) => ({
        code: "score_mended", position, version, message: `${message} Event ${mended} corrects it.`,
      }));
    return [...mended, ...this.losses];
  }

  /** @param {GameEvent[]} events @param {boolean} complete */
  walk(events, complete) {
    for (const event of events) {
      this.position = this.positionOf(event);
      try {
        this.admit(event);
        sure(MOVES.get(event.type))(this, event);
      } catch (error) {
        if (!(error instanceof Halt)) throw error;
        this.note(error.code, this.position, event.seq, error.message);
        this.stopped = `what follows ${this.position} (event ${event.seq})`;
        return;
      }
      this.version = event.seq;
      this.at = event.at;
      if (!REVIEW.has(event.type)) this.playedAt = event.at;
      this.before = event.type;
    }
    if (complete && this.due.length > 0) {
      this.note("commit_cut", `v${this.version}`, this.version, `The log ends where ${this.due.join(" or ")} must follow.`);
    }
  }

  /** How people name the moment of an event (design §5). @param {GameEvent} event */
  positionOf({ type, seq }) {
    const { hand, seats } = this;
    if (hand === 0) return `v${seq}`;
    switch (type) {
      case "card_kept":
      case "card_discarded":
        return `${hand}.d${this.drafted + 1}`;
      case "cards_exchanged":
        return `${hand}.x${SEATS.filter((who) => seats[who].exchanged !== undefined).length + 1}`;
      case "bid_placed":
        return `${hand}.b${SEATS.filter((who) => typeof seats[who].bid === "number").length + 1}`;
      case "card_played":
        if (this.trick === undefined) return `v${seq}`;
        return `${hand}.${this.trick.number}.${this.trick.lead === undefined ? 1 : 2}`;
      case "hand_scored":
        return `${hand}.s`;
      default:
        return `v${seq}`;
    }
  }

  /** Whether an event of this kind may come now at all (fairness.md, Commits). @param {GameEvent} event */
  admit({ type, seq, at }) {
    if (this.phase === "ended" && !REVIEW.has(type)) throw new Halt("event_after_end", `Play has ended, but ${type} follows.`);
    if ((type === "game_created") !== (this.version === 0)) throw new Halt("wrong_event", "A log begins with game_created, once.");
    if (this.due.length > 0) {
      if (!this.due.includes(type)) throw new Halt("commit_cut", `${this.due.join(" or ")} must come here, not ${type}.`);
      if (at !== this.at) this.wrong("commit_split", seq, "One move has one time, but this event has another than the one before.");
    } else if (type === "score_corrected") {
      if (this.before !== "dispute_settled" && this.before !== type) throw new Halt("wrong_event", `Nothing brings a ${type} here.`);
      if (at !== this.at) this.wrong("commit_split", seq, "A settlement has one time, but its correction has another.");
    } else if (ONLY_IN_A_COMMIT.has(type)) {
      throw new Halt("wrong_event", `Nothing brings a ${type} here.`);
    }
  }

  /** @param {string} code @param {number} version @param {string} message */
  wrong(code, version, message) {
    this.note(code, this.position, version, message);
  }

  /** @param {GameEvent} event @param {string} right */
  ownedBy({ owner, seq }, right) {
    if (owner !== undefined && owner !== right) {
      this.wrong("wrong_owner", seq, `The sealed part is ${right}'s, but is written as ${owner}'s.`);
    }
  }

  /** @param {GameEvent} event */
  inThisHand({ data }) {
    if (data.hand !== this.hand) throw new Halt("wrong_hand", `Hand ${data.hand} is named during hand ${this.hand}.`);
  }

  /** What a seat may do now. @param {Seat} who @returns {string[]} */
  choices(who) {
    if (this.turn !== who || this.due.length > 0) return [];
    switch (this.phase) {
      case "reveal":
        return ["reveal"];
      case "draft":
        return this.seats[who].looked ? ["keep", "pass"] : ["look", "double nil"];
      case "exchange":
        return ["exchange"];
      case "bidding":
        return ["bid"];
      case "play":
        return ["play"];
      default:
        return [];
    }
  }

  /** @param {Seat} who @param {string} what */
  mayOnly(who, what) {
    const choices = this.choices(who);
    if (choices.includes(what)) return;
    if (this.turn !== undefined && this.turn !== who) {
      throw new Halt("not_their_turn", `It was ${this.turn}'s turn, but ${who} would ${what}.`);
    }
    throw new Halt("wrong_phase", `${who} would ${what}, but could only ${choices.join(" or ") || "wait"} (${this.phase}).`);
  }

  /** Whose turn it is once both sit, and after each reveal: south's, then north's, then the first hand's. */
  nextReveal() {
    const owing = /** @type {Seat[]} */ (["south", "north"]).find((who) => {
      const { contribution, revealed } = this.seats[who];
      return contribution !== undefined && revealed === undefined;
    });
    this.turn = owing;
    if (owing !== undefined) this.phase = "reveal";
    else this.due = ["hand_started"];
  }

  /** What comes after the draft: exchanges, bids, the first lead; the second player before the first. */
  afterDraft() {
    const order = [across(this.first), this.first];
    const exchanging = order.find((who) => {
      const { bid, exchanged } = this.seats[who];
      return this.rules.exchange_max > 0 && bid === "double_nil" && exchanged === undefined;
    });
    const bidding = order.find((who) => this.seats[who].bid === undefined);
    this.turn = exchanging ?? bidding ?? order[0];
    this.phase = exchanging !== undefined ? "exchange" : bidding !== undefined ? "bidding" : "play";
    if (this.phase === "play") this.trick = { number: 1, leader: order[0], lead: undefined };
  }

  /** The card of a draft turn must be the one that lay there. @param {GameEvent} event @param {number} offset @param {string} what */
  fromStock({ data, secret }, offset, what) {
    if (secret === undefined) return;
    const { cards, thrown } = this.seats[/** @type {Seat} */ (data.seat)];
    if (this.stock === undefined) {
      if (cards.has(secret.card) || thrown.has(secret.card)) {
        throw new Halt("card_twice", `${secret.card} is the ${what}, but ${data.seat} had drawn it before.`);
      }
      return;
    }
    const lay = this.stock[2 * this.drafted + offset];
    if (secret.card !== lay) throw new Halt("card_not_from_stock", `${secret.card} is the ${what}, but ${lay} lay there.`);
  }
}

/** What each event must be, and what it changes: judged first, changed then. @type {Map<string, (game: Course, event: GameEvent) => void>} */
const MOVES = new Map([
  ["game_created", created],
  ["player_joined", joined],
  ["contribution_revealed", revealed],
  ["hand_started", handStarted],
  ["looked", firstShown],
  ["double_nil_bid", firstShown],
  ["card_kept", kept],
  ["card_discarded", discarded],
  ["cards_exchanged", exchanged],
  ["bid_placed", bidPlaced],
  ["card_played", cardPlayed],
  ["hand_scored", handScored],
  ["game_ended", gameEnded],
  ["dispute_opened", disputeOpened],
  ["dispute_settled", disputeSettled],
  ["score_corrected", scoreCorrected],
  ["loss_accepted", lossAccepted],
]);

/** @param {Course} game @param {GameEvent} event */
function created(game, event) {
  const { data, secret, seq } = event;
  game.ownedBy(event, "house");
  if (secret !== undefined && game.commitments.of("root", secret.root) !== data.root_commitment) {
    game.wrong("root_mismatch", seq, "The root sealed in event 1 is not the one it commits to.");
  }
  const problem = rulesProblem(data.rules);
  if (problem !== null) throw new Halt("impossible", `No game has these rules: ${problem}.`);
  game.rules = Object.assign(Object.create(null), Object.fromEntries(data.rules));
  game.keptFor = data.names;
  game.first = data.first;
  game.due = ["player_joined"];
}

/** @param {Course} game @param {GameEvent} event */
function joined(game, event) {
  const { data } = event;
  game.ownedBy(event, "house");
  const right = game.seats.north.name === "" ? "north" : "south";
  if (data.seat !== right || game.phase !== "waiting") {
    throw new Halt("wrong_seat", `${data.seat} sits down, but ${right} was to come, before the game.`);
  }
  const wanted = game.keptFor?.[right];
  if (wanted !== undefined && wanted !== data.name) {
    game.wrong("wrong_name", event.seq, `${data.name} sits down as ${right}, but event 1 keeps that seat for ${wanted}.`);
  }
  game.seats[right].name = data.name;
  game.seats[right].contribution = data.contribution;
  game.due = [];
  if (right === "south") game.nextReveal();
}

/** @param {Course} game @param {GameEvent} event */
function revealed(game, { data, seq }) {
  game.mayOnly(data.seat, "reveal");
  const place = game.seats[/** @type {Seat} */ (data.seat)];
  if (game.commitments.of("contribution", data.bytes) !== place.contribution) {
    game.wrong("contribution_mismatch", seq, `The bytes ${data.seat} reveals are not those committed to.`);
  }
  place.revealed = data.bytes;
  game.nextReveal();
}

/** @param {Course} game @param {GameEvent} event */
function handStarted(game, event) {
  const { data, secret, seq } = event;
  const { north, south } = game.seats;
  game.ownedBy(event, "house");
  if (data.hand !== game.hand + 1) throw new Halt("wrong_hand", `Hand ${data.hand} begins after hand ${game.hand}.`);
  if (game.hand > 0 && endAfter(game.rules, game.hand, north.total, south.total) !== null) {
    game.wrong("game_not_ended", seq, `The game was over after hand ${game.hand}, but another begins.`);
  }
  const right = game.hand === 0 ? game.first : across(game.first);
  if (data.first !== right) game.wrong("wrong_first_player", seq, `${right} should be first player of hand ${data.hand} (rules §1.4).`);
  if (secret !== undefined && new Set(secret.stock).size !== DECK.length) {
    const missing = DECK.filter((name) => !secret.stock.includes(name));
    throw new Halt("bad_deck", `The stock is no deck: ${missing.join(" ")} is not in it.`);
  }
  if (secret !== undefined) game.deals.push({ position: game.position, version: seq, hand: data.hand, cards: secret.stock });
  for (const who of SEATS) game.seats[who].newHand();
  Object.assign(game, { phase: "draft", turn: data.first, due: [], hand: data.hand, first: data.first, drafted: 0 });
  Object.assign(game, { choice: undefined, stock: secret?.stock, pile: [], broken: false, trick: undefined, played: new Map() });
}

/** A look or a double nil. @param {Course} game @param {GameEvent} event */
function firstShown(game, event) {
  const { data, type } = event;
  game.inThisHand(event);
  game.mayOnly(data.seat, type === "looked" ? "look" : "double nil");
  const place = game.seats[/** @type {Seat} */ (data.seat)];
  place.looked = true;
  if (type === "double_nil_bid") place.bid = "double_nil";
}

/** @param {Course} game @param {GameEvent} event */
function kept(game, event) {
  const { data, secret } = event;
  game.inThisHand(event);
  game.mayOnly(data.seat, data.choice === "first" ? "keep" : "pass");
  game.ownedBy(event, data.seat);
  game.fromStock(event, data.choice === "first" ? 0 : 1, `${data.choice} card`);
  const place = game.seats[/** @type {Seat} */ (data.seat)];
  if (secret === undefined) place.known = false;
  else place.cards.add(secret.card);
  game.choice = data.choice;
  game.due = ["card_discarded"];
}

/** @param {Course} game @param {GameEvent} event */
function discarded(game, event) {
  const { data, secret, owner } = event;
  game.inThisHand(event);
  if (data.seat !== game.turn) throw new Halt("not_their_turn", `${data.seat} throws a card in ${game.turn}'s turn.`);
  const unseen = game.choice === "first" && game.rules.second_card === "hidden";
  game.fromStock(event, game.choice === "first" ? 1 : 0, "card thrown");
  game.ownedBy(event, unseen ? "house" : data.seat);
  if (secret === undefined) game.pile = undefined;
  else game.pile?.push(secret.card);
  if (owner === data.seat) game.seats[/** @type {Seat} */ (data.seat)].thrown?.add(secret.card);
  game.drafted += 1;
  game.turn = across(data.seat);
  game.due = [];
  if (game.drafted === 26) game.afterDraft();
}

/** @param {Course} game @param {GameEvent} event */
function exchanged(game, event) {
  const { data, secret, seq } = event;
  const most = game.rules.exchange_max;
  game.inThisHand(event);
  game.mayOnly(data.seat, "exchange");
  game.ownedBy(event, data.seat);
  if (data.count > most) game.wrong("too_many_cards", seq, `${data.seat} exchanges ${data.count} cards; ${most} are allowed.`);
  const place = game.seats[/** @type {Seat} */ (data.seat)];
  if (secret !== undefined) {
    exchangeJudged(game, place, data, secret);
    const { pile } = game;
    if (pile !== undefined && secret.drawn.length > 0) {
      game.deals.push({ position: game.position, version: seq, hand: data.hand, cards: secret.drawn, seat: data.seat, pile });
    }
    game.pile = pile && [...pile.filter((name) => !secret.drawn.includes(name)), ...secret.discarded];
    for (const name of secret.discarded) place.cards.delete(name);
    for (const name of secret.drawn) place.cards.add(name);
  } else if (data.count > 0) {
    game.pile = undefined;
    place.known = false;
  }
  place.exchanged = data.count;
  game.afterDraft();
}

/** @param {Course} game @param {Place} place @param {any} data @param {any} secret */
function exchangeJudged(game, place, { seat: who, count }, { discarded: thrown, drawn }) {
  if (thrown.length !== count || drawn.length !== count) {
    throw new Halt("wrong_count", `${count} cards are exchanged, but ${thrown.length} thrown and ${drawn.length} drawn.`);
  }
  if (place.known && new Set(thrown).size < count) throw new Halt("card_twice", `${who} throws ${thrown.join(" ")}: a card twice.`);
  const strange = thrown.find((/** @type {string} */ name) => !place.cards.has(name));
  if (place.known && strange !== undefined) throw new Halt("card_not_held", `${who} throws ${strange}, which ${who} did not hold.`);
  if (new Set(drawn).size < count) throw new Halt("card_twice", `${who} draws ${drawn.join(" ")}: a card twice.`);
  for (const name of drawn) {
    if (place.cards.has(name) || (game.pile !== undefined && !game.pile.includes(name))) {
      throw new Halt("card_not_in_pile", `${who} draws ${name}, which was not in the pile.`);
    }
  }
}

/** @param {Course} game @param {GameEvent} event */
function bidPlaced(game, event) {
  const { data } = event;
  game.inThisHand(event);
  game.mayOnly(data.seat, "bid");
  game.seats[/** @type {Seat} */ (data.seat)].bid = data.tricks;
  game.afterDraft();
}

/** @param {Course} game @param {GameEvent} event */
function cardPlayed(game, event) {
  const { data, seq } = event;
  game.inThisHand(event);
  game.mayOnly(data.seat, "play");
  const who = /** @type {Seat} */ (data.seat);
  const trick = sure(game.trick);
  if (data.trick !== trick.number) throw new Halt("wrong_trick", `Trick ${data.trick} is named in trick ${trick.number}.`);
  const before = game.played.get(data.card);
  if (before !== undefined) throw new Halt("card_twice", `${data.card} was played before, in trick ${before.trick}.`);
  const objection = game.seats[who].known ? fromHand(game, who, data.card) : fromHiddenHand(game, who, data.card);
  if (objection !== null) game.wrong(objection.code, seq, objection.message);
  lay(game, who, data.card);
}

/** The rules of a play where the hand is seen (rules.md §6.2, §6.4). @param {Course} game @param {Seat} who @param {string} name */
function fromHand(game, who, name) {
  const { cards } = game.seats[who];
  const { lead } = sure(game.trick);
  if (!cards.has(name)) throw new Halt("card_not_held", `${who} plays ${name}, but holds ${[...cards].join(" ")}.`);
  if (lead !== undefined) {
    const could = [...cards].filter((each) => suitOf(each) === suitOf(lead));
    if (could.length === 0 || could.includes(name)) return null;
    const suit = SUIT_NAMES.get(suitOf(lead));
    return { code: "revoke", message: `${who} plays ${name} to a lead of ${suit}, holding ${could.join(" ")}.` };
  }
  const others = [...cards].filter((each) => suitOf(each) !== "S");
  if (game.broken || suitOf(name) !== "S" || others.length === 0) return null;
  return { code: "spades_not_broken", message: `${who} leads ${name} before spades are broken, holding ${others.join(" ")}.` };
}

/** What shows although the hand does not. @param {Course} game @param {Seat} who @param {string} name */
function fromHiddenHand(game, who, name) {
  const other = across(who);
  const theirs = game.seats[other];
  if (theirs.known && theirs.cards.has(name)) throw new Halt("card_not_held", `${who} plays ${name}, which ${other} holds.`);
  for (const [earlier, { seat: by, trick, led }] of game.played) {
    if (by === who && suitOf(led) === suitOf(name) && suitOf(earlier) !== suitOf(led)) {
      const suit = SUIT_NAMES.get(suitOf(led));
      return { code: "revoke", message: `${who} plays ${name}, but did not follow when ${suit} were led to trick ${trick}.` };
    }
  }
  return null;
}

/** A card goes on the table; the second completes the trick (rules.md §6). @param {Course} game @param {Seat} who @param {string} name */
function lay(game, who, name) {
  const { number, leader, lead } = sure(game.trick);
  game.seats[who].cards.delete(name);
  game.played.set(name, { seat: who, trick: number, led: lead ?? name });
  if (suitOf(name) === "S" && (lead === undefined || suitOf(lead) !== "S")) game.broken = true;
  if (lead === undefined) {
    game.trick = { number, leader, lead: name };
    game.turn = across(who);
    return;
  }
  const taker = beats(name, lead) ? who : leader;
  game.seats[taker].tricks += 1;
  const over = number === 13;
  game.turn = over ? undefined : taker;
  game.trick = over ? undefined : { number: number + 1, leader: taker, lead: undefined };
  game.due = over ? ["hand_scored"] : [];
}

/** Whether a card takes the trick from the one that was led. @param {string} name @param {string} lead */
function beats(name, lead) {
  if (suitOf(name) !== suitOf(lead)) return suitOf(name) === "S";
  return RANKS.indexOf(name[0]) > RANKS.indexOf(lead[0]);
}

/** A seat's hand: bid and tricks, the line in force, the line that all plays from the first on make. @typedef {{bid: any, tricks: number, line: any, right: any}} Reckoned */

const NOTHING = Object.freeze({ total: 0, bags: 0 });
const FIGURES = Object.freeze(["bid", "tricks", "points", "new_bags", "penalty", "total", "bags"]);

/** Whether two lines say the same; sums may be of any size. @param {any} one @param {any} two */
const sameLine = (one, two) => FIGURES.every((name) => String(one[name]) === String(two[name]));

/** @param {Course} game @param {GameEvent} event */
function handScored(game, event) {
  const { data, seq } = event;
  game.inThisHand(event);
  /** @type {any} */
  const hand = {};
  for (const who of SEATS) {
    const place = game.seats[who];
    const line = data[who];
    const right = { bid: place.bid, tricks: place.tricks, ...scoreOf(game.rules, place) };
    const wrong = Object.entries(right).filter(([name, value]) => String(line[name]) !== String(value));
    if (wrong.length > 0) {
      const said = wrong.map(([name, value]) => `${name} ${line[name]} where the plays make it ${value}`);
      const message = `${who}, hand ${data.hand}: ${said.join(", ")}.`;
      game.wrongLines.push({ code: "wrong_score", position: game.position, version: seq, message, hand: data.hand, seat: who });
    }
    const { total, bags } = game.scored.at(-1)?.[who].right ?? NOTHING;
    const played = { bid: place.bid, tricks: place.tricks };
    hand[who] = { ...played, line, right: { ...played, ...scoreOf(game.rules, { ...played, total, bags }) } };
    place.total = line.total;
    place.bags = line.bags;
  }
  game.scored.push(hand);
  game.scoredAt.push(seq);
  game.due = FOLLOWS_A_HAND;
}

/** @param {Course} game @param {GameEvent} event */
function gameEnded(game, event) {
  const { data, seq } = event;
  const { north, south } = game.seats;
  if (data.totals.north !== north.total || data.totals.south !== south.total) {
    game.wrong("wrong_totals", seq, `The end says other totals than the hands: ${north.total} to ${south.total}.`);
  }
  for (const [code, message] of endProblems(game, event)) game.wrong(code, seq, message);
  game.ended = event;
  game.winner = data.winner;
  game.phase = "ended";
  game.due = [];
}

// Disputes and corrections (additions.md) --------------------------------------------------------------------------------

const MOST_DISPUTES = 20;

/** @param {Course} game @param {GameEvent} event */
function disputeOpened(game, event) {
  const { data, seq } = event;
  game.ownedBy(event, "house");
  if (data.n !== game.disputes.length + 1 || data.version > game.version || game.seats.south.name === "") {
    throw new Halt("wrong_dispute", `Dispute ${data.n}, of event ${data.version}, cannot come here.`);
  }
  const hand = Math.max(Math.min(1 + game.scoredAt.filter((version) => version < data.version).length, game.hand), 1);
  const twice = game.disputes.some((one) => one.open && one.seat === data.seat && one.hand === hand);
  if (game.heads[data.version] !== data.head) game.wrong("wrong_dispute", seq, `Event ${data.version} has another head than dispute ${data.n} says.`);
  if (data.n > MOST_DISPUTES) game.wrong("wrong_dispute", seq, `There are more than ${MOST_DISPUTES} disputes.`);
  else if (twice) game.wrong("wrong_dispute", seq, `${data.seat} has another open dispute about hand ${hand}.`);
  game.disputes.push({ seat: data.seat, hand, open: true });
}

/** @param {Course} game @param {GameEvent} event */
function disputeSettled(game, { data }) {
  const dispute = game.disputes[data.n - 1];
  if (dispute === undefined || !dispute.open) throw new Halt("wrong_dispute", `There is no open dispute ${data.n}.`);
  dispute.open = false;
}

/** The operator's word that events are gone: reported, and no finding. @param {Course} game @param {GameEvent} event */
function lossAccepted(game, { data, seq }) {
  if (game.losses.length === MOST_LOSSES) throw new Halt("impossible", `More than ${MOST_LOSSES} losses of history are accepted.`);
  const message = `The operator accepts that history was lost: event ${data.version} with head ${data.head.slice(0, 16)}\u2026 is gone, and no copy is left.`;
  game.losses.push({ code: "loss_accepted", position: `v${seq}`, version: seq, message });
}

/** A correction must put what the plays make in the place of what stood there. @param {Course} game @param {GameEvent} event */
function scoreCorrected(game, event) {
  const { data, seq } = event;
  const who = /** @type {Seat} */ (data.seat);
  if (data.hand > game.scored.length) throw new Halt("unfounded_correction", `Hand ${data.hand} has no score to correct.`);
  const objection = correctionProblem(game, data, who);
  if (objection !== null) {
    game.wrong("unfounded_correction", seq, `The correction of ${who} in hand ${data.hand} is unfounded: ${objection}.`);
  } else {
    for (const one of game.wrongLines) if (one.seat === who && one.hand >= data.hand) one.mended ??= seq;
  }
  let line = data.new;
  for (const [at, hand] of game.scored.entries()) {
    if (at + 1 < data.hand) continue;
    const { bid, tricks: taken } = hand[who];
    if (at + 1 > data.hand) line = { bid, tricks: taken, ...scoreOf(game.rules, { ...line, bid, tricks: taken }) };
    hand[who].line = line;
  }
  for (const each of SEATS) {
    game.seats[each].total = data.totals[each];
    game.seats[each].bags = data.bags[each];
  }
  if (game.ended !== undefined) game.winner = data.winner;
}

/** What is wrong with a correction, or null. @param {Course} game @param {any} data @param {Seat} who */
function correctionProblem(game, data, who) {
  const first = game.scored.findIndex((hand) => !sameLine(hand[who].line, hand[who].right));
  if (first < 0) return "every line of that seat is right";
  if (first + 1 !== data.hand) return `its first wrong line is that of hand ${first + 1}`;
  const { line, right } = game.scored[first][who];
  if (!sameLine(data.old, line)) return "another line stood there";
  if (!sameLine(data.new, right)) return `the plays make it total ${right.total}, bags ${right.bags}`;
  const totals = Object.fromEntries(SEATS.map((each) => [each, each === who ? sure(game.scored.at(-1))[who].right : game.seats[each]]));
  const differs = (/** @type {Seat} */ each) =>
    String(totals[each].total) !== String(data.totals[each]) || String(totals[each].bags) !== String(data.bags[each]);
  if (SEATS.some(differs)) return "totals and bags are not those that follow";
  return winnerBy(game, totals.north.total, totals.south.total) === data.winner ? null : "the winner does not follow from it";
}

/** Who has won by corrected totals; who walked off has lost all the same. @param {Course} game @param {any} north @param {any} south */
function winnerBy({ ended, winner }, north, south) {
  if (ended === undefined) return undefined;
  if (ended.data.by !== undefined || ended.data.reason === "abandoned") return winner;
  return BigInt(north) === BigInt(south) ? undefined : BigInt(north) > BigInt(south) ? "north" : "south";
}

const WALKED_OFF = new Set(["resigned", "timed_out", "abandoned"]);

/** Whether the game was over for the reason given, and who won (rules.md §8). @param {Course} game @param {GameEvent} event @returns {Generator<[string, string]>} */
function* endProblems(game, event) {
  const { reason, winner, by } = event.data;
  const { north, south } = game.seats;
  if (by !== undefined && !WALKED_OFF.has(reason)) yield ["wrong_end", `Nobody ends a game by ${reason}, but ${by} is named.`];
  if (game.due === FOLLOWS_A_HAND) {
    const right = endAfter(game.rules, game.hand, north.total, south.total);
    if (right?.reason !== reason) yield ["wrong_end", `After hand ${game.hand} it ${right ? `ends by ${right.reason}` : "goes on"}.`];
    if (right && right.winner !== winner) yield ["wrong_winner", `The winner is ${right.winner ?? "nobody"}, not ${winner ?? "nobody"}.`];
  } else if (!WALKED_OFF.has(reason)) {
    yield ["wrong_end", `The game cannot end by ${reason} inside a hand.`];
  } else if (reason === "abandoned") {
    if (winner !== undefined) yield ["wrong_winner", "An abandoned game has no winner."];
    const stayedAway = south.name === "" ? "north" : game.turn;
    if (by !== undefined && by !== stayedAway) yield ["wrong_end", `It was not for ${by} to move, who is said to have left.`];
  } else if (by === undefined || winner !== across(by) || south.name === "") {
    yield ["wrong_winner", `${winner ?? "Nobody"} is not who wins when ${by ?? "nobody"} has ${reason.replace("_", " ")}.`];
  } else if (reason === "timed_out") {
    yield* timeProblems(game, event);
  }
}

/** @param {Course} game @param {GameEvent} event @returns {Generator<[string, string]>} */
function* timeProblems(game, { data, at }) {
  const seconds = game.rules.turn_seconds ?? (game.phase === "reveal" ? DAY : undefined);
  if (seconds === undefined || game.turn !== data.by) {
    yield ["wrong_end", `No time was running for ${data.by}.`];
  } else if (at < game.playedAt + 1000 * seconds) {
    yield ["wrong_end", `${data.by} had ${game.playedAt + 1000 * seconds - at} ms left.`];
  }
}

// The deals, the seals, the player's own bytes ---------------------------------------------------------------------------

/** What the root gives, derived once however often it is asked for. */
class Dealer {
  /** @param {Platform} platform @param {string} game */
  constructor(platform, game) {
    this.platform = platform;
    this.game = game;
    /** @type {Map<string, Promise<string[]>>} */
    this.dealt = new Map();
  }

  /** @param {string} root @param {string} north @param {string} south hex @param {Deal} deal */
  deal(root, north, south, { hand, seat: who, pile, cards }) {
    const asked = [root, north, south, hand, who, pile, cards.length].join();
    if (!this.dealt.has(asked)) this.dealt.set(asked, this.derive(root, north, south, hand, who, pile, cards.length));
    return this.dealt.get(asked);
  }

  /** @param {string} root @param {string} north @param {string} south @param {number} hand @param {Seat | undefined} who @param {string[] | undefined} pile @param {number} count */
  async derive(root, north, south, hand, who, pile, count) {
    const key = await handKey(this.platform, fromHex(root), this.game, hand, fromHex(north), fromHex(south));
    return who === undefined ? stockOf(this.platform, key) : exchangeOf(this.platform, key, who, sure(pile), count);
  }
}

/** Whether the root gives what was dealt. @param {Dealer} dealer @param {Notes} notes @param {Course} course @param {GameEvent[]} events */
async function judgeDeals(dealer, notes, course, events) {
  const { ended, seats, commitments } = course;
  if (ended === undefined) return;
  if (commitments.of("root", ended.data.root) !== events[0].data.root_commitment) {
    notes.at("root_mismatch", ended.seq, "The root told at the end is not the one event 1 commits to.");
    return;
  }
  const [north, south] = SEATS.map((who) => seats[who].revealed ?? "");
  const derived = await Promise.all(course.deals.map((deal) => dealer.deal(ended.data.root, north, south, deal)));
  course.deals.forEach(({ position, version, hand, seat: who, cards }, i) => {
    const differs = sure(derived[i]).findIndex((name, at) => name !== cards[at]);
    if (differs < 0) return;
    const where = who === undefined ? `card ${differs + 1} of the stock of hand ${hand}` : `what ${who} draws in the exchange`;
    const code = who === undefined ? "deck_not_derived" : "exchange_not_derived";
    notes.note(code, position, version, `The root gives ${sure(derived[i])[differs]}, not ${cards[differs]}, as ${where}.`);
  });
}

/** @param {Notes} notes @param {Entry[]} entries @param {GameEvent[]} events @param {boolean} ended */
function judgeSeals(notes, entries, events, ended) {
  judgeSalts(notes, events);
  for (const { seq, type, secret } of events) {
    if (secret !== undefined && !entries[seq - 1].underSeal) {
      notes.at("seal_mismatch", seq, `The sealed part of event ${seq} is not what was sealed.`);
    }
    if (secret === undefined && ended && sure(EVENTS.get(type)).opened) {
      notes.at("sealed_missing", seq, `Play has ended, but the sealed part of event ${seq} is not in the file.`);
    }
  }
}

/** Salts are 16 random bytes: the same twice was not drawn at random. @param {Notes} notes @param {GameEvent[]} events */
function judgeSalts(notes, events) {
  const first = new Map();
  for (const { seq, salt } of events) {
    if (salt === undefined) continue;
    const before = first.get(salt);
    if (before === undefined) first.set(salt, seq);
    else notes.at("salt_repeated", seq, `The sealed parts of events ${before} and ${seq} have the same salt.`);
  }
}

/** @param {Notes} notes @param {KeptLine[]} keptLines @param {GameEvent[]} events @param {Commitments} commitments */
function judgeOwnBytes(notes, keptLines, events, commitments) {
  const own = new Map(keptLines.filter(({ kind }) => kind === "own").map((line) => [`${line.seat} ${line.bytes}`, line]));
  for (const { seat: who, bytes } of own.values()) {
    const brought = commitments.of("contribution", bytes);
    for (const { type, seq, data } of events) {
      if (type === "player_joined" && data.seat !== who && data.contribution === brought) {
        notes.at("contribution_replaced", seq, `What ${who} brought stands in event ${seq} as ${data.seat}'s.`);
      } else if (type === "player_joined" && data.seat === who && data.contribution === undefined) {
        notes.at("contribution_stripped", seq, `${who} brought bytes, but the log says nothing of them.`);
      } else if (type === "player_joined" && data.seat === who && data.contribution !== brought) {
        notes.at("contribution_replaced", seq, `The contribution of ${who} is not the one you brought.`);
      } else if (type === "contribution_revealed" && data.seat === who && data.bytes !== bytes) {
        notes.at("contribution_replaced", seq, `The bytes revealed for ${who} are not those you sent.`);
      }
    }
  }
}

/** Whether the first card of a draft turn is the one the player was shown. @param {Notes} notes @param {KeptLine[]} keptLines @param {GameEvent[]} events */
function judgeDrawn(notes, keptLines, events) {
  const shown = new Map(keptLines.filter(({ kind }) => kind === "drawn").map(({ version, card: name }) => [version, name]));
  for (const turn of events) {
    const thrown = events[turn.seq];
    const name = shown.get(turn.seq - 1);
    if (name === undefined || turn.type !== "card_kept" || thrown?.type !== "card_discarded") continue;
    const first = turn.data.choice === "first" ? turn : thrown;
    if (first.secret !== undefined && first.secret.card !== name) {
      notes.at("drawn_card_changed", first.seq, `You were shown ${name}, but ${first.secret.card} is sealed.`);
    }
  }
}

// The verdict ----------------------------------------------------------------------------------------------------------

/**
 * What is in a record, and what a player kept of the game, judged.
 *
 * Throws `Unreadable` for bytes that are no record at all, `BadOption` for a key or an id that cannot be one, and an `Error`
 * where the page has no Web Crypto.
 *
 * @param {Uint8Array} bytes the file
 * @param {object} [options]
 * @param {string} [options.serverKey] the id of the key that is trusted, 64 hex digits
 * @param {string} [options.game] the id of the game that was asked for
 * @param {KeptLine[]} [options.kept] the lines of the player's files, of `readKept`; left out where there is no such file
 * @param {boolean} [options.receipts] whether receipts were given, so that one of this game is expected; as `kept` by default
 * @param {(stage: Stage, state: "running" | "ok" | "missing" | "wrong") => void} [options.progress] told as each check begins and ends
 * @param {SubtleCrypto} [options.subtle]
 * @returns {Promise<{game: string, verdict: Outcome, findings: Finding[], checked: string[], not_checked: string[], gaps: Gap[], notes: Noted[], proof: Receipt[], proof_events: PublicEvent[]}>}
 */
export async function verify(bytes, { serverKey: pin, game, kept: keptLines, receipts = keptLines !== undefined, progress = () => {}, subtle } = {}) {
  if (pin !== undefined && hex32(pin) === undefined) {
    throw new BadOption("A pinned key has all 64 hex digits, lower case: a shorter one could be made to fit.");
  }
  if (game !== undefined && gameId(game) === undefined) throw new BadOption("A game's id has 16 characters, 0-9 and a-z.");
  const platform = new Platform(subtle ?? globalThis.crypto?.subtle);
  if (platform.subtle === undefined) throw new Error("There is no Web Crypto here: open the page over https, or on localhost.");
  const notes = new Notes();
  const proven = new Notes();
  /** @type {<T>(stage: Stage, work: () => T | Promise<T>) => Promise<T>} */
  const during = async (stage, work) => {
    progress(stage, "running");
    const done = await work();
    progress(stage, stateOf([...notes.of(stage), ...proven.of(stage)]));
    return done;
  };

  const { read, events, stopped } = await during("bytes", () => {
    const record = readRecord(bytes);
    if (game !== undefined && game !== record.header.game) {
      notes.at("other_game", 1, `You asked for game ${game}, but this is game ${record.header.game}.`);
    }
    return { read: record, ...inOrder({ ...record, claimed: record.header.events }, notes) };
  });
  const { header, entries } = read;
  const ours = (keptLines ?? []).filter((line) => line.game === header.game);
  const others = !receipts || keptLines === undefined ? undefined : differentReceipts(keptLines.filter(({ kind, game: of }) => kind === "receipt" && of !== header.game));
  const heads = await during("chain", async () => {
    const [found] = await Promise.all([headsOf(platform, read), compareSeals(platform, entries)]);
    if (header.events <= events.length && found[header.events] !== header.head) {
      notes.at("head_mismatch", header.events, `The events up to ${header.events} do not give the head in the header.`);
    }
    return found;
  });
  const genuine = entries.map((entry) => entry.genuine);
  const sealed = inOrder({ entries: genuine, claimed: genuine.length }, new Notes()).events;
  const vouching = await during("receipts", () =>
    new Vouching(notes, read, sealed, heads, ours, pin, others?.length).check(platform, events, proven),
  );

  // The file as it stands, and what of it the service has signed: what is wrong in that, it cannot deny.
  const commitments = await new Commitments(platform).gather([...events, ...sealed], ours);
  const [course, signed] = [new Course(notes.note, commitments, heads), new Course(proven.note, commitments, heads)];
  await during("contributions", () => {
    course.follow(events, stopped === null);
    const signedEntries = genuine.slice(0, vouching.upTo);
    const vouched = inOrder({ entries: signedEntries, claimed: signedEntries.length }, proven);
    signed.follow(vouched.events, vouched.stopped === null);
    judgeOwnBytes(notes, ours, sealed, commitments);
  });
  await during("deals", async () => {
    const dealer = new Dealer(platform, header.game);
    await judgeDeals(dealer, notes, course, events);
    await judgeDeals(dealer, proven, signed, sealed);
  });
  await during("seals", () => {
    judgeDrawn(notes, ours, sealed);
    judgeSeals(notes, entries, events, course.ended !== undefined);
    judgeSalts(proven, sealed.slice(0, vouching.upTo));
  });
  await during("moves", () => {});
  await during("end", () => {
    if (!sealed.some(({ type }) => type === "game_ended")) {
      notes.at("game_not_over", Math.max(entries.length, 1), "Play has not ended in this file: root and decks are not out.");
    }
  });

  const findings = told(notes, proven);
  const gaps = gapsOf(read, events, stopped, course, vouching, others ?? []);
  const wrong = findings.some(({ grade }) => grade === "wrong");
  return {
    game: header.game,
    verdict: wrong ? "bad" : findings.length > 0 || vouching.unjudged ? "not_verified" : "verified",
    findings,
    checked: checkedBy(read, events, course, vouching),
    not_checked: gaps.map(({ text }) => text),
    gaps,
    notes: course.notes,
    proof: vouching.proof,
    proof_events: vouching.proofEvents,
  };
}

/** @param {Read} read @param {GameEvent[]} events @param {Course} course @param {Vouching} vouching */
function checkedBy({ header, entries, receipt }, events, course, vouching) {
  const receipts = vouching.heldOfKept.length;
  const decks = course.deals.filter((deal) => deal.seat === undefined).length;
  return [
    `form and numbers of ${events.length} events`,
    "seals of the parts shown",
    header.events <= events.length && `chain up to event ${header.events}`,
    receipt !== undefined && entries.length === events.length && "the receipt in the file",
    `every move and score of ${course.hand} hands`,
    course.ended !== undefined && `root, ${decks} decks and the exchanges`,
    receipts > 0 && `${some(receipts, "receipt")} you kept${vouching.trusted ? "" : ", under the key that event 1 names"}`,
  ].filter((text) => text !== false);
}

/** @param {number} count @param {string} what */
const some = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** @param {Read} read @param {GameEvent[]} events @param {string | null} stopped @param {Course} course @param {Vouching} vouching @param {Receipt[]} others @returns {Gap[]} */
function gapsOf(read, events, stopped, course, vouching, others) {
  const games = new Set(others.map(({ game }) => game)).size;
  const brought = SEATS.filter((who) => course.seats[who].contribution !== undefined).length;
  const unseen = events.some(({ seal, secret }) => seal !== undefined && secret === undefined);
  /** @type {[Stage | undefined, string | false][]} */
  const found = [
    ["moves", stopped !== null && `everything from there on: ${stopped}`],
    ["moves", course.stopped !== null && `legality and scores of ${course.stopped}`],
    ["receipts", vouching.unjudged && "signatures: this platform has no Ed25519, so nothing here can be called verified"],
    ["receipts", read.receipt === undefined && "who wrote this file: it carries no receipt"],
    [undefined, others.length > 0 && `${some(others.length, "receipt")} you kept of ${some(games, "other game")}`],
    ["receipts", vouching.keptCount > 0 && !vouching.comparable && `${some(vouching.keptCount, "receipt")} you kept: event 1 names no key they could be verified under`],
    [undefined, vouching.unused > 0 && `${some(vouching.unused, "event")} you kept without a receipt that signs what follows`],
    ["deals", course.ended === undefined && "root and decks: the root comes out when play has ended"],
    ["seals", course.ended === undefined && unseen && "what the sealed parts not shown would tell"],
    [
      "contributions",
      stopped === null && course.stopped === null && course.hand > 0 && brought < 2 &&
        `that the service did not choose the cards: ${brought === 0 ? "no player" : "only one player"} brought bytes of their own`,
    ],
    [undefined, "a consistent rewrite, or a cut between two moves: compare with a receipt a player holds"],
  ];
  return found.flatMap(([stage, text]) => (text === false ? [] : [{ text, stage }]));
}
