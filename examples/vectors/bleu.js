// BLEU of tokenized text, for `rapidbleu vectors --only bleu --core node examples/vectors/bleu.js`.
const lines = require("fs").readFileSync(0, "utf8").trimEnd().split("\n");

function ngrams(words, n) {
  const counts = new Map();
  for (let i = 0; i + n <= words.length; i++) {
    const gram = words.slice(i, i + n).join(" ");
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

function bleu({ segments, options }) {
  if (options.tokenize !== "none" || options.smoothing !== "none") return null;
  const orders = options.max_order ?? 4;
  const matches = Array(orders).fill(0);
  const totals = Array(orders).fill(0);
  let hypLength = 0;
  let refLength = 0;
  for (const { hypothesis, references } of segments) {
    const split = (text) => text.split(/\s+/).filter(Boolean);
    const words = split(hypothesis);
    const refs = references.map(split);
    hypLength += words.length;
    // The closest length; of two equally close ones the shorter
    const distance = (length) => Math.abs(length - words.length);
    const lengths = refs.map((ref) => ref.length).sort((a, b) => a - b);
    refLength += lengths.reduce((best, length) => (distance(length) < distance(best) ? length : best));
    for (let n = 1; n <= orders; n++) {
      const ofRefs = refs.map((ref) => ngrams(ref, n));
      for (const [gram, count] of ngrams(words, n)) {
        totals[n - 1] += count;
        matches[n - 1] += Math.min(count, Math.max(...ofRefs.map((ref) => ref.get(gram) ?? 0)));
      }
    }
  }
  if (matches.includes(0)) return 0;
  const logs = matches.map((count, i) => Math.log(count / totals[i]) / orders);
  const penalty = hypLength < refLength ? 1 - refLength / hypLength : 0;
  return 100 * Math.exp(penalty + logs.reduce((a, b) => a + b));
}

for (const line of lines) console.log(JSON.stringify(bleu(JSON.parse(line))));
