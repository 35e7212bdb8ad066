// Turns the customer select into a searchable combobox, as WAI-ARIA describes it. The select stays in the form, hidden, and holds
// the chosen customer. Without this script the select has a search button that shows the form again.

const field = document.querySelector("[data-customer-choice-url]");
const select = field.querySelector("select");
const form = select.form;
const WAIT_MS = 150; // after a key
const PATIENCE_MS = 5000;

const input = document.createElement("input");
for (const attribute of ["id", "autofocus", "aria-describedby", "aria-invalid"]) {
  if (select.hasAttribute(attribute)) input.setAttribute(attribute, select.getAttribute(attribute));
  select.removeAttribute(attribute);
}
const focused = document.activeElement === select;
input.autocomplete = "off";
input.maxLength = 200;
input.placeholder = `${select.options[0].text}, or search`;
input.role = "combobox";
input.ariaAutoComplete = "list";
input.ariaExpanded = "false";
input.setAttribute("aria-controls", "customer-choices");
const list = document.createElement("ul");
list.id = "customer-choices";
list.role = "listbox";
list.ariaLabel = "Customers";
list.hidden = true;
const status = document.createElement("p");
status.className = "visually-hidden";
status.role = "status";
select.hidden = true;
const box = document.createElement("div");
box.className = "choosing";
box.append(input, list, status);
select.after(box);
if (focused) input.focus();

let timer; // delays the next search
let search; // the running one, to be aborted
let typed = false; // the text has not been chosen yet
// Values that were not entered by the user.
let due = form.elements.due_date?.value;
let currency = form.elements.currency.value;
let terms; // in days, of the customer whose due date was filled in

const chosen = () => select.selectedOptions[0];
const textOf = (option) => (option?.value ? option.text.replace(/^[0-9a-f-]{36} /, "") : "");
const active = () => list.querySelector("[aria-selected=true]");

// Show values that were filled in from outside, such as a kept form.
form.addEventListener("input", ({ target }) => {
  if (target === form) settle();
});

form.elements.issue_date?.addEventListener("input", () => terms && follow());

input.addEventListener("input", () => {
  typed = true;
  close();
  later(input.value);
});
input.addEventListener("click", () => list.hidden && find(""));
input.addEventListener("blur", settle);
input.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey) return;
  const open = !list.hidden;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (open) move(event.key === "ArrowDown" ? 1 : -1);
    else find(typed ? input.value : "");
  } else if (event.key === "Escape" && (open || typed)) {
    event.preventDefault();
    settle();
    input.select();
  } else if (event.key === "Enter" && (open || typed)) {
    event.preventDefault(); // a text that is not a choice sends nothing
    if (active()) choose(active());
  } else if (event.key === "Tab" && open && active()) {
    choose(active());
  }
});
// Keep the focus in the field.
list.addEventListener("pointerdown", (event) => event.preventDefault());
list.addEventListener("click", ({ target }) => {
  const item = target.closest("[role=option]");
  if (item) choose(item);
});
settle();

function later(text) {
  clearTimeout(timer);
  search?.abort();
  timer = setTimeout(find, WAIT_MS, text);
}

async function find(text) {
  clearTimeout(timer);
  search?.abort();
  const mine = (search = new AbortController());
  try {
    const url = `${field.dataset.customerChoiceUrl}?q=${encodeURIComponent(text.trim())}`;
    const response = await fetch(url, { signal: AbortSignal.any([mine.signal, AbortSignal.timeout(PATIENCE_MS)]) });
    if (!response.ok || response.redirected) throw new Error(response.statusText);
    const found = new DOMParser().parseFromString(`<select>${await response.text()}</select>`, "text/html");
    if (mine.signal.aborted) return;
    show([...found.querySelectorAll("option")], text);
  } catch {
    if (mine.signal.aborted) return;
    // The options on the page, while the server cannot be reached.
    const words = text.toLowerCase().split(/\s+/);
    show([...select.options].filter((o) => o.value && words.every((word) => o.text.toLowerCase().includes(word))).slice(0, 20), text);
  }
}

function show(options, text) {
  const none = text.trim() ? [] : [select.options[0]];
  list.replaceChildren(...[...none, ...options].map(itemOf));
  const items = list.querySelectorAll("[role=option]:not([aria-disabled])");
  if (!list.hasChildNodes()) list.append(itemOf(Object.assign(new Option("No customer was found."), { disabled: true })));
  list.hidden = false;
  input.ariaExpanded = "true";
  status.textContent = text.trim() ? `${options.length ? items.length : "No"} found` : "";
  const at = [...items].find((item) => item.option.value === select.value && !typed);
  activate(at ?? items[0]);
}

function itemOf(option, index) {
  const item = document.createElement("li");
  item.role = "option";
  item.id = `customer-choice-${index ?? 0}`;
  item.option = option;
  item.ariaSelected = "false";
  item.textContent = option.text;
  if (option.disabled) item.ariaDisabled = "true";
  if (option.dataset.address) {
    const address = document.createElement("span");
    address.className = "hint";
    address.textContent = option.dataset.address;
    item.append(address);
  }
  return item;
}

function activate(item) {
  if (active()) active().ariaSelected = "false";
  if (!item) return input.removeAttribute("aria-activedescendant");
  item.ariaSelected = "true";
  input.setAttribute("aria-activedescendant", item.id);
  item.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const items = [...list.querySelectorAll("[role=option]:not([aria-disabled])")];
  if (items.length) activate(items[(items.indexOf(active()) + step + items.length) % items.length]);
}

function choose({ option, ariaDisabled }) {
  if (ariaDisabled) return;
  const { value, dataset } = option;
  // A form that cannot add customers sends only the id.
  const sent = form.elements.customer_email ? value : dataset.id ?? value;
  if (![...select.options].some((o) => o.value === sent)) select.add(new Option(option.text, sent));
  select.value = sent;
  settle();
  address(dataset.address);
  if (field.hasAttribute("data-prefills")) prefill(dataset);
  select.dispatchEvent(new Event("input", { bubbles: true }));
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

// settle shows the chosen customer instead of the typed text.
function settle() {
  clearTimeout(timer);
  search?.abort();
  close();
  typed = false;
  input.value = textOf(chosen());
}

function close() {
  list.hidden = true;
  input.ariaExpanded = "false";
  input.removeAttribute("aria-activedescendant");
}

function address(text) {
  let hint = field.querySelector("#customer_id-hint");
  if (!hint) {
    hint = document.createElement("p");
    hint.className = "hint";
    hint.id = "customer_id-hint";
    input.setAttribute("aria-describedby", [input.getAttribute("aria-describedby"), hint.id].filter(Boolean).join(" "));
    box.after(hint);
  }
  hint.textContent = text ?? "";
}

// prefill takes the currency and the payment terms of the customer, unless the user has entered others.
function prefill({ currency: usual, days }) {
  const choice = form.elements.currency;
  if (usual && choice.value === currency) choice.value = currency = usual;
  terms = days;
  follow();
}

// follow sets the due date from the issue date and the customer's payment terms, unless the user has entered one.
function follow() {
  const { due_date: last, issue_date: issued } = form.elements;
  if (last.value !== due && last.value !== "") return;
  const day = new Date(`${issued.value}T00:00:00Z`);
  const known = terms && !Number.isNaN(day.getTime());
  if (known) day.setUTCDate(day.getUTCDate() + Number(terms));
  last.value = due = known ? day.toISOString().slice(0, 10) : "";
}
