-- Applies a batch of changes to the states of sessions, once.
-- KEYS[1]: the writer. KEYS[2...]: the sessions.
-- ARGV[1]: the number of the batch. ARGV[2]: how long to remember it, in milliseconds. Then for
-- each session: its lifetime in milliseconds, the time since the end of its last turn in
-- milliseconds, its state (empty if only the totals changed), and what to add to each total.
-- Returns how many sessions could not be changed.
local totals = {'requests', 'turns', 'cost', 'saved', 'input', 'cached'}
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function apply(key, arg)
  local lifetime, at, state = ARGV[arg], now - ARGV[arg + 1], ARGV[arg + 2]
  local last = tonumber(redis.call('HGET', key, 'at') or '0')
  -- A last turn in the future means that the clock of Redis was set back.
  if state ~= '' and (at >= last or last > now) then
    redis.call('HSET', key, 'at', string.format('%.0f', at), 'state', state)
  end
  for i, name in ipairs(totals) do
    if ARGV[arg + 2 + i] ~= '0' then
      redis.call('HINCRBY', key, name, ARGV[arg + 2 + i])
    end
  end
  if redis.call('PTTL', key) < tonumber(lifetime) then
    redis.call('PEXPIRE', key, lifetime)
  end
end

if tonumber(ARGV[1]) <= tonumber(redis.call('GET', KEYS[1]) or '0') then
  return 0
end
-- Redis checks its memory and its role at the first write of a script. If this write fails,
-- nothing was changed.
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local rejected = 0
for i = 2, #KEYS do
  if not pcall(apply, KEYS[i], 3 + (i - 2) * (3 + #totals)) then
    rejected = rejected + 1
  end
end
return rejected
