// The grid is one stop of the keyboard, with arrows inside; the inspector says what is known of a cell.
const grid = document.querySelector("[data-testid=grid]");
const inspector = document.querySelector("[data-testid=cell-inspector]");
const rows = grid ? [...grid.tBodies[0].rows].map((row) => [...row.querySelectorAll("button")]) : [];
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-10, 0], PageDown: [10, 0] };
const MARKS = { p: "bad", s: "warn" };
let here = [0, 0];

function place(cell) {
  const row = rows.findIndex((each) => each.includes(cell));
  return [row, rows[row].indexOf(cell)];
}

function move(row, column) {
  const [before, cell] = [rows[here[0]][here[1]], rows[row][column]];
  before.tabIndex = -1;
  cell.tabIndex = 0;
  here = [row, column];
  return cell;
}

function select(cell) {
  for (const old of grid.querySelectorAll("[aria-selected=true]")) old.ariaSelected = "false";
  cell.parentElement.ariaSelected = "true";
  inspector.querySelector("[data-empty]").hidden = true;
  inspector.querySelector("[data-shown]").hidden = false;
  for (const part of inspector.querySelectorAll("[data-say]")) part.textContent = cell.dataset[part.dataset.say] ?? "";
  for (const row of inspector.querySelectorAll("[data-row]")) row.hidden = !(row.dataset.row in cell.dataset);
  inspector.querySelector(".mark").className = `mark ${MARKS[cell.dataset.kind] ?? "calm"}`;
  draw(inspector.querySelector("[data-strip]"), cell.dataset.strip);
}

function set(element, values) {
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
}

function draw(strip, marks) {
  strip.toggleAttribute("hidden", !marks);
  if (!marks) return;
  const [low, high, from, to, value] = marks.split(" ").map(Number);
  const wanted = from >= 0;
  set(strip.querySelector(".between"), { x: low, width: Math.max(high - low, 1) });
  set(strip.querySelector(".lower"), { x1: low, x2: low });
  set(strip.querySelector(".upper"), { x1: high, x2: high });
  set(strip.querySelector(".wanted"), { d: wanted ? `M${from} 38v5H${to}v-5` : "" });
  set(strip.querySelector("circle"), { cx: value });
  set(strip.querySelector(".true"), { x: Math.min(Math.max(value, 40), 248) });
  const asked = strip.querySelector(".asked");
  asked.toggleAttribute("hidden", !wanted);
  set(asked, { x: Math.min(Math.max((from + to) / 2, 60), 228) });
}

if (rows.length) {
  rows[0][0].tabIndex = 0;
  grid.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const [row, column] = here;
    const [last, end] = [rows.length - 1, rows[row].length - 1];
    let to = null;
    if (step) to = [Math.min(Math.max(row + step[0], 0), last), Math.min(Math.max(column + step[1], 0), end)];
    else if (event.key === "Home") to = [event.ctrlKey ? 0 : row, 0];
    else if (event.key === "End") to = [event.ctrlKey ? last : row, end];
    if (!to) return;
    event.preventDefault();
    move(...to).focus();
  });
  grid.addEventListener("focusin", (event) => {
    const cell = event.target.closest("button");
    if (!cell) return;
    move(...place(cell));
    select(cell);
  });
}
