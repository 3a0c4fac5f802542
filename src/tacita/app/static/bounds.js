// Upper and lower bound of a search that runs: figures and steps, as they are told.
import { on } from "./events.js";

const chart = document.querySelector("[data-chart]");
const figure = (name) => document.querySelector(`[data-testid=${name}]`);
const apart = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
// numbers as the language of the page writes them
const written = (text) => (["pt", "ca"].includes(document.documentElement.lang) ? text.replace(".", ",") : text);
const [left, right, top, bottom] = chart.dataset.frame.split(" ").map(Number);
const points = JSON.parse(chart.dataset.points);
const began = performance.now() - 1000 * Number(document.querySelector("[data-testid=running]").dataset.began);

function short(value) {
  for (const [power, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= power) return `${+(value / power).toPrecision(3)}${unit}`;
  }
  return `${+value.toPrecision(3)}`;
}

function draw() {
  if (!points.length) return;
  // what was told last holds until now
  const [first, last] = [points[0][0], Math.max(points.at(-1)[0], (performance.now() - began) / 1000)];
  const highest = Math.max(...points.map((each) => each[2])) * 1.05 || 1;
  const at = (seconds, value) => {
    const y = bottom - (bottom - top) * (value / highest);
    return `${(left + ((right - left) * (seconds - first)) / (last - first || 1)).toFixed(1)},${y.toFixed(1)}`;
  };
  const steps = (which) =>
    points
      .flatMap((each, i) => (i ? [at(each[0], points[i - 1][which])] : []).concat(at(each[0], each[which])))
      .concat(at(last, points.at(-1)[which]));
  const [lower, upper] = [steps(1), steps(2)];
  chart.querySelector(".lower").setAttribute("points", lower.join(" "));
  chart.querySelector(".upper").setAttribute("points", upper.join(" "));
  chart.querySelector(".between").setAttribute("points", upper.concat(lower.reverse()).join(" "));
  chart.querySelector("[data-began]").textContent = `${written(first.toFixed(1))} s`;
  chart.querySelector("[data-seconds]").textContent = `${written(last.toFixed(1))} s`;
  const ticks = [...chart.querySelectorAll("[data-tick]")];
  ticks.forEach((tick, i) => {
    const [, y] = at(0, (highest * i) / Math.max(ticks.length - 1, 1)).split(",");
    for (const name of ["y1", "y2"]) tick.firstChild.setAttribute(name, y);
    tick.lastChild.setAttribute("y", Number(y) + 4);
    tick.lastChild.textContent = written(short((highest * i) / Math.max(ticks.length - 1, 1)));
  });
}

on("bounds", (told) => {
  points.push([told.elapsed, told.lower, told.upper]);
  figure("upper").textContent = apart(told.upper);
  figure("lower").textContent = apart(told.lower);
  figure("gap").textContent = `${written((100 * told.gap).toFixed(1))} %`;
  draw();
});

setInterval(draw, 500);
