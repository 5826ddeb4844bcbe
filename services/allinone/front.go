package allinone

import (
	"net"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// front tells the edge's paths from the dashboard's.
type front struct {
	edge, dashboard http.Handler
	// private refuses people who come by a name of somebody else's: a web page
	// whose name was made to point at this machine would otherwise act here as
	// if it were ours.
	private bool
}

// ServeHTTP sends clients to the edge and people to the dashboard.
func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first, _, _ := strings.Cut(strings.TrimLeft(r.URL.Path, "/"), "/")
	switch {
	case first == "proxy" || first == "health" || first == "readyz" || first == "v1": // the last to be told the right base URL
		f.edge.ServeHTTP(w, r)
	case f.private && !loopback(hostname(r.Host)):
		apperr.Write(w, apperr.New(apperr.CrossOrigin, "this address is served to this machine alone; set --public-url to serve another"), uuid.Must(uuid.NewV7()).String(), apperr.Flat)
	default:
		f.dashboard.ServeHTTP(w, r)
	}
}

func hostname(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return strings.Trim(host, "[]")
}
