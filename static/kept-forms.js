// Input in a form survives a crash, a closed tab and an expired login. It is kept in this browser only, under the form's
// idempotency key and for one person. It is offered, never filled in unasked. It is removed when the server reports the form done,
// when the person discards it or logs out, or after a week.
//
// The server marks the forms that may be kept (data-kept-for). Passwords are never kept.

const SITE = new URL("..", import.meta.url); // the app may share its host with others
const PREFIX = `onlyonce${SITE.pathname.slice(0, -1)} form `;
const MOST_FORMS = 20; // in one browser, of all people
const MOST_CHARACTERS = 100_000; // per form
const LONGEST_MS = 7 * 24 * 60 * 60 * 1000;
const PATIENCE_MS = 5000;
// These identify the form of a page and its owner; they are never restored.
const OF_THE_PAGE = ["idempotency_key", "tenant", "tenant_name"];

// quietly ignores a storage that is forbidden or full.
function quietly(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

// A kept form is {person, key, url, versions}. A version is {at, typed, seen, sent}: its time, the typed fields, the hidden fields,
// such as the version of the record, and whether it was sent last. The second version was offered to the person, and neither
// restored nor discarded.
const nameOf = ({ person, key }) => `${PREFIX}${person} ${key}`;
const read = (name) => quietly(() => JSON.parse(localStorage.getItem(name)));
const forget = (kept) => quietly(() => localStorage.removeItem(nameOf(kept)));

function keep(kept) {
  const text = JSON.stringify(kept);
  if (text.length <= MOST_CHARACTERS) quietly(() => localStorage.setItem(nameOf(kept), text));
  else forget(kept); // the old version would be offered as if it were complete
}

// allKept returns the kept forms, newest first, and removes those that are too old, too many or broken.
function allKept() {
  const names = (quietly(() => Object.keys(localStorage)) ?? []).filter((name) => name.startsWith(PREFIX));
  const all = names.map(read).filter((kept) => kept?.versions?.length);
  for (const name of names) if (!all.some((kept) => nameOf(kept) === name)) quietly(() => localStorage.removeItem(name));
  all.sort((a, b) => b.versions[0].at - a.versions[0].at);
  const stays = (kept, index) => index < MOST_FORMS && Date.now() - kept.versions[0].at < LONGEST_MS;
  all.filter((kept, index) => !stays(kept, index)).forEach(forget);
  return all.filter(stays);
}

// The page marks a form as done, and * after a logout all forms. This applies to all people who typed into it.
const done = document.querySelector("[data-form-done]")?.dataset.formDone;
for (const kept of allKept()) if (kept.key === done || done === "*") forget(kept);

// The form was sent after the login had expired. If all of its fields are kept, go to the login, which leads back to the form.
// Otherwise stay on this page, which has them.
const refused = document.querySelector("form[data-logged-out]");
if (refused) {
  // A file is chosen again in any case.
  const sent = [...new FormData(refused)].filter(([name, value]) => !OF_THE_PAGE.includes(name) && typeof value === "string");
  const kept = allKept().find(({ key }) => key === refused.elements.idempotency_key?.value);
  const fields = kept && sentBy(kept.versions[0]);
  const has = ([name, value]) => fields.some((field) => field[0] === name && field[1] === value);
  if (kept && sent.every(has)) {
    const next = kept.url.slice(SITE.pathname.length - 1); // a path of the app
    location.replace(`${SITE}login?kept&next=${encodeURIComponent(next)}`);
  }
}

const panel = document.querySelector("[data-kept-for]");
if (panel) remember(panel.closest("form"));

function remember(form) {
  const own = { person: panel.dataset.keptFor, key: form.elements.idempotency_key.value, url: form.dataset.formUrl };
  const blank = form.cloneNode(true);
  blank.reset();
  const rendered = contentOf(blank);
  // A form that the server has shown again contains the typed input already.
  const cameBack = new URLSearchParams(location.search).get("key") !== own.key;
  let offers = []; // versions to restore or discard
  let saved = cameBack; // the content of the form is, or was, a kept version
  let changed = cameBack; // the form has content to keep
  let used = false;

  form.addEventListener("input", () => {
    changed = saved || !same(contentOf(form), rendered);
    store();
  });

  form.addEventListener("submit", () => store(true));

  form.addEventListener("used", () => {
    used = true;
    forget(own);
  });

  // Not before pageshow: the browser may still fill in fields.
  window.addEventListener("pageshow", () => {
    const versions = read(nameOf(own))?.versions ?? [];
    const now = contentOf(form);
    // A form that was shown again has the content of the sent version, possibly merged with later edits by other people.
    offers = versions.filter((version) => !(cameBack && version.sent) && !same(version, now));
    changed = saved = cameBack || offers.length < versions.length;
    if (cameBack) store();
    if (offers.length && location.hash === "#continue") restore();
    else if (offers.length) show();
    else if (same(now, rendered) && !saved) offerAnother();
  });

  function store(sent = false) {
    if (used) return;
    const versions = changed ? [{ ...contentOf(form), sent }, ...offers] : offers;
    if (versions.length) keep({ ...own, versions: versions.slice(0, 2) });
    else forget(own);
  }

  function show() {
    if (!offers.length) return say();
    say(`What you typed into this form ${ago(offers[0].at)} wasn't saved.`, button("Restore", restore), button("Discard", discard));
  }

  // The replaced content can be restored in turn.
  function restore() {
    const [version, ...others] = offers;
    const instead = changed ? [contentOf(form), ...others] : others;
    form.dispatchEvent(new CustomEvent("fill", { detail: version.typed }));
    if (!fits(form, version)) return restoreLines(version, instead);
    offers = instead;
    saved = true;
    fill(form, version);
    show();
    leavePanel("Restored.");
  }

  // restoreLines requests a page with as many lines. Filling in only the first ones would lose the others.
  function restoreLines(version, instead) {
    if (!panel.dataset.keptLinesUrl) {
      return say(
        `What you typed into this form ${ago(version.at)} has another number of lines. Add or remove lines, then restore it.`,
        button("Restore", restore),
        button("Discard", discard),
      );
    }
    keep({ ...own, versions: [{ ...version, sent: true }, ...instead].slice(0, 2) });
    const sender = element("form");
    sender.method = "post";
    sender.action = panel.dataset.keptLinesUrl;
    for (const [name, value] of [...OF_THE_PAGE.map((name) => [name, form.elements[name].value]), ...sentBy(version)]) {
      const field = element("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      sender.append(field);
    }
    document.body.append(sender);
    sender.submit();
  }

  function discard() {
    offers.shift();
    store();
    show();
    leavePanel("Discarded.");
  }

  // offerAnother offers a form of the same kind that was not saved, after asking the server.
  async function offerAnother() {
    const kind = ({ url }) => url.split("?")[0];
    for (const other of allKept()) {
      if (other.person !== own.person || kind(other) !== kind(own)) continue;
      const page = await open(other.url);
      if (page?.querySelector("[data-form-done]")?.dataset.formDone === other.key) forget(other);
      if (page?.querySelector("form[data-form-url]")?.dataset.formUrl !== other.url) continue;
      if (changed) return; // the user has begun to type
      return say(
        `You have ${panel.dataset.keptWhat} from ${moment(other.versions[0].at)}.`,
        link("Continue", `${other.url}#continue`),
        button("Discard", () => {
          forget(other);
          say();
          leavePanel("Discarded.");
          offerAnother();
        }),
      );
    }
  }

  // leavePanel moves the focus to the form, and announces the action to screen readers.
  function leavePanel(what) {
    history.replaceState(history.state, "", location.pathname + location.search);
    if (!panel.hasChildNodes()) panel.append(element("p", "visually-hidden", what));
    (form.querySelector("[autofocus]") ?? visible(form)[0]).focus();
  }
}

function visible(form) {
  return [...form.querySelectorAll("input[name]:not([type=hidden], [type=password], [type=file]), select, textarea")];
}

function hidden(form) {
  return [...form.querySelectorAll("input[type=hidden]")].filter(({ name }) => !OF_THE_PAGE.includes(name));
}

function contentOf(form) {
  const typed = visible(form).map((field) => (ticks(field) ? [field.name, field.checked, field.value] : [field.name, field.value]));
  return { at: Date.now(), typed, seen: hidden(form).map(({ name, value }) => [name, value]) };
}

function ticks({ type }) {
  return type === "checkbox" || type === "radio";
}

// sentBy returns the fields that a form with this version sends.
function sentBy({ typed, seen }) {
  return [...typed.flatMap(([name, value, ticked]) => (ticked === undefined ? [[name, value]] : value ? [[name, ticked]] : [])), ...seen];
}

// fits reports whether a form has the same number of fields as the version for each name that it has.
function fits(form, { typed }) {
  const has = Map.groupBy(visible(form).filter((field) => !ticks(field)), ({ name }) => name);
  const wanted = Map.groupBy(typed, ([name]) => name);
  return [...wanted].every(([name, all]) => !has.has(name) || has.get(name).length === all.length);
}

function same(one, other) {
  return JSON.stringify(one.typed) === JSON.stringify(other.typed);
}

// fill puts a version into a form that has room for it.
function fill(form, { typed, seen }) {
  const values = Map.groupBy([...typed, ...seen], ([name]) => name);
  for (const field of [...visible(form), ...hidden(form)]) {
    const next = values.get(field.name)?.shift();
    if (!next) continue;
    if (ticks(field)) field.checked = next[1];
    else setValue(field, next[1]);
  }
  form.dispatchEvent(new Event("input"));
}

function setValue(field, value) {
  field.value = value;
  if (field.value === value) return;
  if (field.tagName === "SELECT") field.add(new Option(value, value)); // no longer offered: the server reports it
  else field.type = "text"; // not a date, for example
  field.value = value;
}

async function open(url) {
  try {
    const response = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return null; // offline: it is offered another time
  }
}

function say(text, ...ways) {
  panel.replaceChildren();
  if (!text) return;
  const notice = element("div", "notice");
  const actions = element("div", "ways");
  actions.append(...ways);
  notice.append(element("p", "", text), actions);
  panel.append(notice);
}

function element(tag, className, text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function button(text, act) {
  const made = element("button", text === "Discard" ? "button quiet" : "button", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function link(text, href) {
  const made = element("a", "button", text);
  made.href = href;
  return made;
}

function ago(at) {
  const minutes = Math.floor((Date.now() - at) / 60_000);
  if (minutes < 1) return "just now";
  const format = new Intl.RelativeTimeFormat("en");
  if (minutes < 60) return format.format(-minutes, "minute");
  if (minutes < 24 * 60) return format.format(-Math.floor(minutes / 60), "hour");
  return format.format(-Math.floor(minutes / (24 * 60)), "day");
}

function moment(at) {
  const today = new Date(at).toDateString() === new Date().toDateString();
  const day = today ? {} : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat("en-GB", { ...day, hour: "2-digit", minute: "2-digit" }).format(at);
}
