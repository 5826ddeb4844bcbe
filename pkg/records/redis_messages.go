package records

import "github.com/redis/go-redis/v9"

// decodedMessages are decoded messages of the stream. A message contains one or more entries.
type decodedMessages struct {
	entries []Entry
	// ids are the ids of the messages that contain entries.
	ids []string
	// discardIDs are the ids of messages that were deleted from the stream or cannot be decoded.
	discardIDs []string
	unreadable int
	bytes      int
	// full means that the batch is full and the remaining messages wait for the next call.
	full bool
}

// decodeMessages decodes messages until the batch is full. The first message is included even if it
// alone exceeds the limits.
func decodeMessages(messages []redis.XMessage) decodedMessages {
	var d decodedMessages
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

// adaptMessageCount adjusts how many messages the next read requests, so that a batch is neither too large
// nor very small.
func (s *RedisSource) adaptMessageCount(d decodedMessages) {
	switch {
	case d.full || d.bytes > redisMaxBytes:
		s.messageCount = max(1, s.messageCount/2)
	case len(d.ids) > 0 && 2*len(d.entries) <= redisMaxRecords && 2*d.bytes <= redisMaxBytes:
		s.messageCount = min(redisMaxMessages, 2*s.messageCount)
	}
}
