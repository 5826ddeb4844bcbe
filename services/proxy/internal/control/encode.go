package control

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/protowriter"
)

// maxText limits strings that clients and providers choose. It is enough to understand them,
// and keeps records small.
const maxText = 2 << 10

// encoder writes the protobuf encoding of a record.
type encoder struct{ protowriter.Writer }

func (e *encoder) writeText(field protowire.Number, s string) {
	e.Text(field, s[:min(len(s), maxText)])
}

func (e *encoder) writeDuration(field protowire.Number, d time.Duration) {
	e.Signed(field, d.Microseconds())
}
