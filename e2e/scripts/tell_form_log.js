// tellFormLog makes the form of the page log each submit, whether it was sent or kept back, and every visible or announced change.
() => {
	const form = document.querySelector("main form[data-submit-guard]");
	const tell = (text) => console.debug("form: " + text);
	window.addEventListener("submit", (event) => tell(event.defaultPrevented ? "kept back" : "sent"));
	new MutationObserver(() => {
		const button = form.querySelector("[data-submit-primary]");
		tell("button: " + button.textContent + (button.ariaDisabled === "true" ? " (disabled)" : ""));
		for (const status of document.querySelectorAll("[role=status]")) tell("status: " + status.textContent.trim());
	}).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}
