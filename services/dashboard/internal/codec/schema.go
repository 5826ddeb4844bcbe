package codec

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// SchemaError means that a record has a newer schema than this version supports.
// The record is intact. A newer version of this program can decode it.
type SchemaError struct{ Schema uint32 }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("schema %d is newer than this version supports", e.Schema)
}

// readSchema returns the schema version without decoding the other fields, which
// a newer schema may have changed. It returns 0 if it finds no version.
func readSchema(raw []byte) uint32 {
	const field = 1
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return 0
		}
		if raw = raw[n:]; number == field && kind == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(raw)
			return uint32(min(v, math.MaxUint32))
		}
		if n = protowire.ConsumeFieldValue(number, kind, raw); n < 0 {
			return 0
		}
		raw = raw[n:]
	}
	return 0
}
