package web

import (
	"net/http"
	"net/url"
	"reflect"
	"testing"

	"onlyonce/templates"
)

// TestDecimalsAsPeopleWriteThem: a form may have separators in decimals. What can be two numbers, or is no number, stays.
func TestDecimalsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	type input struct {
		Price  string `json:"price" format:"decimal"`
		Weight string `json:"weight" format:"number"`
		Width  string `json:"width" format:"number"`
		Name   string `json:"name"`
	}
	set := fieldsInto(reflect.TypeFor[input](), []templates.Field{{Name: "price"}, {Name: "weight"}, {Name: "width"}, {Name: "name"}})
	var got input
	form := url.Values{"price": {"1.250,00"}, "weight": {"2,5"}, "width": {"1,250"}, "name": {"Suite 1,5"}}
	set(reflect.ValueOf(&got).Elem(), &http.Request{PostForm: form})
	if want := (input{Price: "1250.00", Weight: "2.5", Width: "1,250", Name: "Suite 1,5"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
