package records

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// These are the fields of a stream message. The names are short, because each message contains them.
const (
	fieldProducer = "p"
	fieldBlock    = "b"
	// Earlier builds wrote one record per message, with fieldSeq and fieldRecord instead of fieldBlock.
	// They discard a message with a block, because it has no sequence number. Its records are then
	// not committed, so their producer sends them again.
	fieldSeq    = "s"
	fieldRecord = "r"
)

// decodeMessage returns the records of a message. It returns false if the producer is not a UUID,
// because the id of every spool is a UUID. It also returns false if the message has no block and no
// sequence number. A damaged block becomes one entry with Seq 0. The ledger stores that entry as a
// dead letter.
func decodeMessage(m redis.XMessage) ([]Entry, bool) {
	producer, _ := m.Values[fieldProducer].(string)
	if uuid.Validate(producer) != nil {
		return nil, false
	}
	if text, ok := m.Values[fieldBlock].(string); ok {
		block := []byte(text)
		entries, err := decodeBlock(producer, block)
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

// formatRanges formats ranges as a string such as "1-5,7-7".
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
			return nil, fmt.Errorf("records: invalid range of sequence numbers %q", part)
		}
		out = append(out, r)
	}
	return out, nil
}
