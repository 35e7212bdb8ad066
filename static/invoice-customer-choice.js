// Fills in what follows from the chosen customer: the address below the field, and in a new invoice the currency, the due date and the
// tax treatment.

const field = document.querySelector("[data-customer-choice]");
const select = field.querySelector("select");
const form = select.form;
// Values that were not entered by the user.
let due = form.elements.due_date?.value;
let currency = form.elements.currency.value;
let treatment = "";
let terms = field.dataset.terms; // in days, of the customer whose due date was filled in

select.addEventListener("change", () => {
  const { dataset } = select.selectedOptions[0];
  address(dataset.hint);
  if (field.hasAttribute("data-prefills")) prefill(dataset);
});
form.elements.issue_date?.addEventListener("input", () => terms && follow());

function address(text) {
  let hint = field.querySelector("#customer_id-hint");
  if (!hint) {
    const input = field.querySelector("#customer_id");
    hint = document.createElement("p");
    hint.className = "hint";
    hint.id = "customer_id-hint";
    input.setAttribute("aria-describedby", [input.getAttribute("aria-describedby"), hint.id].filter(Boolean).join(" "));
    input.parentElement.after(hint);
  }
  hint.textContent = text ?? "";
}

// prefill takes the currency, the tax treatment and the payment terms of the customer, unless the user has entered others.
function prefill({ currency: usual, days, treatment: usually = "", exemption = "" }) {
  const choice = form.elements.currency;
  if (usual && choice.value === currency) choice.value = currency = usual;
  const lines = [form, form.querySelector("template").content].flatMap((all) => [...all.querySelectorAll("[name=line_tax_treatment]")]);
  if (usually !== treatment && lines.every(({ value }) => value === treatment)) {
    for (const line of lines) {
      line.value = usually;
      line.dispatchEvent(new Event("change", { bubbles: true })); // sets the rate
    }
    treatment = usually;
  }
  form.elements.exemption_reason.value ||= exemption;
  terms = days;
  follow();
}

// follow sets the due date from the issue date and the customer's payment terms, unless the user has entered one.
function follow() {
  const { due_date: last, issue_date: issued } = form.elements;
  if (last.value !== due && last.value !== "") return;
  const day = new Date(`${issued.value}T00:00:00Z`);
  const known = terms && !isNaN(day);
  if (known) day.setUTCDate(day.getUTCDate() + Number(terms));
  last.value = due = known ? day.toISOString().slice(0, 10) : "";
}
