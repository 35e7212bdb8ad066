package torture

import (
	"fmt"
	"net/http"
)

// mailOf returns the intent with the commands for another mail about an invoice, to one recipient and to another.
func (in intent) mailOf(inv profile) intent {
	for n := range in.commands {
		in.commands[n] = command{
			method: http.MethodPost, path: invoicesPath + "/" + inv.ID + "/send", record: inv.ID,
			body: encode(map[string]any{"recipient": in.recipient(n)}),
		}
	}
	return in
}

// recipient returns an address that identifies the command of a mail.
func (in intent) recipient(command int) string {
	return fmt.Sprintf("intent-%d-command-%d@example.com", in.n, command)
}
