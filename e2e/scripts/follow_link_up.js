// followLinkUp follows the link to the nearest page above the form's address, such as its list, and reports whether there is one.
() => {
	const route = (at) => at.pathname + (/^#!?\//.test(at.hash) ? at.hash : "");
	const up = [...document.links].filter((a) => a.origin === location.origin && !a.target && a.checkVisibility() &&
		route(a) !== route(location) && route(location).startsWith(route(a)));
	const nearest = up.sort((a, b) => route(b).length - route(a).length)[0];
	nearest?.click();
	return !!nearest;
}
