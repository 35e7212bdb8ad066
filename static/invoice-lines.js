// Adds and removes invoice lines in place and keeps the totals current.
// Without this script the same buttons ask the server to do it.
//
// Amounts are BigInt minor units, never floats. Each line is rounded half away
// from zero, then tax is taken per rate (EN 16931). What the server stores is
// the server's own calculation; this one is a preview.

const form = document.querySelector("form[data-invoice]");
const list = form.querySelector("[data-lines]");
const blank = form.querySelector("template[data-line-template]");
const MOST = 2n ** 53n - 1n; // minor units, as money.Max
const GROUPED_ONCE = /^-?[1-9]\d{0,2}[.,]\d{3}$/;

// Capture: this runs before the submit guard, which must not lock the form for a change that stays on the page. A busy form is left
// to the guard.
form.addEventListener("submit", (event) => {
  const [action, index] = actionOf(event.submitter);
  if (!action || form.ariaBusy === "true") return;
  if (action === "add_line" && list.children.length >= Number(list.dataset.maxLines)) return; // the server shows the message
  event.preventDefault();
  event.stopImmediatePropagation();
  if (action === "add_line") addLine();
  else removeLine(Number(index));
}, { capture: true });

// Enter in a line moves to the next one, and from the last one to a new line.
list.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  const line = event.target.closest(".line");
  if (line.nextElementSibling) line.nextElementSibling.querySelector("input").focus();
  else if (!isBlank(line) && list.children.length < Number(list.dataset.maxLines) && form.ariaBusy !== "true") addLine();
  else form.elements.notes.focus();
});

// Match the number of lines of the form that is being filled in.
form.addEventListener("fill", ({ detail }) => {
  const wanted = detail.filter(([name]) => name === "line_description").length;
  while (list.children.length > wanted) list.lastElementChild.remove();
  while (list.children.length < wanted) list.append(blank.content.cloneNode(true));
  renumber();
});

// Show a typed number in its plain form.
list.addEventListener("change", ({ target }) => {
  if (target.inputMode !== "decimal") return;
  target.value = plain(target.value, target.name.replace("line_", ""));
  showTotals();
});

form.addEventListener("input", showTotals);
showTotals();

function actionOf(submitter) {
  if (submitter?.name !== "action") return [];
  return submitter.value.split(":");
}

// A new line takes the tax rate of the one above.
function addLine() {
  const rate = valueOf(list.lastElementChild, "tax_rate");
  list.append(blank.content.cloneNode(true));
  list.lastElementChild.querySelector("[name=line_tax_rate]").value = rate;
  renumber();
  form.dispatchEvent(new Event("input"));
  list.lastElementChild.querySelector("input").focus();
}

function removeLine(index) {
  const lines = [...list.children];
  if (lines.length === 1) lines[0].replaceWith(blank.content.cloneNode(true));
  else lines[index].remove();
  renumber();
  form.dispatchEvent(new Event("input"));
  list.children[Math.min(index, list.children.length - 1)].querySelector("input").focus();
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
  for (const link of document.querySelectorAll('[role=alert] a[href^="#line_"]')) {
    const target = moved.get(link.getAttribute("href"));
    if (!target) link.parentElement.remove();
    else {
      link.setAttribute("href", target);
      link.querySelector("[data-place]").textContent = `Line ${Number(target.split("-").at(-1)) + 1}`;
    }
  }
}

function showTotals() {
  const option = form.elements.currency.selectedOptions[0];
  const digits = digitsOf();
  const perRate = new Map();
  let subtotal = 0n;
  let complete = true;
  for (const [index, line] of [...list.children].entries()) {
    const [quantity, price, rate] = ["quantity", "unit_price", "tax_rate"].map((cell) => decimal(valueOf(line, cell), cell));
    const net = quantity && price && inRange(round(quantity.units * price.units * 10n ** BigInt(digits), quantity.scale * price.scale));
    line.querySelector("[data-line-amount]").textContent = net === null ? "" : format(net, digits);
    if (net === null || !rate) {
      complete &&= index > 0 && isBlank(line);
      continue;
    }
    subtotal += net;
    const key = canonical(rate);
    const group = perRate.get(key) ?? { rate, net: 0n };
    group.net += net;
    perRate.set(key, group);
  }
  let tax = 0n;
  for (const { rate, net } of perRate.values()) tax += round(net * rate.units, 100n * rate.scale);
  complete &&= inRange(subtotal + tax) !== null;
  show("currency", option?.value ?? "");
  show("subtotal", complete ? format(subtotal, digits) : "–");
  show("tax", complete ? format(tax, digits) : "–");
  show("total", complete ? format(subtotal + tax, digits) : "–");
}

// A tax rate may be typed as "23%".
function valueOf(line, cell) {
  return line.querySelector(`[name=line_${cell}]`).value.trim().replace(cell === "tax_rate" ? /%$/ : "", "");
}

// A blank line is left out by the server, too, if it is not the first.
function isBlank(line) {
  return ["description", "unit_price"].every((cell) => valueOf(line, cell) === "");
}

function show(name, text) {
  for (const element of form.querySelectorAll(`[data-total=${name}]`)) element.textContent = text;
}

function digitsOf() {
  return Number(form.elements.currency.selectedOptions[0]?.dataset.digits ?? 2);
}

// plain rewrites "1.250,00" and "1,250.00" to "1250.00", as typed.Number and typed.Percent do on the server. A number with two
// readings stays unchanged: the server asks.
function plain(typed, cell) {
  const text = typed.trim();
  if (canBeTwo(text, cell)) return text;
  const thousands = cell !== "tax_rate" && digitsOf() < 3 && GROUPED_ONCE.test(text);
  if (!thousands && /^-?\d*[.,]\d+$/.test(text)) return text.replace(",", ".");
  const [, whole, fraction = ""] = /^(-?\d{1,3}(?:[., '’\u00a0\u202f]\d{3})+)([.,]\d+)?$/.exec(text) ?? [];
  if (!whole || cell === "tax_rate") return text;
  const between = whole.replace(/^-/, "").match(/\D/g);
  if (new Set(between).size > 1 || (fraction && between[0] === fraction[0])) return text;
  return whole.replace(/[^\d-]/g, "") + fraction.replace(",", ".");
}

// canBeTwo reports whether the only separator of a number may be before decimals or before thousands.
function canBeTwo(text, cell) {
  const decimals = cell === "quantity" ? 2 : digitsOf();
  const asShown = decimals >= 3 && text.includes(".");
  return cell !== "tax_rate" && decimals > 0 && !asShown && GROUPED_ONCE.test(text);
}

// decimal reads "12.50" as 125 / 10. It returns null for a number that the server refuses (internal/invoice/draft.go) or asks
// about.
function decimal(typed, cell) {
  const text = plain(typed, cell);
  const [, whole, digits = ""] = /^(?=.{1,32}$)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (!whole && !digits || canBeTwo(text, cell)) return null;
  const fraction = digits.replace(/0+$/, "");
  const [decimals, most] = { quantity: [6, 10n ** 9n], tax_rate: [3, 100n], unit_price: [digitsOf(), MOST] }[cell];
  const read = { units: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
  const refused = fraction.length > decimals || read.units > most * read.scale || (cell === "quantity" && read.units === 0n);
  return refused ? null : read;
}

function inRange(minor) {
  return minor > MOST ? null : minor;
}

// canonical makes "23" and "23.00" the same tax rate.
function canonical({ units, scale }) {
  while (scale > 1n && units % 10n === 0n) [units, scale] = [units / 10n, scale / 10n];
  return `${units}/${scale}`;
}

// round divides, half away from zero.
function round(dividend, divisor) {
  const sign = dividend < 0n ? -1n : 1n;
  return sign * ((sign * dividend * 2n + divisor) / (divisor * 2n));
}

function format(minor, digits) {
  const sign = minor < 0n ? "-" : "";
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, ",");
  return digits ? `${sign}${whole}.${text.slice(-digits)}` : sign + whole;
}
