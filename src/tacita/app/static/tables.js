// Screens of tables: parts of forms that are shown where they matter.
import "./beside.js";

for (const box of document.querySelectorAll("[data-opens]")) {
  box.addEventListener("change", () => {
    box.closest("[data-rule]").querySelector("[data-inside]").hidden = !box.checked;
  });
}

const methods = document.querySelector("[data-chooses]");
function choose() {
  let kind = "";
  for (const part of document.querySelectorAll("[data-of]")) {
    const on = part.dataset.of === methods.value;
    if (on) kind = part.dataset.kind;
    part.hidden = part.disabled = !on;
  }
  for (const part of document.querySelectorAll("[data-only]")) part.hidden = part.dataset.only !== kind;
}
if (methods) {
  methods.addEventListener("change", choose);
  choose();
}
