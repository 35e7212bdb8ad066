// passOneForm lets the browser send one form, unless the page prevents it. The listener is the last one of each event.
(_, message) => {
	let passed = 0;
	const last = (event) => {
		if (event.defaultPrevented) return;
		console.debug(message);
		if (++passed > 1) event.preventDefault();
	};
	addEventListener("submit", () => {
		removeEventListener("submit", last);
		addEventListener("submit", last);
	}, true);
}
