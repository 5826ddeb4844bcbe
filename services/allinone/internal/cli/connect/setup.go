package connect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/clients"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// setup is one run of connect or disconnect.
type setup struct {
	*remote.Command
	client clients.Client
	env    clients.Environment
	files  userfiles.Files
	// record is the path of the record of this client.
	record userfiles.Path

	// folders lists folders that are removed at the end if they are empty, outermost first.
	folders []string

	clientName string
	dryRun     bool
	// program is the path of this program.
	program string
}

func newSetup(c cli.Invocation, files userfiles.Files) *setup {
	s := &setup{Command: remote.NewCommand(c), files: files}
	s.Flags.Argument(&s.clientName, "CLIENT", "one of "+strings.Join(clientNames(), ", "))
	s.Flags.Bool(&s.dryRun, "dry-run", false, "show what would change, and change nothing")
	s.AddYesFlag()
	return s
}

func clientNames() []string {
	var names []string
	for _, c := range clients.All() {
		names = append(names, c.Name)
	}
	return names
}

// prepare parses the flags and finds the client and the user's folders.
func (s *setup) prepare() error {
	if err := s.ParseFlags(); err != nil {
		return err
	}
	for _, c := range clients.All() {
		if c.Name == s.clientName {
			s.client = c
		}
	}
	if s.client.Name == "" {
		return fmt.Errorf("unknown client %q%s; must be one of %s", s.clientName, config.DidYouMean(s.clientName, clientNames()), strings.Join(clientNames(), ", "))
	}
	var err error
	if s.program, err = os.Executable(); err != nil {
		return fmt.Errorf("the path of this program is unknown: %w", err)
	}
	s.env = clients.Environment{Variables: s.Environ}
	if s.env.Home = s.env.Get("HOME"); !filepath.IsAbs(s.env.Home) {
		return errors.New("the home folder is unknown: set HOME")
	}
	folder := configFolder(s.env)
	if !filepath.IsAbs(folder) {
		return errors.New("XDG_CONFIG_HOME must be an absolute path")
	}
	s.record = userfiles.Path{Base: folder, Rel: filepath.Join("signalbox", "connect", s.client.Name+".json")}
	return nil
}

// configFolder is os.UserConfigDir for the environment of the command.
func configFolder(e clients.Environment) string {
	if runtime.GOOS == "darwin" {
		return filepath.Join(e.Home, "Library", "Application Support")
	}
	if dir := e.Get("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(e.Home, ".config")
}

// withLock runs work while no other process connects or disconnects a client of this user. A
// dry run needs no lock, because it changes nothing.
func (s *setup) withLock(work func() error) error {
	if s.dryRun {
		return work()
	}
	release, err := userfiles.Lock(s.env.Home)
	if err != nil {
		return err
	}
	defer release()
	s.removeLeftovers()
	s.folders = append(s.sharedFolders(), s.record.MissingFolders()...)
	err = work()
	userfiles.RemoveEmptyFolders(append(s.folders, s.recordFolders()...))
	return err
}

// removeLeftovers removes what a run that was killed before its first record left.
func (s *setup) removeLeftovers() {
	s.files.Clean(s.record)
	own := s.recordFolders()
	if _, err := os.Lstat(own[1]); err == nil {
		userfiles.RemoveEmptyFolders(append([]string{s.record.Base}, own...))
	}
}

// recordFolders lists the folders of the records, the outer one first.
func (s *setup) recordFolders() []string {
	own := filepath.Dir(s.record.String())
	return []string{filepath.Dir(own), own}
}

// warnings lists environment variables that win over the settings files, and files that the
// client cannot read.
func (s *setup) warnings(plan []plannedFile) []string {
	all := []string{}
	for _, p := range plan {
		if p.ignored {
			all = append(all, fmt.Sprintf("%s has comments or trailing commas, and %s ignores such a file; remove them", p.Path, s.client.Title))
		}
	}
	for _, name := range s.client.Overrides {
		if s.env.Get(name) != "" {
			all = append(all, fmt.Sprintf("%s is set in this environment and can override the settings; unset it before you start %s", name, s.client.Title))
		}
	}
	return all
}
