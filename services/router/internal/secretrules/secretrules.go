// Package secretrules decides which secrets a published policy may use. Its author also
// chooses the address that a secret is sent to, so without these rules everyone who may
// publish a policy could read any environment variable and file of the proxies.
package secretrules

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Rules are the references to secrets that the operator allowed. The zero value allows
// none.
type Rules struct {
	// catalogAddress maps the reference to a catalog provider's credential to the
	// provider's address in the catalog.
	catalogAddress map[string]string
	// listed are the references that the operator listed. An entry that ends in *
	// allows all references that start with the text before it.
	listed []string
	// dir is the directory whose files are allowed; empty means none.
	dir string
}

// New reads the operator's settings: a comma-separated list of references and the
// directory of allowed files. The credentials of the catalog's providers are always
// allowed, each at the catalog's address of its provider only.
func New(cat *catalog.Catalog, list, dir string) (Rules, error) {
	r := Rules{catalogAddress: map[string]string{}}
	for _, p := range cat.Providers() {
		if p.CredentialEnv != "" && p.BaseURL != "" {
			r.catalogAddress["env:"+p.CredentialEnv] = p.BaseURL
		}
	}
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		// A * stands for any rest, so "env:*" is valid although "env:" is not.
		example := entry
		if start, isPrefix := strings.CutSuffix(entry, "*"); isPrefix {
			example = start + "X"
		}
		if !policy.IsSecretRef(example) {
			return Rules{}, fmt.Errorf("--policy-secrets: %q must be env:NAME or file:/absolute/path; a * at the end allows any rest", entry)
		}
		r.listed = append(r.listed, entry)
	}
	if dir != "" && !filepath.IsAbs(dir) {
		return Rules{}, fmt.Errorf("--policy-secrets-dir: %q must be an absolute path", dir)
	}
	if dir != "" {
		r.dir = filepath.Clean(dir)
	}
	return r, nil
}

// Allow reports whether a published policy may send the secret to the provider at
// baseURL.
func (r Rules) Allow(ref, baseURL string) bool {
	if address, ok := r.catalogAddress[ref]; ok && address == baseURL {
		return true
	}
	path, isFile := strings.CutPrefix(ref, "file:")
	if isFile && filepath.Clean(path) != path {
		return false // it could leave an allowed directory
	}
	for _, entry := range r.listed {
		if start, isPrefix := strings.CutSuffix(entry, "*"); ref == entry || isPrefix && strings.HasPrefix(ref, start) {
			return true
		}
	}
	return isFile && r.dir != "" && strings.HasPrefix(path, strings.TrimSuffix(r.dir, "/")+"/")
}
