package records

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// The fields of an entry of the stream. Redis keeps the names once for many
// entries that have the same ones.
const (
	fieldProducer = "p"
	fieldBlock    = "b"
	// Earlier builds wrote one record to an entry. Those that know no blocks
	// find no number in an entry of ours and drop it with an error; as nothing
	// of it is proven then, its producer sends it again.
	fieldSeq    = "s"
	fieldRecord = "r"
)

// redisEntries returns the records of a message. It fails if the message does
// not say whose it is; every spool's name is a UUID, and a ledger could not note
// any other. One without a record, or with a damaged block, is an entry, which
// the ledger keeps as a dead letter.
func redisEntries(m redis.XMessage) ([]Entry, bool) {
	producer, _ := m.Values[fieldProducer].(string)
	if uuid.Validate(producer) != nil {
		return nil, false
	}
	if text, ok := m.Values[fieldBlock].(string); ok {
		block := []byte(text)
		entries, err := openBlock(producer, block)
		if err != nil {
			entries = []Entry{{Producer: producer, Record: block}}
		}
		return entries, true
	}
	text, _ := m.Values[fieldSeq].(string)
	seq, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, false
	}
	record, _ := m.Values[fieldRecord].(string)
	return []Entry{{Producer: producer, Seq: seq, Record: []byte(record)}}, true
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
