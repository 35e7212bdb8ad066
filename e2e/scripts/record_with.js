// recordWith returns the selector of the only record with a text, or "".
(mark) => {
	const holds = (e) => e.checkVisibility() && e.innerText?.toLowerCase().includes(mark.toLowerCase());
	const found = [...document.querySelectorAll("body *")].findLast(holds);
	const record = found?.closest("tr, li, article, [role=row], [role=listitem]") ?? found;
	if (!record) return "";
	const selector = record.matches("tr, li, article") ? record.localName :
		record.role ? "[role=" + record.role + "]" :
		record.localName + [...record.classList].slice(0, 1).map((c) => "." + CSS.escape(c)).join("");
	return [...document.querySelectorAll(selector)].filter(holds).length === 1 ? selector : "";
}
