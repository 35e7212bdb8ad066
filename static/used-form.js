// Shows on a form that its record was already created, when a person comes back to it. The browser then shows an old copy of the
// page, from memory or from the HTTP cache, so this script asks the server. Sending the form again would be safe all the same.
// The parts that have data-now, such as the open amount, become those of a new form, or go if none can be opened.

const form = document.querySelector("form[data-form-url]");
const url = form.dataset.formUrl;

window.addEventListener("pageshow", async ({ persisted }) => {
  const [navigation] = performance.getEntriesByType("navigation");
  if (!persisted && navigation?.type !== "back_forward") return;
  const [used] = await find("[data-form-used]", url);
  if (!used) return;
  const now = await find("[data-now]", url.split("?")[0]);
  form.querySelectorAll("[data-now]").forEach((old, i) => old.replaceWith(now[i] ?? ""));
  const record = used.querySelector("a").getAttribute("href");
  if (!document.querySelector(`main .notice a[href="${record}"]`)) tell(used);
});

// find fetches a page and returns its elements that match a selector: none if it's offline, or on the way to another page.
async function find(selector, page) {
  try {
    const response = await fetch(page, { cache: "no-store" });
    return new DOMParser().parseFromString(await response.text(), "text/html").querySelectorAll(selector);
  } catch {
    return [];
  }
}

function tell(used) {
  form.dispatchEvent(new Event("used"));
  used.className = "notice conflict";
  used.setAttribute("role", "alert");
  used.tabIndex = -1;
  form.before(used);
  used.focus();
}
