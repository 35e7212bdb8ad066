// Creates an invoice once, with a client generated from the API's description: node built/create.js KEY invoice.json
//
// ONLYONCE_URL is the address of the app, and ONLYONCE_TOKEN the API token.
// Before the first run, the key was created and stored.
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

type Invoice = paths['/api/v1/invoices']['post']['requestBody']['content']['application/json']

// Conflicts that are final have no Retry-After.
const mayRetry = ({ status, headers }: Response) =>
  status === 429 || status >= 500 || (status === 409 && headers.has('Retry-After'))

// Sends a request up to 8 times with the same headers, and so with the same key.
async function retrying(request: Request): Promise<Response> {
  let cause: unknown
  for (let n = 1; n <= 8; n++) {
    let after = 0
    try {
      const answer = await fetch(request.clone(), { signal: AbortSignal.timeout(40_000) })
      if (!mayRetry(answer)) return answer
      after = Number(answer.headers.get('Retry-After') ?? 0)
      cause = answer.status
    } catch (error) {
      cause = error
    }
    await sleep((after + Math.min(2 ** n / 4, 30) * (1 + Math.random()) / 2) * 1000)
  }
  throw new Error('too many attempts', { cause })
}

const [key, file] = process.argv.slice(2)
const client = createClient<paths>({
  baseUrl: process.env.ONLYONCE_URL,
  headers: { Authorization: `Bearer ${process.env.ONLYONCE_TOKEN}` },
  fetch: retrying,
})
try {
  const { data, error } = await client.POST('/api/v1/invoices', {
    params: { header: { 'Idempotency-Key': key } },
    body: JSON.parse(await readFile(file, 'utf8')) as Invoice,
  })
  if (data) console.log(JSON.stringify(data))
  else console.error(JSON.stringify(error))
  process.exit(data ? 0 : 1)
} catch (error) {
  console.error('No answer yet. Run this again later, with the same key:', error)
  process.exit(75)
}
