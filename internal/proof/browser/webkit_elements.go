package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// elements is another name, since Locator already has such a method.
type elements = playwright.Locator

// webKitElements are the elements of a selector with a text.
type webKitElements struct {
	elements

	page     *webKitPage
	selector string
	text     string // in lower case; "" for any
}

func (e *webKitElements) EvaluateAll(function string, arguments ...any) (any, error) {
	return e.page.Evaluate(`(selector, text, ...more) => (`+function+`)([...document.querySelectorAll(selector)]
		.filter((e) => e.textContent.toLowerCase().includes(text)), ...more)`, append([]any{e.selector, e.text}, arguments...)...)
}

func (e *webKitElements) Evaluate(function string, argument any, _ ...playwright.LocatorEvaluateOptions) (any, error) {
	return e.EvaluateAll("([first], argument) => ("+function+")(first, argument)", argument)
}

// Filter returns those elements that have a text.
func (e *webKitElements) Filter(options ...playwright.LocatorFilterOptions) playwright.Locator {
	return &webKitElements{page: e.page, selector: e.selector, text: strings.ToLower(fmt.Sprint(options[0].HasText))}
}

func (e *webKitElements) Count() (int, error) {
	found, err := e.EvaluateAll("(all) => all.length")
	number, _ := found.(int)
	return number, err
}

func (e *webKitElements) InnerText(...playwright.LocatorInnerTextOptions) (string, error) {
	text, err := e.Evaluate("(first) => first.innerText", nil)
	return fmt.Sprint(text), err
}

func (e *webKitElements) ScrollIntoViewIfNeeded(...playwright.LocatorScrollIntoViewIfNeededOptions) error {
	_, err := e.Evaluate(`(first) => first.scrollIntoView({ block: "nearest" })`, nil)
	return err
}

// BoundingBox returns the position of the first element in the window.
func (e *webKitElements) BoundingBox(...playwright.LocatorBoundingBoxOptions) (box *playwright.Rect, err error) {
	found, err := e.Evaluate("(first) => JSON.stringify(first.getBoundingClientRect())", nil)
	if err == nil {
		err = json.Unmarshal([]byte(fmt.Sprint(found)), &box)
	}
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", e.selector, err)
	}
	return box, nil
}

// Click clicks on the middle of the first element.
func (e *webKitElements) Click(...playwright.LocatorClickOptions) error {
	if err := e.ScrollIntoViewIfNeeded(); err != nil {
		return err
	}
	box, err := e.BoundingBox()
	if err != nil {
		return err
	}
	return (&webKitMouse{page: e.page}).click(box.X+box.Width/2, box.Y+box.Height/2)
}

func (e *webKitElements) Fill(text string, _ ...playwright.LocatorFillOptions) error {
	_, err := e.Evaluate(`(field, text) => {
		field.focus();
		if (field.select) field.select(); else getSelection().selectAllChildren(field);
		document.execCommand(text ? "insertText" : "delete", false, text);
		if (!("value" in field) || field.value === text) return;
		field.value = text; // a date
		for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
	}`, text)
	return err
}

func (e *webKitElements) SelectOption(values playwright.SelectOptionValues, _ ...playwright.LocatorSelectOptionOptions) ([]string, error) {
	chosen, err := e.Evaluate(`(select, text) => {
		const option = [...select.options].find((o) => o.value === text || o.label === text);
		if (!option) return false;
		option.selected = true;
		for (const type of ["input", "change"]) select.dispatchEvent(new Event(type, { bubbles: true }));
		return true;
	}`, (*values.ValuesOrLabels)[0])
	if err == nil && chosen != true {
		err = errors.New("there is no such option")
	}
	return nil, err
}

// SetChecked clicks on a box, unless it is as wanted.
func (e *webKitElements) SetChecked(checked bool, _ ...playwright.LocatorSetCheckedOptions) error {
	is, err := e.Evaluate("(box) => box.checked", nil)
	if err != nil || is == checked {
		return err
	}
	return e.Click()
}

func (e *webKitElements) SetInputFiles(path any, _ ...playwright.LocatorSetInputFilesOptions) error {
	found, err := e.Evaluate("(field) => field", nil)
	if err != nil {
		return err
	}
	element, _ := found.(map[string]any)
	for _, id := range element {
		typed := map[string]any{"text": path}
		return e.page.window.driver.command(http.MethodPost, fmt.Sprint("/element/", id, "/value"), typed, nil)
	}
	return errors.New("there is no field for the file")
}
