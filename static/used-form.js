// Shows on a form that its record was already created, when a person comes back to it. The browser then shows an old copy of the
// page, from memory or from the HTTP cache, so this script asks the server. Sending the form again would be safe all the same.

const form = document.querySelector("form[data-form-url]");

window.addEventListener("pageshow", async ({ persisted }) => {
  const [navigation] = performance.getEntriesByType("navigation");
  if (!persisted && navigation?.type !== "back_forward") return;
  const used = await answerOfServer();
  if (used && !saysSoAlready(used)) tell(used);
});

// answerOfServer fetches the form's address and returns the notice of a used form, or null.
async function answerOfServer() {
  try {
    const response = await fetch(form.dataset.formUrl, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return page.querySelector("[data-form-used]");
  } catch {
    return null; // offline, or on the way to another page
  }
}

function saysSoAlready(used) {
  const record = used.querySelector("a").getAttribute("href");
  return [...document.querySelectorAll("main .notice a")].some((link) => link.getAttribute("href") === record);
}

function tell(used) {
  form.dispatchEvent(new Event("used"));
  const notice = document.createElement("div");
  notice.className = "notice conflict";
  notice.setAttribute("role", "alert");
  notice.tabIndex = -1;
  notice.append(...used.children);
  form.before(notice);
  notice.focus();
}
