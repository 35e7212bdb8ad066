package scaffold_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/tool/scaffold"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const valid = "vendor:text"
	for _, c := range []struct{ name, plural, fields, want string }{
		{"expense", "", "vendor:text,spent_on:date,amount:money,receipt:text:unique?", ""},
		{"purchase_order", "", "title:text,notes:longtext:?,state:choice(open|closed),buyer:ref(customer):?", ""},
		{"data", "datasets", valid, ""},
		{"expense", "", "vendor:text, spent_on:date", ""},
		{"expense", "", "vendor:text, external", ""},
		{"expense", "", "external,vendor:text,source:text", "there twice"},
		{"sheep", "", valid, "its own plural"},
		{"sheep", "flock_of_sheep", valid, ""},
		{"Expense", "", valid, "is no name"},
		{"expense-report", "", valid, "is no name"},
		{"", "", valid, "is no name"},
		{"../evil", "", valid, "is no name"},
		{"expense__report", "", valid, "is no name"},
		{strings.Repeat("x", 41), "", valid, "is no name"},
		{"func", "", valid, "a word of Go"},
		{"error", "", valid, "a word of Go"},
		{"order", "", valid, "a word of SQL"},
		{"expense", "constraint", valid, "a word of SQL"},
		{"draft", "", valid, "a name that each domain package has"},
		{"url", "", valid, "a package that the code of a resource imports"},
		{"expense", "", "", "neither name:type"},
		{"expense", "", "vendor", "neither name:type"},
		{"expense", "", "vendor:text:unique:?", "neither name:type"},
		{"expense", "", "vendor:text,,", "neither name:type"},
		{"expense", "", "vendor:text,vendor:date", "there twice"},
		{"expense", "", "vendor:text,customer:ref(customer),customer_id:text", "there twice"},
		{"expense", "", "vendor:text,part_of:ref(expense):?", ""},
		{"expense", "", "vendor:text,part_of:ref(expense)", "write part_of:ref(expense):?"},
		{"reading", "", "meter:ref(customer),value:decimal,day:date", ""},
		{"reading", "", "meter:ref(customer),value:decimal,day:date:?,name:text:?", "or else a date, like day:date"},
		{"reading", "", "day:date,part_of:ref(reading):?", "a reading has no name that a reference could show"},
		{"expense", "", "vendor:text,type:text", "a word of Go"},
		{"expense", "", "vendor:text,user:text", "a word of SQL"},
		{"expense", "", "vendor:text,version:integer", "what every record has"},
		{"expense", "", "vendor:text,idempotency_key:text", "a part of every form"},
		{"expense", "", "vendor:text,actor:text", "an argument of every transaction"},
		{"expense", "", "vendor:text,cursor:text", "a parameter of every list"},
		{"vendor", "", valid, "the tools of Go"},
		{"expense", "", "vendor:text,xmin:integer", "a column that every table"},
		{"expense", "", "vendor:text,texts:text", "what every record has"},
		{"expense", "", "vendor:text,answer_by:date", "a part of every form"},
		{"expense", "", "vendor:text,x:ref(customer),x_name:text", "both have the name x_name"},
		{"expense", "", "vendor:text:unique,vendor_folded:text", "both have the name vendor_folded"},
		{"expense", "", "vendor:text,net:money,net_minor:integer", "both have the name net_minor"},
		{"expense", "", "vendor:text,line_1:text,line1:text", "both have the name line1"},
		{"expense", "", "vendor:text,external,external_digest:text", "both have the name external_digest"},
		{"expense", "", "vendor:string", "choose one of text, longtext"},
		{"expense", "", "vendor:text,notes:longtext?", "as in notes:longtext:?"},
		{"expense", "", "vendor:text,x:choice", "write choice(a|b|c)"},
		{"expense", "", "vendor:text,x:choice(a)", "at least two different choices"},
		{"expense", "", "vendor:text,x:choice(a|a)", "at least two different choices"},
		{"expense", "", "vendor:text,x:choice(a|'b)", "at least two different choices"},
		{"expense", "", "vendor:text,x:date(a)", "without brackets"},
		{"expense", "", "vendor:text:uniq", "has the marks"},
		{"expense", "", "vendor:text,x:bool:?", "never blank"},
		{"expense", "", "vendor:text,x:longtext:unique", "can be unique"},
		{"expense", "", "vendor:text,x:money:unique", "can be unique"},
		{"expense", "", "vendor:text,photo:file,paper:file:?", ""},
		{"expense", "", "vendor:text,photo:file:unique", "can be unique"},
		{"expense", "", "vendor:text,photo:file:alike", "no two of them are alike"},
		{"expense", "", "vendor:text,photo:file=a", "can't have a default"},
		{"expense", "", "vendor:text,edit:file", "the address of another page"},
		{"expense", "", "vendor:text,form:file", "the address of another page"},
		{"expense", "", "vendor:text,pay:file,status:state(open>paid)", "the address of a transition"},
		{"expense", "", "vendor:text,photo:file,photo_name:text", "both have the name photo_name"},
		{"expense", "", "vendor:text,photo:file,day:date,unique(photo,day)", "which no rule compares"},
		{"expense", "", "vendor:text,a:file,b:file,c:file,d:file,e:file", "at most 4"},
		{"expense", "", "vendor:text(19):unique,why:text(1),notes:longtext(1000):?", ""},
		{"expense", "", "vendor:text,guests:integer(1..100),share:decimal(0..),debt:decimal(..-0.5),code:integer(-5..):unique", ""},
		{"expense", "", "vendor:text,on_day:date,guests:integer,contact:email:unique,sort(on_day,guests, contact)", ""},
		{"expense", "", "vendor:text,sort(vendors)", "there is no field \"vendors\""},
		{"expense", "", "vendor:text,on_day:date:?,sort(on_day)", "lists can be sorted by fields without ?"},
		{"expense", "", "vendor:text,share:decimal,sort(share)", "of the types text, email, integer, date, and share is none"},
		{"expense", "", "a:text,b:text,c:text,d:text,sort(a,b,c,d)", "by 3 fields at most"},
		{"expense", "", "sort:text", "a parameter of every list"},
		{"expense", "", "vendor:text(0)", "from 1 to 200, like text(50)"},
		{"expense", "", "vendor:text(201)", "from 1 to 200"},
		{"expense", "", "vendor:text(a)", "from 1 to 200"},
		{"expense", "", "vendor:text,notes:longtext(5001)", "from 1 to 5000, like longtext(50)"},
		{"expense", "", "vendor:text(18)", "its tests need at least 19 characters"},
		{"expense", "", "vendor:text,code:text(16):unique", "its tests need at least 17 characters"},
		{"expense", "", "vendor:text,code:text(16),day:date,unique(code,day)", "its tests need at least 17 characters"},
		{"expense", "", "vendor:text,guests:integer(100)", "like integer(1..100), integer(0..) or integer(..100)"},
		{"expense", "", "vendor:text,guests:integer(..)", "write the bounds of the integer"},
		{"expense", "", "vendor:text,guests:integer(0.5..)", "write the bounds of the integer"},
		{"expense", "", "vendor:text,guests:integer(1..x)", "write the bounds of the integer"},
		{"expense", "", "vendor:text,guests:integer(5..5)", "greater than the first by 1"},
		{"expense", "", "vendor:text,share:decimal(0..0.5)", "greater than the first by 1"},
		{"expense", "", "vendor:text,guests:integer(1..100):unique", "more different values than there are up to 100"},
		{"expense", "", "vendor:text,guests:integer(..100),day:date,unique(guests,day)", "more different values"},
		{"expense", "", "vendor:text,paid:money(0..)", "without brackets"},
		{"expense", "", "vendor:text,why:text(3)=open", "at most 3 characters"},
		{"expense", "", "vendor:text,guests:integer(1..5)=6", "Enter a number from 1 to 5"},
		{"expense", "", "vendor:text,guests:integer(1..5)=5", ""},
		{"expense", "", "amount:money,notes:text:?", "a text without ?"},
		{"expense", "", "vendor:text,amount:money,currency:text", "which comes with it"},
		{"expense", "", "vendor:text,net:money,gross:money,currency:text", ""},
		{"expense", "", "vendor:text,net:money,gross:money,net_currency:text", "which comes with it"},
		{"expense", "", valid + strings.Repeat(",x:date", 40), "too many"},
		{"expense", "", "vendor:text,status:text=open,due:time=09:30,share:percent=12.50:alike,paid:bool=true", ""},
		{"expense", "", "vendor:text,paid_at:timestamp=2026-11-21T09:30:00Z", ""},
		{"expense", "", "vendor:text=open", "a text without ?"},
		{"expense", "", "vendor:text,share:percent=101", "Enter a percentage from 0 to 100"},
		{"expense", "", "vendor:text,on:date=tomorrow", "a word of SQL"},
		{"expense", "", "vendor:text,day:date=tomorrow", "Enter a day"},
		{"expense", "", "vendor:text,x:choice(a|b)=c", "Choose one of these: a, b"},
		{"expense", "", "vendor:text,x:text=:?", "neither blank nor unique"},
		{"expense", "", "vendor:text,x:text=a:unique", "neither blank nor unique"},
		{"expense", "", "vendor:text,x:text=", "write a value behind ="},
		{"expense", "", "vendor:text,x:text=\"a\"", "without quotes"},
		{"expense", "", "vendor:text,x:money=5", "can't have a default"},
		{"booking", "", "code:text,vehicle:ref(customer),day:date,slot:choice(early|late),unique(vehicle,day,slot)", ""},
		{"booking", "", "code:text,unique(code, day),day:date", ""},
		{"booking", "", "code:text,day:date,unique(code,dat)", "which is none of the fields"},
		{"booking", "", "code:text,day:date,unique(day)", "as in day:text:unique"},
		{"booking", "", "code:text,day:date:unique,unique(code,day)", "in two unique rules"},
		{"booking", "", "code:text,day:date:?,unique(code,day)", "may be blank"},
		{"booking", "", "code:text,net:money,unique(code,net)", "which no rule compares"},
		{"booking", "", "code:text,open:bool,buyer:ref(customer),unique(open,buyer)", "needs one field with many values"},
		{"booking", "", "code:text,day:date,unique(code,day", "neither name:type"},
		{"booking", "", "code:text,status:state(booked>started>done, booked>cancelled)", ""},
		{"booking", "", "code:text,status:state(open>ship:sent_out>open)", ""},
		{"booking", "", "code:text,status:state", "write choice(a|b|c), state(open>closed)"},
		{"booking", "", "code:text,status:state(open)", "needs a transition"},
		{"booking", "", "code:text,status:state(open>)", "write values of small letters"},
		{"booking", "", "code:text,status:state(open>check_in:arrived)", "check_in:arrived: write values of small letters"},
		{"booking", "", "code:text,status:state(open>open)", "leads to itself"},
		{"booking", "", "code:text,status:state(open>ready)", "as in prepare:ready"},
		{"booking", "", "code:text,status:state(open>cancelled,open>canceled)", "two transitions with the verb cancel"},
		{"booking", "", "code:text,status:state(open>closed,paid>sent)", "no transition leads from open to paid"},
		{"booking", "", "code:text,status:state(open>closed):?", "has no marks"},
		{"booking", "", "code:text,status:state(open>closed),phase:state(open>closed)", "one state"},
		{"booking", "", "code:text,status:state(open>closed),status:text", "there twice"},
		{"booking", "", "code:text,status:state(open>closed),unique(code,status)", "which is none of the fields"},
		{"job_card", "", "title:text,parts:lines(part:text, hours:decimal:?,price:money:?)", ""},
		{"job_card", "", "title:text,net:money,gross:money:?,parts:lines(part:text,price:money),notes:text:?", ""},
		{"job_card", "", "title:text,parts:lines", "write choice(a|b|c), state(open>closed), ref(customer), lines("},
		{"job_card", "", "title:text,parts:lines(part:text):?", "no marks"},
		{"job_card", "", "title:text,parts:lines(part)", "neither name:type"},
		{"job_card", "", "title:text,part:lines(name:text)", "a name in the plural"},
		{"job_card", "", "title:text,parts:lines(name:text),tasks:lines(task:text)", "one kind of lines"},
		{"job_card", "", "title:text,parts:lines(name:text),parts:text", "there twice"},
		{"job_card", "", "title:text,parts:lines(notes:longtext)", "choose one of text, integer"},
		{"job_card", "", "title:text,parts:lines(part:text,kind:choice(a|b))", "have no brackets and no defaults: choose one of text"},
		{"job_card", "", "title:text,parts:lines(part:text,maker:ref(customer))", "have no brackets"},
		{"job_card", "", "title:text,parts:lines(part:text,hours:decimal=1)", "no defaults"},
		{"job_card", "", "title:text,parts:lines(part:text:unique)", "a mark other than ?"},
		{"job_card", "", "title:text,parts:lines(part:text,price:money?)", "as in price:money:?"},
		{"job_card", "", "title:text,parts:lines(part:text,part:date)", "the field part twice"},
		{"job_card", "", "title:text,parts:lines(done:bool)", "a line with yes or no alone is blank"},
		{"job_card", "", "title:text,parts:lines(a:text,b:text,c:text,d:text,e:text,f:text,g:text)", "at most 6"},
		{"job_card", "", "title:text,parts:lines(position:integer)", "a column that every line has"},
		{"job_card", "", "title:text,parts:lines(job_card_id:text)", "a column that every line has"},
		{"job_card", "", "title:text,parts:lines(title:text)", "both have the name title"},
		{"job_card", "", "title:text,part_size:text,parts:lines(size:text)", "both have the name part_size"},
		{"job_card", "", "title:text,size:state(open>closed),parts:lines(size:text)", "both have the name size"},
		{"job_card", "", "title:text,answers:lines(to:text)", "a word of SQL"},
		{"job_card", "", "title:text,answers:lines(word:text)", "a part of every form"},
		{"job_card", "", "title:text,currency:text,parts:lines(part:text,price:money)", "which comes with them"},
	} {
		_, err := scaffold.Parse(c.name, c.plural, c.fields)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s %s: %v", c.name, c.fields, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s %s: %v, want %q", c.name, c.fields, err, c.want)
		}
	}
}

// TestEveryTypeIsDocumented: the table of types has the types that there are.
func TestEveryTypeIsDocumented(t *testing.T) {
	t.Parallel()
	_, err := scaffold.Parse("expense", "", "vendor:nothing")
	_, types, found := strings.Cut(fmt.Sprint(err), "choose one of ")
	row := regexp.MustCompile("(?m)^\\| `([a-z]+)(?:\\(.*\\))?` \\|")
	table := ""
	for _, named := range row.FindAllStringSubmatch(must.Read(t, "../../../CONTRIBUTING.md"), -1) {
		table += ", " + named[1]
	}
	assert.Thatf(t, found && ", "+types == table, "the types are %s, and the table has%s", types, table)
}

// TestPlural: common words, and names of several words.
func TestPlural(t *testing.T) {
	t.Parallel()
	for one, many := range map[string]string{
		"expense": "expenses", "category": "categories", "person": "people", "address": "addresses", "purchase_order": "purchase_orders",
		"company": "companies", "invoice_status": "invoice_statuses", "day": "days", "box": "boxes", "staff_key": "staff_keys",
		"list_price": "list_prices", "bonus": "bonuses", "logo": "logos", "leaf": "leaves", "delivery": "deliveries",
	} {
		r, err := scaffold.Parse(one, "", "title:text")
		assert.Thatf(t, err == nil && r.Many.Words() == strings.ReplaceAll(many, "_", " "), "%s is %s: %v", one, r.Many, err)
	}
}
