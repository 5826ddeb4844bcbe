package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// tempPattern names files that are being written.
const tempPattern = ".writing-*"

// read returns the content of a file of at most limit bytes. It is asked what
// it is first: opening a pipe could wait for ever.
func read(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("%s of %d bytes; a snapshot is a file of at most %d", info.Mode().Type(), info.Size(), limit)
	}
	return os.ReadFile(path)
}

// replace gives a file new content: after a crash at any moment it has the old
// or the new one.
func replace(path string, write func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), tempPattern) // mode 0600
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(temp)
	err = write(buffer)
	err = errors.Join(err, buffer.Flush(), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the new name last.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
