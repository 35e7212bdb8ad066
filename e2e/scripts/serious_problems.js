// seriousProblems runs axe in the page, with all rules or with some, and returns the serious problems. Of the rules that never
// report a serious problem, only the slow one about regions is disabled.
async (rules) => {
	const result = await axe.run(document, {
		resultTypes: ["violations"], rules: { region: { enabled: false } }, ...(rules.length && { runOnly: rules }),
	});
	return result.violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.map(({ help, nodes }) => help + ": " + nodes.map((node) => node.html).join(" "));
}
