#!/bin/sh
# Creates an invoice, once: create.sh KEY invoice.json
# KEY was made and stored before the first try. ONLYONCE_URL and ONLYONCE_TOKEN say where and as whom.
set -eu
key=$1 invoice=$2
answer=$(mktemp)
trap 'rm -f "$answer" "$answer.headers"' EXIT

for attempt in 1 2 3 4 5 6 7 8; do
  : >"$answer.headers"
  status=$(curl -sS --max-time 40 -o "$answer" -D "$answer.headers" -w '%{http_code}' "$ONLYONCE_URL/api/v1/invoices" \
    -H "Authorization: Bearer $ONLYONCE_TOKEN" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: $key" --data-binary "@$invoice") || status=none
  case $status in
    2??) cat "$answer"; exit 0 ;;
    none | 429 | 5??) ;;
    409) grep -q /problems/in-progress "$answer" || { cat "$answer" >&2; exit 1; } ;;
    *) cat "$answer" >&2; exit 1 ;;
  esac
  after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9][0-9]*\).*/\1/p' "$answer.headers")
  sleep "$(awk -v n="$attempt" -v after="${after:-0}" -v seed="$$" \
    'BEGIN { srand(seed + n); wait = 2 ^ n / 4; print after + (wait > 30 ? 30 : wait) * (1 + rand()) / 2 }')"
done
echo "No answer yet. Run this again later, with the same key." >&2
exit 75
