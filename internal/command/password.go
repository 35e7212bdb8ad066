package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
)

// readPassword reads a line from stdin; from a terminal twice, without echo.
func (t *terminal) readPassword() (string, error) {
	if file, ok := t.stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return t.askPassword(int(file.Fd()))
	}
	// The limit is one byte more than a password may have, and the end of the line, so that a password that is too long is
	// refused.
	line, err := bufio.NewReader(io.LimitReader(t.stdin, account.MaxPassword+3)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from stdin: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

func (t *terminal) askPassword(terminal int) (string, error) {
	ask := func(prompt string) (string, error) {
		fmt.Fprint(t.stderr, prompt)
		typed, err := term.ReadPassword(terminal)
		fmt.Fprintln(t.stderr)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return string(typed), nil
	}
	password, err := ask(fmt.Sprintf("Password (at least %d characters, not shown): ", account.MinPassword))
	if err != nil {
		return "", err
	}
	again, err := ask("The same again: ")
	if err == nil && again != password {
		err = &invalid.Error{Fields: []invalid.Field{{Pointer: "/password", Message: "The two passwords differ: run the command again."}}}
	}
	return password, err
}
