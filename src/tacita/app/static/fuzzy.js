// The window of fuzzy c-regression: points by click, key or file; a run that is started, stepped and stopped.
import "./settings.js";
import { connect, on } from "./events.js";
import { lines, mark, plot } from "./fuzzy-plot.js";

const MOST = 2000;
// seconds between rounds, from slow to as fast as it goes
const SECONDS = [3, 2, 1.4, 1, 0.7, 0.45, 0.3, 0.18, 0.1, 0];
const DIGITS = { iteration: 0, objective: 4, change: 4, PIL: 2, DR: 2, SCORE: 2 };
const find = (name) => document.querySelector(`[data-testid="${name}"]`);
const part = (name) => document.querySelector(`[data-${name}]`);
const texts = JSON.parse(part("texts").dataset.texts);
const canvas = find("fuzzy-canvas");
const menus = [find("column-independent"), find("column-dependent")];
const say = (value, options = { maximumSignificantDigits: 3 }) =>
  value.toLocaleString(document.documentElement.lang, { useGrouping: false, ...options });

let points = [];
let shown = {};
let now = { number: -1, trials: [] };
let view = [];
let cursor = [];
let scale = null;

const busy = () => ["running", "paused", "sweeping"].includes(now.state);

// what is drawn
function fit() {
  view = [0, 1].map((j) => {
    if (!now.file && points.every((point) => point.every((value) => value >= 0 && value <= 10))) return [0, 10];
    const values = points.map((point) => point[j]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = 0.06 * (high - low) || Math.abs(high) || 1;
    return [low - room, high + room];
  });
  cursor = view.map(([low, high]) => (low + high) / 2);
}

function draw() {
  if (!view.length) return;
  const fresh = points.length > 0 && shown.labels?.length === points.length;
  scale = plot(canvas, points, view, {
    shown: fresh ? shown : {},
    released: find("fuzzy-released").checked,
    cursor: document.activeElement === canvas && cursor,
    names: now.chosen.map((each) => now.columns[each]),
    say: (value) => say(value, { maximumSignificantDigits: 6 }),
  });
  part("empty-points").hidden = points.length > 0;
  for (const [name, digits] of Object.entries(DIGITS)) {
    const value = fresh ? shown[name] : null;
    const same = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    find(`fuzzy-${name.toLowerCase()}`).textContent = typeof value === "number" ? say(value, same) : "–";
  }
  const clusters = (fresh ? shown.curves : []).map((_, k) => {
    const item = document.createElement("li");
    const count = shown.labels.filter((each) => each === k).length;
    item.append(mark(k), texts.cluster.replace("{k}", k + 1).replace("{count}", count));
    return item;
  });
  part("key").replaceChildren(...clusters);
  const rounds = fresh ? shown.objectives.map((value, i) => [i + 1, value]) : [];
  chart("objective", [["", "sc", rounds]], { right: 300, bottom: 96, most: rounds.length });
  const of = (name) => now.trials.filter((trial) => trial[name] !== null).map((trial) => [trial.c, trial[name]]);
  const curves = [["PIL", "pil"], ["DR", "dr"], ["SCORE", "sc"]].map(([name, look]) => [name, look, of(name)]);
  chart("c", curves, { right: 252, bottom: 156, most: 10, low: 0, axis: "c →" });
  const left = now.trials.filter((trial) => trial.PIL === null);
  part("left").hidden = !left.length;
  part("left").textContent = `${texts.left} ${left.map((trial) => trial.c).join(", ")}. ${left[0]?.reason}`;
}

function chart(name, curves, size) {
  const there = curves.some((curve) => curve[2].length);
  find(`chart-${name}`).toggleAttribute("hidden", !there);
  part(`empty-${name}`).hidden = there;
  if (there) lines(find(`chart-${name}`), curves, { ...size, say });
}

function tell() {
  const status = find("fuzzy-status");
  status.dataset.state = now.state;
  if (status.textContent !== now.words) status.textContent = now.words;
  const few = points.length < 3;
  const goes = now.state === "running" || now.state === "sweeping";
  for (const name of ["run", "step"]) find(`fuzzy-${name}`).disabled = few || goes;
  find("fuzzy-pause").disabled = now.state !== "running";
  find("fuzzy-stop").disabled = !busy();
  find("fuzzy-sweep").disabled = few || busy();
  for (const name of ["clear", "example", "load"]) find(`points-${name}`).disabled = busy();
  find("fuzzy-download").setAttribute("aria-disabled", String(!now.download));
  const from = now.file ? ` ${texts.from.replace("{name}", now.file)}` : "";
  const count = `${texts.count.replace("{count}", points.length)}${from}.${few ? ` ${texts.few}` : ""}`;
  if (find("points-count").textContent !== count) find("points-count").textContent = count;
  for (const [j, menu] of menus.entries()) {
    menu.disabled = busy();
    menu.replaceChildren(...now.columns.map((name, i) => new Option(name, i, false, i === now.chosen[j])));
  }
  const banner = find("verdict");
  banner.hidden = !now.verdict;
  banner.dataset.state = now.verdict?.state;
  banner.className = `banner ${now.verdict?.look}`;
  banner.firstElementChild.textContent = now.verdict?.title;
  banner.lastElementChild.textContent = now.verdict?.words;
  banner.lastElementChild.lang = now.verdict?.language ?? "";
  for (const box of document.querySelectorAll("[id^=problem-]")) {
    const said = now.fields[box.id.slice(8)];
    box.hidden = !said;
    box.textContent = said || "";
    box.closest(".field").classList.toggle("wrong", Boolean(said));
  }
}

function complain(message) {
  part("problem").hidden = !message;
  part("problem").textContent = message;
}

// what the server knows
async function ask(path, method = "GET", body = null, headers = {}) {
  return (await fetch(`/fuzzy/${path}`, { method, body, headers })).text();
}

async function act(path, method, body, headers) {
  const told = JSON.parse(await ask(path, method, body, headers));
  if (method) complain(told.problem);
  // an answer that was overtaken says nothing new
  if (told.number > now.number) now = told;
  tell();
  draw();
}
const post = (path, fields) => act(path, "POST", new URLSearchParams(fields));

async function reload() {
  const text = await ask("points");
  points = text.split("\n").filter(Boolean).map((line) => line.split(" ").map(Number));
  fit();
  await follow();
  tell();
}

let following = null;
let again = false;
async function fetchShown() {
  while (again) {
    again = false;
    shown = JSON.parse(await ask("shown"));
    draw();
  }
  following = null;
}
function follow() {
  again = true;
  following ??= fetchShown();
  return following;
}

// points
let waiting = 0;
let saving = Promise.resolve();
function changed() {
  complain("");
  shown = {};
  tell();
  draw();
  clearTimeout(waiting);
  waiting = setTimeout(save, 250);
}
const put = () => act("points", "PUT", points.map((point) => point.join(" ")).join("\n"));
function save() {
  clearTimeout(waiting);
  waiting = 0;
  saving = saving.then(put);
  return saving;
}
const saved = () => (waiting ? save() : saving);
// whatever changes the points on the server is waited for by what needs them there
const after = (work) => (saving = saved().then(work));

function add(at) {
  if (points.length >= MOST) return complain(texts.full);
  // no more digits than a hand can place
  points.push(at.map((value, j) => Number(value.toFixed(Math.max(0, 3 - Math.floor(Math.log10(view[j][1] - view[j][0])))))));
  return changed();
}
function remove(at) {
  const [x, y] = scale.place(at);
  const away = points.map((point) => Math.hypot(scale.place(point)[0] - x, scale.place(point)[1] - y));
  const nearest = away.indexOf(Math.min(...away));
  if (away[nearest] < 14) {
    points.splice(nearest, 1);
    changed();
  }
}
const change = (how, at) => (busy() ? complain(texts.busy) : how(at));

canvas.addEventListener("click", (event) => {
  // before the first picture there is nowhere to click
  if (!scale) return;
  const box = canvas.getBoundingClientRect();
  const at = scale.value(event.clientX - box.left, event.clientY - box.top);
  if (at.every((value, j) => value >= view[j][0] && value <= view[j][1])) change(event.shiftKey ? remove : add, at);
});
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
canvas.addEventListener("keydown", (event) => {
  const move = MOVES[event.key];
  if (move) {
    const far = event.shiftKey ? 10 : 50;
    cursor = cursor.map((at, j) => Math.min(view[j][1], Math.max(view[j][0], at + (move[j] * (view[j][1] - view[j][0])) / far)));
    draw();
  } else if (event.key === "Enter") change(add, cursor);
  else if (event.key === "Delete" || event.key === "Backspace") change(remove, cursor);
  else return;
  event.preventDefault();
});
for (const event of ["focus", "blur"]) canvas.addEventListener(event, draw);

find("points-load").addEventListener("change", ({ target }) => {
  const [file] = target.files;
  after(async () => {
    await act("file", "PUT", file, { "X-File-Name": encodeURIComponent(file.name) });
    target.value = "";
    if (!now.problem) await reload();
  });
});
for (const name of ["clear", "example"]) {
  find(`points-${name}`).addEventListener("click", () => after(() => post(name).then(reload)));
}
for (const name of ["points-save", "fuzzy-download"]) {
  find(name).addEventListener("click", async (event) => {
    event.preventDefault();
    const link = event.currentTarget;
    await saved();
    if (link.getAttribute("aria-disabled") !== "true") location.assign(link.href);
  });
}
for (const [j, menu] of menus.entries()) {
  menu.addEventListener("change", () => {
    const chosen = [...now.chosen];
    chosen[j] = Number(menu.value);
    // the other one makes room; the same two need no file
    const swapped = chosen[0] === chosen[1];
    if (swapped) chosen[1 - j] = now.chosen[j];
    after(async () => {
      if (swapped) points = points.map(([x, y]) => [y, x]);
      await post("columns", { independent: chosen[0], dependent: chosen[1] });
      if (swapped) await put();
      await reload();
    });
  });
}

// a run
const seconds = () => SECONDS[Number(find("fuzzy-speed").value)];
const word = (said, more) => post("word", { word: said, ...more });
async function begin(path, more) {
  await saved();
  if (path === "run") shown = {};
  await post(path, { ...Object.fromEntries(new FormData(document.getElementById("parameters"))), ...more });
}
const run = (waits) => begin("run", { waits, seconds: seconds(), low: view[0][0], high: view[0][1] });

find("fuzzy-run").addEventListener("click", () => (now.state === "paused" ? word("go") : run(0)));
find("fuzzy-step").addEventListener("click", () => (now.state === "paused" ? word("step") : run(1)));
find("fuzzy-pause").addEventListener("click", () => word("pause"));
find("fuzzy-stop").addEventListener("click", () => word("enough"));
find("fuzzy-sweep").addEventListener("click", () => begin("sweep"));
find("fuzzy-speed").addEventListener("change", () => busy() && word("speed", { seconds: seconds() }));
find("fuzzy-released").addEventListener("change", draw);
const model = find("param-model");
const radial = () => (part("radial").hidden = model.value !== "radial");
model.addEventListener("change", radial);

const ours = (event, hear) => on(event, (told) => told.about === "fuzzy" && hear(told));
ours("iteration", follow);
ours("trial", (told) => (now.trials.push(told), draw()));
// the last round is drawn before the run is called over
ours("ended", () => follow().then(() => act("state")));

radial();
connect();
// points that are asked for first do not come after those of a button
saving = act("state").then(reload);
saving.then(() => new ResizeObserver(draw).observe(canvas));
