// listControls describes the visible controls.
(all) => all.map((e) => {
	const own = (l) => {
		const copy = l.cloneNode(true);
		copy.querySelectorAll("input, select, textarea, button").forEach((c) => c.remove());
		return copy.textContent;
	};
	const labelled = (e.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean)
		.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
	const field = e.matches("input, select, textarea") && !e.matches("[type=submit], [type=button], [type=image]");
	const names = [
		["label", labelled || e.getAttribute("aria-label") || [...e.labels ?? []].map(own).join(" ") ||
			(field ? "" : e.localName === "input" ? e.value : e.textContent)],
		["name", e.getAttribute("name")], ["placeholder", e.getAttribute("placeholder")], ["id", e.id], ["title", e.title],
		["role", e.getAttribute("role") ?? e.getAttribute("type") ?? e.localName],
	].map(([by, text]) => ({ by, text: (text ?? "").trim().replace(/\s+/g, " ") })).filter((n) => n.text);
	const shown = e.type === "file" || e.checkVisibility({ visibilityProperty: true }) && !e.closest("[aria-hidden=true]");
	return shown && { names, form: [...document.forms].indexOf(e.form), kind: e.type || e.localName, required: !!e.required,
		invalid: !e.willValidate || e.form?.noValidate || e.validity.valid ? "" :
			e.validity.valueMissing ? "is required and empty" : "is refused: " + e.validationMessage,
		id: Number(e.dataset.control ??= window.controls = (window.controls ?? Math.floor(Math.random() * 1e9)) + 1),
		options: [...e.options ?? []].filter((o) => o.value).map((o) => o.text.trim()) };
}).filter(Boolean)
