-- The key is a sorted set of proxies. The score is the time when a proxy was last seen.
local me, ttl, within, join = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local known = redis.call('ZSCORE', KEYS[1], me)
if join then redis.call('ZADD', KEYS[1], now, me) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ttl)
redis.call('PEXPIRE', KEYS[1], ttl)
return {redis.call('ZCOUNT', KEYS[1], now - within, '+inf'), known and 1 or 0}
