package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

const (
	// changesPrefix starts the names of the change files. They contain the changes of keys
	// since the last snapshot, one per line. Without them, a process that is killed before the
	// next snapshot would accept revoked keys again after its restart.
	changesPrefix = "changes-"
	// changesLimit limits the total size of all change files in bytes. That is enough for
	// about thirty thousand changes. The files normally reach the limit only if snapshots
	// cannot be written.
	changesLimit = 16 << 20
)

var errFull = errors.New("the change files are full")

// changeLog is the state of the change files. The files are numbered, and the snapshot
// contains the number of the first file that it does not cover. Snapshot and files together
// are therefore always complete, regardless of the order in which they reach the disk.
type changeLog struct {
	mu sync.Mutex
	// number is the number of the current file.
	number uint64
	// size is the size of the current file.
	size int64
	// olderSize is the size of the older files that no snapshot covers yet.
	olderSize int64
	limit     int64
}

// changeLine is one line of a change file, without its checksum. A line without a
// principal means that the key is no longer known.
type changeLine struct {
	Format int `json:"format"`
	keysLine
}

// AppendChange writes the new state of a key. It is fast, because it does not sync: the
// change survives a crash of the process, but not of the machine. After LoadKeys it is
// safe for concurrent use.
func (d *Dir) AppendChange(k keys.Known) {
	line, err := encodeChange(k)
	if err == nil {
		err = d.appendLine(line)
	}
	if err != nil {
		d.log.Error("key change not written to disk", "error", err)
	}
}

func encodeChange(k keys.Known) ([]byte, error) {
	line, err := json.Marshal(changeLine{Format: keysFormat, keysLine: toLine(k)})
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(line), line), err
}

func (d *Dir) appendLine(line []byte) error {
	c := &d.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.olderSize+c.size+int64(len(line)) > c.limit {
		return errFull
	}
	if err := appendToFile(d.changesPath(c.number), line); err != nil {
		return err
	}
	c.size += int64(len(line))
	return nil
}

// appendToFile appends a line. If the write fails, it removes the part that was written,
// because a partial line would damage the next one.
func appendToFile(path string, line []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		if _, err = file.Write(line); err != nil {
			err = errors.Join(err, file.Truncate(info.Size()))
		}
	}
	return errors.Join(err, file.Close())
}

// rotateChanges starts a new file. After that, the caller exports the cache, which contains
// the changes of the older files.
func (d *Dir) rotateChanges() {
	c := &d.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size > 0 {
		c.number, c.olderSize, c.size = c.number+1, c.olderSize+c.size, 0
	}
}

// removeCovered removes the change files with numbers lower than the given number. A file that
// cannot be removed does no harm, because its number is below FirstChangeFile of the snapshot.
func (d *Dir) removeCovered(number uint64) {
	numbers, _ := d.listNumbers()
	for _, n := range numbers {
		if n < number {
			_ = os.Remove(d.changesPath(n))
		}
	}
	d.changes.mu.Lock()
	defer d.changes.mu.Unlock()
	d.changes.olderSize = 0
}

func (d *Dir) changesPath(number uint64) string {
	return filepath.Join(d.path, changesPrefix+strconv.FormatUint(number, 10))
}

// listNumbers returns the numbers of the existing change files in ascending order.
func (d *Dir) listNumbers() ([]uint64, error) {
	entries, err := os.ReadDir(d.path)
	var numbers []uint64
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), changesPrefix)
		if n, err := strconv.ParseUint(text, 10, 63); ok && err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}
