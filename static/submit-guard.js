// The first of three layers against creating twice: a form marked with
// data-submit-guard is submitted once per page, however it is submitted.
// The server does not rely on it; without this script the idempotency key
// gives the same single result.
//
// No timer unlocks a form, because the request may still be running. Only a
// real answer does: a new page, or this page restored from the back/forward
// cache. "Try again" submits the same form with the same key.

const SLOW_AFTER_MS = 5000;

const locks = new Map(); // form → { form, submitter, face, label, timer }
let awaitingNavigation = null;

for (const form of document.querySelectorAll("form[data-submit-guard]")) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (locks.has(form)) event.preventDefault();
    else lock(form, event.submitter);
  });
  part(form, "again")?.addEventListener("click", () => tryAgain(form));
}

function lock(form, submitter) {
  const held = { form, submitter };
  locks.set(form, held);
  awaitingNavigation = held;
  form.setAttribute("aria-busy", "true");
  held.timer = setTimeout(() => offerAgain(held, "Still saving. Trying again is safe."), SLOW_AFTER_MS);
  // In the next task: the browser has by then taken the submitter's name and value.
  setTimeout(() => locks.get(form) === held && showBusy(held));
}

function showBusy(held) {
  for (const button of submitters(held.form)) button.setAttribute("aria-disabled", "true");
  held.face = visible(held.submitter) ?? held.form.querySelector("[data-submit-primary]");
  const busy = held.face?.dataset.busy ?? "Saving…";
  if (held.face) {
    held.label = held.face.textContent;
    held.face.dataset.label = held.label; // keeps the width, see .button in app.css
    held.face.textContent = busy;
  }
  say(held.form, busy);
}

function offerAgain(held, message) {
  if (locks.get(held.form) !== held) return;
  say(held.form, message);
  const again = part(held.form, "again");
  if (again) again.hidden = false;
}

function tryAgain(form) {
  const submitter = locks.get(form)?.submitter;
  release(form);
  form.requestSubmit(submitter?.form === form ? submitter : null);
}

function release(form) {
  const held = locks.get(form);
  if (!held) return;
  locks.delete(form);
  clearTimeout(held.timer);
  form.removeAttribute("aria-busy");
  for (const button of submitters(form)) button.removeAttribute("aria-disabled");
  if (held.label) held.face.textContent = held.label;
  part(form, "again").hidden = true;
  say(form, "");
}

// Stopping the navigation (the browser's stop button, Esc, a link) aborts its
// signal where the Navigation API exists. Esc is watched as well for browsers
// without it; the message then claims no more than is known.
window.navigation?.addEventListener("navigate", ({ signal }) => {
  const held = awaitingNavigation;
  awaitingNavigation = null;
  if (!held) return;
  signal.addEventListener("abort", () => {
    if (held.label) held.face.textContent = held.label;
    offerAgain(held, "Stopped before the answer came. Trying again is safe.");
  });
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const held of locks.values()) offerAgain(held, "Stopped? Trying again is safe.");
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of [...locks.keys()]) release(form);
});

function submitters(form) {
  return [...form.elements].filter((element) => element.type === "submit");
}

function visible(button) {
  return button?.hasAttribute("data-submit-default") ? null : button;
}

function part(form, name) {
  return form.querySelector(`[data-submit-${name}]`);
}

function say(form, message) {
  const status = part(form, "status");
  if (status) status.textContent = message;
}
