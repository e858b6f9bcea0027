"use strict";
// Tables that are sorted by a click on a header, and selects that choose what is shown.

function addSorting(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("number");
      const before = head.getAttribute("aria-sort");
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const order = before === first ? other : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      sortRows(table.tBodies[0], column, order === "ascending" ? 1 : -1);
    });
  });
}

function sortRows(body, column, sign) {
  const keyOf = ({ dataset, textContent }) =>
    dataset.key === undefined ? textContent.toLowerCase() : Number(dataset.key.replace("inf", "Infinity"));
  const rows = [...body.rows].map((row) => [keyOf(row.cells[column]), row]);
  rows.sort(([a], [b]) => sign * (a < b ? -1 : a > b ? 1 : 0));
  body.append(...rows.map(([, row]) => row));
}

// A select shows the figures of one metric, or the tables of one pair.
function addChoice(select, items, attribute) {
  const show = () => {
    for (const item of items) item.hidden = item.getAttribute(attribute) !== select.value;
  };
  select.addEventListener("change", show);
  show();
}

for (const table of document.querySelectorAll("table.sortable")) addSorting(table);
for (const select of document.querySelectorAll("[data-shows]")) {
  addChoice(select, document.querySelectorAll(`#${select.dataset.shows} figure`), "data-metric");
}
for (const select of document.querySelectorAll("[data-pairs]")) {
  addChoice(select, document.querySelectorAll(`#${select.dataset.pairs} .pair`), "data-pair");
}
