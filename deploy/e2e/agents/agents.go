// Package agents installs real coding agents and describes how each of them connects to
// the gateway. `make agents` runs them against emulated vendors. They are downloaded at
// that time, into .cache/agents; nothing of them is part of the repository.
package agents

import (
	"os"
	"path/filepath"
)

// Agent is a coding agent that a package registry offers.
type Agent struct {
	// Name is the title in the results.
	Name string
	// Package and Version are the npm package, or the Python package if Python is set.
	Package, Version string
	Python           bool
	// Program is the path of the program below the folder of the installation.
	Program string
	// Protocol and Client are the fields `protocol` and `agent` of the records of its
	// requests.
	Protocol, Client string
	// Files are written before the start, by their path in the home folder.
	Files func(Target) map[string]string
	// Env is added to the environment. Args are the arguments of the program.
	Env  func(Target) []string
	Args func(t Target, task string) []string
	// Before, if set, is a command that configures the agent, with the same environment.
	Before func(Target) []string
}

// Target is the gateway that an agent talks to, and the folders of the run.
type Target struct {
	// URL is the address of the gateway, without a path.
	URL, Key string
	// Home is the home folder of the agent. Folder contains the file to edit.
	Home, Folder string
}

// All lists the agents in the order of the results.
var All = []Agent{claudeCode, codex, geminiCLI, openCode, qwenCode, pi, cline, continueCLI, aider}

// WriteFiles writes the configuration files of the agent.
func (a Agent) WriteFiles(t Target) error {
	if a.Files == nil {
		return nil
	}
	for name, text := range a.Files(t) {
		path := filepath.Join(t.Home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Environment returns the whole environment of the agent. It contains nothing of the
// environment of this process but the path of programs, so that no setting of the
// developer's own agents takes part.
func (a Agent) Environment(t Target) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.Home, "TMPDIR=" + t.Home, "TERM=dumb", "LANG=C.UTF-8", "CI=1", "NO_COLOR=1",
		"XDG_CONFIG_HOME=" + filepath.Join(t.Home, ".config"), "XDG_DATA_HOME=" + filepath.Join(t.Home, ".local/share"),
		"XDG_CACHE_HOME=" + filepath.Join(t.Home, ".cache"), "XDG_STATE_HOME=" + filepath.Join(t.Home, ".local/state"),
	}
	if a.Env == nil {
		return env
	}
	return append(env, a.Env(t)...)
}
