package control

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/protowriter"
)

// maxText limits the strings of a record, in bytes, because clients and providers choose some of
// them. The limit keeps records small.
const maxText = 2 << 10

// encoder writes the protobuf encoding of a record.
type encoder struct{ protowriter.Writer }

func (e *encoder) writeText(field protowire.Number, s string) {
	e.Text(field, s[:min(len(s), maxText)])
}

func (e *encoder) writeDuration(field protowire.Number, d time.Duration) {
	e.Signed(field, d.Microseconds())
}
