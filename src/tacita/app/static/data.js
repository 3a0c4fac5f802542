// A file by choosing it or by dropping it.
import { send } from "./upload.js";

const drop = document.querySelector("[data-testid=drop]");
const chosen = document.querySelector("[data-testid=file]");
const sending = document.querySelector("[data-testid=sending]");
const problem = document.querySelector("[data-testid=upload-problem]");

function take(file) {
  const [bar, words] = [sending.querySelector("progress"), sending.querySelector("[data-sent]")];
  problem.hidden = true;
  sending.hidden = false;
  send(file, drop.dataset.to, {
    sent: (percent) => {
      bar.value = percent;
      words.textContent = `${words.dataset.sent} ${percent} %`;
    },
    refused: (message) => {
      sending.hidden = true;
      problem.textContent = message;
      problem.hidden = false;
    },
  });
}

chosen.addEventListener("change", () => chosen.files.length && take(chosen.files[0]));
for (const event of ["dragenter", "dragover"]) {
  drop.addEventListener(event, (dragged) => {
    dragged.preventDefault();
    drop.classList.add("over");
  });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (dragged) => {
  dragged.preventDefault();
  drop.classList.remove("over");
  if (dragged.dataTransfer.files.length) take(dragged.dataTransfer.files[0]);
});
