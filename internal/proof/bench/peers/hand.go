package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

func (t tenants) prepareHand(ctx context.Context) error {
	_, err := t[0].pool.Exec(ctx, `
		CREATE TABLE IF NOT EXISTS peer_requests (
			tenant_id uuid NOT NULL, key text NOT NULL, answer bytea NOT NULL, PRIMARY KEY (tenant_id, key))`)
	return err
}

// createByHand looks whether the key is there, inserts if it is not, and keeps the answer in the same transaction. Of two that find it
// free, the second fails on the primary key.
func (t tenants) createByHand(ctx context.Context, authorization, key string, body []byte) (answer []byte, err error) {
	of, err := t.of(authorization)
	if err != nil {
		return nil, err
	}
	err = pgx.BeginFunc(ctx, of.pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT answer FROM peer_requests WHERE tenant_id = $1 AND key = $2`, of.id, key).Scan(&answer)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err // or seen before
		}
		if answer, err = of.insert(ctx, tx, body); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO peer_requests (tenant_id, key, answer) VALUES ($1, $2, $3)`, of.id, key, answer)
		return err
	})
	return answer, err
}
