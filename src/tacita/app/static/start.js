// The first page: a plan or a project to open.
import "./settings.js";
import { send } from "./upload.js";

const chosen = document.querySelector("[data-testid=open-file]");
chosen?.addEventListener("change", () => {
  const problem = document.querySelector("[data-testid=open-problem]");
  problem.hidden = true;
  if (chosen.files.length) {
    send(chosen.files[0], chosen.dataset.to, {
      refused: (message, language) => {
        problem.textContent = message;
        problem.lang = language;
        problem.hidden = false;
        chosen.value = "";
      },
    });
  }
});
