-- GCRA: the counter is the time, in microseconds since 2026, at which all units
-- of the limit are available again. The number is small enough for a double to
-- hold fractions of a microsecond.
local limit, least, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local back, debit, seen = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local t = redis.call('TIME')
local now = (tonumber(t[1]) - 1767225600) * 1e6 + tonumber(t[2])
local minute, day = 60e6, 86400e6
local each = minute / limit

local full = redis.call('GET', KEYS[1])
-- A counter outlives its use by a minute. If it is missing while a proxy has
-- seen use within the minute, it was lost.
full = full and tonumber(full) or now + seen
full = math.max(now, full - back * each) + debit * each
-- 0.01 microseconds compensate for rounding.
local free = math.floor((now + minute - full + 0.01) / each + 1e-6)
local units = math.min(want, free)
if units < math.max(least, 0) then units = 0 end
full = math.min(full + units * each, now + day)
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil((full - now + minute) / 1000))
return {string.format('%.0f', units), string.format('%.0f', full - now)}
