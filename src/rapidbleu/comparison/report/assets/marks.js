"use strict";
// Words of an output that a reference contains, shown by the longest matching n-gram around each.

const LONGEST = 4;
const SEPARATOR = "\u0000";

// The words of a text, and the gaps between them.
function pieces(text) {
  return text.match(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu) ?? [];
}

function isWord(piece) {
  return !/^\s/u.test(piece);
}

function countNgrams(words) {
  const counts = new Map();
  for (let n = 1; n <= LONGEST; n++) {
    for (let i = 0; i + n <= words.length; i++) {
      const key = words.slice(i, i + n).join(SEPARATOR);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

// The maximum count of each n-gram in any reference.
function mostOf(references) {
  const most = new Map();
  for (const reference of references) {
    for (const [key, count] of countNgrams(pieces(reference).filter(isWord))) {
      if ((most.get(key) ?? 0) < count) most.set(key, count);
    }
  }
  return most;
}

// For each word of an output the length of the longest n-gram around it that is right, at most as
// often as in a reference; 0: no reference has the word; -1: it is surplus.
function lengthsOfMatches(words, most) {
  const lengths = new Array(words.length).fill(0);
  const used = new Map();
  const use = (key) => {
    const count = (used.get(key) ?? 0) + 1;
    if (count <= (most.get(key) ?? 0)) used.set(key, count);
    return used.get(key) === count;
  };
  for (let n = LONGEST; n > 1; n--) {
    for (let i = 0; i + n <= words.length; i++) {
      if (!use(words.slice(i, i + n).join(SEPARATOR))) continue;
      for (let k = i; k < i + n; k++) lengths[k] = Math.max(lengths[k], n);
    }
  }
  words.forEach((word, i) => lengths[i] > 0 && use(word));
  words.forEach((word, i) => {
    if (lengths[i] === 0 && most.has(word)) lengths[i] = use(word) ? 1 : -1;
  });
  return lengths;
}

// The output with its matches, as nodes; `found` collects the right words.
function markedOutput(text, most, found) {
  const parts = pieces(text);
  const lengths = lengthsOfMatches(parts.filter(isWord), most);
  const runs = []; // of text with the same style
  let word = 0;
  for (const part of parts) {
    // White space belongs to an n-gram that has the words on both sides.
    const around = Math.min(lengths[word - 1] ?? 0, lengths[word] ?? 0);
    const length = isWord(part) ? lengths[word++] : around > 1 ? around : 0;
    if (isWord(part) && length > 0) found.add(part);
    const last = runs.at(-1);
    if (last?.length === length) last.text += part;
    else runs.push({ length, text: part });
  }
  return runs.map((run) => {
    if (run.length < 0) return made("s", {}, run.text);
    return run.length > 0 ? made("span", { class: `m${run.length}` }, run.text) : run.text;
  });
}

// The reference, with words underlined that no output contains.
function markedReference(text, found) {
  return pieces(text).map((part) =>
    isWord(part) && !found.has(part) ? made("u", {}, part) : part,
  );
}
