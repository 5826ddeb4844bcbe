package clients

import (
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// Client is a program that can use the gateway.
type Client struct {
	// Name is the argument of the command. Title is the name in texts.
	Name, Title string
	// Overrides lists environment variables that win over the settings files.
	Overrides []string
	// Note is what the user has to know after the client is connected.
	Note string
	// Files returns the settings files of the user.
	Files func(Environment) []File
}

// File is a settings file with the entries that it needs.
type File struct {
	// Paths lists where the file can be. The first one that exists is changed. If none does,
	// the last one is created.
	Paths  []userfiles.Path
	Format edit.Format
	// Strict means that the client ignores a JSON file with comments or trailing commas.
	Strict  bool
	Entries func(Target) []edit.Entry
}

// Target is the gateway that a client is connected to.
type Target struct {
	// URL is the address of the gateway, without a path.
	URL string
	// Key is the API key.
	Key string
	// Program is the path of the signalbox program, for settings that contain a command.
	Program string
}

// The paths of the client API: most clients append the names of calls to openAIBase, and
// clients of vendors append the version too.
const (
	vendorPath = "/proxy"
	openAIPath = "/proxy/v1"
)

// All lists the clients in the order of the help.
func All() []Client {
	return []Client{claude(), codex(), gemini(), opencode(), cline(), continueCLI(), aider(), qwen()}
}

// Environment is what the location of settings files depends on.
type Environment struct {
	Home string
	// Variables has the form of os.Environ.
	Variables []string
}

// Get returns the value of a variable, or "".
func (e Environment) Get(name string) string {
	value := ""
	for _, variable := range e.Variables {
		if v, ok := strings.CutPrefix(variable, name+"="); ok {
			value = v
		}
	}
	return value
}

// folder returns the folder that a variable names, or else a folder below the home folder.
func (e Environment) folder(variable, fallback string) string {
	dir := e.Get(variable)
	if dir == "" {
		return filepath.Join(e.Home, fallback)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// in returns the path of a file in a settings folder. Neither of them may be a link.
func in(folder, file string) userfiles.Path {
	return userfiles.Path{Base: filepath.Dir(folder), Rel: filepath.Join(filepath.Base(folder), file)}
}

func value(v any, path ...string) edit.Entry { return edit.Entry{Path: path, Value: v} }

func secret(v any, path ...string) edit.Entry {
	return edit.Entry{Path: path, Value: v, Secret: true}
}
