package main

import (
	"context"
	"os"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
	"github.com/gofiber/storage/postgres/v3"
)

// serveFiber serves the API behind Fiber's middleware, with Fiber's storage for PostgreSQL.
func (t tenants) serveFiber(ctx context.Context) error {
	app := fiber.New()
	app.Get("/readyz", func(fiber.Ctx) error { return nil })
	storage := postgres.New(postgres.Config{DB: t[0].pool})
	app.Use(idempotency.New(idempotency.Config{KeyHeader: "Idempotency-Key", Storage: storage}))
	app.Post("/api/v1/invoices", func(c fiber.Ctx) error {
		answer, err := t.create(c, c.Get("Authorization"), c.Body())
		if err != nil {
			return err
		}
		c.Set("Content-Type", "application/json")
		return c.Status(fiber.StatusCreated).Send(answer)
	})
	return app.Listen(os.Getenv("ADDR"), fiber.ListenConfig{GracefulContext: ctx, DisableStartupMessage: true})
}
