package peoplepages

import (
	"strings"
	"testing"

	"onlyonce/internal/must"
)

func TestDeviceOf(t *testing.T) {
	t.Parallel()
	const (
		windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
		mac     = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15"
		iPad    = "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 CriOS/131.0 Mobile/15E148 Safari/604.1"
		samsung = "Mozilla/5.0 (Linux; Android 14; SM-S921B) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36"
	)
	for userAgent, want := range map[string]string{
		windows:                    "Chrome on Windows",
		windows + " Edg/131.0.0.0": "Edge on Windows",
		windows + " OPR/116.0.0.0": "Opera on Windows",
		mac:                        "Safari on macOS",
		iPad:                       "Chrome on iPad",
		samsung:                    "Samsung Internet on Android",
		"Mozilla/5.0 (X11; CrOS x86_64) Chrome/131.0 Safari/537.36":          "Chrome on ChromeOS",
		"Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133 Firefox/133.0": "Firefox on Android",
		"curl/8.5.0":             "curl/8.5.0",
		"":                       "Unknown browser",
		"\u202e\xff\x00":         "Unknown browser",
		strings.Repeat("x", 900): strings.Repeat("x", 60),
	} {
		must.Equal(t, deviceOf(userAgent), want, userAgent)
	}
}
