package remote

import (
	"path/filepath"

	"github.com/signalbox/signalbox/services/allinone"
)

// Location says where a command found its service. A later command uses it to find the same
// service from another folder.
type Location struct {
	Data   string `json:"data,omitempty"`
	Server string `json:"server,omitempty"`
	Certs  string `json:"certs,omitempty"`
}

// Location returns where this command looks for its service, with absolute paths. The flags
// must be parsed.
func (o *Command) Location() Location {
	if o.server == "" {
		return Location{Data: absolutePath(o.data)}
	}
	return Location{Server: o.server, Certs: absolutePath(o.peers.Certs)}
}

// UseLocation makes the command look where an earlier one did. Flags and variables of this
// command win.
func (o *Command) UseLocation(l Location) {
	if o.located || l == (Location{}) {
		return
	}
	o.data, o.server = l.Data, l.Server
	if o.peers.Certs == "" {
		o.peers.Certs = l.Certs
	}
}

// AddURLFlag adds --url, which sets the result of GatewayURL.
func (o *Command) AddURLFlag() {
	o.Flags.Func("url", "URL of the gateway for clients, such as https://signalbox.example.com; default: the URL of the running signalbox", parseOrigin(&o.gatewayURL))
}

// GatewayURL returns the URL that clients use: that of --url, or else that of the all-in-one
// in the data directory. It is empty if neither is known.
func (o *Command) GatewayURL() string {
	if o.gatewayURL != "" || o.server != "" {
		return o.gatewayURL
	}
	return allinone.ReadAddress(o.data)
}

func (o *Command) markLocated(string) error {
	o.located = true
	return nil
}

func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil && path != "" {
		return abs
	}
	return path
}
