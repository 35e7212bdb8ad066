package lab

import (
	_ "embed" // for the commands and the quotes
	"strings"
)

var (
	//go:embed takeaways.sh
	shell string
	//go:embed quotes.txt
	quotations string
)

// commands returns the shell commands of the takeaways by experiment.
func commands() map[string]string {
	all := map[string]string{}
	scripts := strings.Split(shell, "\n# experiment: ")
	for _, text := range scripts[1:] {
		slug, curl, _ := strings.Cut(text, "\n")
		all[slug] = scripts[0] + strings.TrimSuffix(curl, "\n")
	}
	return all
}

// quotes returns the browser tests by experiment, and the places of the layers in this repository by layer.
func quotes() map[string]Code {
	all := map[string]Code{}
	for _, text := range strings.Split(quotations, "\n== ")[1:] {
		head, lines, _ := strings.Cut(text, "\n")
		words := strings.Fields(head)
		all[words[0]] = Code{words[1], words[2], strings.TrimSuffix(lines, "\n")}
	}
	return all
}
