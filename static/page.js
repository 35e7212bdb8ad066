// Small comforts for keyboards and screen readers. Every page works without.

// Ctrl+Enter submits from anywhere in a form, a multi-line field included.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const form = event.target.closest("form[data-submit-guard]");
  if (!form) return;
  event.preventDefault();
  form.requestSubmit();
});

// Arrow keys walk through the rows of a list once one of its links has focus.
for (const list of document.querySelectorAll("[data-arrow-keys]")) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    const links = [...list.querySelectorAll("a")];
    const next = links[links.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

// A menu closes by Escape, which leads back to its button, and when somebody goes on elsewhere.
for (const menu of document.querySelectorAll("[data-menu]")) {
  const button = menu.querySelector("summary");
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    button.focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue; // insecure origin: the text can still be selected
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}
