// What the browser stores for a page: for all its tabs, or for one tab. Where the browser denies storage, the values last as
// long as the page is open.

class Values {
  /** @param {() => Storage} open the storage; it may throw */
  constructor(open) {
    this.open = open;
    /** @type {Map<string, string>} */
    this.fallback = new Map();
  }

  /** @param {string} key @returns {string | null} */
  get(key) {
    try {
      return this.open().getItem(key) ?? this.fallback.get(key) ?? null;
    } catch {
      return this.fallback.get(key) ?? null;
    }
  }

  /** Stores a value; null removes it. @param {string} key @param {string | null} value */
  set(key, value) {
    if (value === null) this.fallback.delete(key);
    else this.fallback.set(key, value);
    try {
      if (value === null) this.open().removeItem(key);
      else this.open().setItem(key, value);
    } catch {
      // full or denied: the value lasts as long as the page is open
    }
  }

  /** @param {string} prefix @returns {string[]} the keys that start with it */
  keys(prefix) {
    const keys = new Set(this.fallback.keys());
    try {
      for (const key of Object.keys(this.open())) keys.add(key);
    } catch {
      // denied: only what this page has stored
    }
    return [...keys].filter((key) => key.startsWith(prefix));
  }
}

/** Shared by all tabs of this origin. */
export const ofBrowser = new Values(() => localStorage);
/** This tab's alone; a reload keeps it, and a duplicated tab begins with a copy. */
export const ofTab = new Values(() => sessionStorage);
