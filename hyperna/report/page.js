"use strict";

// Sorting: by numbers where cells have a value, else by text; what has neither comes last.
function key(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.v ?? cell.textContent.trim();
  const number = Number(text);
  return text === "" || Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  const numbers = [typeof a === "number", typeof b === "number"];
  if (numbers[0] && numbers[1]) return a < b ? -1 : a > b ? 1 : 0;
  if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1;
  return a.localeCompare(b, "en", { numeric: true });
}

function sortBy(table, column, descending) {
  const body = table.tBodies[0];
  const sign = descending ? -1 : 1;
  const rows = [...body.rows];
  rows.sort((a, b) => sign * compare(key(a, column), key(b, column)));
  body.append(...rows);
  [...table.tHead.rows[0].cells].forEach((head, index) => {
    const order = index !== column ? "none" : descending ? "descending" : "ascending";
    head.setAttribute("aria-sort", order);
  });
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () =>
      sortBy(table, column, head.getAttribute("aria-sort") === "ascending"));
  });
  // On narrow screens, where the headings are hidden.
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.append(new Option("as stored", ""));
  heads.forEach((head, column) => {
    select.append(new Option(head.textContent + ", rising", column + "+"));
    select.append(new Option(head.textContent + ", falling", column + "-"));
  });
  const stored = [...table.tBodies[0].rows];
  select.addEventListener("change", () => {
    if (select.value === "") table.tBodies[0].append(...stored);
    else sortBy(table, parseInt(select.value, 10), select.value.endsWith("-"));
  });
  label.append("Sorted by ", select);
  table.parentElement.prepend(label);
}

// The rows behind a setting's numbers, shown on demand because there may be thousands.
function showRows(place, setting) {
  const table = document.createElement("table");
  table.innerHTML = "<thead><tr></tr></thead><tbody></tbody>";
  const names = ["run", "evaluations", "fitness", "stop"];
  for (const name of names) {
    const head = document.createElement("th");
    head.scope = "col";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    head.append(button);
    table.tHead.rows[0].append(head);
  }
  const runs = setting.numbers.flatMap(([first, last]) =>
    Array.from({ length: last - first }, (_, i) => first + i));
  const rows = setting.rows;
  runs.forEach((run, i) => {
    const row = table.tBodies[0].insertRow();
    [run, rows.evaluations[i], rows.fitness[i], rows.stop[i]].forEach((value, column) => {
      const cell = row.insertCell();
      cell.textContent = value;
      cell.dataset.label = names[column];
    });
  });
  const holder = document.createElement("div");
  holder.className = "table";
  holder.append(table);
  place.replaceChildren(holder);
  makeSortable(table);
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") target.open = true;
}

const data = JSON.parse(document.getElementById("data").textContent);
document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll(".rows").forEach((place) => {
  const setting = data.settings[Number(place.dataset.index)];
  if (!setting.rows) {
    place.textContent = "SHA-256 of the rows: " + setting.rows_sha256;
    return;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Show the rows";
  button.addEventListener("click", () => showRows(place, setting));
  place.append(button);
});
addEventListener("hashchange", openTarget);
openTarget();

// Paper cannot be unfolded.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((details) => { details.open = true; });
});
addEventListener("afterprint", () => folded.forEach((details) => { details.open = false; }));
