// Turns each select of records into a searchable combobox, as WAI-ARIA describes it. The select stays in the form, hidden, and holds the
// chosen record. Without this script the select has a search button that shows the form again.

const WAIT_MS = 150; // after a key
const PATIENCE_MS = 5000;
const AN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

for (const field of document.querySelectorAll("[data-choice-url]")) enhance(field);

function enhance(field) {
  const select = field.querySelector("select");
  const none = select.options[0];
  const id = select.id;
  const input = document.createElement("input");
  for (const attribute of ["id", "autofocus", "aria-describedby", "aria-invalid"]) {
    if (select.hasAttribute(attribute)) input.setAttribute(attribute, select.getAttribute(attribute));
    select.removeAttribute(attribute);
  }
  const focused = document.activeElement === select;
  input.autocomplete = "off";
  input.maxLength = 200;
  input.placeholder = none.text ? `${none.text}, or search` : "Search";
  input.role = "combobox";
  input.ariaAutoComplete = "list";
  input.ariaExpanded = "false";
  input.setAttribute("aria-controls", `${id}-choices`);
  const list = document.createElement("ul");
  list.id = `${id}-choices`;
  list.role = "listbox";
  list.ariaLabel = `Options for ${field.querySelector("label").textContent}`;
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

  const active = () => list.querySelector("[aria-selected=true]");
  const choices = () => [...list.querySelectorAll("[role=option]:not([aria-disabled])")];

  // Show values that were filled in from outside, such as a kept form.
  select.form.addEventListener("input", ({ target }) => {
    if (target === select.form) settle();
  });
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

  // options requests the options for a search, or for an id.
  async function options(parameter, value, signal) {
    const url = new URL(field.dataset.choiceUrl, location);
    url.searchParams.set(parameter, value);
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) });
    if (!response.ok || response.redirected) throw new Error(response.statusText);
    const found = new DOMParser().parseFromString(`<select>${await response.text()}</select>`, "text/html");
    return [...found.querySelectorAll("option")];
  }

  async function find(text) {
    clearTimeout(timer);
    search?.abort();
    const { signal } = (search = new AbortController());
    let found;
    try {
      found = await options("q", text.trim(), signal);
    } catch {
      // The options on the page, while the server cannot be reached.
      const words = text.toLowerCase().split(/\s+/);
      found = [...select.options].filter((o) => o.value && words.every((word) => o.text.toLowerCase().includes(word))).slice(0, 20);
    }
    if (!signal.aborted) show(found, text);
  }

  function show(found, text) {
    const first = text.trim() || !none.text ? [] : [none];
    list.replaceChildren(...[...first, ...found].map(itemOf));
    const items = choices();
    if (!list.hasChildNodes()) list.append(itemOf(Object.assign(new Option("Nothing was found."), { disabled: true })));
    list.hidden = false;
    input.ariaExpanded = "true";
    status.textContent = text.trim() ? `${found.length ? items.length : "No"} found` : "";
    activate(items.find((item) => item.option.value === select.value && !typed) ?? items[0]);
  }

  function itemOf(option, index) {
    const item = document.createElement("li");
    item.role = "option";
    item.id = `${id}-choice-${index ?? 0}`;
    item.option = option;
    item.ariaSelected = "false";
    item.textContent = option.text;
    if (option.disabled) item.ariaDisabled = "true";
    if (option.dataset.hint) {
      const hint = document.createElement("span");
      hint.className = "hint";
      hint.textContent = option.dataset.hint;
      item.append(hint);
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
    const items = choices();
    if (items.length) activate(items[(items.indexOf(active()) + step + items.length) % items.length]);
  }

  // choose selects the option of an item, with its data, which listeners to change may use.
  function choose({ option, ariaDisabled }) {
    if (ariaDisabled) return;
    let chosen = [...select.options].find(({ value }) => value === option.value);
    if (!chosen) select.add((chosen = new Option(option.text, option.value)));
    Object.assign(chosen.dataset, option.dataset);
    chosen.selected = true;
    settle();
    select.dispatchEvent(new Event("input", { bubbles: true }));
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // settle shows the chosen record instead of the typed text.
  function settle() {
    clearTimeout(timer);
    search?.abort();
    close();
    typed = false;
    const [chosen] = select.selectedOptions;
    input.value = chosen?.value ? chosen.text.replace(new RegExp(`${AN_ID.source} `), "") : "";
    if (input.value && AN_ID.test(input.value)) name(chosen);
  }

  // name replaces an id by its record's name: a kept form has only the id of a record that the page doesn't offer.
  async function name(option) {
    const { signal } = (search = new AbortController());
    const found = await options("id", option.value, signal).catch(() => []);
    const named = found.find(({ value }) => value === option.value);
    if (!named || named.text === option.text || signal.aborted) return;
    option.text = named.text;
    settle();
  }

  function close() {
    list.hidden = true;
    input.ariaExpanded = "false";
    input.removeAttribute("aria-activedescendant");
  }
}
