package web

import (
	"cmp"
	"net/http"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

// bootJSON is the initial state of the app, embedded in its page. src/boot.ts
// declares the same shape.
type bootJSON struct {
	Account  bootAccount `json:"account"`
	User     bootUser    `json:"user"`
	Operator bool        `json:"operator"`
	// Unclaimed is true on the overview while the operator's account has no owner.
	Unclaimed bool `json:"unclaimed,omitempty"`
	// BaseURL is where API clients send requests; empty means the origin that the
	// browser uses.
	BaseURL string `json:"base_url"`
	Version string `json:"version"`
	// ChartsURL is the URL of the script that draws charts.
	ChartsURL string `json:"charts"`
	// FirstPage is the first page of the request list. The browser can show it
	// without an API call. If it is missing, the script loads the list.
	FirstPage *recordjson.Page `json:"first,omitempty"`
}

type bootAccount struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type bootUser struct {
	Email string  `json:"email"`
	Role  *string `json:"role"`
}

type appView struct {
	Assets assets
	// Chunks are the URLs of the page's own scripts; empty if it has none.
	Chunks []string
	Theme  string
	Boot   bootJSON
}

// pageApp serves every page of the app. The script picks the page from the URL.
func (s *server) pageApp(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	return s.renderPage(w, http.StatusOK, "app", appView{
		Assets: s.assets,
		Chunks: s.assets.pageChunks(r.URL.Path),
		Theme:  readTheme(r),
		Boot: bootJSON{
			Account:   bootAccount{ID: v.Account.GetId(), Name: v.Account.GetName()},
			User:      bootUser{Email: v.User.GetEmail(), Role: jsonvalue.Roles.ToName(v.User.GetRole())},
			Operator:  v.Account.GetOperator(),
			BaseURL:   s.baseURL(),
			Version:   s.Version,
			ChartsURL: s.assets.Charts,
			FirstPage: s.preloadRequests(r, v),
			Unclaimed: r.URL.Path == "/" && !v.Account.GetOperator() && s.readInstallation(r.Context()).GetUnclaimed(),
		},
	})
}

func (s *server) baseURL() string {
	edge := cmp.Or(s.EdgeURL, s.PublicURL)
	if edge == nil {
		return ""
	}
	return edge.String() + "/proxy/v1"
}

// readTheme returns the color theme from the cookie; empty means the browser's
// default.
func readTheme(r *http.Request) string {
	c, err := r.Cookie("theme")
	if err != nil || c.Value != "light" && c.Value != "dark" {
		return ""
	}
	return c.Value
}
