package records

import "github.com/redis/go-redis/v9"

// openedMessages are the decoded messages of the stream.
type openedMessages struct {
	entries []Entry
	// ids are the ids of the messages that contain the entries.
	ids []string
	// discardIDs are the ids of messages without entries.
	discardIDs []string
	unreadable int
	bytes      int
	// full means that the batch is full and some messages wait for the next call.
	full bool
}

// openMessages decodes messages until the batch is full. It decodes at least one.
func openMessages(messages []redis.XMessage) openedMessages {
	var d openedMessages
	for _, m := range messages {
		entries, ok := decodeMessage(m)
		if !ok {
			d.discardIDs = append(d.discardIDs, m.ID)
			if m.Values != nil {
				d.unreadable++
			}
			continue
		}
		bytes := 0
		for _, e := range entries {
			bytes += len(e.Record)
		}
		if len(d.ids) > 0 && (len(d.entries)+len(entries) > redisMaxRecords || d.bytes+bytes > redisMaxBytes) {
			d.full = true
			return d
		}
		d.entries, d.ids, d.bytes = append(d.entries, entries...), append(d.ids, m.ID), d.bytes+bytes
	}
	return d
}

// adaptCount adjusts how many messages the next read requests.
func (s *RedisSource) adaptCount(d openedMessages) {
	switch {
	case d.full || d.bytes > redisMaxBytes:
		s.messageCount = max(1, s.messageCount/2)
	case len(d.ids) > 0 && 2*len(d.entries) <= redisMaxRecords && 2*d.bytes <= redisMaxBytes:
		s.messageCount = min(redisMaxMessages, 2*s.messageCount)
	}
}
