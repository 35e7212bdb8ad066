// Keyboard shortcuts: n for new, / to search, ? for help. Every page works without them. They are letters without Ctrl, so they do
// nothing while the user types or a dialog is open.

const help = document.querySelector("[data-keys]");

function typing(element) {
  return element.closest("input, textarea, select, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  const search = document.querySelector("[data-search]");
  const create = document.querySelector("a[data-new]");
  if (event.key === "/" && search) {
    search.focus();
    search.select();
  } else if (event.key === "n" && create) {
    create.click();
  } else if (event.key === "?" && help) {
    help.showModal();
  } else {
    return;
  }
  event.preventDefault();
});

if (help) help.querySelector("[data-close]").addEventListener("click", () => help.close());
