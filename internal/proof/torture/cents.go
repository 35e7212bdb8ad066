package torture

import (
	"fmt"
	"strconv"
	"strings"
)

// cents is an amount of euros; in the API a string like 12.50.
type cents int64

func (c cents) String() string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

// UnmarshalText parses an amount of the API.
func (c *cents) UnmarshalText(text []byte) error {
	whole, decimals, _ := strings.Cut(string(text), ".")
	amount, err := strconv.ParseInt(whole+decimals, 10, 64)
	if err != nil || len(decimals) != 2 {
		return fmt.Errorf("%q is no amount of euros", text)
	}
	*c = cents(amount)
	return nil
}
