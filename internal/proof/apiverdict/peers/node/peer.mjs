#!/usr/bin/env node
// Express with @node-idempotency/core, used as documented, and the same handler as the peer in Go. Its package for PostgreSQL is
// not in the registry, so its storage interface is implemented below, in three statements.
import { randomUUID } from 'node:crypto'
import { Idempotency, IdempotencyError } from '@node-idempotency/core'
import express from 'express'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 })
await pool.query('CREATE TABLE IF NOT EXISTS peer_keys (key text PRIMARY KEY, data text NOT NULL, expires_at timestamptz NOT NULL)')
await pool.query('CREATE TABLE IF NOT EXISTS peer_notes (id uuid PRIMARY KEY, text text NOT NULL)')
const until = "now() + $3 * interval '1 millisecond'"
const storage = {
  async setIfNotExists(key, data, { ttl }) {
    const { rowCount } = await pool.query(`
      WITH fresh AS (INSERT INTO peer_keys VALUES ($1, $2, ${until}) ON CONFLICT DO NOTHING RETURNING key),
        renewed AS (UPDATE peer_keys SET data = $2, expires_at = ${until} WHERE key = $1 AND expires_at < now() RETURNING key)
      TABLE fresh UNION ALL TABLE renewed`,
    [key, data, ttl])
    return rowCount > 0
  },
  async set(key, data, { ttl }) {
    await pool.query(`
      INSERT INTO peer_keys VALUES ($1, $2, ${until})
      ON CONFLICT (key) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at`, [key, data, ttl])
  },
  async get(key) {
    const { rows } = await pool.query('SELECT data FROM peer_keys WHERE key = $1 AND expires_at > now()', [key])
    return rows[0]?.data
  },
}
const idempotency = new Idempotency(storage)

const app = express()
app.get('/readyz', (req, res) => res.end())
app.use(express.json())
app.post('/notes', async (req, res) => {
  const request = { method: req.method, path: req.path, headers: req.headers, body: req.body }
  try {
    const before = await idempotency.onRequest(request)
    if (before) return res.status(before.additional.status).json(before.body)
  } catch (err) {
    if (!(err instanceof IdempotencyError)) throw err
    return res.status(err.code === 'REQUEST_IN_PROGRESS' ? 409 : 422).json({ error: err.message })
  }
  const body = { id: randomUUID(), text: req.body.text }
  await pool.query('INSERT INTO peer_notes VALUES ($1, $2)', [body.id, body.text])
  await idempotency.onResponse(request, { body, additional: { status: 201 } })
  res.status(201).json(body)
})
const [host, port] = process.env.ADDR.split(':')
app.listen(Number(port), host)
process.on('SIGINT', () => process.exit())
