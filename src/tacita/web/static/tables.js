// Screens of tables: files that belong to a table, and parts of forms that are shown where they matter.
import { send } from "./upload.js";

for (const input of document.querySelectorAll("[data-sends]")) {
  input.addEventListener("change", () => {
    const problem = input.closest("section").querySelector("[data-problem]");
    const asked = document.querySelector(`[data-problem-of="${input.id}"]`);
    problem.hidden = true;
    if (!input.files.length) return;
    send(input.files[0], input.dataset.sends + (asked ? `?problem=${asked.value}` : ""), {
      refused: (message) => {
        problem.textContent = message;
        problem.hidden = false;
        input.value = "";
      },
    });
  });
}

for (const menu of document.querySelectorAll("[data-by]")) {
  menu.addEventListener("change", () => {
    for (const part of menu.closest("[data-divided]").querySelectorAll("[data-when]")) {
      part.hidden = part.dataset.when !== menu.value;
    }
  });
}

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
