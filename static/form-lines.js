// Adds and removes the lines of a form in place. Without this script the same buttons ask the server to do it.

const list = document.querySelector("[data-lines]");
const form = list.closest("form");
const blank = form.querySelector("template[data-line-template]");
const filledIn = list.dataset.filledIn.split(" ");

// Capture: this runs before the submit guard, which must not lock the form for a change that stays on the page. A busy form is left
// to the guard.
form.addEventListener("submit", (event) => {
  const { name, value } = event.submitter ?? {};
  const [action, index] = name === "action" ? value.split(":") : [];
  if (!["add_line", "remove_line"].includes(action) || form.ariaBusy === "true") return;
  if (action === "add_line" && isFull()) return; // the server shows the message
  event.preventDefault();
  event.stopImmediatePropagation();
  if (action === "add_line") addLine();
  else removeLine(index);
}, { capture: true });

// Enter in a line moves to the next one, and from the last one to a new line.
list.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  const line = event.target.closest(".line");
  if (line.nextElementSibling) first(line.nextElementSibling).focus();
  else if (!isBlank(line) && !isFull() && form.ariaBusy !== "true") addLine();
  else below().focus();
});

// Match the number of lines of the form that is being filled in.
form.addEventListener("fill", ({ detail }) => {
  const wanted = detail.filter(([name]) => name === first(blank.content).name).length;
  while (list.children.length > wanted) list.lastElementChild.remove();
  while (list.children.length < wanted) list.append(blank.content.cloneNode(true));
  renumber();
});

function isFull() {
  return list.children.length >= Number(list.dataset.maxLines);
}

function controls(line) {
  return [...line.querySelectorAll("input, select")];
}

function first(line) {
  return controls(line)[0];
}

// below returns the next visible control after the lines.
function below() {
  const lines = list.closest("fieldset");
  const after = (control) => lines.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING && !lines.contains(control);
  return [...form.elements].find((control) => control.getClientRects().length > 0 && after(control));
}

function addLine() {
  list.append(blank.content.cloneNode(true));
  const chosen = controls(blank.content); // also by a script, which a clone lacks
  controls(list.lastElementChild).forEach((control, i) => (control.value = chosen[i].value));
  renumber();
  form.dispatchEvent(new Event("input"));
  first(list.lastElementChild).focus();
}

function removeLine(index) {
  list.children[index].remove();
  if (list.children.length === 0) list.append(blank.content.cloneNode(true));
  renumber();
  form.dispatchEvent(new Event("input"));
  first(list.children[index] ?? list.lastElementChild).focus();
}

// Ids end in the line's index, so labels, messages and the links of the error
// summary have to follow when lines move.
function renumber() {
  const moved = new Map();
  [...list.children].forEach((line, index) => {
    line.setAttribute("aria-label", `Line ${index + 1}`);
    const remove = line.querySelector("button");
    remove.value = `remove_line:${index}`;
    remove.setAttribute("aria-label", `Remove line ${index + 1}`);
    for (const attribute of ["id", "for", "aria-describedby"]) {
      for (const element of line.querySelectorAll(`[${attribute}]`)) {
        const before = element.getAttribute(attribute);
        const after = before.replace(/-(\d+|new)(?=-error$|$)/, `-${index}`);
        element.setAttribute(attribute, after);
        moved.set(`#${before}`, `#${after}`);
      }
    }
  });
  for (const link of document.querySelectorAll("[role=alert] a:has([data-place])")) {
    const target = moved.get(link.getAttribute("href"));
    if (!target) link.parentElement.remove();
    else {
      link.setAttribute("href", target);
      link.querySelector("[data-place]").textContent = `Line ${Number(target.split("-").at(-1)) + 1}`;
    }
  }
}

// A blank line has only what the form fills in. The server leaves it out, too.
function isBlank(line) {
  return controls(line).every(({ name, value }) => filledIn.includes(name) || value.trim() === "");
}
