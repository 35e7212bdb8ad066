// Keeps the amounts and the totals of an invoice form current. The lines themselves are added and removed by form-lines.js.
//
// Amounts are BigInt minor units, never floats. Each line is rounded half away
// from zero, then tax is computed per rate (EN 16931), as on the server.

const form = document.querySelector("form[data-invoice]");
const list = form.querySelector("[data-lines]");
const MOST = 2n ** 53n - 1n; // minor units, as money.Max
const GROUPED_ONCE = /^-?[1-9]\d{0,2}[.,]\d{3}$/;

// Show a typed number in its plain form.
list.addEventListener("change", ({ target }) => {
  if (target.name === "line_discount") target.value = plainDiscount(target.value);
  else if (target.inputMode === "decimal") target.value = plain(target.value, target.name.replace("line_", ""));
  else return;
  showTotals();
});

// A line without tax has the rate 0, and a taxed one the rate that it had, or none: nothing must be tax-free by mistake.
for (const lines of [list, form.querySelector("template").content]) lines.addEventListener("change", ({ target }) => {
  if (target.name !== "line_tax_treatment") return;
  const rate = target.closest(".line").querySelector("[name=line_tax_rate]");
  if (target.value === "") rate.value = rate.dataset.taxed ?? rate.value.replace(/^0$/, "");
  else if (rate.value !== "0") [rate.dataset.taxed, rate.value] = [rate.value, "0"];
  showTotals();
});

form.addEventListener("input", showTotals);
showTotals();

function showTotals() {
  const option = form.elements.currency.selectedOptions[0];
  const digits = digitsOf();
  const perRate = new Map();
  let subtotal = 0n;
  let complete = true;
  for (const [index, line] of [...list.children].entries()) {
    const [quantity, price, rate] = ["quantity", "unit_price", "tax_rate"].map((cell) => decimal(valueOf(line, cell), cell));
    const gross = quantity && price && inRange(round(quantity.units * price.units * 10n ** BigInt(digits), quantity.scale * price.scale));
    const net = gross === null ? null : discounted(gross, valueOf(line, "discount"), digits);
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
  complete &&= inRange(subtotal + tax) !== null && subtotal >= 0n && tax >= 0n;
  show("currency", option?.value ?? "");
  show("subtotal", complete ? format(subtotal, digits) : "–");
  show("tax", complete ? format(tax, digits) : "–");
  show("total", complete ? format(subtotal + tax, digits) : "–");
}

// discounted takes a discount off an amount. It returns null for a discount that the server refuses.
function discounted(gross, typed, digits) {
  if (typed === "") return gross;
  const isRate = typed.endsWith("%");
  const read = isRate ? decimal(typed.slice(0, -1), "discount_rate") : decimal(typed, "discount");
  if (!read) return null;
  if (isRate) return gross - round(gross * read.units, 100n * read.scale);
  const discount = (read.units * 10n ** BigInt(digits)) / read.scale;
  return discount > (gross < 0n ? 0n : gross) ? null : gross - discount;
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

// plainDiscount is plain for "10 %" and "25,00".
function plainDiscount(typed) {
  const text = typed.trim();
  return text.endsWith("%") ? plain(text.slice(0, -1), "tax_rate") + "%" : plain(text, "unit_price");
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
  const [, sign, whole, digits = ""] = /^(?=.{1,32}$)(-?)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (!whole && !digits || canBeTwo(text, cell)) return null;
  const fraction = digits.replace(/0+$/, "");
  const [decimals, most] = {
    quantity: [6, 10n ** 9n], tax_rate: [3, 100n], discount_rate: [2, 100n], unit_price: [6, MOST], discount: [digitsOf(), MOST],
  }[cell];
  const read = { units: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
  const refused = fraction.length > decimals || read.units > most * read.scale || (cell === "quantity" && read.units === 0n);
  if (refused || (sign && cell !== "quantity" && read.units > 0n)) return null;
  if (sign) read.units = -read.units;
  return read;
}

function inRange(minor) {
  return minor > MOST || minor < -MOST ? null : minor;
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
  const scale = 10n ** BigInt(digits);
  const amount = minor < 0n ? -minor : minor;
  const whole = (minor < 0n ? "−" : "") + (amount / scale).toLocaleString("en");
  return digits ? `${whole}.${String(amount % scale).padStart(digits, "0")}` : whole;
}
