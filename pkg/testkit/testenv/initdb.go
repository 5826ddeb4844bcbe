package testenv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// initVariable names a folder that keeps what initdb wrote first, for all test processes of a run.
// initdb takes 0.6 s of CPU time, a copy almost none. The creator of the folder removes it.
const initVariable = "TESTENV_INITDB"

// initDatabase writes the files of an empty server.
func (p *postgres) initDatabase(bin string) error {
	if err := p.makeHome(); err != nil {
		return err
	}
	folder := os.Getenv(initVariable)
	if folder == "" {
		return p.runInitdb(bin)
	}
	lock, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := flock(lock, syscall.LOCK_EX); err != nil {
		return err
	}
	kept := filepath.Join(folder, "data")
	if _, err := os.Stat(kept); err == nil {
		return copyAll(kept, p.dataDir())
	}
	if err := p.runInitdb(bin); err != nil {
		return err
	}
	// An interrupted copy has another name, so no process uses it.
	if err := errors.Join(os.RemoveAll(kept+".new"), copyAll(p.dataDir(), kept+".new")); err != nil {
		return err
	}
	return os.Rename(kept+".new", kept)
}

// copyAll copies a folder with the owners and modes of its files.
func copyAll(from, to string) error {
	out, err := exec.Command("cp", "-a", from, to).CombinedOutput()
	if err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return nil
}
