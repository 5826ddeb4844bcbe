-- GCRA: the counter is the time, in microseconds since 2026, at which all units
-- of the limit are available again. The number is small enough for a double to
-- hold fractions of a microsecond.
local limit, minUnits, maxUnits = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local returned, debit, lastUsed = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local t = redis.call('TIME')
local now = (tonumber(t[1]) - 1767225600) * 1e6 + tonumber(t[2])
local minute, day = 60e6, 86400e6
local unitTime = minute / limit

local fullAt = redis.call('GET', KEYS[1])
-- A counter expires a minute after all units are available again. If it is missing
-- although this proxy last saw used units, it was lost. It then restarts with those units.
fullAt = fullAt and tonumber(fullAt) or now + lastUsed
fullAt = math.max(now, fullAt - returned * unitTime) + debit * unitTime
-- 0.01 microseconds compensate for rounding.
local free = math.floor((now + minute - fullAt + 0.01) / unitTime + 1e-6)
local units = math.min(maxUnits, free)
if units < math.max(minUnits, 0) then units = 0 end
fullAt = math.min(fullAt + units * unitTime, now + day)
redis.call('SET', KEYS[1], string.format('%.3f', fullAt), 'PX', math.ceil((fullAt - now + minute) / 1000))
return {string.format('%.0f', units), string.format('%.0f', fullAt - now)}
