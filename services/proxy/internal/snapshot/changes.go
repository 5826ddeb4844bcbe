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
	// changesPrefix names the files of what has changed since a snapshot, a line
	// a change. The snapshot follows a moment later; a process that is killed in
	// between must not give back what was taken away.
	changesPrefix = "changes-"
	// changesLimit bounds all of them together: some thirty thousand changes, and
	// they are only more than a few while no snapshot can be written.
	changesLimit = 16 << 20
)

var errFull = errors.New("the files of changes are full")

// changes is where they are written. A file has a number, and the snapshot says
// with which one those begin that it does not hold: at any moment the two
// together are what was known, in whatever order their writes reach the disk.
type changes struct {
	mu sync.Mutex
	// number is that of the file which is written now.
	number uint64
	// size is what it holds, before what those do that are not covered yet.
	size   int64
	before int64
	limit  int64
}

// changeLine is a line without its check sum. Without a principal the key is
// not known any more.
type changeLine struct {
	Format int `json:"format"`
	keysLine
}

// Changed keeps what a key has become. It does not wait for the disk, so it is
// quick and survives the process, not the machine. It is safe for concurrent
// use, after Keys.
func (d *Dir) Changed(k keys.Known) {
	line, err := encodeChange(k)
	if err == nil {
		err = d.write(line)
	}
	if err != nil {
		d.log.Error("a change of a key cannot be written down yet", "error", err)
	}
}

func encodeChange(k keys.Known) ([]byte, error) {
	line, err := json.Marshal(changeLine{Format: keysFormat, keysLine: lineOf(k)})
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(line), line), err
}

func (d *Dir) write(line []byte) error {
	c := &d.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.before+c.size+int64(len(line)) > c.limit {
		return errFull
	}
	if err := appendTo(d.changesFile(c.number), line); err != nil {
		return err
	}
	c.size += int64(len(line))
	return nil
}

// appendTo adds a line or nothing: half of one would spoil the next.
func appendTo(path string, line []byte) error {
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

// turn begins a new file. What is in those before was told of a cache before it
// is exported now.
func (d *Dir) turn() {
	c := &d.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size > 0 {
		c.number, c.before, c.size = c.number+1, c.before+c.size, 0
	}
}

// covered removes the files before a number. One that cannot be removed is read
// by nobody.
func (d *Dir) covered(number uint64) {
	numbers, _ := d.numbers()
	for _, n := range numbers {
		if n < number {
			_ = os.Remove(d.changesFile(n))
		}
	}
	d.changes.mu.Lock()
	defer d.changes.mu.Unlock()
	d.changes.before = 0
}

func (d *Dir) changesFile(number uint64) string {
	return filepath.Join(d.path, changesPrefix+strconv.FormatUint(number, 10))
}

// numbers are those of the files that there are, in order.
func (d *Dir) numbers() ([]uint64, error) {
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
