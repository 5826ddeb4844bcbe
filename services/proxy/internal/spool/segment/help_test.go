package segment

import (
	"bytes"
	"encoding/binary"
)

func requestID(n int) (out [16]byte) {
	binary.BigEndian.PutUint64(out[8:], uint64(n))
	return out
}

// cutBody drops the part of a record after a bar.
func cutBody(record []byte) ([]byte, bool) {
	meta, _, had := bytes.Cut(record, []byte("|"))
	return meta, had
}
