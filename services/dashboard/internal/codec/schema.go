package codec

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// SchemaError is why a record of a newer schema was not read. It is whole, and
// another version of this program knows what it means.
type SchemaError struct{ Schema uint32 }

func (e *SchemaError) Error() string { return fmt.Sprintf("schema %d is not known", e.Schema) }

// schemaOf finds the schema without reading the rest, which may have become
// something else; 0 if it is not there.
func schemaOf(raw []byte) uint32 {
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
