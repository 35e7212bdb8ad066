package web

import "strings"

// A name comes before those that others send along with it: Edge says that it is Chrome too, which says that it is Safari.
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

// deviceOf returns what people call the browser and the system that a User-Agent names, such as "Firefox on Linux". Of another
// one it returns the beginning.
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
