package peoplepages

import "strings"

// A browser comes before those whose name its User-Agent also has: that of Edge includes Chrome, and that of Chrome Safari.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// deviceOf returns the displayed name of the browser and system in a User-Agent, such as "Firefox on Linux", or the beginning of an unknown
// one.
func deviceOf(userAgent string) string {
	browser, system := named(userAgent, browsers), named(userAgent, systems)
	if browser != "" && system != "" {
		return browser + " on " + system
	}
	const enough = 60
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, userAgent)
	if ascii = strings.TrimSpace(ascii[:min(len(ascii), enough)]); ascii != "" {
		return ascii
	}
	return "Unknown browser"
}

func named(userAgent string, names [][2]string) string {
	for _, name := range names {
		if strings.Contains(userAgent, name[0]) {
			return name[1]
		}
	}
	return ""
}
