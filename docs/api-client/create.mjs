// Creates an invoice, once: node create.mjs KEY invoice.json
// KEY was made and stored before the first try. ONLYONCE_URL and ONLYONCE_TOKEN say where and as whom.
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const [key, file] = process.argv.slice(2)
const body = await readFile(file, 'utf8')

async function attempt() {
  const response = await fetch(`${process.env.ONLYONCE_URL}/api/v1/invoices`, {
    method: 'POST',
    headers: {
      'Authorization': `Bearer ${process.env.ONLYONCE_TOKEN}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    },
    body,
    signal: AbortSignal.timeout(40_000),
  })
  const after = Number(response.headers.get('Retry-After') ?? 0)
  return { status: response.status, after, answer: await response.text() }
}

function mayRetry({ status, answer }) {
  if (status === 409) return JSON.parse(answer).type.endsWith('/problems/in-progress')
  return status === 429 || status >= 500
}

for (let n = 1; n <= 8; n++) {
  let after = 0
  try {
    const result = await attempt()
    if (result.status < 300) {
      console.log(result.answer)
      process.exit(0)
    }
    if (!mayRetry(result)) {
      console.error(result.answer)
      process.exit(1)
    }
    after = result.after
  } catch (error) {
    console.error(`no answer: ${error.message}`)
  }
  const backoff = Math.min(2 ** n / 4, 30) * (1 + Math.random()) / 2
  await sleep((after + backoff) * 1000)
}
console.error('No answer yet. Run this again later, with the same key.')
process.exit(75)
