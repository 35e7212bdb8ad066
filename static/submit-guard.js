// The first of three layers against creating twice: a form marked with data-submit-guard is submitted once per page, by any means
// of submission. The server does not rely on it: without this script the idempotency key has the same effect.
//
// No timer unlocks a form, because the request may still be running. Only a real answer does: a new page, or this page restored
// from the back/forward cache. "Try again" submits the same form with the same key.
//
// While the browser is offline a form waits, and is sent once the server can be reached. A request that was under way then is sent
// again, with the same key, and so is one that the server could not save because its database was unavailable.

const SLOW_AFTER_MS = 5000;
const SLOW_UPLOAD_AFTER_MS = 60_000; // of a form with a file: sending it again would begin with its first byte
const PROBE_MS = 5000; // the interval and timeout of requests to the server while a form waits
const DOUBLE_CLICK_MS = 1000;

// The status is outside every form: screen readers may ignore changes inside an element that is aria-busy.
const panel = document.querySelector("[data-submit-panel]");
const status = panel.querySelector("[role=status]");
const again = panel.querySelector("[data-again]");
const cancel = panel.querySelector("[data-cancel]");

const locks = new Map(); // form → its lock
let latest = null; // the lock that the panel refers to
let awaitingNavigation = null;
let reached = false; // true while a form that has waited is sent, even if navigator.onLine is false

for (const form of document.querySelectorAll("form[data-submit-guard]")) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (locks.get(form)?.refused) locks.delete(form); // the user need not wait for the server to be ready
    const held = locks.get(form);
    if (!held && (navigator.onLine || reached)) return lock(form, event.submitter);
    event.preventDefault();
    if (!held) wait({ form, submitter: event.submitter });
    else if (held.offer) offerAgain(held, held.offer);
  });
}

for (const form of document.querySelectorAll("form[data-send-when-ready]")) wait({ form, refused: true });

function lock(form, submitter) {
  const held = { form, submitter, sent: true };
  locks.set(form, held);
  latest = awaitingNavigation = held;
  form.setAttribute("aria-busy", "true");
  held.timer = setTimeout(() => slow(held), form.enctype === "multipart/form-data" ? SLOW_UPLOAD_AFTER_MS : SLOW_AFTER_MS);
  // In the next task, when the browser has taken the submitter's name and value.
  setTimeout(() => locks.get(form) === held && showBusy(held));
}

function slow(held) {
  offerAgain(held, "Still saving. Trying again is safe.");
  if (!navigator.onLine) waitAll(); // not all browsers send the offline event to a page that waits for an answer
}

function showBusy(held) {
  for (const button of submitters(held.form)) button.setAttribute("aria-disabled", "true");
  held.face = faceOf(held);
  held.label = held.face.textContent;
  const busy = held.face.dataset.busy ?? "Saving…";
  held.face.dataset.label = held.label; // keeps the width, see .button in app.css
  held.face.textContent = busy;
  say(busy);
}

function offerAgain(held, message) {
  if (locks.get(held.form) !== held || held.waiting) return;
  held.offer = message;
  latest = held;
  say(message, "offer");
}

again.addEventListener("click", () => send(latest));

function send({ form, submitter }) {
  release(form);
  form.requestSubmit(submitter?.form === form ? submitter : null);
}

// wait sends a form when the server can be reached. It does not rely on navigator.onLine: a browser may be offline on the server's
// own machine, or online too early.
async function wait(held) {
  locks.set(held.form, held);
  latest = held;
  held.waiting = true;
  const kept = held.form.dataset.formUrl ? "What you typed is kept; it" : "This";
  say(
    held.refused
      ? "This is sent again by itself when the database can be reached, and saved only once."
      : held.sent
      ? "You're offline, and no answer came. The form is sent again once you're back online, and saved only once."
      : `You're offline. ${kept} is sent when the connection is back.`,
    "waiting",
  );
  // The panel may cover the pressed button: a second click must not cancel the first.
  cancel.inert = true;
  setTimeout(() => (cancel.inert = false), DOUBLE_CLICK_MS);
  if (held.refused) await chance(); // a pause, even if the server is ready and refuses again
  while (!(await reachable(held))) await chance();
  if (locks.get(held.form) !== held || !held.waiting) return; // cancelled or sent again meanwhile
  reached = true;
  send(held);
  reached = false;
}

function reachable({ refused } = {}) {
  return fetch(new URL(refused ? "../readyz" : "../healthz", import.meta.url), { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) }).then(
    (answer) => !refused || answer.ok,
    () => false,
  );
}

function chance() {
  return new Promise((resolve) => {
    window.addEventListener("online", resolve, { once: true, signal: AbortSignal.timeout(PROBE_MS) });
    setTimeout(resolve, PROBE_MS);
  });
}

cancel.addEventListener("click", () => {
  const held = latest;
  held.waiting = false;
  // This button disappears with the focus, so move the focus.
  if (held.sent) {
    offerAgain(held, "It may have been saved. Trying again is safe.");
    return again.focus();
  }
  release(held.form);
  say("Not sent.");
  faceOf(held).focus();
});

window.addEventListener("offline", waitAll);

async function waitAll() {
  if (await reachable()) return;
  for (const held of locks.values()) if (!held.waiting) wait(held);
}

function release(form) {
  const held = locks.get(form);
  locks.delete(form);
  clearTimeout(held.timer);
  form.removeAttribute("aria-busy");
  for (const button of submitters(form)) button.removeAttribute("aria-disabled");
  restoreLabel(held);
  say("");
}

// Stopping the navigation (the browser's stop button, Esc, a link) aborts its signal, in browsers with the Navigation API. Esc is
// also handled for the others; the message then claims no more than is known.
window.navigation?.addEventListener("navigate", ({ signal }) => {
  const held = awaitingNavigation;
  awaitingNavigation = null;
  if (!held) return;
  signal.addEventListener("abort", () => {
    if (locks.get(held.form) !== held) return; // "Try again" replaced it
    restoreLabel(held);
    offerAgain(held, "Stopped before the answer came. Trying again is safe.");
  });
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && latest) offerAgain(latest, "Stopped? Trying again is safe.");
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of [...locks.keys()]) release(form);
});

function submitters(form) {
  return [...form.elements].filter((element) => element.type === "submit");
}

// faceOf returns the button that shows "Saving…": the pressed one, or the main one for Enter and requestSubmit(). A form with one
// button needs no mark.
function faceOf({ form, submitter }) {
  const pressed = submitter && !submitter.hasAttribute("data-submit-default");
  return pressed ? submitter : form.querySelector("[data-submit-primary]") ?? submitters(form)[0];
}

function restoreLabel(held) {
  if (held.label) held.face.textContent = held.label;
}

function say(message, state = "") {
  status.textContent = message;
  panel.dataset.submitPanel = state;
  again.hidden = state !== "offer";
  cancel.hidden = state !== "waiting";
}
