-- The counter is one hash. Field s:<proxy> is what a proxy has spent. h:<proxy>
-- is what it holds, as amount:expiry:number. stored is the spend in the stored
-- records. base is the part of stored that no s: field includes: it was spent
-- before the budget was set, or by proxies that died before the hash was lost.
-- All figures are absolute.
local me = ARGV[1]
local limit, number, mine, stored = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local used, least, need = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local spare, part, ttl, keep = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local function whole(n) return string.format('%.0f', n) end

local settled, others, own, late = 0, 0, 0, false
local base, joined = 0, false
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  local kind, who = string.sub(field, 1, 2), string.sub(field, 3)
  if kind == 's:' and who == me then
    mine, joined = math.max(mine, tonumber(value) or 0), true
  elseif kind == 's:' then
    settled = settled + (tonumber(value) or 0)
  elseif kind == 'h:' then
    local amount, till, last = string.match(value, '^(%d+):(%d+):(%d+)$')
    if amount == nil then
      redis.call('HDEL', KEYS[1], field)
    elseif who == me then
      own, late = tonumber(amount), number <= tonumber(last)
    elseif tonumber(till) > now then
      others = others + tonumber(amount)
    else
      redis.call('HDEL', KEYS[1], field)
    end
  elseif field == 'stored' then
    stored = math.max(stored, tonumber(value) or 0)
  elseif field == 'base' then
    base = tonumber(value) or 0
  end
end
if #all == 0 then
  base = math.max(0, stored - mine)
elseif not joined then
  -- Spend from before this proxy was registered is in stored, and so in base.
  base = math.max(0, base - mine)
end

local spent = math.max(base + settled + mine, stored)
local free = limit - spent - others - used
if late then
  free = limit - spent - others - own
else
  local more = 0
  if free > 0 and free >= least then
    more = math.min(need, free)
    more = more + math.min(spare, math.floor((free - more) / part))
  end
  own, free = used + more, free - more
  redis.call('HSET', KEYS[1], 'h:' .. me, whole(own) .. ':' .. whole(now + ttl) .. ':' .. whole(number))
end
redis.call('HSET', KEYS[1], 's:' .. me, whole(mine))
if stored > 0 then redis.call('HSET', KEYS[1], 'stored', whole(stored)) end
if not joined then redis.call('HSET', KEYS[1], 'base', whole(base)) end
redis.call('PEXPIRE', KEYS[1], keep)
return {whole(own), whole(math.max(0, free)), whole(spent)}
