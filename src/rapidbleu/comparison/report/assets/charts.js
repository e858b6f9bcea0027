// Charts at the available width: bars as boxes, dots as SVG.

// An element with attributes and children; attributes that begin with "on" are handlers, names that
// begin with "svg:" SVG elements.
function made(name, attributes = {}, ...children) {
  const isSvg = name.startsWith("svg:");
  const element = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// The smallest of 1, 2, 2.5, 5 times a power of ten that is not below a positive number.
function scaleEnd(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5].find((step) => value <= step * power * (1 + 1e-12)) ?? 10) * power;
}

function ticks(low, high) {
  const step = scaleEnd((high - low) / 5);
  const marks = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12); i++) marks.push(i * step);
  return marks;
}

// The position of a number between edges that rise by a step, except for rounding.
function binOf(value, edges) {
  const last = edges.length - 2;
  let i = Math.min(last, Math.floor((value - edges[0]) / (edges[1] - edges[0])));
  while (i > 0 && value < edges[i]) i--;
  while (i < last && value >= edges[i + 1]) i++;
  return i;
}

const plain = (number) => String(Number(number.toPrecision(4)));

// Grouped bars. A group has a title, a shorter label, and bars; a bar has a value, title, style and
// handler.
function drawBars(box, groups) {
  const values = groups.flatMap((group) => group.bars.map((bar) => bar.value)).filter(Number.isFinite);
  const end = (value) => (value > 0 ? scaleEnd(value) : 0);
  const [low, high] = [-end(-Math.min(0, ...values)), end(Math.max(0, ...values)) || 1];
  const at = (value) => (100 * (value - low)) / (high - low);
  const lines = [0, 1, 2, 3, 4].map((i) => low + ((high - low) * i) / 4);
  const drawn = groups.map(({ title, label, bars }) => {
    const columns = bars.map(({ value, title: hint, style, click, pale }, i) => {
      if (!value || !Number.isFinite(value)) return "";
      const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
      const width = 80 / bars.length;
      const place = `left:${10 + i * width}%;width:${width}%;bottom:${from}%;height:${to - from}%`;
      const look = { title: hint, "aria-label": hint, style: `${place};${style}`, class: pale && "pale" };
      return click ? made("button", { ...look, type: "button", onclick: click }) : made("i", look);
    });
    return made("div", { class: "group" }, made("div", {}, ...columns),
      made("span", { title }, label ?? title));
  });
  box.style.setProperty("--groups", groups.length);
  box.replaceChildren(
    made("div", { class: "axis", "aria-hidden": "true" }, ...lines.map((line) =>
      made("span", { style: `bottom:${at(line)}%` }, made("b", {}, plain(line))))),
    ...drawn,
  );
}

// Segments as dots by two scores, in the color of the better system; adjacent segments are merged
// into a bigger dot in their middle. `higher`: higher scores are better.
function drawDots(box, xs, ys, names, higher, click) {
  const [width, height, left, right, top, bottom] = [360, 330, 32, 14, 10, 22];
  const cells = 60;
  let [low, high] = [Infinity, -Infinity];
  for (const numbers of [xs, ys]) {
    for (const value of numbers) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  if (high === low) high = low + 1;
  const edges = Array.from({ length: cells + 1 }, (_, i) =>
    Math.fround(low + (i * (high - low)) / cells)); // like stored scores
  const found = new Map();
  xs.forEach((x, i) => {
    const key = binOf(x, edges) * cells + binOf(ys[i], edges);
    const dot = found.get(key) ?? found.set(key, { n: 0, x: 0, y: 0 }).get(key);
    dot.n += 1;
    dot.x += x;
    dot.y += ys[i];
  });
  const at = (value) => left + ((width - left - right) * (value - low)) / (high - low);
  const up = (value) => height - bottom - ((height - top - bottom) * (value - low)) / (high - low);
  const line = (x1, y1, x2, y2, name) => made("svg:line", { x1, y1, x2, y2, class: name });
  const chart = made("svg:svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Scores of ${names[1]} against ${names[0]}, by segment` });
  for (const mark of ticks(low, high)) {
    chart.append(
      line(at(mark), top, at(mark), height - bottom, "line"),
      line(left, up(mark), width - right, up(mark), "line"),
      made("svg:text", { x: at(mark), y: height - 6, "text-anchor": "middle" }, plain(mark)),
      made("svg:text", { x: left - 6, y: up(mark) + 4, "text-anchor": "end" }, plain(mark)),
    );
  }
  chart.append(line(at(low), up(low), at(high), up(high), "middle"));
  const most = Math.max(...[...found.values()].map((dot) => dot.n));
  for (const [key, { n, x, y }] of found) {
    const [i, k] = [Math.floor(key / cells), key % cells];
    const ends = (cell) => [edges[cell], cell === cells - 1 ? "" : edges[cell + 1]];
    chart.append(made("svg:circle", {
      cx: at(x / n).toFixed(1), cy: up(y / n).toFixed(1),
      r: Math.max(1.6, 6 * Math.sqrt(n / Math.max(most, 14))).toFixed(1),
      class: i === k ? "even" : k > i === higher ? "for-b" : "for-a", onclick: () => click(ends(i), ends(k)),
    }, made("svg:title", {}, `${plural(n, "segment")}: A ${plain(x / n)}, B ${plain(y / n)}`)));
  }
  const axis = (text) => made("div", { class: "name", title: text }, text);
  box.replaceChildren(axis(`↑ B: ${names[1]}`), chart, axis(`→ A: ${names[0]}`));
}

const RANGES = [0.001, 0.01, 0.05, 1];

// A triangle of corrected p-values: systems by rank, darker for smaller ones.
// Ranges below `least`, which no p can reach, are not in the legend.
function drawTriangle(box, order, names, tests, digits, label, least, click) {
  const by = new Map(tests.map((test) => [`${test[1]} ${test[2]}`, test]));
  const readout = made("output", { "aria-hidden": "true" }, "Point at a pair to see its difference and p; click it to compare it.");
  const rows = order.map((row, r) => {
    const cells = order.slice(0, r).map((column) => {
      const test = by.get(`${column} ${row}`) ?? by.get(`${row} ${column}`);
      const same = test[1] === column;
      const gap = same ? test[3] : -test[3];
      const interval = (same ? [test[4], test[5]] : [-test[5], -test[4]]).map((end) => end.toFixed(digits)).join(" to ");
      const [, , , , , , corrected, verdict, [p, text, short]] = test;
      const hint = `${names[row]} − ${names[column]}: ${gap > 0 ? "+" : ""}${gap.toFixed(digits)} ${label}, interval ${interval}, p ${p}, corrected ${text}: ${verdict}`;
      return made("td", {
        title: hint, class: `p${RANGES.findIndex((range) => corrected <= range)}`,
        "data-pair": `${column} ${row}`,
        onclick: () => click(column, row), onpointerover: () => readout.replaceChildren(hint),
      }, ...(order.length > 10 ? [Math.abs(gap).toFixed(digits - 1)] : [short, made("small", {}, interval)]));
    });
    const name = made("span", { class: "name", title: names[row] }, `${String(r + 1).padStart(2, "\u2007")}  ${names[row]}`);
    return made("tr", {}, made("th", { scope: "row" }, name), ...cells);
  });
  const heads = order.slice(0, -1).map((column, c) => made("th", { scope: "col", title: names[column] }, String(c + 1)));
  const legend = RANGES.map((range, i) => (range < least ? "" : made("li", {}, made("i", { class: `dot p${i}` }),
    i < 3 ? `up to ${range}` : "above 0.05")));
  box.replaceChildren(
    made("p", { class: "caption" }, `Corrected p of ${label}${order.length > 10 ? ", with differences" : ", with intervals of differences"}`),
    made("ul", { class: "legend", "aria-hidden": "true" }, ...legend), readout,
    made("div", { class: "scroll" }, made("table", { class: order.length > 10 ? "dense" : "" },
      made("thead", {}, made("tr", {}, made("td"), ...heads)), made("tbody", {}, ...rows.slice(1)))),
  );
}

const counted = new Intl.NumberFormat("en");

function plural(n, what) {
  return `${counted.format(n)} ${what}${n === 1 ? "" : "s"}`;
}
