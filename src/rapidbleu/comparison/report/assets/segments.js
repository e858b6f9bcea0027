// The list of segments: sorted, filtered and paged by their numbers; texts are unpacked as needed.

const page = (() => {
  const form = document.getElementById("choices");
  const list = document.getElementById("list");
  const status = document.getElementById("status");
  const known = JSON.parse(document.getElementById("numbers").textContent);
  const sealed = [...document.querySelectorAll("script.block")];
  const blocks = new Map();
  const state = { order: "difference", sign: -1, page: 0, places: [], search: 0 };

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  async function block(number) {
    if (!blocks.has(number)) {
      const bytes = await unpack(sealed[number].textContent);
      sealed[number].remove();
      blocks.set(number, JSON.parse(new TextDecoder().decode(bytes)));
    }
    return blocks.get(number);
  }

  async function textsOf(segment) {
    return (await block(Math.floor(segment / known.block)))[segment % known.block];
  }

  const value = (name, otherwise) => Number(form.elements[name]?.value || otherwise);
  const chosen = () => ({ metric: value("metric", 0), a: value("a", 0), b: value("b", 0) });
  const isPair = () => chosen().a !== chosen().b;
  const shownSystems = () => {
    const { a, b } = chosen();
    if (form.elements.all.checked) return known.systems.map((_, i) => i);
    return isPair() ? [a, b] : [a];
  };
  const scores = (system) => known.scores[chosen().metric][system];
  const shown = (score) => score.toFixed(known.digits[chosen().metric]);

  // What the list can be sorted by: a header, and a number for each segment.
  function columns() {
    const { a, b } = chosen();
    const found = [{ name: "segment", title: "segment", key: (i) => i, text: (i) => String(i + 1), left: true }];
    if (known.labels) {
      const label = (i) => known.label_names[known.labels[i]];
      found.push({ name: "label", title: "label", key: (i) => known.labels[i], text: label, left: true });
    }
    found.push({ name: "words", title: "words", key: (i) => known.lengths[i], text: (i) => String(known.lengths[i]) });
    for (const system of shownSystems()) {
      const own = scores(system);
      const title = `${known.systems[system]}`;
      found.push({ name: `score ${system}`, title, key: (i) => own[i], text: (i) => shown(own[i]) });
    }
    if (isPair()) {
      const [one, other] = [scores(a), scores(b)];
      found.push({ name: "difference", title: "B − A", key: (i) => other[i] - one[i],
        text: (i) => (other[i] - one[i] > 0 ? "+" : "") + shown(other[i] - one[i]) });
    }
    return found;
  }

  async function choose() {
    const search = ++state.search;
    const label = form.elements.label?.value ?? "";
    const least = value("least", 0);
    const most = value("most", Infinity);
    let places = [];
    for (let i = 0; i < known.n_segments; i++) {
      const fits = known.lengths[i] >= least && known.lengths[i] <= most;
      if (fits && (label === "" || known.labels[i] === Number(label))) places.push(i);
    }
    const wanted = form.elements.text.value.trim().toLowerCase();
    if (wanted) {
      const found = [];
      for (const i of places) {
        if (i % known.block === 0) status.textContent = "Searching …";
        const texts = blocks.get(Math.floor(i / known.block))?.[i % known.block] ?? (await textsOf(i));
        if (search !== state.search) return;
        if (texts.flat().some((text) => text?.toLowerCase().includes(wanted))) found.push(i);
      }
      places = found;
    }
    state.places = places;
    sort();
  }

  function sort() {
    const all = columns();
    const by = all.find((column) => column.name === state.order) ?? all[0];
    state.order = by.name;
    const keys = new Map(state.places.map((i) => [i, by.key(i)]));
    state.places.sort((i, j) => state.sign * (keys.get(i) - keys.get(j)) || i - j);
    state.page = 0;
    return show();
  }

  function heads(all) {
    const filler = document.createElement("td");
    const cells = all.map((column) => {
      const head = wrapped("th", column.left ? "" : "number", "");
      head.scope = "col";
      const button = wrapped("button", "", column.title);
      button.type = "button";
      if (column.name === state.order) {
        head.setAttribute("aria-sort", state.sign > 0 ? "ascending" : "descending");
      }
      button.addEventListener("click", () => {
        const again = state.order === column.name;
        const first = ["segment", "label", "words"].includes(column.name) ? 1 : -1;
        state.sign = again ? -state.sign : first;
        state.order = column.name;
        sort().then(() => list.tHead.querySelector("[aria-sort] button").focus());
      });
      head.append(button);
      return head;
    });
    return [...cells, filler];
  }

  async function show() {
    const size = Number(document.getElementById("size").value);
    const n = state.places.length;
    const nPages = Math.max(1, Math.ceil(n / size));
    state.page = Math.min(Math.max(state.page, 0), nPages - 1);
    const places = state.places.slice(state.page * size, (state.page + 1) * size);
    const search = state.search;
    const texts = await Promise.all(places.map(textsOf));
    if (search !== state.search) return;
    const all = columns();
    list.tHead.rows[0].replaceChildren(...heads(all));
    for (const body of [...list.tBodies]) body.remove();
    list.append(...places.map((i, k) => bodyOf(i, texts[k], all)));
    const format = new Intl.NumberFormat("en");
    status.textContent = n === known.n_segments
      ? `${format.format(n)} segments`
      : `${format.format(n)} of ${format.format(known.n_segments)} segments`;
    document.getElementById("page").value = state.page + 1;
    document.getElementById("n-pages").textContent = format.format(nPages);
    for (const button of document.querySelectorAll("[data-go]")) {
      const back = ["first", "back"].includes(button.dataset.go);
      button.disabled = back ? state.page === 0 : state.page === nPages - 1;
    }
    list.dataset.ready = String(search);
  }

  // A segment: a row of numbers, and one of texts.
  function bodyOf(i, [references, outputs, source], all) {
    const body = document.createElement("tbody");
    const numbers = body.insertRow();
    numbers.className = "numbers";
    for (const column of all) {
      const cell = wrapped(column.name === "segment" ? "th" : "td", column.left ? "" : "number", column.text(i));
      if (column.name === "segment") cell.scope = "row";
      if (column.name === "difference") {
        const better = known.higher_is_better[chosen().metric] ? column.key(i) > 0 : column.key(i) < 0;
        cell.classList.toggle("up", better);
      }
      numbers.append(cell);
    }
    numbers.insertCell();
    const texts = body.insertRow();
    texts.className = "texts";
    const cell = texts.insertCell();
    cell.colSpan = all.length + 1;
    const terms = document.createElement("dl");
    const add = (name, nodes) => {
      const text = document.createElement("dd");
      text.dir = "auto";
      text.append(...nodes);
      terms.append(wrapped("dt", "", name), text);
    };
    const most = mostOf(references);
    const found = new Set();
    const marked = shownSystems().map((k) => [known.systems[k], markedOutput(outputs[k], most, found)]);
    if (source !== null) add("source", [source]);
    references.forEach((text, k) => {
      add(references.length > 1 ? `reference ${k + 1}` : "reference", markedReference(text, found));
    });
    for (const [name, nodes] of marked) add(name, nodes);
    cell.append(terms);
    return body;
  }

  function go(where) {
    const last = Infinity;
    state.page = { first: 0, back: state.page - 1, next: state.page + 1, last }[where];
    show();
  }

  async function start() {
    if (typeof DecompressionStream === "undefined") {
      status.textContent = "The texts of the segments need a browser of 2023 or later.";
      return;
    }
    const integers = async (text) => new Int32Array(await unpack(text));
    const reals = async (text) => new Float32Array(await unpack(text));
    known.lengths = await integers(known.lengths);
    known.labels = known.labels && (await integers(known.labels));
    known.scores = await Promise.all(known.scores.map((own) => Promise.all(own.map(reals))));
    if (!isPair()) state.order = "score 0";
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", choose);
    let timer;
    form.elements.text.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(choose, 200);
    });
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => go(button.dataset.go));
    }
    document.getElementById("size").addEventListener("change", sort);
    document.getElementById("page").addEventListener("change", (event) => {
      state.page = Number(event.target.value) - 1;
      show();
    });
    await choose();
    for (const id of ["choices", "key", "list", "pages"]) document.getElementById(id).hidden = false;
  }

  return start();
})();
