package connect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/clients"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

func connectClient(ctx context.Context, c cli.Invocation) error {
	return runConnect(ctx, c, userfiles.Files{})
}

func runConnect(ctx context.Context, c cli.Invocation, files userfiles.Files) error {
	s := newSetup(c, files)
	var key config.Secret
	s.Flags.Secret(&key, "key", "use this key instead of creating one; disconnect does not revoke it")
	s.AddURLFlag()
	s.AddAccountFlag("default: the operator's account")
	if err := s.prepare(); err != nil {
		return err
	}
	if key != "" && !apikey.IsValid(string(key)) {
		return errors.New("--key: is not a complete Signalbox key, which starts with " + apikey.Prefix)
	}
	return s.withLock(func() error { return s.connect(ctx, string(key)) })
}

func (s *setup) connect(ctx context.Context, givenKey string) error {
	r, err := s.loadRecord()
	if err != nil {
		return err
	}
	if r != nil && r.Disconnecting {
		return fmt.Errorf("an earlier disconnect of %s did not end; run signalbox disconnect %s first", s.client.Title, s.client.Name)
	}
	target, err := s.chooseTarget(r, givenKey)
	if err != nil {
		return err
	}
	plan, err := s.planConnect(r, target)
	if err != nil {
		return err
	}
	if isDone(r, plan) {
		return s.printConnected(r, target, plan, "unchanged")
	}
	if err := s.showPlan(plan); err != nil || s.dryRun {
		return errors.Join(err, s.printDryRun(target, plan))
	}
	if err := s.Confirm(ctx, s.connectQuestion(target)); err != nil {
		return err
	}
	return s.performConnect(ctx, r, target, plan)
}

// chooseTarget returns the gateway and the key: those of the record, or else those of the flags.
func (s *setup) chooseTarget(r *record, givenKey string) (clients.Target, error) {
	target := clients.Target{URL: s.GatewayURL(), Key: givenKey, Program: s.program}
	if r != nil && len(r.Files) > 0 {
		if target.URL != "" && target.URL != r.URL || givenKey != "" && givenKey != r.Key.Secret {
			return target, fmt.Errorf("%s is already connected to %s with the key %s…; run signalbox disconnect %s first",
				s.client.Title, r.URL, apikey.DisplayPrefix(r.Key.Secret), s.client.Name)
		}
		return clients.Target{URL: r.URL, Key: r.Key.Secret, Program: s.program}, nil
	}
	switch {
	case target.URL == "" && s.IsRemote():
		return target, errors.New("--server needs --url, the URL of the gateway for clients")
	case target.URL == "":
		return target, &cli.UnreachableError{Text: "no running signalbox uses the data directory " + s.Location().Data +
			": start one, use --data to choose another directory, or use --url for the URL of the gateway"}
	case target.Key == "":
		target.Key = edit.NewKey
	}
	return target, nil
}

// isDone reports whether the client is connected already.
func isDone(r *record, plan []plannedFile) bool {
	for _, p := range plan {
		if p.changes() {
			return false
		}
	}
	return r != nil && len(r.Files) > 0
}

func (s *setup) connectQuestion(t clients.Target) string {
	question := fmt.Sprintf("Connect %s to %s?", s.client.Title, t.URL)
	if t.Key == edit.NewKey {
		question += " This creates a key."
	}
	return question
}

// performConnect creates the key if necessary, records everything and writes the files. The
// files are planned again with the key; a file that changed in the meantime is an error.
func (s *setup) performConnect(ctx context.Context, r *record, target clients.Target, shown []plannedFile) error {
	if r == nil {
		r = &record{Version: recordVersion, Client: s.client.Name}
	}
	r.URL = target.URL
	r.Folders = uniqueFolders(append(r.Folders, s.folders...))
	if err := s.provideKey(ctx, r, target.Key); err != nil {
		return err
	}
	target.Key = r.Key.Secret
	plan, err := s.planConnect(r, target)
	if err == nil {
		err = checkUnchanged(shown, plan)
	}
	if err != nil {
		return err
	}
	r.setFiles(plan)
	if err := s.saveRecord(r); err != nil {
		return err
	}
	if err := s.writeFiles(plan, userfiles.ModeSecret); err != nil {
		return err
	}
	return s.printConnected(r, target, plan, "connected")
}

// setFiles takes the files of a plan into the record, and the folders that do not exist yet.
// Files of an earlier run that are not in the plan stay: a variable that moves the client's
// folder may have changed since.
func (r *record) setFiles(plan []plannedFile) {
	folders := r.Folders
	r.Files = slices.DeleteFunc(r.Files, func(known fileRecord) bool {
		return slices.ContainsFunc(plan, func(p plannedFile) bool { return p.Path == known.Path })
	})
	for _, p := range plan {
		r.Files = append(r.Files, p.fileRecord)
		folders = append(folders, p.Path.MissingFolders()...)
	}
	r.Folders = uniqueFolders(folders)
}
