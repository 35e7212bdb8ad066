// frame draws a frame around each record and returns their area in the window, with a margin. It scrolls to the element with the
// mark.
(all, mark) => {
	for (const record of all) record.style.outline = "3px solid #d6336c";
	const marked = [...all[0]?.querySelectorAll("*") ?? []].findLast((e) => e.textContent.includes(mark)) ?? all[0];
	marked?.scrollIntoView({block: "center", inline: "nearest"});
	const boxes = all.map((e) => e.getBoundingClientRect()).filter((b) => b.width && b.height);
	const x = Math.max(0, Math.min(...boxes.map((b) => b.left)) - 16), y = Math.max(0, Math.min(...boxes.map((b) => b.top)) - 48);
	const width = Math.min(innerWidth, Math.max(...boxes.map((b) => b.right)) + 16) - x;
	const height = Math.min(innerHeight, Math.max(...boxes.map((b) => b.bottom)) + 48) - y;
	return boxes.length && width > 0 && height > 0 ? {x, y, width, height} : null;
}
