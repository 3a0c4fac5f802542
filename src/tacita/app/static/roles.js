// Rows are narrowed while a name is typed; the colour beside a column follows its role.
import "./beside.js";

const filter = document.querySelector("[data-testid=roles-filter]");
const rows = [...document.querySelectorAll("[data-testid=roles] tbody tr")];

filter.addEventListener("input", () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const row of rows) row.hidden = !row.dataset.name.includes(wanted);
});

for (const menu of document.querySelectorAll("[data-role]")) {
  menu.addEventListener("change", () => {
    menu.closest("tr").querySelector("th").className = `role-${menu.value}`;
  });
}
