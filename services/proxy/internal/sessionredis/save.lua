-- Applies one request to the state of a session.
-- KEYS[1]: the session. ARGV: lifetime in milliseconds, end of the last turn, state (empty if
-- only the totals changed), and what the request adds to each total.
local key = KEYS[1]
if ARGV[3] ~= '' and tonumber(ARGV[2]) >= tonumber(redis.call('HGET', key, 'at') or '0') then
  redis.call('HSET', key, 'at', ARGV[2], 'state', ARGV[3])
end
for i, name in ipairs({'requests', 'turns', 'cost', 'saved', 'input', 'cached'}) do
  if ARGV[i + 3] ~= '0' then
    redis.call('HINCRBY', key, name, ARGV[i + 3])
  end
end
if redis.call('PTTL', key) < tonumber(ARGV[1]) then
  redis.call('PEXPIRE', key, ARGV[1])
end
return 1
