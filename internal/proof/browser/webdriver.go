package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// webDriver is a session of W3C WebDriver. Its commands are called one after the other.
type webDriver struct {
	ctx     context.Context //nolint:containedctx // Playwright's methods have none
	address string          // of the session
}

// patience is the longest time of a command, and for a page.
const patience = 10 * time.Second

// command sends a command, and decodes its answer into one, unless that is nil.
func (d *webDriver) command(method, path string, parameters, answer any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	body, err := json.Marshal(parameters)
	if err != nil {
		return err
	}
	if method != http.MethodPost {
		body = nil
	}
	ctx, cancel := context.WithTimeout(d.ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, d.address+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var found struct {
		Value json.RawMessage `json:"value"`
	}
	err = json.NewDecoder(response.Body).Decode(&found)
	switch {
	case err != nil:
		return err
	case response.StatusCode != http.StatusOK:
		return errors.New(string(found.Value))
	case answer == nil:
		return nil
	}
	return json.Unmarshal(found.Value, answer)
}

// evaluate calls a function of JavaScript in the page.
func (d *webDriver) evaluate(function string, arguments ...any) (found any, err error) {
	if arguments == nil {
		arguments = []any{}
	}
	script := map[string]any{"script": "return (" + function + ")(...arguments)", "args": arguments}
	err = d.command(http.MethodPost, "/execute/sync", script, &found)
	if number, ok := found.(float64); ok && number == math.Trunc(number) {
		return int(number), err
	}
	return found, err
}

// act carries out actions of a mouse ("pointer") or a keyboard ("key").
func (d *webDriver) act(device string, actions ...map[string]any) error {
	return d.command(http.MethodPost, "/actions", map[string]any{
		"actions": []any{map[string]any{"type": device, "id": device, "actions": actions}},
	}, nil)
}

func until(what string, holds func() bool) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			return fmt.Errorf("waited %s in vain until %s", patience, what)
		}
	}
	return nil
}

// newWebDriver starts a driver, and with it a browser.
func newWebDriver(ctx context.Context, program string, environment []string, capabilities map[string]any) (*webDriver, func(), error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0") // finds a free port
	if err != nil {
		return nil, nil, fmt.Errorf("find a free port: %w", err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	_, port, _ := strings.Cut(address, ":")
	command := exec.CommandContext(ctx, program, "--port="+port)
	command.Env = environment
	stop, err := startGroup(command)
	if err != nil {
		return nil, nil, err
	}
	d := &webDriver{ctx: ctx, address: "http://" + address}
	err = until("the driver is ready", func() bool { return d.command(http.MethodGet, "/status", nil, nil) == nil })
	var session map[string]any
	if err == nil {
		wanted := map[string]any{"capabilities": map[string]any{"alwaysMatch": capabilities}}
		err = d.command(http.MethodPost, "/session", wanted, &session)
	}
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("start %s: %w", program, err)
	}
	d.address += "/session/" + fmt.Sprint(session["sessionId"])
	return d, stop, nil
}

// startGroup starts a program that ends with all its children when stop is called or this process ends, even if it is killed.
func startGroup(program *exec.Cmd) (stop func(), err error) {
	program.Args = append([]string{"sh", "-c", `"$@" & read -r _; kill -9 0`, "sh"}, program.Args...)
	if program.Path, err = exec.LookPath("sh"); err != nil {
		return nil, fmt.Errorf("start a program: %w", err)
	}
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := program.StdinPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", program.Args[4], err)
	}
	return func() {
		_ = input.Close()
		_ = program.Wait()
	}, nil
}
