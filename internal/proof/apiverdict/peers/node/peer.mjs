#!/usr/bin/env node
// Express with @node-idempotency/core, used as documented, and the same handler as the peer in Go. Its package for PostgreSQL is
// not in the registry, so its storage interface is implemented below, in three statements.
import { randomUUID } from 'node:crypto'
import { Idempotency, IdempotencyError } from '@node-idempotency/core'
import express from 'express'
import pg from 'pg'

const tenants = new Map(process.env.TENANTS.split(',').map(pair => {
  const [token, id] = pair.split('=')
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16, options: `-c onlyonce.tenant_id=${id}` })
  return [`Bearer ${token}`, { id, pool }]
}))

const [{ pool: keys }] = tenants.values()
await keys.query('CREATE TABLE IF NOT EXISTS peer_keys (key text PRIMARY KEY, data text NOT NULL, expires_at timestamptz NOT NULL)')
const until = "now() + $3 * interval '1 millisecond'"
const storage = {
  async setIfNotExists(key, data, { ttl }) {
    const { rowCount } = await keys.query(`
      WITH fresh AS (INSERT INTO peer_keys VALUES ($1, $2, ${until}) ON CONFLICT DO NOTHING RETURNING key),
        renewed AS (UPDATE peer_keys SET data = $2, expires_at = ${until} WHERE key = $1 AND expires_at < now() RETURNING key)
      TABLE fresh UNION ALL TABLE renewed`,
    [key, data, ttl])
    return rowCount > 0
  },
  async set(key, data, { ttl }) {
    await keys.query(`
      INSERT INTO peer_keys VALUES ($1, $2, ${until})
      ON CONFLICT (key) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at`, [key, data, ttl])
  },
  async get(key) {
    const { rows } = await keys.query('SELECT data FROM peer_keys WHERE key = $1 AND expires_at > now()', [key])
    return rows[0]?.data
  },
}
const idempotency = new Idempotency(storage)

async function create(req) {
  const { id: tenant, pool } = tenants.get(req.get('Authorization'))
  const { number, notes = '', customer, issue_date, due_date, currency, lines } = req.body
  const invoice = { id: randomUUID(), number: number || `N-${randomUUID()}`, subtotal: 0, tax_total: 0 }
  for (const line of lines) {
    line.net = Math.round(line.quantity * line.unit_price * 100)
    invoice.subtotal += line.net
    invoice.tax_total += Math.round(line.net * line.tax_rate / 100)
  }
  invoice.total = invoice.subtotal + invoice.tax_total
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    const { rows: [{ id }] } = await tx.query('SELECT id FROM customers WHERE tenant_id = $1 AND email_folded = $2 AND merged_into IS NULL', [tenant, customer.email])
    await tx.query(`
      INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [tenant, invoice.id, invoice.number, id, currency, issue_date, due_date, notes, invoice.subtotal, invoice.tax_total, invoice.total])
    for (const [i, line] of lines.entries()) {
      await tx.query(`
        INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tenant, invoice.id, i + 1, line.description, line.quantity, Math.round(line.unit_price * 100), line.tax_rate, line.net])
    }
    await tx.query('COMMIT')
  } catch (err) {
    await tx.query('ROLLBACK')
    throw err
  } finally {
    tx.release()
  }
  return invoice
}

const app = express()
app.get('/readyz', (req, res) => res.end())
app.use(express.json())
app.post('/api/v1/invoices', async (req, res) => {
  // Cloned, because the handler works on the body.
  const request = { method: req.method, path: req.path, headers: req.headers, body: structuredClone(req.body) }
  try {
    const before = await idempotency.onRequest(request)
    if (before) return res.status(before.additional.status).json(before.body)
  } catch (err) {
    if (!(err instanceof IdempotencyError)) throw err
    return res.status(err.code === 'REQUEST_IN_PROGRESS' ? 409 : 422).json({ error: err.message })
  }
  const body = await create(req)
  await idempotency.onResponse(request, { body, additional: { status: 201 } })
  res.status(201).json(body)
})
const [host, port] = process.env.ADDR.split(':')
app.listen(Number(port), host)
process.on('SIGINT', () => process.exit())
