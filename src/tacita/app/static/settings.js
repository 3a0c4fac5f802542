// Language and theme are sent when they are chosen.
for (const menu of document.querySelectorAll("[data-submits]")) {
  menu.addEventListener("change", () => menu.form.requestSubmit());
}
