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

function make(name, given = {}, text) {
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

export function plot(svg, points, view, { shown, released, cursor, names, say }) {
  const width = Math.max(320, Math.round(svg.clientWidth));
  const height = Math.max(340, Math.min(640, Math.round(width * 0.53)));
  const [left, right, top, bottom] = [48, width - 30, 24, height - 34];
  const [[low, high], [least, most]] = view;
  const x = (value) => left + ((right - left) * (value - low)) / (high - low);
  const y = (value) => bottom - ((bottom - top) * (value - least)) / (most - least);
  const clip = make("clipPath", { id: "inside" });
  clip.append(make("rect", { x: left, y: top - 8, width: right - left, height: bottom - top + 16 }));
  const [parts, inside] = [[clip], make("g", { "clip-path": "url(#inside)" })];
  for (const value of ticks(low, high, 6)) {
    const at = x(value).toFixed(1);
    parts.push(make("line", { class: "rule", x1: at, x2: at, y1: top, y2: bottom }));
    parts.push(make("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, say(value)));
  }
  for (const value of ticks(least, most, 6)) {
    const at = y(value).toFixed(1);
    parts.push(make("line", { class: "rule", x1: left, x2: right, y1: at, y2: at }));
    parts.push(make("text", { x: left - 8, y: at, dy: 4, "text-anchor": "end" }, say(value)));
  }
  parts.push(make("text", { class: "axis", x: 12, y: 14 }, `↑ ${names[1]}`));
  parts.push(make("text", { class: "axis", x: right, y: height - 4, "text-anchor": "end" }, `${names[0]} →`));
  parts.push(inside);
  const placed = [];
  for (const [k, curve] of (shown.curves || []).entries()) {
    const line = curve.map((value, i) => [x(shown.along[i]), y(value)]);
    const way = line.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ");
    inside.append(make("polyline", { class: `ln k${k % 10}`, points: way, "stroke-dasharray": DASHES[k % 10] }));
    // its number stands where the curve is seen last; numbers that would meet move apart
    let [px, py] = line.findLast((at) => at[1] >= top && at[1] <= bottom) || [left, bottom];
    while (placed.some(([qx, qy]) => Math.abs(px - qx) < 12 && Math.abs(py - qy) < 13)) py += py < bottom - 13 ? 13 : -26;
    placed.push([px, py]);
    parts.push(make("text", { class: `tag k${k % 10}`, x: px + 5, y: py + 4 }, k + 1));
  }
  const weakest = 1 / (shown.curves?.length || 1);
  for (const [i, [px, py]] of points.entries()) {
    const k = shown.labels?.[i];
    const [at, up] = [x(px).toFixed(1), y(py).toFixed(1)];
    const given = { class: k === undefined ? "pt" : `pt k${k % 10}`, d: square(k), "fill-rule": "evenodd" };
    if (weakest < 1) given["fill-opacity"] = 0.3 + (0.7 * (shown.strength[i] - weakest)) / (1 - weakest);
    if (released && shown.released) {
      const to = y(shown.released[i]).toFixed(1);
      inside.append(make("line", { class: `tie k${k % 10}`, x1: at, x2: at, y1: up, y2: to }));
      inside.append(make("circle", { class: `new k${k % 10}`, cx: at, cy: to, r: 3.4 }));
    }
    inside.append(make("path", { ...given, transform: `translate(${at} ${up})` }));
  }
  if (cursor) parts.push(make("path", { class: "cursor", d: `M${x(cursor[0]) - 9} ${y(cursor[1])}h18m-9-9v18` }));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(...parts);
  return {
    value: (px, py) => [
      low + ((px - left) / (right - left)) * (high - low),
      least + ((bottom - py) / (bottom - top)) * (most - least),
    ],
    place: ([px, py]) => [x(px), y(py)],
  };
}

// loss has squares, risk circles, their mean triangles
const MARKS = { pil: "M-3-3H3V3H-3Z", dr: "M-3.4 0A3.4 3.4 0 1 0 3.4 0A3.4 3.4 0 1 0-3.4 0Z", sc: "M0-4L3.6 3H-3.6Z" };

// curves as [name, look, [[x, y], ...]], x from 1 to `most`
export function lines(svg, curves, { right, bottom, most, low, axis, say }) {
  const [left, top] = [44, 14];
  const values = curves.flatMap((curve) => curve[2].map((at) => at[1]));
  const rules = low === 0 ? ticks(0, Math.max(10, ...values) * 1.3, 4) : [Math.min(...values), Math.max(...values)];
  const [least, highest] = [rules[0], low === 0 ? rules.find((each) => each >= Math.max(...values)) : rules[1]];
  const x = (value) => left + ((right - left) * (value - 1)) / Math.max(1, most - 1);
  const y = (value) => bottom - ((bottom - top) * (value - least)) / (highest - least || 1);
  const parts = [];
  for (const value of new Set(rules.filter((each) => each <= highest))) {
    parts.push(make("line", { class: value === least ? "base" : "rule", x1: left, x2: right, y1: y(value), y2: y(value) }));
    parts.push(make("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, say(value)));
  }
  for (const value of axis ? ticks(1, most, most - 1) : [most]) {
    parts.push(make("text", { x: x(value), y: bottom + 17, "text-anchor": "middle" }, value));
  }
  parts.push(make("text", { class: "axis", x: right, y: bottom + 32, "text-anchor": "end" }, axis || ""));
  const ends = [];
  for (const [name, look, found] of curves) {
    const way = found.map((at) => `${x(at[0]).toFixed(1)},${y(at[1]).toFixed(1)}`).join(" ");
    parts.push(make("polyline", { class: look, points: way }));
    for (const at of found.length > 40 ? [] : found) {
      const dot = make("path", { class: `${look}-dot`, d: MARKS[look], transform: `translate(${x(at[0])} ${y(at[1])})` });
      dot.append(make("title", {}, `${name} ${at[0]}: ${say(at[1])}`));
      parts.push(dot);
    }
    if (found.length) ends.push([y(found.at(-1)[1]), x(found.at(-1)[0]), name, look]);
  }
  let above = -99;
  for (const [py, px, name, look] of ends.sort((a, b) => a[0] - b[0])) {
    above = Math.max(py, above + 13);
    parts.push(make("text", { class: `${look}-name`, x: px + 8, y: above + 4 }, name));
  }
  svg.replaceChildren(...parts);
}
