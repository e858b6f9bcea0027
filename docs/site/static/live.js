/* BLEU as you type: the page explanation/live.md. No network, no libraries.
 *
 * `rapidbleuLive.bleu(hypothesis, references, options)` computes the counts and the score of one
 * segment like `BLEU(lowercase=, effective_order=)` with the tokenizer 13a and exponential
 * smoothing; a test compares both.
 */
"use strict";

const rapidbleuLive = (() => {
  const ORDERS = 4;
  // White space as Python splits at it.
  const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

  function tokenize(text, lowercase) {
    if (lowercase) text = text.toLowerCase();
    while (text && SPACE.test(text.slice(-1))) text = text.slice(0, -1);
    text = text.replaceAll("<skipped>", "").replaceAll("-\n", "").replaceAll("\n", " ");
    for (const [name, character] of [["quot", '"'], ["amp", "&"], ["lt", "<"], ["gt", ">"]])
      text = text.replaceAll(`&${name};`, character);
    return ` ${text} `
      .replace(/([{-~[-` -&(-+:-@/])/g, " $1 ")
      .replace(/([^0-9])([.,])/g, "$1 $2 ")
      .replace(/([.,])([^0-9])/g, " $1 $2")
      .replace(/([0-9])(-)/g, "$1 $2 ")
      .split(SPACE)
      .filter((token) => token);
  }

  // The n-grams of a text: from each, as a string, to the positions where it begins.
  function ngrams(tokens, order) {
    const found = new Map();
    for (let i = 0; i + order <= tokens.length; i++) {
      const key = tokens.slice(i, i + order).join(" ");
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(i);
    }
    return found;
  }

  // Matches of one order: their number, and the positions of tokens in n-grams that are credited.
  function match(hypothesis, references, order) {
    const theirs = references.map((tokens) => ngrams(tokens, order));
    const own = { total: Math.max(hypothesis.length - order + 1, 0), matches: 0 };
    own.credited = new Set();
    own.clipped = new Set();
    own.inReferences = references.map(() => new Set());
    for (const [key, positions] of ngrams(hypothesis, order)) {
      const counts = theirs.map((found) => (found.get(key) || []).length);
      const credit = Math.min(positions.length, Math.max(0, ...counts));
      own.matches += credit;
      positions.forEach((begin, k) => {
        if (!credit) return;
        for (let i = begin; i < begin + order; i++)
          (k < credit ? own.credited : own.clipped).add(i);
      });
      theirs.forEach((found, r) => {
        for (const begin of credit ? found.get(key) || [] : [])
          for (let i = begin; i < begin + order; i++) own.inReferences[r].add(i);
      });
    }
    return own;
  }

  function bleu(hypothesis, references, { lowercase = false, effectiveOrder = false } = {}) {
    const tokens = tokenize(hypothesis, lowercase);
    const theirs = references.map((text) => tokenize(text, lowercase));
    const lengths = theirs.map((reference) => reference.length);
    const distance = (length) => Math.abs(length - tokens.length);
    const closest = lengths.reduce(
      (best, own) =>
        distance(own) < distance(best) || (distance(own) === distance(best) && own < best)
          ? own
          : best,
      Infinity,
    );
    const orders = [];
    for (let order = 1; order <= ORDERS; order++) orders.push(match(tokens, theirs, order));
    let penalty = 1;
    if (tokens.length < closest) penalty = tokens.length ? Math.exp(1 - closest / tokens.length) : 0;
    let [halved, sum, counted] = [1, 0, ORDERS];
    if (effectiveOrder) counted = orders.filter((own) => own.total).length;
    for (const own of orders) {
      own.smoothed = own.total > 0 && own.matches === 0;
      if (own.smoothed) halved *= 2;
      own.precision = own.total ? (100 * (own.smoothed ? 1 / halved : own.matches)) / own.total : 0;
      own.halved = halved;
    }
    for (const own of orders.slice(0, counted)) sum += Math.log(own.precision);
    const any = orders.some((own) => own.matches);
    const mean = any ? Math.exp(sum / counted) : 0;
    return { tokens, theirs, orders, closest, penalty, mean, counted, score: penalty * mean };
  }

  function element(name, parent, text, kind) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    if (parent) parent.append(made);
    return made;
  }

  // Show the tokens of a text, each of one kind: credited, clipped or neither.
  function showTokens(parent, label, tokens, kindOf) {
    const line = element("div", parent, undefined, "live-text");
    element("span", line, label, "live-label");
    tokens.forEach((token, i) => {
      element("span", line, token, `live-token ${kindOf(i)}`);
      line.append(" ");
    });
  }

  function show(output, found, order) {
    output.replaceChildren();
    element("p", output, `BLEU = ${found.score.toFixed(2)}`, "live-score");
    const own = found.orders[order - 1];
    showTokens(output, "hypothesis", found.tokens, (i) =>
      own.credited.has(i) ? "live-credited" : own.clipped.has(i) ? "live-clipped" : "",
    );
    found.theirs.forEach((tokens, r) =>
      showTokens(output, `reference ${r + 1}`, tokens, (i) =>
        own.inReferences[r].has(i) ? "live-credited" : "",
      ),
    );
    const bars = element("div", output, undefined, "live-bars");
    found.orders.forEach((each, i) => {
      const left = i < found.counted ? "" : ", left out";
      const smoothed = each.smoothed ? `, smoothed: 1 / (${each.halved} x ${each.total})` : "";
      element("span", bars, `${i + 1}-grams`);
      const bar = element("span", bars, undefined, "live-bar");
      bar.append(element("span", null, undefined, "live-full"));
      bar.firstChild.style.width = `${each.precision}%`;
      const share = `${each.matches} of ${each.total} match${smoothed}${left}`;
      element("span", bars, `${share}: ${each.precision.toFixed(2)} %`);
    });
    const [c, r] = [found.tokens.length, found.closest];
    const short = c < r ? `exp(1 - ${r} / ${c}) = ${found.penalty.toFixed(4)}` : "1";
    element("p", output, `Brevity penalty: ${short}, for ${c} tokens and ${r} in the closest reference.`);
    const factors = `${found.penalty.toFixed(4)} x ${found.mean.toFixed(2)}`;
    element("p", output, `BLEU = penalty x geometric mean = ${factors} = ${found.score.toFixed(2)}`);
  }

  const EXAMPLES = {
    Clipping: ["the the the the the the the", "The cat is on the mat\nThere is a cat on the mat"],
    Brevity: ["the Iraqi weapons will", "the Iraqi weapons will be surrendered to the army in two weeks"],
    "Word order": ["on the mat the cat sat", "the cat sat on the mat"],
    "A good translation": [
      "It is a guide to action which ensures that the military always obeys the commands of the party",
      "It is a guide to action that ensures that the military will forever heed Party commands\n" +
        "It is the guiding principle which guarantees the military forces always being under the " +
        "command of the Party\n" +
        "It is the practical guide for the army always to heed the directions of the party",
    ],
  };

  function start(root) {
    const field = (label, rows) => {
      const text = element("textarea", element("label", root, label, "live-field"));
      text.rows = rows;
      text.spellcheck = false;
      return text;
    };
    const examples = element("p", root, "Examples: ", "live-examples");
    const hypothesis = field("Hypothesis", 2);
    const references = field("References, one a line", 4);
    const options = element("p", root, undefined, "live-options");
    const box = (label) => {
      const around = element("label", options);
      const made = element("input", around);
      made.type = "checkbox";
      made.checked = true;
      around.append(` ${label}`);
      return made;
    };
    const lowercase = box("lowercase");
    const effectiveOrder = box("effective order");
    const choice = element("select", element("label", options, "show "));
    for (let n = 1; n <= ORDERS; n++) element("option", choice, `${n}-grams`).value = n;
    const output = element("div", root, undefined, "live-output");
    output.setAttribute("aria-live", "polite");
    const update = () => {
      const lines = references.value.split("\n").filter((line) => line.trim());
      if (!lines.length) return output.replaceChildren("Type a reference.");
      const chosen = { lowercase: lowercase.checked, effectiveOrder: effectiveOrder.checked };
      show(output, bleu(hypothesis.value, lines, chosen), Number(choice.value));
    };
    for (const [name, texts] of Object.entries(EXAMPLES)) {
      const button = element("button", examples, name);
      button.type = "button";
      button.addEventListener("click", () => {
        [hypothesis.value, references.value] = texts;
        update();
      });
      examples.append(" ");
    }
    root.addEventListener("input", update);
    [hypothesis.value, references.value] = EXAMPLES.Clipping;
    update();
  }

  if (typeof document !== "undefined")
    document.addEventListener("DOMContentLoaded", () =>
      document.querySelectorAll(".live").forEach(start),
    );
  return { tokenize, bleu };
})();
