//go:build ignore

// A form and its table in SQLite behind one of Fiber's middlewares: the one for idempotency or, with TOKEN, the one against CSRF,
// whose tokens are valid for one form.
package main

import (
	"database/sql"
	"fmt"
	"html/template"
	"log"
	"os"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/extractors"
	"github.com/gofiber/fiber/v3/middleware/csrf"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
	_ "modernc.org/sqlite"
)

var page = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en"><title>Expenses</title>
{{with .title}}<h1>{{.}}</h1>{{else}}<h1>New expense</h1>
<form method="post" action="/expenses">
  {{with .token}}<input type="hidden" name="_csrf" value="{{.}}">{{end}}
  <p><label>Title <input name="title" required></label></p>
  <p><label>Note <input name="note"></label></p>
  <p><button>Save</button> <span role="status"></span></p>
</form>
{{if not .token}}<script>
  const form = document.forms[0];
  const key = crypto.randomUUID();
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.action, { method: "POST", headers: { "X-Idempotency-Key": key }, body });
      if (!answer.ok) throw await answer.text();
      location = answer.url;
    } catch (error) {
      form.querySelector("[role=status]").textContent = "Not saved: " + error;
    }
  };
</script>{{end}}{{end}}
</html>`))

func main() {
	db, err := sql.Open("sqlite", os.Getenv("DATA")+"/expenses.db?_pragma=busy_timeout(5000)")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE expenses (id INTEGER PRIMARY KEY, title TEXT NOT NULL, note TEXT NOT NULL)"); err != nil {
		log.Fatal(err)
	}
	app := fiber.New()
	if os.Getenv("TOKEN") == "" {
		app.Use(idempotency.New())
	} else {
		app.Use(csrf.New(csrf.Config{SingleUseToken: true, Extractor: extractors.FromForm("_csrf")}))
	}
	show := func(c fiber.Ctx, title string) error {
		c.Type("html", "utf-8")
		return page.Execute(c, map[string]string{"title": title, "token": csrf.TokenFromContext(c)})
	}
	app.Get("/expenses/new", func(c fiber.Ctx) error { return show(c, "") })
	app.Post("/expenses", func(c fiber.Ctx) error {
		result, err := db.Exec("INSERT INTO expenses (title, note) VALUES (?, ?)", c.FormValue("title"), c.FormValue("note"))
		if err != nil {
			return err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		return c.Redirect().Status(fiber.StatusSeeOther).To(fmt.Sprint("/expenses/", id))
	})
	app.Get("/expenses/:id", func(c fiber.Ctx) error {
		var title string
		if err := db.QueryRow("SELECT title FROM expenses WHERE id = ?", c.Params("id")).Scan(&title); err != nil {
			return fiber.ErrNotFound
		}
		return show(c, title)
	})
	log.Fatal(app.Listen("127.0.0.1:8093", fiber.ListenConfig{DisableStartupMessage: true}))
}
