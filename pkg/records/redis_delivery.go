package records

import "github.com/redis/go-redis/v9"

// opened is what messages hold.
type opened struct {
	entries []Entry
	// ids are the messages of the entries, rest those that hold none.
	ids, rest  []string
	unreadable int
	bytes      int
	// full is set when messages were left for the next time.
	full bool
}

// open takes out of messages what makes a batch, at least one message.
func open(messages []redis.XMessage) opened {
	var d opened
	for _, m := range messages {
		entries, ok := redisEntries(m)
		if !ok {
			d.rest = append(d.rest, m.ID)
			if m.Values != nil {
				d.unreadable++
			}
			continue
		}
		bytes := 0
		for _, e := range entries {
			bytes += len(e.Record)
		}
		if len(d.ids) > 0 && (len(d.entries)+len(entries) > redisRecords || d.bytes+bytes > redisBytes) {
			d.full = true
			return d
		}
		d.entries, d.ids, d.bytes = append(d.entries, entries...), append(d.ids, m.ID), d.bytes+bytes
	}
	return d
}

// adapt asks for fewer messages next time, or for more.
func (s *RedisSource) adapt(d opened) {
	switch {
	case d.full || d.bytes > redisBytes:
		s.count = max(1, s.count/2)
	case len(d.ids) > 0 && 2*len(d.entries) <= redisRecords && 2*d.bytes <= redisBytes:
		s.count = min(redisBatch, 2*s.count)
	}
}
