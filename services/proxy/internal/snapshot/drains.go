package snapshot

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/decide"
)

// drainsFile is the content of the file of drains.
type drainsFile struct {
	Drains json.RawMessage `json:"drains"`
	// Sum is the CRC-32 of Drains.
	Sum uint32 `json:"sum"`
}

// SaveDrains writes what is drained. A proxy that starts without a router must not send
// requests to a drained provider.
func (d *Dir) SaveDrains(s *decide.DrainSet) error {
	list, err := json.Marshal(s.All())
	if err != nil {
		return fmt.Errorf("save drains: %w", err)
	}
	data, err := json.Marshal(drainsFile{Drains: list, Sum: crc32.ChecksumIEEE(list)})
	if err != nil {
		return fmt.Errorf("save drains: %w", err)
	}
	err = replaceFile(filepath.Join(d.path, drainsName), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("save drains: %w", err)
	}
	return nil
}

// LoadDrains returns the stored drains, or nil.
func (d *Dir) LoadDrains() *decide.DrainSet {
	var all []decide.Drain
	if !d.loadFile(drainsName, drainsLimit, func(data []byte) error { return decodeDrains(data, &all) }) {
		return nil
	}
	return decide.NewDrainSet(all)
}

func decodeDrains(data []byte, all *[]decide.Drain) error {
	var f drainsFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if crc32.ChecksumIEEE(f.Drains) != f.Sum {
		return errChecksum
	}
	return json.Unmarshal(f.Drains, all)
}
