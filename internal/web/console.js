// Starts the console of the API. The field of the key of a request that creates a record begins with "automatic". The console replaces
// that by a key, and sends the same one until the address or the body is changed, so a request that is sent again creates nothing more.
const automatic = "automatic";
const place = document.getElementById("console");
const last = new Map(); // by the method and the address of requests: the body and the key of the last one

// crypto.randomUUID is missing on pages over HTTP.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

function addKey(request) {
  if (request.headers["Idempotency-Key"] !== automatic) return request;
  const to = `${request.method} ${request.url}`;
  const before = last.get(to);
  const key = before && before.body === request.body ? before.key : newKey();
  last.set(to, { body: request.body, key });
  request.headers["Idempotency-Key"] = key;
  return request;
}

const spec = await (await fetch(place.dataset.specUrl)).json();
delete spec.info.description; // it's on the page that leads here, as are the problems
for (const operation of Object.values(spec.paths).flatMap(Object.values)) {
  for (const status of Object.keys(operation.responses)) if (status >= "400") delete operation.responses[status];
}
const { IdempotencyKey, IdempotencyKeyOptional, IfMatch, IfMatchOptional } = spec.components.parameters;
IdempotencyKey.schema.example = automatic;
for (const { schema } of [IdempotencyKeyOptional, IfMatch, IfMatchOptional]) delete schema.example; // it would be sent
SwaggerUIBundle({ spec, domNode: place, requestInterceptor: addKey, validatorUrl: null, docExpansion: "none", filter: true });
