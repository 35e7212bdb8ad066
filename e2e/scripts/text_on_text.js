// textOnText lists pairs of overlapping texts, in elements that are not nested. Cut-off text is ignored, lines may overlap by a
// third of their height, and elements that stick to the window may cover the scrolled content.
() => {
	const boxes = [];
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (text) =>
		text.data.trim() && text.parentElement.checkVisibility({ opacityProperty: true, visibilityProperty: true })
			? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT);
	while (texts.nextNode()) {
		const text = texts.currentNode, range = document.createRange(), cutting = [];
		let hidden = false, stuck = null;
		for (let around = text.parentElement; around; around = around.parentElement) {
			const style = getComputedStyle(around);
			hidden ||= style.clipPath !== "none";
			if (["sticky", "fixed"].includes(style.position)) stuck ??= around;
			if (style.overflow !== "visible" && style.display !== "inline") cutting.push(around.getBoundingClientRect());
		}
		if (hidden) continue;
		range.selectNodeContents(text);
		for (const line of range.getClientRects()) {
			const box = { text, stuck, left: line.left, right: line.right, top: line.top, bottom: line.bottom };
			for (const edge of cutting) {
				box.left = Math.max(box.left, edge.left), box.right = Math.min(box.right, edge.right);
				box.top = Math.max(box.top, edge.top), box.bottom = Math.min(box.bottom, edge.bottom);
			}
			if (box.right - box.left > 1 && box.bottom - box.top > 1) boxes.push(box);
		}
	}
	boxes.sort((a, b) => a.top - b.top);
	const found = new Set();
	boxes.forEach((a, i) => {
		for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j++) {
			const b = boxes[j], one = a.text.parentElement, other = b.text.parentElement;
			const high = Math.min(a.bottom, b.bottom) - b.top, wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
			const least = Math.min(a.bottom - a.top, b.bottom - b.top) / 3;
			if (a.stuck === b.stuck && high > least && wide > 1 && !one.contains(other) && !other.contains(one)) {
				found.add("one text lies on another: " + a.text.data.trim().slice(0, 60) + " and " + b.text.data.trim().slice(0, 60));
			}
		}
	});
	return [...found].slice(0, 3);
}
