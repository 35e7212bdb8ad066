// outsideThePage lists the elements that make the page wider than the window.
() => {
	const width = window.innerWidth;
	if (document.documentElement.scrollWidth <= width) return [];
	const beyond = [...document.querySelectorAll("main *")].filter((element) => element.getBoundingClientRect().right > width);
	return beyond.map((element) => "has to be scrolled to sideways: " + element.outerHTML.slice(0, 200))
		.concat("is " + document.documentElement.scrollWidth + " px wide");
}
