// Every screen of a work: settings, and the stream that tells what runs.
import "./settings.js";
import "./running.js";
import { connect } from "./events.js";

connect();

// points of the map are buttons: the space bar presses them
addEventListener("keydown", (event) => {
  const spot = event.key === " " && event.target.closest?.("a[role=button]");
  if (!spot) return;
  event.preventDefault();
  location.assign(spot.getAttribute("href"));
});
