-- What wrk sends, and what it reports. Arguments: what to send, seed, lines, tenants.
--   typed      a new invoice under a new key, with a number of its own
--   allocated  the same, with the number left to the server
--   replay     one of a hundred invoices, again and again under the same keys
local kind, seed, lines, tenants
local count = 0
local year = os.date("!%Y") -- where the rows are that were there before

-- Distinct for each of our runs, or a second run would replay the first one's keys.
local function hex(groups)
  local t = {}
  for i = 1, groups do t[i] = string.format("%04x", math.random(0, 65535)) end
  return table.concat(t)
end

local body = [=[{%s"customer":{"email":"accounts@northwind.example","name":"Northwind Traders"},
"issue_date":"%s-06-15","due_date":"%s-07-15","currency":"EUR","lines":[
{"description":"Design %s","quantity":"2","unit_price":"50.00","tax_rate":"23"}]=]

function init(args)
  kind, seed, lines, tenants = args[1], args[2], tonumber(args[3]), tonumber(args[4])
  math.randomseed(tonumber(seed))
  local more = {
    '{"description":"Build","quantity":"1.5","unit_price":"80.00","tax_rate":"23"}',
    '{"description":"Support","quantity":"3","unit_price":"20.00","tax_rate":"8"}',
  }
  for i = 2, lines do body = body .. ",\n" .. more[i % 2 + 1] end
  body = body .. "]}"
  wrk.method = "POST"
  wrk.headers["Authorization"] = "Bearer oo_demo_acme"
  wrk.headers["Content-Type"] = "application/json"
end

-- As long as a UUID, which some libraries insist on.
function request()
  local key, number, text = "own-" .. hex(8), "", hex(2)
  if kind == "replay" then
    key = string.format("replay-%029d", count % 100)
    text = key
    count = count + 1
  end
  if kind ~= "allocated" then number = '"number":"N-' .. string.sub(key, -13) .. '",' end
  wrk.headers["Idempotency-Key"] = key
  if tenants > 1 then wrk.headers["Authorization"] = "Bearer oo_growth_" .. math.random(tenants) end
  return wrk.format(nil, nil, nil, string.format(body, number, year, year, text))
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.status, e.connect + e.read + e.write + e.timeout))
end
