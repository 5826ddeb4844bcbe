package spool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/signalbox/signalbox/pkg/records"
)

// fileStore is a publisher and a store that outlive the process: a file with one line
// per record.
type fileStore struct {
	direct
	file *os.File
}

// openFileStore reads the file. An incomplete line counts as not written.
func openFileStore(path string) (*fileStore, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &fileStore{direct{newLedger()}, f}
	for line := range strings.Lines(string(data)) {
		var e records.Entry
		head, text, whole := strings.Cut(line, "\t")
		if _, err := fmt.Sscan(head, &e.Producer, &e.Seq); err == nil && whole && strings.HasSuffix(text, ".\n") {
			e.Record = []byte(strings.TrimSuffix(text, ".\n"))
			s.keep([]records.Entry{e})
		}
	}
	_, err = f.WriteString("\n") // ends a line that was cut off
	return s, err
}

func (s *fileStore) Publish(ctx context.Context, entries []records.Entry) error {
	var lines bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&lines, "%s %d\t%s.\n", e.Producer, e.Seq, e.Record)
	}
	if _, err := s.file.Write(lines.Bytes()); err != nil {
		return err
	}
	return s.direct.Publish(ctx, entries)
}
