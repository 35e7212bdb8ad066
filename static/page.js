// Keyboard and screen reader support. Every page works without it.

// Ctrl+Enter submits from anywhere in a form, a multi-line field included.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const form = event.target.closest("form[data-submit-guard]");
  if (!form) return;
  event.preventDefault();
  form.requestSubmit();
});

// Arrow keys move through the rows of a list once one of its links has the focus.
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

// Escape closes a menu and returns the focus to its button. A focus outside closes it, too.
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

// A new business has the time zone of this browser.
for (const field of document.querySelectorAll("[data-time-zone]")) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
