package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Installed is an agent in the cache folder. Version is the installed one.
type Installed struct {
	Agent
	Path string
}

// Install installs the agent below the cache folder, unless it is there, and prints its
// progress. If the registry no longer serves the version, it installs the newest.
func (a Agent) Install(ctx context.Context, cache string, progress io.Writer) (Installed, error) {
	dir := filepath.Join(cache, strings.ReplaceAll(strings.ToLower(a.Name), " ", "-"))
	stamp := filepath.Join(dir, ".version")
	if version, err := os.ReadFile(stamp); err == nil {
		return a.at(dir, string(version)), nil
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return Installed{}, err
	}
	var problem error
	for _, version := range []string{a.Version, ""} {
		_, _ = fmt.Fprintf(progress, "installing %s %s\n", a.Name, version)
		if err := a.installVersion(ctx, dir, version, progress); err != nil {
			problem = errors.Join(problem, err)
			continue
		}
		got := a.at(dir, a.readVersion(ctx, dir, version))
		return got, os.WriteFile(stamp, []byte(got.Version), 0o600)
	}
	return Installed{}, fmt.Errorf("install %s: %w", a.Name, problem)
}

func (a Agent) at(dir, version string) Installed {
	a.Version = version
	return Installed{Agent: a, Path: filepath.Join(dir, a.Program)}
}

// installVersion installs a version, or the newest if version is empty.
func (a Agent) installVersion(ctx context.Context, dir, version string, progress io.Writer) error {
	if a.Python {
		return a.installPython(ctx, dir, version, progress)
	}
	name := a.Package
	if version != "" {
		name += "@" + version
	}
	return run(ctx, progress, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel=error", name)
}

func (a Agent) installPython(ctx context.Context, dir, version string, progress io.Writer) error {
	name := a.Package
	if version != "" {
		name += "==" + version
	}
	if err := run(ctx, progress, "python3", "-m", "venv", dir); err != nil {
		return err
	}
	return run(ctx, progress, filepath.Join(dir, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", name)
}

func run(ctx context.Context, progress io.Writer, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = progress, progress
	return cmd.Run()
}

var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+`)

// readVersion returns the number in the requested version. For the newest version it asks
// the program.
func (a Agent) readVersion(ctx context.Context, dir, version string) string {
	if version == "" {
		out, _ := exec.CommandContext(ctx, filepath.Join(dir, a.Program), "--version").Output()
		version = string(out)
	}
	return versionNumber.FindString(version)
}
