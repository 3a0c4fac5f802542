// Points, clusters and charts as SVG; nothing here knows where they come from.
const NS = document.querySelector("svg").namespaceURI;
// a cluster is told by its colour, its number, the dashes of its curve, and what is cut out of its squares
const DASHES = ["", "9 5", "2 4", "11 4 2 4", "18 5", "5 3", "12 4 2 4 2 4", "1 6", "20 4 6 4", "7 2"];
const SQUARE = "M-4.5-4.5H4.5V4.5H-4.5Z";
const CUT = [
  "",
  "M-1.6-1.6V1.6H1.6V-1.6Z",
  "M-3.2-1V1H3.2V-1Z",
  "M-1-3.2V3.2H1V-3.2Z",
  "M-3.2-3.2H2.2L-3.2 2.2Z",
  "M3.2 3.2H-2.2L3.2-2.2Z",
  "M-3.2-3.2V3.2H3.2V-3.2Z",
  "M-3.2-1V1H-1V3.2H1V1H3.2V-1H1V-3.2H-1V-1Z",
  "M-3-1.2V1.2H-1V-1.2ZM1-1.2V1.2H3V-1.2Z",
  "M-3.2-2.8V-1H3.2V-2.8ZM-3.2 1V2.8H3.2V1Z",
];

export function make(name, given = {}, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function ticks(low, high, about) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= raw * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(i * step);
  return found.map((value) => Number(value.toPrecision(10)));
}

const square = (cluster) => (cluster === undefined ? SQUARE : SQUARE + CUT[cluster % 10]);

export function mark(cluster) {
  const icon = make("svg", { viewBox: "-5 -5 10 10", class: `icon k${cluster % 10}`, "aria-hidden": "true" });
  icon.append(make("path", { class: "pt", d: square(cluster), "fill-rule": "evenodd" }));
  return icon;
}

export function plot(svg, { points, view, shown, released, cursor, names, say }) {
  const width = Math.max(320, Math.round(svg.clientWidth)) || 800;
  const height = Math.max(340, Math.min(640, Math.round(width * 0.53)));
  const [left, right, top, bottom] = [48, width - 30, 24, height - 34];
  const x = (value) => left + ((right - left) * (value - view.x[0])) / (view.x[1] - view.x[0]);
  const y = (value) => bottom - ((bottom - top) * (value - view.y[0])) / (view.y[1] - view.y[0]);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const clip = make("clipPath", { id: "inside" });
  clip.append(make("rect", { x: left, y: top - 8, width: right - left, height: bottom - top + 16 }));
  const parts = [clip];
  for (const value of ticks(...view.x, 6)) {
    const at = x(value).toFixed(1);
    parts.push(make("line", { class: "rule", x1: at, x2: at, y1: top, y2: bottom }));
    parts.push(make("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, say(value)));
  }
  for (const value of ticks(...view.y, 6)) {
    const at = y(value).toFixed(1);
    parts.push(make("line", { class: "rule", x1: left, x2: right, y1: at, y2: at }));
    parts.push(make("text", { x: left - 8, y: Number(at) + 4, "text-anchor": "end" }, say(value)));
  }
  parts.push(make("text", { class: "axis", x: 12, y: 14 }, `↑ ${names[1]}`));
  parts.push(make("text", { class: "axis", x: right, y: height - 4, "text-anchor": "end" }, `${names[0]} →`));
  const inside = make("g", { "clip-path": "url(#inside)" });
  const found = shown.labels?.length === points.length ? shown : {};
  for (const [k, curve] of (found.curves || []).entries()) {
    const line = curve.map((value, i) => `${x(found.along[i]).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    inside.append(make("polyline", { class: `ln k${k % 10}`, points: line, "stroke-dasharray": DASHES[k % 10] }));
  }
  const weakest = 1 / (found.curves?.length || 1);
  for (const [i, [px, py]] of points.entries()) {
    const k = found.labels?.[i];
    const [at, up] = [x(px).toFixed(1), y(py).toFixed(1)];
    if (released && found.released) {
      const to = y(found.released[i]).toFixed(1);
      inside.append(make("line", { class: `tie k${k % 10}`, x1: at, x2: at, y1: up, y2: to }));
      inside.append(make("circle", { class: `new k${k % 10}`, cx: at, cy: to, r: 3.4 }));
    }
    const given = { class: `pt k${k % 10}`, d: square(k), transform: `translate(${at} ${up})` };
    if (k === undefined) given.class = "pt";
    else if (weakest < 1) {
      given["fill-opacity"] = (0.3 + (0.7 * (found.strength[i] - weakest)) / (1 - weakest)).toFixed(2);
    }
    inside.append(make("path", { ...given, "fill-rule": "evenodd" }));
  }
  parts.push(inside, ...tags(found, { x, y, left, right, top, bottom }));
  if (cursor) {
    const [at, up] = [x(cursor[0]), y(cursor[1])];
    parts.push(make("path", { class: "cursor", d: `M${at - 9} ${up}h18M${at} ${up - 9}v18` }));
  }
  svg.replaceChildren(...parts);
  return {
    value: (px, py) => [
      view.x[0] + ((px - left) / (right - left)) * (view.x[1] - view.x[0]),
      view.y[0] + ((bottom - py) / (bottom - top)) * (view.y[1] - view.y[0]),
    ],
    place: ([px, py]) => [x(px), y(py)],
    inside: (px, py) => px >= left && px <= right && py >= top && py <= bottom,
  };
}

// the number of each cluster where its curve leaves the window; those that would meet move apart
function tags(found, { x, y, left, right, top, bottom }) {
  const placed = [];
  for (const [k, curve] of (found.curves || []).entries()) {
    let at = [right + 5, y(curve.at(-1))];
    if (at[1] < top || at[1] > bottom) {
      const edge = at[1] < top ? top : bottom;
      const last = curve.findLastIndex((value) => y(value) >= top && y(value) <= bottom);
      const from = last < 0 ? 0 : last;
      const next = Math.min(from + 1, curve.length - 1);
      const [y1, y2] = [y(curve[from]), y(curve[next])];
      const share = y1 === y2 ? 0 : Math.min(1, Math.max(0, (edge - y1) / (y2 - y1)));
      const along = found.along[from] + share * (found.along[next] - found.along[from]);
      at = [Math.min(right + 5, Math.max(left, x(along)) + 6), edge === top ? top - 2 : bottom - 4];
    }
    while (placed.some(([px, py]) => Math.abs(px - at[0]) < 12 && Math.abs(py - at[1]) < 13)) {
      at = at[0] >= right ? [at[0], at[1] + 13] : [at[0] - 14, at[1]];
    }
    placed.push([at[0], at[1], k]);
  }
  return placed.map(([px, py, k]) => make("text", { class: `tag k${k % 10}`, x: px, y: py + 4 }, k + 1));
}

export function objective(svg, values, say) {
  const [left, right, top, bottom] = [44, 300, 12, 96];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (i) => (values.length < 2 ? left : left + ((right - left) * i) / (values.length - 1));
  const y = (value) => (high > low ? bottom - ((bottom - top) * (value - low)) / (high - low) : top);
  const parts = [make("line", { class: "base", x1: left, x2: right, y1: bottom + 6, y2: bottom + 6 })];
  for (const value of new Set([high, low])) {
    parts.push(make("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, say(value)));
  }
  parts.push(make("text", { x: right, y: bottom + 20, "text-anchor": "end" }, values.length));
  const line = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  parts.push(make("polyline", { class: "sc", points: line }));
  if (values.length <= 40) {
    parts.push(...values.map((value, i) => make("circle", { class: "sc-dot", cx: x(i), cy: y(value), r: 2.4 })));
  }
  svg.replaceChildren(...parts);
}

const CURVES = { PIL: "pil", DR: "dr", SCORE: "sc" };
// loss has squares, risk circles, their mean triangles
const MARKS = { PIL: "M-3-3H3V3H-3Z", DR: "M-3.4 0A3.4 3.4 0 1 0 3.4 0A3.4 3.4 0 1 0-3.4 0Z", SCORE: "M0-4L3.6 3H-3.6Z" };

export function against(svg, trials, most, say) {
  const [left, right, top, bottom] = [32, 252, 14, 156];
  const values = trials.flatMap((trial) => Object.keys(CURVES).map((name) => trial[name] ?? 0));
  const up = ticks(0, Math.max(10, ...values) * 1.001, 3);
  const ceiling = Math.max(up.at(-1), ...values);
  const x = (c) => left + ((right - left) * (c - 1)) / (most - 1);
  const y = (value) => bottom - ((bottom - top) * value) / ceiling;
  const parts = [];
  for (const value of up) {
    parts.push(make("line", { class: value ? "rule" : "base", x1: left, x2: right, y1: y(value), y2: y(value) }));
    parts.push(make("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, say(value)));
  }
  for (let c = 1; c <= most; c++) parts.push(make("text", { x: x(c), y: bottom + 16, "text-anchor": "middle" }, c));
  parts.push(make("text", { class: "axis", x: right, y: bottom + 31, "text-anchor": "end" }, "c →"));
  const ends = [];
  for (const [name, look] of Object.entries(CURVES)) {
    const known = trials.filter((trial) => trial[name] !== null);
    const line = known.map((trial) => `${x(trial.c).toFixed(1)},${y(trial[name]).toFixed(1)}`).join(" ");
    parts.push(make("polyline", { class: look, points: line }));
    for (const trial of known) {
      const dot = make("path", { class: `${look}-dot`, d: MARKS[name], transform: `translate(${x(trial.c)} ${y(trial[name])})` });
      dot.append(make("title", {}, `c = ${trial.c}: ${name} ${say(trial[name])}`));
      parts.push(dot);
    }
    if (known.length) ends.push({ name, look, x: x(known.at(-1).c), y: y(known.at(-1)[name]) });
  }
  ends.sort((a, b) => a.y - b.y);
  for (const [i, end] of ends.entries()) {
    if (i) end.y = Math.max(end.y, ends[i - 1].y + 13);
    parts.push(make("text", { class: `${end.look}-name`, x: end.x + 8, y: end.y + 4 }, end.name));
  }
  svg.replaceChildren(...parts);
}
