// The lab in the browser: measures the form lock before a run, and shows the progress of a run. Without this script the server
// assumes that all clicks were sent, and the page of a run reloads itself until the run is over.

// Before a run the form lock is measured with five presses of an ordinary form. The number that it lets through is sent with the
// run.
const PRESSES = 5;
const clicks = document.querySelector("[data-lab-clicks]");
let sent; // measured once, since the form stays locked

document.addEventListener(
  "submit",
  ({ target }) => {
    if (!target.matches("[data-lab-run-form]") || !clicks) return;
    sent ??= letThrough();
    target.elements.sent.value = sent;
  },
  { capture: true },
);

function letThrough() {
  let count = 0;
  const counted = (event) => {
    if (event.target !== clicks || event.defaultPrevented) return;
    count += 1;
    event.preventDefault(); // it is not sent
  };
  document.addEventListener("submit", counted); // after the form lock, which listens at the form itself
  for (let press = 0; press < PRESSES; press += 1) clicks.querySelector("button").click();
  document.removeEventListener("submit", counted);
  return count;
}

// The server renders each state of a run. Only changed parts are replaced, so that finished lanes stay as they are.
const run = document.querySelector("[data-lab-run-url]:not([data-lab-over])");
if (run) follow();

function follow() {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  run.classList.add("lab-live");
  const events = new EventSource(run.dataset.labRunUrl);
  events.addEventListener("progress", ({ data }) => show(data, calm));
  events.addEventListener("over", ({ data }) => {
    events.close();
    show(data, false);
    document.querySelector("[data-lab-after]").hidden = false;
  });
}

// show renders a state; with onlySay, for reduced motion, it only announces it.
function show(html, onlySay) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const progress = template.content.querySelector("[data-lab-milestone]");
  const status = document.querySelector("[data-lab-status]");
  if (status.textContent !== progress.dataset.labMilestone) status.textContent = progress.dataset.labMilestone;
  if (!onlySay) update(run.querySelector("[data-lab-milestone]"), progress);
}

function update(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const alike = "live" in old.dataset && "live" in fresh.dataset && old.tagName === fresh.tagName && old.children.length <= fresh.children.length;
  if (!alike) return old.replaceWith(fresh);
  for (const { name, value } of fresh.attributes) old.setAttribute(name, value);
  const were = [...old.children];
  for (const [i, child] of [...fresh.children].entries()) {
    if (i < were.length) update(were[i], child);
    else old.append(child);
  }
}
