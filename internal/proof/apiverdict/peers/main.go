// Command peers is an API for notes behind Fiber's middleware for idempotency, with Fiber's storage for PostgreSQL, for the verdicts in
// docs/verdicts/api.md. Environment: ADDR, and DATABASE_URL of any database. node/peer.mjs is the same API with node-idempotency in
// Express.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
	"github.com/gofiber/storage/postgres/v3"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// note is the body of a request, without an ID, and of an answer.
type note struct {
	ID   uuid.UUID `json:"id"`
	Text string    `json:"text"`
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `CREATE TABLE IF NOT EXISTS peer_notes (id uuid PRIMARY KEY, text text NOT NULL)`); err != nil {
		return err
	}
	app := fiber.New()
	app.Get("/readyz", func(fiber.Ctx) error { return nil })
	app.Use(idempotency.New(idempotency.Config{
		KeyHeader: "Idempotency-Key", Storage: postgres.New(postgres.Config{DB: pool}),
	}))
	app.Post("/notes", func(c fiber.Ctx) error {
		n := note{}
		if err := c.Bind().JSON(&n); err != nil {
			return err
		}
		n.ID = uuid.New()
		if _, err := pool.Exec(c, `INSERT INTO peer_notes VALUES ($1, $2)`, n.ID, n.Text); err != nil {
			return err
		}
		return c.Status(fiber.StatusCreated).JSON(n)
	})
	return app.Listen(os.Getenv("ADDR"), fiber.ListenConfig{GracefulContext: ctx, DisableStartupMessage: true})
}
