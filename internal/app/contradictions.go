package app

import "errors"

// Contradictions returns combinations of settings that conflict, with advice. failures keep the app from starting or from working as
// expected; warnings may be intended. getenv is as in [Environ].
func (c Config) Contradictions(getenv func(string) string) (failures, warnings []error) {
	public := c.public()
	if c.Demo && public != "" && !c.PublicDemo {
		failures = append(failures, &PublicDemoError{public})
	}
	if c.MetricsAddr == c.Addr {
		failures = append(failures, errors.New("ADDR and METRICS_ADDR are the same address: choose another one for METRICS_ADDR"))
	}
	warn := func(when bool, text string) {
		if when {
			warnings = append(warnings, errors.New(text))
		}
	}
	warn(c.Demo && c.PublicDemo && public != "",
		"everybody who can reach "+public+" can log in to the demo: set DEMO=0 once there is data of your own")
	warn(c.DatabaseURL != "" && getenv("DATA_DIR") != "",
		"DATABASE_URL and DATA_DIR are both set: DATABASE_URL is used, so leave one of them out")
	warn(c.PublicURL == "" && !isLoopback(c.Addr),
		"others can reach "+c.Addr+" and PUBLIC_URL is not set, so logins need HTTPS: set it to the https:// address that people type, "+
			"or in a network that you trust to an http:// address, such as http://192.168.1.5:8080")
	warn(!c.secure() && public != "",
		"passwords and sessions cross the network in clear: set PUBLIC_URL to an https:// address of a proxy before the app")
	warn(c.secure() && len(c.TrustedProxies) == 0,
		"HTTPS needs a proxy before the app, and TRUSTED_PROXIES names none: all people share the limits of one address")
	warn(c.MetricsAddr != "" && c.MetricsAddr != "off" && !isLoopback(c.MetricsAddr),
		"others can reach METRICS_ADDR "+c.MetricsAddr+", which asks for no login and has profiles: keep it on loopback")
	noMail := missingServer(c)
	warn(noMail != "", noMail)
	return failures, warnings
}
