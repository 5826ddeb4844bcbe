package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// revokedName is the file of keys that were revoked since the last start, an
// id a line. The snapshot is written a moment later and holds them too; a
// process that is killed in between must not let them in when it comes back.
const revokedName = "revoked"

// Revoked keeps that a key was revoked. It does not wait for the disk, so it is
// quick and survives the process, not the machine. It is safe for concurrent
// use.
func (d *Dir) Revoked(keyID string) {
	file, err := os.OpenFile(d.revoked(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString(keyID + "\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		d.log.Error("a revocation cannot be written down yet", "key", keyID, "error", err)
	}
}

func (d *Dir) revoked() string { return filepath.Join(d.path, revokedName) }

// recall ends the keys that were revoked after the snapshot was written. Once
// the snapshot says so itself their file is removed.
func (d *Dir) recall(s keys.Snapshot) error {
	data, err := read(d.revoked(), keysLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ended := map[string]bool{}
	for id := range strings.SplitSeq(string(data), "\n") {
		ended[id] = true
	}
	for _, k := range s.Known {
		if ended[k.Principal.KeyID] {
			k.Principal.Active = false
		}
	}
	err = d.SaveKeys(s)
	if err == nil {
		err = os.Remove(d.revoked())
	}
	if err != nil {
		d.log.Error("revoked keys stay in a file of their own", "error", err)
	}
	return nil
}
