// The view, two systems and a metric for all charts, and the list of segments, sorted, filtered and
// paged by their numbers. Texts are unpacked on demand. The form is the state, whose changes are
// stored in the address.

const page = (async () => {
  const $ = (id) => document.getElementById(id);
  const form = $("view");
  const fields = form.elements;
  const known = JSON.parse($("numbers").textContent);
  const sealed = [...document.querySelectorAll("script.block")];
  const blocks = new Map();
  const MOST_BLOCKS = 400; // cached after unpacking
  const names = known.systems;
  const many = names.length > 1;
  const first = new URLSearchParams(new FormData(form));
  first.set("sort", many ? "-d" : "-a");
  let ids, drawn, filtered, places = [], turn = 0;

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  async function block(number) {
    if (!blocks.has(number)) {
      const bytes = await unpack(sealed[number].textContent);
      blocks.set(number, JSON.parse(new TextDecoder().decode(bytes)));
      if (blocks.size > MOST_BLOCKS) blocks.delete(blocks.keys().next().value);
    }
    return blocks.get(number);
  }

  const textsOf = async (i) => (await block(Math.floor(i / known.block)))[i % known.block];
  const chosen = (name) => Math.max(0, names.indexOf(fields[name]?.value ?? names[0]));
  const metric = () => known.metrics.indexOf(fields.metric.value);
  const scores = (system) => known.scores[metric()][system];
  const shown = (score) => score.toFixed(known.digits[metric()]);
  const signed = (score) => (score > 0 ? "+" : "") + shown(score);
  const color = (system) => `--c:var(--c${system % known.n_colors})`;
  const dot = (system, pale) => made("i", { style: color(system),
    class: `dot${system >= known.n_colors ? " round" : ""}${pale ? " pale" : ""}` });
  const isPair = () => chosen("a") !== chosen("b");
  const pair = () => [...new Set([chosen("a"), chosen("b")])];
  const listed = () => (fields.all?.checked ? known.order : pair());
  const inCharts = () => (names.length <= known.most_drawn ? known.order : pair());
  const isPale = (system) => names.length > known.most_drawn && isPair() && system === chosen("b");

  // Columns for filters and sorting: a number per segment, and whether it is an integer.
  function keys() {
    const [a, b] = [chosen("a"), chosen("b")];
    const [one, other] = [scores(a), scores(b)];
    const extra = (system) => (i) => known.output_lengths[system][i] - known.lengths[i];
    return {
      n: { key: (i) => ids[i] + 1, whole: true, title: "segment" },
      label: { key: (i) => known.labels?.[i], whole: true, title: "label" },
      w: { key: (i) => known.lengths[i], whole: true, title: "words" },
      a: { key: (i) => one[i], title: names[a] },
      b: { key: (i) => other[i], title: names[b] },
      d: { key: (i) => other[i] - one[i], title: "B − A" },
      x: { key: extra(a), whole: true },
      y: { key: extra(b), whole: true },
    };
  }

  // The address

  function write() {
    const now = [...new FormData(form)].filter(([name, value]) => value !== (first.get(name) ?? ""));
    const view = new URLSearchParams(now).toString();
    history.replaceState(null, "", view ? `#${view}` : location.href.split("#")[0]);
    return JSON.stringify(now.filter(([name]) => !["sort", "page", "rows", "all"].includes(name)));
  }

  function read() {
    form.reset();
    fields.sort.value = first.get("sort");
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
      const field = fields.namedItem(name);
      if (!field) continue;
      if (field.type === "checkbox") field.checked = true;
      else field.value = value;
      if (field.selectedIndex < 0) field.value = first.get(name) ?? "";
    }
  }

  // Filters

  // Words of a search may have spaces between them; letters require them.
  function pattern() {
    const text = fields.regex.checked ? fields.text.value : fields.text.value.trim();
    if (!text || fields.regex.checked) return text && new RegExp(text, "iu");
    const joint = /[\p{P}\p{S}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
    const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const source = text.split(/\s+/).reduce((before, word) =>
      `${before}\\s${joint.test(before.at(-1)) || joint.test(word[0]) ? "*" : "+"}${escaped(word)}`, "");
    return new RegExp(source.replace(/^\\s[*+]/, ""), "iu");
  }

  function textTest() {
    const wanted = pattern();
    const has = (text) => text !== null && wanted.test(text);
    const [a, b] = [chosen("a"), chosen("b")];
    const only = (one, other) => ([references, outputs]) =>
      has(outputs[one]) && !has(outputs[other]) && references.some(has);
    return wanted && {
      "": (texts) => texts.flat().some(has), r: ([references]) => references.some(has),
      s: ([, , source]) => has(source), a: ([, outputs]) => has(outputs[a]),
      b: ([, outputs]) => has(outputs[b]), ab: only(a, b), ba: only(b, a),
    }[fields.in.value];
  }

  async function filter(mine) {
    const ranges = Object.entries(keys()).flatMap(([name, { key, whole }]) => {
      const ends = [fields[`${name}0`]?.value, fields[`${name}1`]?.value];
      if (!ends[0] && !ends[1]) return [];
      const exact = name === "a" || name === "b" ? Math.fround : Number; // like stored scores
      const [low, high] = [exact(ends[0] || -Infinity), exact(ends[1] || Infinity)];
      return [(i) => key(i) >= low && (whole ? key(i) <= high : key(i) < high)];
    });
    const label = fields.label?.value;
    if (label) ranges.push((i) => known.labels[i] === Number(label));
    const bit = known.frequencies.indexOf(fields.word.value);
    if (bit >= 0) ranges.push((i) => (known.words[i] >> bit) & 1);
    let found = [];
    for (let i = 0; i < known.n; i++) if (ranges.every((fits) => fits(i))) found.push(i);
    const test = textTest();
    if (test) {
      const before = found;
      found = [];
      for (let k = 0; k < before.length; k++) {
        const number = Math.floor(before[k] / known.block);
        if (!blocks.has(number)) $("status").textContent = "Searching …";
        const texts = blocks.get(number) ?? (await block(number));
        if (mine !== turn) return;
        if (test(texts[before[k] % known.block])) found.push(before[k]);
      }
    }
    return found;
  }

  // Show the view; `given` contains changed fields.
  async function refresh(given = {}, turned = false) {
    for (const [name, value] of Object.entries(given)) fields[name].value = value;
    if (!turned) fields.page.value = 1;
    const mine = ++turn;
    const now = write();
    const view = `${metric()} ${chosen("a")} ${chosen("b")}`;
    if (view !== drawn) draw();
    drawn = view;
    fields.text.setCustomValidity("");
    try {
      const found = filtered === now ? places : await filter(mine);
      if (mine !== turn) return;
      [places, filtered] = [found, now];
    } catch (error) {
      fields.text.setCustomValidity(error.message);
      $("status").textContent = error.message;
      return;
    }
    const by = keys()[fields.sort.value.replace("-", "")] ?? keys().n;
    const sign = fields.sort.value.startsWith("-") ? -1 : 1;
    const values = Float64Array.from({ length: known.n }, (_, i) => by.key(i));
    places.sort((i, k) => sign * (values[i] - values[k]) || i - k);
    await show(mine);
  }

  // Show the segments of a bar, dot or word, without earlier filters.
  function select(given) {
    for (const field of form.querySelectorAll("input:not([hidden], [type=checkbox]), select")) field.value = "";
    fields.regex.checked = false;
    refresh(given);
    $("segments").scrollIntoView();
  }

  // The list

  async function show(mine) {
    const size = Number(fields.rows.value);
    const nPages = Math.max(1, Math.ceil(places.length / size));
    const at = Math.min(Math.max(Number(fields.page.value) || 1, 1), nPages);
    fields.page.value = at;
    fields.page.max = nPages;
    const here = places.slice((at - 1) * size, at * size);
    const texts = await Promise.all(here.map(textsOf));
    if (mine !== turn) return;
    for (const body of [...$("list").tBodies]) body.remove();
    $("list").append(...here.map((i, k) => bodyOf(i, texts[k])));
    $("status").textContent = places.length === known.n
      ? plural(known.n, "segment")
      : `${counted.format(places.length)} of ${plural(known.n, "segment")}`;
    $("n-pages").textContent = counted.format(nPages);
    for (const button of document.querySelectorAll("[data-go]")) {
      const back = ["first", "back"].includes(button.dataset.go);
      button.disabled = back ? at === 1 : at === nPages;
    }
    showOrders();
    $("list").dataset.ready = String(mine);
  }

  function showOrders() {
    const [now, all] = [fields.sort.value, keys()];
    const offered = [...(isPair() ? ["d", "a", "b"] : ["a"]), "n", known.labels && "label", "w"];
    const focused = document.activeElement?.dataset.by;
    document.querySelector("#sorts .by").replaceChildren(...offered.filter(Boolean).map((name) => {
      const [up, down] = [now === name, now === `-${name}`];
      const usual = ["n", "label", "w"].includes(name) ? name : `-${name}`;
      const next = up ? `-${name}` : down ? name : usual;
      const mark = name === "a" || name === "b" ? [dot(chosen(name), isPale(chosen(name)))] : [];
      return made("button", {
        type: "button", "data-by": name, "aria-pressed": String(up || down), title: `Sort by ${all[name].title}`,
        onclick: () => refresh({ sort: next }),
      }, ...mark, made("span", { class: "name" }, all[name].title), up ? " ↑" : down ? " ↓" : "");
    }));
    if (focused) document.querySelector(`[data-by="${focused}"]`)?.focus();
  }

  // A segment: a row of numbers, then a row of text for each output, with its score.
  function bodyOf(i, [references, outputs, source]) {
    const { d } = keys();
    const facts = [plural(known.lengths[i], "word")];
    if (known.labels) facts.unshift(known.label_names[known.labels[i]]);
    const head = made("th", { colspan: 3, scope: "rowgroup" },
      made("b", {}, `Segment ${counted.format(ids[i] + 1)}`), made("span", {}, facts.join(" · ")));
    if (isPair()) head.append(made("span", { class: "gap" }, `B − A ${signed(d.key(i))}`));
    const body = made("tbody", {}, made("tr", { class: "numbers" }, head));
    const add = (name, title, score, nodes) => body.append(made("tr", {},
      made("th", { scope: "row" }, ...name, made("span", { class: "name", title }, title)), score,
      made("td", { class: "text", dir: "auto" }, ...nodes)));
    const most = mostOf(references);
    const found = new Set();
    const own = listed();
    const marked = own.map((k) => markedOutput(outputs[k], most, found));
    const sign = known.higher_is_better[metric()] ? 1 : -1;
    const gains = own.map((k) => sign * scores(k)[i]);
    const best = Math.max(...gains);
    if (source !== null) add([], "source", made("td"), [source]);
    references.forEach((text, k) => {
      const title = references.length > 1 ? `reference ${k + 1}` : "reference";
      add([], title, made("td"), markedReference(text, found));
    });
    own.forEach((k, place) => {
      const isBest = gains[place] === best && Math.min(...gains) < best;
      const score = made("td", { class: `number${isBest ? " best" : ""}` }, shown(scores(k)[i]));
      add([dot(k, isPale(k))], names[k], score, marked[place]);
    });
    return body;
  }

  async function save() {
    const columns = [
      ["segment", (i) => ids[i] + 1],
      known.labels && ["label", (i) => known.label_names[known.labels[i]]],
      ["words", (i) => known.lengths[i]],
      ...listed().map((k) => [`${fields.metric.value} ${names[k]}`, (i) => shown(scores(k)[i])]),
      known.has_sources && ["source", (i, texts) => texts[2]],
      ["references", (i, texts) => texts[0].join(" ||| ")],
      ...listed().map((k) => [names[k], (i, texts) => texts[1][k]]),
    ].filter(Boolean);
    const line = (cells) => cells.map((text) => String(text).replace(/\s+/g, " ")).join("\t");
    const lines = [line(columns.map(([head]) => head))];
    for (const i of places) {
      const texts = await textsOf(i);
      lines.push(line(columns.map(([, cell]) => cell(i, texts))));
    }
    const address = URL.createObjectURL(new Blob([lines.join("\n"), "\n"], { type: "text/tab-separated-values" }));
    made("a", { href: address, download: "segments.tsv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  // Charts

  function ends(bucket, whole) {
    const [, sign, low, high] = bucket.match(/^(<|>=|\[)?([^,]+)(?:,(.+)\))?$/);
    if (sign === "<") return ["", whole ? Number(low) - 1 : low];
    if (sign === ">=") return [low, ""];
    return [low, whole ? Number(high ?? Number(low) + 1) - 1 : high];
  }

  // The segments that a click on a bar shows, if it represents any.
  function clicked(figure, bucket, system) {
    const { kind, metric: own } = figure.dataset;
    if (kind === "precision" || (kind === "words" && !known.frequencies.includes(bucket))) return;
    if (kind === "words") return () => select({ word: bucket });
    if (kind === "label") return () => select({ label: known.label_names.indexOf(bucket) });
    const name = { length: "w", length_difference: "x" }[kind] ?? "a";
    const [low, high] = ends(bucket, name !== "a");
    return () => {
      const isB = system === chosen("b") && isPair();
      const letter = isB ? { w: "w", x: "y", a: "b" }[name] : name;
      const given = name === "w" || isB ? {} : many ? { a: names[system] } : {};
      select({ metric: own, ...given, [`${letter}0`]: low, [`${letter}1`]: high });
    };
  }

  function drawFigure(figure) {
    const table = figure.querySelector("table");
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    const rows = new Map([...table.tBodies[0].rows].map((row) => [Number(row.cells[0].dataset.system), row]));
    const { kind } = figure.dataset;
    const label = (title) => {
      if (kind === "label" || kind === "precision") return title;
      const [low, high] = ends(title, !kind.endsWith("_score"));
      return low === "" ? title : high === "" ? `≥${low}` : low == high ? low : `${low}${low < 0 ? " to " : "–"}${high}`;
    };
    drawBars(figure.querySelector(".bars"), heads.slice(1).map((title, i) => ({ title, label: label(title),
      bars: inCharts().map((system) => {
        const cell = rows.get(system).cells[i + 1];
        return {
          value: Number(cell.dataset.key.replace("inf", "Infinity")), style: color(system), pale: isPale(system),
          title: `${names[system]}, ${title}: ${cell.textContent}`, click: clicked(figure, title, system),
        };
      }) })));
  }

  function drawPair() {
    const [a, b, one, other] = [chosen("a"), chosen("b"), scores(chosen("a")), scores(chosen("b"))];
    const higher = known.higher_is_better[metric()];
    $("pair").style.cssText = `--a:var(--c${a % known.n_colors});--b:var(--c${b % known.n_colors})`;
    drawDots($("scatter"), one, other, [names[a], names[b]], higher, (x, y) =>
      select({ a0: x[0], a1: x[1], b0: y[0], b1: y[1] }));
    const gaps = other.map((score, i) => score - one[i]);
    const far = gaps.reduce((most, gap) => Math.max(most, Math.abs(gap)), 0) || 1;
    const step = scaleEnd(far / 20);
    const half = Math.floor(far / step + 0.5);
    const edges = Array.from({ length: 2 * half + 2 }, (_, i) => Number(plain((i - half - 0.5) * step)));
    const counts = new Array(2 * half + 1).fill(0);
    for (const gap of gaps) counts[binOf(gap, edges)] += 1;
    drawBars($("histogram"), counts.map((count, i) => {
      const [low, high] = [edges[i], edges[i + 1]];
      const better = i === half ? "soft" : i > half === higher ? "b" : "a";
      return { title: `${low} to ${high}`, label: (i - half) % 5 ? "" : plain((i - half) * step), bars: [{ value: count, style: `--c:var(--${better})`, pale: better === "b" && isPale(b),
        title: `${low} to ${high}: ${plural(count, "segment")}`, click: () => select({ d0: low, d1: high }) }] };
    }));
    const n = (test) => counted.format(gaps.filter((gap) => test(higher ? gap : -gap)).length);
    $("wins").textContent = `A is better in ${n((gap) => gap < 0)}, B in ${n((gap) => gap > 0)}, `
      + `and both are equal in ${n((gap) => gap === 0)} of ${plural(known.n, "segment")}.`;
    $("verdict").textContent = isPair() ? "" : "A and B are the same system.";
    for (const [m, i, k, gap, low, high, , verdict, [p, corrected]] of known.tests) {
      if (m !== metric() || !((i === a && k === b) || (i === b && k === a))) continue;
      const interval = (i === a ? [low, high] : [-high, -low]).map(shown).join(" to ");
      $("verdict").textContent = `B − A: ${signed(i === a ? gap : -gap)} ${fields.metric.value}, `
        + `interval ${interval}, p ${p}, corrected ${corrected}: ${verdict}.`;
    }
    $("ngrams").replaceChildren(...[[a, b, "ab"], [b, a, "ba"]].map(([i, k, within]) => {
      const rows = known.ngrams[`${i} ${k}`];
      const heads = ["n-gram", "A", "B"].map((text, c) => made("th", { scope: "col", class: c && "number" }, text));
      const cells = (rows ?? []).map(([text, own, others]) => made("tr", {},
        made("td", {}, made("button", { type: "button", onclick: () => select({ text, in: within }) }, text)),
        ...(i === a ? [own, others] : [others, own]).map((count) => made("td", { class: "number" }, counted.format(count)))));
      return made("table", {}, made("caption", {}, dot(i, isPale(i)), `${names[i]} more often than ${names[k]}`),
        made("thead", {}, made("tr", {}, ...heads)),
        made("tbody", {}, ...(cells.length ? cells : [made("tr", {}, made("td", { colspan: 3 },
          rows || i === k ? "none" : "not listed for this pair"))])));
    }));
  }

  function draw() {
    for (const figure of document.querySelectorAll("figure[data-metric]")) {
      const own = figure.dataset.metric;
      figure.hidden = figure.dataset.kind !== "words" && known.metrics.includes(own) && own !== fields.metric.value;
      if (!figure.hidden) drawFigure(figure);
    }
    for (const legend of document.querySelectorAll("section > .legend")) {
      legend.replaceChildren(...inCharts().map((k) => made("li", {}, dot(k, isPale(k)), names[k])));
    }
    if (!many) return;
    document.querySelectorAll("#bar .dot").forEach((mark, k) => {
      mark.replaceWith(dot(chosen("ab"[k]), isPale(chosen("ab"[k]))));
    });
    const pick = (a, b) => refresh({ a: names[a], b: names[b] });
    if ($("triangle")) {
      drawTriangle($("triangle"), known.order, names, known.tests.filter(([m]) => m === metric()),
        known.digits[metric()], fields.metric.value, known.least, pick);
      const pair = [chosen("a"), chosen("b")];
      const cell = (i, k) => document.querySelector(`[data-pair="${i} ${k}"]`);
      (cell(...pair) ?? cell(...pair.reverse()))?.classList.add("chosen");
    }
    for (const button of document.querySelectorAll(".pick")) {
      button.setAttribute("aria-pressed", String(fields[button.name].value === button.value));
    }
    drawPair();
  }

  // Start

  if (typeof DecompressionStream === "undefined") {
    $("segments").append("The segments need a browser of 2023 or later.");
    return;
  }
  const integers = async (text) => text && new Int32Array(await unpack(text));
  const reals = async (text) => new Float32Array(await unpack(text));
  const json = async (text) => JSON.parse(new TextDecoder().decode(await unpack(text)));
  [known.lengths, known.labels, known.words, ids] = await Promise.all(
    [known.lengths, known.labels, known.words, known.ids].map(integers));
  known.output_lengths = await Promise.all(known.output_lengths.map(integers));
  known.scores = await Promise.all(known.scores.map((own) => Promise.all(own.map(reals))));
  known.ngrams = await json(known.ngrams);
  ids ??= Int32Array.from({ length: known.n }, (_, i) => i);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("change", ({ target }) => {
    if (target.form === form) refresh({}, target.name === "page");
  });
  let timer;
  fields.text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, 250);
  });
  for (const button of document.querySelectorAll("[data-go]")) {
    button.addEventListener("click", async () => {
      const at = Number(fields.page.value);
      const last = Number(fields.page.max);
      await refresh({ page: { first: 1, back: at - 1, next: at + 1, last }[button.dataset.go] }, true);
      $("sorts").previousElementSibling.scrollIntoView();
    });
  }
  $("clear").addEventListener("click", () => select({}));
  $("export").addEventListener("click", save);
  $("swap")?.addEventListener("click", () => refresh({ a: fields.b.value, b: fields.a.value }));
  for (const head of many ? document.querySelectorAll("#scores th[data-system]") : []) {
    const value = names[head.dataset.system];
    head.prepend(...["a", "b"].map((name) => made("button", { type: "button", class: "pick", name, value,
      title: `Compare as ${name.toUpperCase()}`, onclick: () => refresh({ [name]: value }) }, name.toUpperCase())));
  }
  const bar = $("bar");
  new ResizeObserver(() => {
    const height = bar.offsetHeight + parseFloat(getComputedStyle(bar).top);
    document.documentElement.style.setProperty("--bar", `${height}px`);
  }).observe(bar);
  for (const link of document.querySelectorAll('nav a, a.skip')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      document.querySelector(link.hash).scrollIntoView();
    });
  }
  window.addEventListener("hashchange", () => {
    read();
    refresh({}, true);
  });
  read();
  document.querySelector("#bar .picks").hidden = false;
  for (const id of ["view", "key", "sorts", "list", "pages"]) $(id).hidden = false;
  await refresh({}, true);
  if (/[#&](?!metric=|a=|b=)\w+=/.test(location.hash)) $("segments").scrollIntoView();
})();
