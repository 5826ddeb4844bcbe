package records

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// The fields of an entry of the stream. Redis keeps the names once for many
// entries that have the same ones.
const (
	fieldProducer = "p"
	fieldSeq      = "s"
	fieldRecord   = "r"
)

func redisFields(e Entry) []any {
	return []any{fieldProducer, e.Producer, fieldSeq, e.Seq, fieldRecord, e.Record}
}

// redisEntry fails if the message does not say whose it is. One without a
// record is an entry, which the ledger keeps as a dead letter.
func redisEntry(m redis.XMessage) (Entry, bool) {
	producer, ok := m.Values[fieldProducer].(string)
	if !ok {
		return Entry{}, false
	}
	text, _ := m.Values[fieldSeq].(string)
	seq, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return Entry{}, false
	}
	record, _ := m.Values[fieldRecord].(string)
	return Entry{Producer: producer, Seq: seq, Record: []byte(record)}, true
}

// formatRanges writes ranges like 1-5,7-7.
func formatRanges(ranges []Range) string {
	var b []byte
	for i, r := range ranges {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, r.First, 10)
		b = append(b, '-')
		b = strconv.AppendUint(b, r.Last, 10)
	}
	return string(b)
}

func parseRanges(text string) ([]Range, error) {
	if text == "" {
		return nil, nil
	}
	var out []Range
	for part := range strings.SplitSeq(text, ",") {
		first, last, _ := strings.Cut(part, "-")
		var r Range
		var errs [2]error
		r.First, errs[0] = strconv.ParseUint(first, 10, 64)
		r.Last, errs[1] = strconv.ParseUint(last, 10, 64)
		if errs[0] != nil || errs[1] != nil {
			return nil, fmt.Errorf("records: %q is not a range of sequence numbers", part)
		}
		out = append(out, r)
	}
	return out, nil
}
