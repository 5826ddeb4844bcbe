-- The counter is one hash with these fields. All amounts are totals, not changes.
--   s:<proxy>  what a proxy has spent
--   h:<proxy>  what a proxy holds, as amount:expiry:sequence
--   stored     what all proxies have spent according to the stored records
--   base       the part of stored that no s: field includes. It was spent before the
--              budget was set, or by proxies that died before the hash was lost.
local me = ARGV[1]
local limit, sequence, ownSpent, stored = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local reserved, minNeed, need = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local spare, spareDivisor, holdTTL, counterTTL = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local function format(n) return string.format('%.0f', n) end

local otherSpent, otherHeld, ownHeld, outdated = 0, 0, 0, false
local base, registered = 0, false
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  local kind, proxy = string.sub(field, 1, 2), string.sub(field, 3)
  if kind == 's:' and proxy == me then
    ownSpent, registered = math.max(ownSpent, tonumber(value) or 0), true
  elseif kind == 's:' then
    otherSpent = otherSpent + (tonumber(value) or 0)
  elseif kind == 'h:' then
    local amount, expiry, lastSequence = string.match(value, '^(%d+):(%d+):(%d+)$')
    if amount == nil then
      redis.call('HDEL', KEYS[1], field)
    elseif proxy == me then
      ownHeld, outdated = tonumber(amount), sequence <= tonumber(lastSequence)
    elseif tonumber(expiry) > now then
      otherHeld = otherHeld + tonumber(amount)
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
  base = math.max(0, stored - ownSpent)
elseif not registered then
  -- What this proxy spent before it was registered here is in base, because base comes
  -- from stored. It is also in ownSpent, so subtract it here.
  base = math.max(0, base - ownSpent)
end

local spent = math.max(base + otherSpent + ownSpent, stored)
local free = limit - spent - otherHeld - reserved
if outdated then
  free = limit - spent - otherHeld - ownHeld
else
  local more = 0
  if free > 0 and free >= minNeed then
    more = math.min(need, free)
    more = more + math.min(spare, math.floor((free - more) / spareDivisor))
  end
  ownHeld, free = reserved + more, free - more
  redis.call('HSET', KEYS[1], 'h:' .. me, format(ownHeld) .. ':' .. format(now + holdTTL) .. ':' .. format(sequence))
end
redis.call('HSET', KEYS[1], 's:' .. me, format(ownSpent))
if stored > 0 then redis.call('HSET', KEYS[1], 'stored', format(stored)) end
if not registered then redis.call('HSET', KEYS[1], 'base', format(base)) end
-- A counter with nothing spent and nothing held need not last as long as its period. Otherwise
-- a client that invents users would fill Redis.
if spent == 0 and ownHeld == 0 and otherHeld == 0 then counterTTL = math.min(counterTTL, holdTTL) end
redis.call('PEXPIRE', KEYS[1], counterTTL)
return {format(ownHeld), format(math.max(0, free)), format(spent)}
