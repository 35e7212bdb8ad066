-- The requests of wrk, and its report. Arguments: the kind of request, and a seed.
--   typed      a new invoice under a new key, with a number
--   allocated  the same, with the number left to the server
--   replay     one of a hundred invoices, again and again under the same keys
local kind
local count = 0
local year = os.date("!%Y") -- the year of the filled rows

-- Differs between runs, or a second run would replay the keys of the first one.
local function hex(groups)
  local t = {}
  for i = 1, groups do t[i] = string.format("%04x", math.random(0, 65535)) end
  return table.concat(t)
end

local body = [=[{%s"customer":{"email":"accounts@northwind.example","name":"Northwind Traders"},
"issue_date":"%s-06-15","due_date":"%s-07-15","currency":"EUR","lines":[
{"description":"Design %s","quantity":"2","unit_price":"50.00","tax_rate":"23"},
{"description":"Build","quantity":"1.5","unit_price":"80.00","tax_rate":"23"},
{"description":"Support","quantity":"3","unit_price":"20.00","tax_rate":"8"}]}]=]

function init(args)
  kind = args[1]
  math.randomseed(tonumber(args[2]))
  wrk.method = "POST"
  wrk.headers["Authorization"] = "Bearer oo_demo_acme"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  local key, number, text = "own-" .. hex(8), "", hex(2)
  if kind == "replay" then
    key = string.format("replay-%029d", count % 100)
    text = key
    count = count + 1
  end
  if kind ~= "allocated" then number = '"number":"N-' .. string.sub(key, -13) .. '",' end
  wrk.headers["Idempotency-Key"] = key
  return wrk.format(nil, nil, nil, string.format(body, number, year, year, text))
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"microseconds":%d,"failed":%d}\n',
    summary.requests, summary.duration, e.status + e.connect + e.read + e.write + e.timeout))
end
