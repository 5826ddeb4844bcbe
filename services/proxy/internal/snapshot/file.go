package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// tempPattern is the name pattern of files that are being written.
const tempPattern = ".writing-*"

// readFile returns the content of a regular file of at most limit bytes. It checks the file type
// first, because opening a pipe could block forever.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("not a snapshot: file type %q with %d bytes; expected a regular file of at most %d bytes", info.Mode().Type(), info.Size(), limit)
	}
	return os.ReadFile(path)
}

// replaceFile replaces the content of a file. After a crash at any moment, the file has
// either the old or the new content.
func replaceFile(path string, write func(io.Writer) error) error {
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

// syncDir makes a rename durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
