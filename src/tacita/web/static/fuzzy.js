// The window of fuzzy c-regression: points by click, key or file; a run that is started, stepped and stopped.
import "./settings.js";
import { connect, on } from "./events.js";
import { against, mark, objective, plot } from "./fuzzy-plot.js";

const MOST = 2000;
const CLUSTERS = 10;
// seconds between rounds, from slow to as fast as it goes
const SECONDS = [3, 2, 1.4, 1, 0.7, 0.45, 0.3, 0.18, 0.1, 0];
const find = (name) => document.querySelector(`[data-testid="${name}"]`);
const part = (name) => document.querySelector(`[data-${name}]`);
const texts = JSON.parse(document.getElementById("fuzzy").dataset.texts);
const form = document.getElementById("parameters");
const canvas = find("fuzzy-canvas");
const columns = [find("column-independent"), find("column-dependent")];
const language = document.documentElement.lang;
const say = (value, digits = 6) =>
  value.toLocaleString(language, { maximumSignificantDigits: digits, useGrouping: false });
const fixed = (value, digits) =>
  value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });

let points = [];
let shown = {};
let now = { state: "idle", columns: ["x", "y"], chosen: [0, 1], trials: [], result: {} };
let view = { x: [0, 10], y: [0, 10] };
let cursor = [5, 5];
let scale = null;

const busy = () => now.state === "running" || now.state === "paused";
const names = () => now.chosen.map((each) => now.columns[each]);

async function ask(path, method = "GET", body, headers) {
  const answer = await fetch(`/fuzzy/${path}`, { method, body, headers });
  return answer.ok && answer.headers.get("content-type").includes("json") ? answer.json() : answer.ok ? answer.text() : {};
}
const post = (path, fields = {}) => ask(path, "POST", new URLSearchParams(fields));

// what is drawn ------------------------------------------------------------------------------------------
function fit() {
  const inBox = points.every(([x, y]) => x >= 0 && x <= 10 && y >= 0 && y <= 10);
  view = { x: [0, 10], y: [0, 10] };
  for (const [j, axis] of ["x", "y"].entries()) {
    if (inBox && !now.file) continue;
    const values = points.map((point) => point[j]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = 0.06 * (high - low) || Math.abs(high) || 1;
    view[axis] = [low - room, high + room];
  }
  cursor = [(view.x[0] + view.x[1]) / 2, (view.y[0] + view.y[1]) / 2];
}

function draw() {
  const focused = document.activeElement === canvas;
  const released = find("fuzzy-released").checked;
  scale = plot(canvas, { points, view, shown, released, cursor: focused && cursor, names: names(), say });
  part("empty-points").hidden = points.length > 0;
  const fresh = shown.labels?.length === points.length && points.length > 0;
  const figures = { iteration: 0, objective: 4, change: 4, pil: 2, dr: 2, score: 2 };
  for (const [name, digits] of Object.entries(figures)) {
    const value = fresh ? (shown[name] ?? shown[name.toUpperCase()]) : undefined;
    find(`fuzzy-${name}`).textContent = typeof value === "number" ? fixed(value, digits) : "–";
  }
  const sizes = fresh ? shown.curves.map((_, k) => shown.labels.filter((each) => each === k).length) : [];
  part("key").replaceChildren(
    ...sizes.map((size, k) => {
      const item = document.createElement("li");
      item.append(mark(k), texts.cluster.replace("{k}", k + 1).replace("{count}", size));
      return item;
    }),
  );
  show(find("chart-objective"), part("empty-objective"), fresh, () =>
    objective(find("chart-objective"), shown.objectives, (value) => say(value, 3)),
  );
  show(find("chart-c"), part("empty-c"), now.trials.length > 0, () =>
    against(find("chart-c"), now.trials, CLUSTERS, (value) => say(value, 3)),
  );
  const left = now.trials.filter((trial) => trial.PIL === null);
  part("left").hidden = !left.length;
  part("left").textContent = left.length ? `${texts.left} ${left.map((trial) => trial.c).join(", ")}. ${left[0].reason}` : "";
}

function show(chart, empty, there, fill) {
  chart.toggleAttribute("hidden", !there);
  empty.hidden = there;
  if (there) fill();
}

function tell() {
  const words = now.sweeps ? texts.sweeping : texts[now.state];
  const status = find("fuzzy-status");
  status.dataset.state = now.sweeps ? "sweeping" : now.state;
  if (status.textContent !== words) status.textContent = words;
  const enough = points.length >= 3;
  find("fuzzy-run").disabled = !enough || now.state === "running";
  find("fuzzy-step").disabled = !enough || now.state === "running";
  find("fuzzy-pause").disabled = now.state !== "running" || now.sweeps;
  find("fuzzy-stop").disabled = !busy();
  find("fuzzy-sweep").disabled = !enough || busy();
  for (const name of ["points-clear", "points-example", "points-load"]) find(name).disabled = busy();
  for (const menu of columns) menu.disabled = busy();
  find("fuzzy-download").setAttribute("aria-disabled", String(!now.download));
  const from = now.file ? ` ${texts.from.replace("{name}", now.file)}` : "";
  const count = `${texts.count.replace("{count}", points.length)}${from}${enough ? "" : ` ${texts.few}`}`;
  if (find("points-count").textContent !== count) find("points-count").textContent = count;
  tellVerdict();
}

function tellVerdict() {
  const { verified, message, fields } = now.result;
  const banner = find("verdict");
  const refused = ["refused", "broken"].includes(now.state);
  banner.hidden = busy() || (!refused && verified === undefined && now.state !== "cancelled");
  banner.dataset.state = refused || now.state === "cancelled" ? now.state : verified ? "verified" : "unverified";
  banner.className = `banner ${refused ? "bad" : verified ? "good" : verified === false ? "warn" : "calm"}`;
  const title = refused ? `✕ ${texts[now.state]}` : verified ? `✓ ${texts.verified}` : verified === false ? `! ${texts.unverified}` : texts.cancelled;
  banner.firstElementChild.textContent = title;
  const ends = refused && now.file && shown.labels ? ` ${texts.refusedWords}` : "";
  banner.lastElementChild.textContent = `${message || now.kind || ""}${ends}`;
  for (const box of document.querySelectorAll("[id^=problem-]")) {
    const said = refused && fields?.[box.id.slice(8)];
    box.hidden = !said;
    box.textContent = said || "";
    box.closest(".field").classList.toggle("wrong", Boolean(said));
  }
}

function fillColumns() {
  for (const [j, menu] of columns.entries()) {
    menu.replaceChildren(...now.columns.map((name, i) => new Option(name, i, false, i === now.chosen[j])));
  }
}

function complain(message) {
  part("problem").hidden = !message;
  part("problem").textContent = message || "";
}

// what the server knows ----------------------------------------------------------------------------------
async function refresh() {
  now = await ask("state");
  shown = await ask("shown");
  fillColumns();
  tell();
  draw();
}

async function reload() {
  const text = await ask("points");
  points = text.split("\n").filter(Boolean).map((line) => line.split(" ").map(Number));
  now = await ask("state");
  fit();
  await refresh();
}

let waiting = null;
let saving = Promise.resolve();
function changed() {
  shown = {};
  now = { ...now, state: "idle", result: {}, trials: [], download: false };
  tell();
  draw();
  clearTimeout(waiting);
  waiting = setTimeout(save, 250);
}
function save() {
  clearTimeout(waiting);
  waiting = null;
  const text = points.map((point) => point.join(" ")).join("\n");
  saving = saving.then(() => ask("points", "PUT", text));
  return saving;
}
const saved = () => (waiting === null ? saving : save());
addEventListener("pagehide", () => {
  if (waiting !== null) navigator.sendBeacon ? save() : null;
});

// points -------------------------------------------------------------------------------------------------
const tidy = (value, [low, high]) =>
  Number(value.toFixed(Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(high - low))))));

function add([x, y]) {
  if (busy()) return complain(texts.busy);
  if (points.length >= MOST) return complain(texts.full);
  complain("");
  points.push([tidy(x, view.x), tidy(y, view.y)]);
  changed();
}

function remove([x, y]) {
  if (busy()) return complain(texts.busy);
  const [px, py] = scale.place([x, y]);
  const away = points.map((point) => Math.hypot(...scale.place(point).map((at, j) => at - [px, py][j])));
  const nearest = away.indexOf(Math.min(...away));
  if (nearest < 0 || away[nearest] > 14) return undefined;
  points.splice(nearest, 1);
  return changed();
}

canvas.addEventListener("click", (event) => {
  const box = canvas.getBoundingClientRect();
  const factor = canvas.viewBox.baseVal.width / box.width;
  const at = [(event.clientX - box.left) * factor, (event.clientY - box.top) * factor];
  if (scale.inside(...at)) (event.shiftKey ? remove : add)(scale.value(...at));
});
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
canvas.addEventListener("keydown", (event) => {
  const move = MOVES[event.key];
  if (move) {
    cursor = cursor.map((at, j) => {
      const [low, high] = j ? view.y : view.x;
      return Math.min(high, Math.max(low, at + (move[j] * (high - low) * (event.shiftKey ? 5 : 1)) / 50));
    });
    draw();
  } else if (event.key === "Enter" || event.key === " ") add(cursor);
  else if (event.key === "Delete" || event.key === "Backspace") remove(cursor);
  else return;
  event.preventDefault();
});
for (const event of ["focus", "blur"]) canvas.addEventListener(event, draw);

find("points-load").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  await saved();
  const told = await ask("file", "PUT", file, { "X-File-Name": encodeURIComponent(file.name) });
  event.target.value = "";
  complain(told.message);
  if (!told.message) await reload();
});
for (const [name, path] of [["points-clear", "clear"], ["points-example", "example"]]) {
  find(name).addEventListener("click", async () => {
    await saved();
    await post(path);
    complain("");
    await reload();
  });
}
for (const name of ["points-save", "fuzzy-download"]) {
  find(name).addEventListener("click", async (event) => {
    event.preventDefault();
    if (event.currentTarget.getAttribute("aria-disabled") === "true") return;
    const to = event.currentTarget.href;
    await saved();
    location.assign(to);
  });
}
for (const [j, menu] of columns.entries()) {
  menu.addEventListener("change", async () => {
    const chosen = [...now.chosen];
    const before = chosen[j];
    chosen[j] = Number(menu.value);
    if (chosen[1 - j] === chosen[j]) chosen[1 - j] = before;
    const swapped = chosen[0] === now.chosen[1] && chosen[1] === now.chosen[0];
    if (swapped) points = points.map(([x, y]) => [y, x]);
    await post("columns", { independent: chosen[0], dependent: chosen[1] });
    if (swapped) await save();
    await reload();
  });
}

// a run --------------------------------------------------------------------------------------------------
const seconds = () => SECONDS[Number(find("fuzzy-speed").value)];

async function begin(path, more = {}) {
  await saved();
  complain("");
  const asked = Object.fromEntries(new FormData(form));
  now = { ...now, state: more.waits ? "paused" : "running", sweeps: path === "sweep", result: {} };
  if (now.sweeps) now.trials = [];
  else shown = {};
  tell();
  draw();
  await post(path, { ...asked, ...more });
}

async function word(said, state, more = {}) {
  now.state = state;
  tell();
  await post("word", { word: said, ...more });
}

const run = (waits) => begin("run", { waits, seconds: seconds(), low: view.x[0], high: view.x[1] });
find("fuzzy-run").addEventListener("click", () => (now.state === "paused" ? word("go", "running") : run(0)));
find("fuzzy-step").addEventListener("click", () => (now.state === "paused" ? word("step", "paused") : run(1)));
find("fuzzy-pause").addEventListener("click", () => word("pause", "paused"));
find("fuzzy-stop").addEventListener("click", () => word("enough", now.state));
find("fuzzy-sweep").addEventListener("click", () => begin("sweep"));
find("fuzzy-speed").addEventListener("change", () => busy() && word("speed", now.state, { seconds: seconds() }));
find("fuzzy-released").addEventListener("change", draw);
const model = find("param-model");
const radial = () => (part("radial").hidden = model.value !== "radial");
model.addEventListener("change", radial);
form.addEventListener("submit", (event) => event.preventDefault());

let fetching = false;
let again = false;
async function follow() {
  again = true;
  if (fetching) return;
  fetching = true;
  while (again) {
    again = false;
    shown = await ask("shown");
    draw();
  }
  fetching = false;
}
const ours = (hear) => (told) => told.about === "fuzzy" && hear(told);
on("iteration", ours(follow));
on("pace", ours((told) => busy() && ((now.state = told.waits ? "paused" : "running"), tell())));
on("trial", ours((told) => (now.trials.push(told), draw())));
on("ended", ours(refresh));

new ResizeObserver(draw).observe(canvas);
radial();
connect();
reload();
