// covered lists the links and buttons of the page that a click in their middle doesn't reach, because another element lies over them. It
// restores the position of the page.
() => {
	const [left, top] = [scrollX, scrollY], found = [];
	for (const control of document.querySelectorAll("main a[href], main button, main summary, main input[type=checkbox]")) {
		const box = control.getClientRects()[0];
		if (!box || box.width < 8 || box.height < 8 || control.matches(":disabled")
			|| !control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
		control.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
		const now = control.getClientRects()[0];
		const hit = document.elementFromPoint(now.x + now.width / 2, now.y + now.height / 2);
		if (hit && hit !== control && !control.contains(hit) && !hit.contains(control)) {
			found.push("a click doesn't reach " + control.textContent.trim().slice(0, 60) + " below " + hit.outerHTML.slice(0, 80));
		}
	}
	scrollTo({ left, top, behavior: "instant" });
	return found.slice(0, 3);
}
