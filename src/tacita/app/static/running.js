// What runs: its stage, how far it is, and for how long; when it ends, the page is drawn again.
import { on } from "./events.js";

const box = document.querySelector("[data-testid=running]");
const part = (name) => box.querySelector(`[data-testid=${name}]`);
let began = box ? performance.now() - 1000 * Number(box.dataset.began) : 0;

function show(told) {
  if (!box || (box.dataset.job && told.job !== box.dataset.job)) return;
  if (!box.dataset.job) box.dataset.job = told.job;
  box.hidden = false;
  box.dataset.state = "shown";
  began = performance.now() - 1000 * told.elapsed;
  const percent = Math.round(100 * told.share);
  // said again only where it changed: it is read aloud
  if (part("stage").textContent !== told.words) part("stage").textContent = told.words;
  part("share").textContent = `${percent} %`;
  part("progress").value = percent;
}

setInterval(() => {
  if (box && box.dataset.state === "shown") {
    part("elapsed").textContent = `${Math.floor((performance.now() - began) / 1000)} s`;
  }
}, 250);

// a page that is being left draws nothing: it would call the browser back from where it goes
let leaving = 0;
addEventListener("beforeunload", () => (leaving = performance.now()));

function redraw() {
  if (!leaving) location.reload();
  else if (performance.now() - leaving > 5000) leaving = 0;
  if (leaving) setTimeout(redraw, 1000);
}

on("progress", show);
on("ended", (told) => {
  if (box && (!box.dataset.job || box.dataset.job === told.job)) redraw();
});
