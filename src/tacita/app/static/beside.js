// Files that belong to the data, and parts of forms that are shown where they matter.
import { send } from "./upload.js";

for (const input of document.querySelectorAll("[data-sends]")) {
  input.addEventListener("change", () => {
    const problem = input.closest("section").querySelector("[data-problem]");
    const asked = document.querySelector(`[data-problem-of="${input.id}"]`);
    // a form that holds what was chosen meanwhile is kept by a button of its own
    const keeps = document.querySelector(`[data-keeps="${input.id}"]`);
    problem.hidden = true;
    if (!input.files.length) return;
    send(input.files[0], input.dataset.sends + (asked ? `?problem=${asked.value}` : ""), {
      done: (next) => (keeps ? keeps.click() : location.assign(next)),
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
