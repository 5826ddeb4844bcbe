package snapshot

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/policy"
)

// policyFile is the file's content. The version is the hash of the rest, so
// that no other check sum is needed.
type policyFile struct {
	Version  string          `json:"version"`
	Compiled json.RawMessage `json:"compiled"`
}

// SavePolicy keeps a policy.
func (d *Dir) SavePolicy(p *policy.Policy) error {
	data, err := json.Marshal(policyFile{Version: p.Version(), Compiled: p.Canonical()})
	if err != nil {
		return fmt.Errorf("save policy: %w", err)
	}
	if len(data) > policyLimit {
		return fmt.Errorf("save policy: %d bytes, more than %d", len(data), policyLimit)
	}
	err = replace(filepath.Join(d.path, policyName), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("save policy: %w", err)
	}
	return nil
}

// Policy returns the policy that was kept, or nil.
func (d *Dir) Policy() *policy.Policy {
	var p *policy.Policy
	found := d.load(policyName, policyLimit, func(data []byte) (err error) {
		p, err = decodePolicy(data)
		return err
	})
	if !found {
		return nil
	}
	return p
}

func decodePolicy(data []byte) (*policy.Policy, error) {
	var f policyFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	p, err := policy.Decode(f.Compiled)
	if err != nil {
		return nil, err
	}
	if p.Version() != f.Version {
		return nil, fmt.Errorf("named %s but its content is %s", f.Version, p.Version())
	}
	return p, nil
}
