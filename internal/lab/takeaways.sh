API=http://127.0.0.1:8080/api/v1
KEY=lab-$(date +%s)-$$
post() { # KEY ADDRESS BODY: prints what matters of the answer
  curl -sS -D - -o /dev/null "$API$2" -H 'Authorization: Bearer oo_demo_acme' -H "Idempotency-Key: $1" \
    -H 'Content-Type: application/json' -d "$3" | grep -iE '^(HTTP|Location|Idempotent)'
}
address() { sed -n 's|^[Ll]ocation: */api/v1||p' | tr -d '\r'; } # of what was made
INVOICE='{"customer": {"email": "ada@example.com", "name": "Ada Lovelace"}, "currency": "EUR",
  "issue_date": "2026-11-21", "due_date": "2026-12-21",
  "lines": [{"description": "Design", "quantity": "1", "unit_price": "100.00", "tax_rate": "23"}]}'

# experiment: five-clicks
for click in 1 2 3 4 5; do post "$KEY" /invoices "$INVOICE" & done; wait

# experiment: two-tabs
post "$KEY" /invoices "$INVOICE" & post "$KEY" /invoices "$INVOICE" & wait

# experiment: lost-answer
# The first try gives up after 20 ms. Whether it was carried out, nobody is told.
curl -sS --max-time 0.02 "$API/invoices" -H 'Authorization: Bearer oo_demo_acme' -H "Idempotency-Key: $KEY" \
  -H 'Content-Type: application/json' -d "$INVOICE"
post "$KEY" /invoices "$INVOICE"
post "$KEY" /invoices "$INVOICE"

# experiment: same-number
NUMBERED="{\"number\": \"$KEY\", ${INVOICE#?}"
post "$KEY-ada" /invoices "$NUMBERED" & post "$KEY-ben" /invoices "$NUMBERED" & wait

# experiment: two-edits
AT=$(post "$KEY" /customers "{\"email\": \"$KEY@example.com\", \"name\": \"Ada Lovelace\"}" | address)
put() { # NAME: of the version that both have seen
  curl -sS -D - -o /dev/null -X PUT "$API$AT" -H 'Authorization: Bearer oo_demo_acme' -H 'If-Match: "v1"' \
    -H 'Content-Type: application/json' -d "{\"email\": \"$KEY@example.com\", \"name\": \"$1\"}" | grep ^HTTP
}
put 'Ada King'
put 'Ada Byron'

# experiment: pay-twice
AT=$(post "$KEY" /invoices "$INVOICE" | address)
post "$KEY" "$AT/issue" '{}'
PAYMENT='{"amount": "123.00", "date": "2026-11-22", "method": "bank_transfer"}'
post "$KEY" "$AT/payments" "$PAYMENT"
post "$KEY" "$AT/payments" "$PAYMENT"
post "$KEY-tab" "$AT/payments" "$PAYMENT"

# experiment: one-event
AT=$(post "$KEY" /invoices "$INVOICE" | address)
post "$KEY" "$AT/issue" '{}'
HOOK=${API%/api/v1}/hooks/Cj4AAAAAQACAAAAAAACsPgo-AAAAAHAAgAAAAAAAAPA
SECRET=$(printf %s b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
EVENT="{\"type\": \"payment.received\", \"timestamp\": \"2026-11-22T10:00:00Z\",
  \"data\": {\"invoice\": \"${AT##*/}\", \"payment\": \"$KEY\", \"amount\": \"41.00\", \"currency\": \"EUR\"}}"
deliver() { # what $KEY names
  now=$(date +%s)
  signed=$(printf '%s.%s.%s' "$KEY" "$now" "$EVENT" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$SECRET" -binary | openssl base64 -A)
  curl -sS -D - -o /dev/null "$HOOK" -H "webhook-id: $KEY" -H "webhook-timestamp: $now" -H "webhook-signature: v1,$signed" \
    -H 'Content-Type: application/json' --data-binary "$EVENT" | grep -iE '^(HTTP|Idempotent)'
}
deliver & deliver & wait
deliver
curl -sS "$API$AT" -H 'Authorization: Bearer oo_demo_acme' | grep -oE '"paid": ?"[^"]*"'

# experiment: two-clocks
AT=$(post "$KEY" /invoices "$INVOICE" | address)
CUSTOMER=$(curl -sS "$API$AT" -H 'Authorization: Bearer oo_demo_acme' |
  tr -d ' \n' | sed 's|.*"customer":{"id":"\([^"]*\)".*|\1|')
DAY=$(date -u +%F)
AT=$(post "$KEY" /schedules "{\"customer_id\": \"$CUSTOMER\", \"currency\": \"EUR\", \"every\": \"1\", \"unit\": \"month\",
  \"first_day\": \"$DAY\", \"bill_as\": \"issued\", \"missed\": \"each\",
  \"lines\": [{\"description\": \"Support\", \"quantity\": \"1\", \"unit_price\": \"100.00\", \"tax_rate\": \"23\"}]}" | address)
bill() { post "$1" "$AT/periods" "{\"period\": \"$DAY\"}"; }
bill "$KEY-ada" & bill "$KEY-ben" & wait # and the clock, when it strikes

# experiment: tomorrow
# With a day of one second: IDEMPOTENCY_RETAIN=1s EXPIRE_EVERY=1s make run
post "$KEY" /invoices "$INVOICE"
sleep 3
post "$KEY" /invoices "$INVOICE"

# experiment: fifty
for n in $(seq 50); do post "$KEY" /invoices "$INVOICE" & done; wait

# experiment: sign-up
ask() { # KEY: of the form; prints where the answer leads
  curl -sS -D - -o /dev/null "${API%/api/v1}/sign-ups" --data-urlencode "email=$KEY@example.com" -d "idempotency_key=$1" |
    grep -iE '^(HTTP|Location)'
}
ask "$KEY" & ask "$KEY" & wait
ask "$KEY-tab"

# experiment: upload
AT=$(post "$KEY" /invoices "$INVOICE" | address)
FILE='{"file": {"name": "order.txt", "content": "VHdvIHBvc3RlcnMK"}}'
post "$KEY" "$AT/attachments" "$FILE" & post "$KEY" "$AT/attachments" "$FILE" & wait
post "$KEY-tab" "$AT/attachments" "$FILE"

# experiment: kill
post "$KEY" /invoices "$INVOICE"
# Kill the app now, with kill -9, start it again, and then:
post "$KEY" /invoices "$INVOICE"

# experiment: stop-postgres
post "$KEY" /invoices "$INVOICE"
# Restart PostgreSQL now, and then:
post "$KEY" /invoices "$INVOICE"
