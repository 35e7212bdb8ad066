package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// webKit is WebKitGTK's MiniBrowser, driven by WebDriver, since Playwright drives only its build of WebKit. It has those methods of
// Playwright's interfaces that the incidents call; others panic.
type webKit struct {
	playwright.Browser

	ctx    context.Context //nolint:containedctx // Playwright's methods have none
	driver string
}

func launchWebKit(ctx context.Context) (*webKit, error) {
	driver, err := findProgram("WEBKIT_DRIVER_PATH", "WebKitWebDriver")
	return &webKit{ctx: ctx, driver: driver}, err
}

// startDisplay starts an X server. Each window has its own, where it has the focus.
func startDisplay(ctx context.Context) (display string, stop func(), err error) {
	found, number, err := os.Pipe()
	if err != nil {
		return "", nil, fmt.Errorf("start Xvfb: %w", err)
	}
	defer found.Close()
	xvfb := exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-screen", "0", "1400x1100x24", "-nolisten", "tcp")
	xvfb.ExtraFiles = []*os.File{number}
	stop, err = startGroup(xvfb)
	_ = number.Close()
	if err != nil {
		return "", nil, err
	}
	display, err = bufio.NewReader(found).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("start Xvfb: %s: %w", toFix, err)
	}
	return ":" + strings.TrimSpace(display), stop, nil
}

// NewContext opens a window in a separate process.
func (w *webKit) NewContext(options ...playwright.BrowserNewContextOptions) (playwright.BrowserContext, error) {
	wanted := options[0]
	if len(wanted.ExtraHttpHeaders) > 0 {
		return nil, errors.New("WebDriver can't add headers")
	}
	capabilities := map[string]any{
		"pageLoadStrategy": "none", "unhandledPromptBehavior": "accept",
		"acceptInsecureCerts": wanted.IgnoreHttpsErrors != nil && *wanted.IgnoreHttpsErrors,
		"webkitgtk:browserOptions": map[string]any{"args": []string{
			"--automation", "--javascript-can-open-windows-automatically=true",
		}},
	}
	if wanted.Proxy != nil {
		address := strings.TrimPrefix(wanted.Proxy.Server, "http://")
		capabilities["proxy"] = map[string]any{"proxyType": "manual", "httpProxy": address, "sslProxy": address}
	}
	display, stopDisplay, err := startDisplay(w.ctx)
	if err != nil {
		return nil, err
	}
	driver, stopDriver, err := newWebDriver(w.ctx, w.driver, append(os.Environ(), "DISPLAY="+display), capabilities)
	if err != nil {
		stopDisplay()
		return nil, err
	}
	stop := func() { stopDriver(); stopDisplay() }
	window := &webKitWindow{driver: driver, stop: stop, state: wanted.StorageState}
	size := map[string]any{"width": wanted.Viewport.Width, "height": wanted.Viewport.Height}
	if err := driver.command(http.MethodPost, "/window/rect", size, nil); err != nil {
		return nil, errors.Join(err, window.Close())
	}
	return window, nil
}

// webKitWindow is a browser with its own cookies.
type webKitWindow struct {
	playwright.BrowserContext

	driver *webDriver
	stop   func()
	state  *playwright.OptionalStorageState // to be restored on the first page
	pages  []*webKitPage
	mouse  webKitMouse // its last position
}

func (w *webKitWindow) Close(...playwright.BrowserContextCloseOptions) error {
	err := w.driver.command(http.MethodDelete, "", nil, nil)
	w.stop()
	return err
}

// OnConsole and the other methods for events do nothing, since WebDriver has no events.
func (w *webKitWindow) OnConsole(func(playwright.ConsoleMessage)) {}

func (w *webKitWindow) OnWebError(func(playwright.WebError)) {}

func (w *webKitWindow) OnRequest(func(playwright.Request)) {}

func (w *webKitWindow) OnResponse(func(playwright.Response)) {}

func (w *webKitWindow) OnRequestFailed(func(playwright.Request)) {}

// OnDialog does nothing: every dialog is accepted.
func (w *webKitWindow) OnDialog(func(playwright.Dialog)) {}

// Pages returns the open tabs.
func (w *webKitWindow) Pages() (all []playwright.Page) {
	for _, page := range w.pages {
		all = append(all, page)
	}
	return all
}

// NewPage opens a tab, or returns that with which the window began.
func (w *webKitWindow) NewPage() (playwright.Page, error) {
	var tab struct {
		Handle string `json:"handle"`
	}
	if len(w.pages) == 0 {
		if err := w.driver.command(http.MethodGet, "/window", nil, &tab.Handle); err != nil {
			return nil, err
		}
	} else if err := w.driver.command(http.MethodPost, "/window/new", map[string]any{"type": "tab"}, &tab); err != nil {
		return nil, err
	}
	return w.add(tab.Handle), nil
}

func (w *webKitWindow) add(handle string) *webKitPage {
	page := &webKitPage{window: w, handle: handle}
	w.pages = append(w.pages, page)
	return page
}

// Cookies returns those of the address of the page.
func (w *webKitWindow) Cookies(...string) (all []playwright.Cookie, err error) {
	return all, w.driver.command(http.MethodGet, "/cookie", nil, &all)
}

// ClearCookies removes those of the address of the page.
func (w *webKitWindow) ClearCookies(...playwright.BrowserContextClearCookiesOptions) error {
	return w.driver.command(http.MethodDelete, "/cookie", nil, nil)
}

func (w *webKitWindow) StorageState(...playwright.BrowserContextStorageStateOptions) (*playwright.StorageState, error) {
	cookies, err := w.Cookies()
	if err != nil {
		return nil, err
	}
	kept := &playwright.StorageState{Cookies: cookies, Origins: []playwright.Origin{{}}}
	stored, err := w.driver.evaluate("() => Object.fromEntries(Object.entries(localStorage))")
	entries, _ := stored.(map[string]any)
	for name, text := range entries {
		one := playwright.NameValue{Name: name, Value: fmt.Sprint(text)}
		kept.Origins[0].LocalStorage = append(kept.Origins[0].LocalStorage, one)
	}
	return kept, err
}

func (w *webKitWindow) restore(state *playwright.OptionalStorageState) error {
	for _, cookie := range state.Cookies {
		one := map[string]any{"name": cookie.Name, "value": cookie.Value}
		if err := w.driver.command(http.MethodPost, "/cookie", map[string]any{"cookie": one}, nil); err != nil {
			return err
		}
	}
	for _, origin := range state.Origins {
		for _, entry := range origin.LocalStorage {
			if _, err := w.driver.evaluate("(name, value) => localStorage.setItem(name, value)", entry.Name, entry.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
