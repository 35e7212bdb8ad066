package browser

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"slices"

	"github.com/playwright-community/playwright-go"
)

// webKitPage is a tab of WebKit.
type webKitPage struct {
	playwright.Page

	window *webKitWindow
	handle string
}

// driver returns the driver, with the tab in front.
func (p *webKitPage) driver() (*webDriver, error) {
	var front string
	_ = p.window.driver.command(http.MethodGet, "/window", nil, &front) // fails if that tab was closed
	if front == p.handle {
		return p.window.driver, nil
	}
	return p.window.driver, p.window.driver.command(http.MethodPost, "/window", map[string]any{"handle": p.handle}, nil)
}

// command sends a command to the driver, with the tab in front.
func (p *webKitPage) command(method, path string, parameters, answer any) error {
	driver, err := p.driver()
	if err != nil {
		return err
	}
	return driver.command(method, path, parameters, answer)
}

func (p *webKitPage) Evaluate(function string, arguments ...any) (any, error) {
	driver, err := p.driver()
	if err != nil {
		return nil, err
	}
	return driver.evaluate(function, arguments...)
}

func (p *webKitPage) URL() string {
	address, _ := p.Evaluate("() => location.href")
	return fmt.Sprint(address)
}

// Goto opens an address, and waits for the page. Rarely WebKit forgets to open one, so it's tried again.
func (p *webKitPage) Goto(address string, _ ...playwright.PageGotoOptions) (playwright.Response, error) {
	state := p.window.state
	p.window.state = nil
	opens := func() error { return p.command(http.MethodPost, "/url", map[string]any{"url": address}, nil) }
	err := p.leave(opens)
	if err != nil {
		err = p.leave(opens)
	}
	if err != nil || state == nil {
		return nil, err
	}
	if err := p.window.restore(state); err != nil {
		return nil, err
	}
	return p.Goto(address)
}

// Reload loads the page again, as F5 does.
func (p *webKitPage) Reload(...playwright.PageReloadOptions) (playwright.Response, error) {
	return nil, p.command(http.MethodPost, "/refresh", map[string]any{}, nil)
}

// ExpectEvent waits until another page has loaded, which is the only known event.
func (p *webKitPage) ExpectEvent(_ string, act func() error, _ ...playwright.PageExpectEventOptions) (any, error) {
	return nil, p.leave(act)
}

// leave acts, and waits until another page has loaded.
func (p *webKitPage) leave(act func() error) error {
	const opened = "() => performance.timeOrigin"
	before, err := p.Evaluate(opened)
	if err != nil {
		return err
	}
	if err := act(); err != nil {
		return err
	}
	return until("another page has loaded", func() bool {
		now, err := p.Evaluate(opened)
		return err == nil && now != before && p.isComplete()
	})
}

func (p *webKitPage) isComplete() bool {
	state, err := p.Evaluate("() => document.readyState")
	return err == nil && state == "complete"
}

func (p *webKitPage) WaitForLoadState(...playwright.PageWaitForLoadStateOptions) error {
	return until("the page has loaded", p.isComplete)
}

// ExpectPopup waits until there is another tab.
func (p *webKitPage) ExpectPopup(act func() error, _ ...playwright.PageExpectPopupOptions) (playwright.Page, error) {
	if err := act(); err != nil {
		return nil, err
	}
	var other string
	err := until("there is another tab", func() bool {
		var all []string
		_ = p.window.driver.command(http.MethodGet, "/window/handles", nil, &all)
		i := slices.IndexFunc(all, func(handle string) bool {
			return !slices.ContainsFunc(p.window.pages, func(known *webKitPage) bool { return known.handle == handle })
		})
		if i >= 0 {
			other = all[i]
		}
		return i >= 0
	})
	if err != nil {
		return nil, err
	}
	return p.window.add(other), nil
}

func (p *webKitPage) Close(...playwright.PageCloseOptions) error {
	driver, err := p.driver()
	if err != nil {
		return err
	}
	p.window.pages = slices.DeleteFunc(p.window.pages, func(one *webKitPage) bool { return one == p })
	return driver.command(http.MethodDelete, "/window", nil, nil)
}

func (p *webKitPage) SetViewportSize(width, height int) error {
	return p.window.driver.command(http.MethodPost, "/window/rect", map[string]any{"width": width, "height": height}, nil)
}

// Screenshot returns a picture of the page, as PNG or JPEG.
func (p *webKitPage) Screenshot(options ...playwright.PageScreenshotOptions) ([]byte, error) {
	var text string
	if err := p.command(http.MethodGet, "/screenshot", nil, &text); err != nil {
		return nil, err
	}
	picture, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("decode the picture: %w", err)
	}
	if wanted := options[0]; wanted.Path != nil {
		return picture, os.WriteFile(*wanted.Path, picture, 0o600)
	} else if wanted.Type == nil {
		return picture, nil
	}
	return smaller(picture, options[0])
}

// smaller returns a picture as JPEG, or a part.
func smaller(picture []byte, wanted playwright.PageScreenshotOptions) ([]byte, error) {
	shown, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("decode the picture: %w", err)
	}
	whole, ok := shown.(interface {
		image.Image
		SubImage(r image.Rectangle) image.Image
	})
	if clip := wanted.Clip; clip != nil && ok {
		shown = whole.SubImage(image.Rect(int(clip.X), int(clip.Y), int(clip.X+clip.Width), int(clip.Y+clip.Height)))
	}
	var small bytes.Buffer
	if err := jpeg.Encode(&small, shown, &jpeg.Options{Quality: *wanted.Quality}); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return small.Bytes(), nil
}

func (p *webKitPage) Locator(selector string, _ ...playwright.PageLocatorOptions) playwright.Locator {
	return &webKitElements{page: p, selector: selector}
}

// MainFrame returns the page itself: those in it are not known.
func (p *webKitPage) MainFrame() playwright.Frame { return webKitFrame{page: p} }

// Frames returns the page itself.
func (p *webKitPage) Frames() []playwright.Frame { return []playwright.Frame{p.MainFrame()} }

// Mouse returns the mouse, over this tab.
func (p *webKitPage) Mouse() playwright.Mouse { return &webKitMouse{page: p} }

func (p *webKitPage) Keyboard() playwright.Keyboard { return &webKitKeyboard{page: p} }

// webKitFrame is a page, not one in it. Two values of a page are equal.
type webKitFrame struct {
	playwright.Frame

	page *webKitPage
}

func (f webKitFrame) Evaluate(function string, arguments ...any) (any, error) {
	return f.page.Evaluate(function, arguments...)
}

// Locator returns elements by a CSS selector.
func (f webKitFrame) Locator(selector string, _ ...playwright.FrameLocatorOptions) playwright.Locator {
	return f.page.Locator(selector)
}

// webKitMouse is a mouse at a position in a tab.
type webKitMouse struct {
	playwright.Mouse

	page *webKitPage
	x, y int
}

// Move moves the mouse, unless it is there. This waits while a page loads.
func (m *webKitMouse) Move(x, y float64, _ ...playwright.MouseMoveOptions) error {
	driver, err := m.page.driver()
	if err != nil {
		return err
	}
	m.x, m.y = int(x), int(y)
	if m.page.window.mouse == *m {
		return nil
	}
	if err := driver.act("pointer", map[string]any{"type": "pointerMove", "x": m.x, "y": m.y, "duration": 0}); err != nil {
		return err
	}
	m.page.window.mouse = *m
	return nil
}

// Click presses the mouse at a position.
func (m *webKitMouse) Click(x, y float64, _ ...playwright.MouseClickOptions) error {
	return m.click(x, y)
}

func (m *webKitMouse) click(x, y float64) error {
	if err := m.Move(x, y); err != nil {
		return err
	}
	return m.page.window.driver.act("pointer",
		map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0})
}

type webKitKeyboard struct {
	playwright.Keyboard

	page *webKitPage
}

// Press presses a key and releases it.
func (k *webKitKeyboard) Press(key string, _ ...playwright.KeyboardPressOptions) error {
	return errors.Join(k.Down(key), k.Up(key))
}

func (k *webKitKeyboard) Down(key string) error { return k.act("keyDown", key) }

func (k *webKitKeyboard) Up(key string) error { return k.act("keyUp", key) }

func (k *webKitKeyboard) act(action, key string) error {
	driver, err := k.page.driver()
	if err != nil {
		return err
	}
	code, known := map[string]string{"Enter": "\uE007", "Escape": "\uE00C"}[key]
	if !known {
		return fmt.Errorf("no code is known for the key %s", key)
	}
	return driver.act("key", map[string]any{"type": action, "value": code})
}
