// Receives events: it verifies each request, and acts once for each event.
//
//   ENDPOINT_SECRET=whsec_… node receiver.mjs 9000
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.ENDPOINT_SECRET)
const done = new Set() // ids; a real program inserts the id in the transaction of its work for the event

const server = createServer(async (request, response) => {
  try {
    const event = webhook.verify(await text(request), request.headers)
    if (!done.has(event.id)) {
      done.add(event.id)
      console.log(event.operation, event.record_id)
    }
    response.end()
  } catch (error) {
    response.writeHead(400).end(error.message)
  }
})
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`))
