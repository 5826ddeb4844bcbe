package main

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// components holds the parts of all binaries by their package URL.
type components map[string]cdx.Component

func newComponents() components { return components{} }

// addModules adds the standard library and every linked module that is not part of this
// repository.
func (c components) addModules(info *debug.BuildInfo) error {
	c.add("pkg:golang/std@"+strings.TrimPrefix(info.GoVersion, "go"), "std", info.GoVersion, nil)
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Sum == "" {
			continue
		}
		hash, err := toHex(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil {
			return fmt.Errorf("checksum of %s: %w", m.Path, err)
		}
		c.add("pkg:golang/"+m.Path+"@"+m.Version, m.Path, m.Version, []cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hash}})
	}
	return nil
}

// buildTools are the npm packages that make or test the pages. None of their code is in the pages.
var buildTools = []string{"axe-core", "esbuild", "highlight.js", "markdown-it", "playwright-core", "typescript"}

// lockfile is the part of package-lock.json that addPackages needs.
type lockfile struct {
	Packages map[string]struct {
		Version, Integrity            string
		Dependencies, DevDependencies map[string]string
	}
}

// addPackages adds the npm packages that are bundled into the pages, with their dependencies.
func (c components) addPackages(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var lock lockfile
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	for name := range lock.Packages[""].DevDependencies {
		if slices.Contains(buildTools, name) {
			continue
		}
		if err := c.addPackage(lock, name); err != nil {
			return err
		}
	}
	return nil
}

func (c components) addPackage(lock lockfile, name string) error {
	p := lock.Packages["node_modules/"+name]
	purl := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
	if _, known := c[purl]; known {
		return nil
	}
	hash, err := toHex(strings.TrimPrefix(p.Integrity, "sha512-"))
	if err != nil {
		return fmt.Errorf("checksum of %s: %w", name, err)
	}
	c.add(purl, name, p.Version, []cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hash}})
	for dependency := range p.Dependencies {
		if err := c.addPackage(lock, dependency); err != nil {
			return err
		}
	}
	return nil
}

func (c components) add(purl, name, version string, hashes []cdx.Hash) {
	one := cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl}
	if len(hashes) > 0 {
		one.Hashes = &hashes
	}
	c[purl] = one
}

func (c components) sorted() []cdx.Component {
	return slices.SortedFunc(maps.Values(c), func(a, b cdx.Component) int { return cmp.Compare(a.PackageURL, b.PackageURL) })
}

// toHex converts a checksum from base64 to the hexadecimal form of CycloneDX.
func toHex(text string) (string, error) {
	sum, err := base64.StdEncoding.DecodeString(text)
	return hex.EncodeToString(sum), err
}
