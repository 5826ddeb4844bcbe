package control

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/protowriter"
)

// maxText bounds what strangers may put into a record: enough to read, too
// little to make a ledger unreadable.
const maxText = 2 << 10

// encoder writes a record.
type encoder struct{ protowriter.Writer }

func (e *encoder) text(field protowire.Number, s string) {
	e.Text(field, s[:min(len(s), maxText)])
}

func (e *encoder) duration(field protowire.Number, d time.Duration) {
	e.Signed(field, d.Microseconds())
}
