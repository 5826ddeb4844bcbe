package web

import (
	"cmp"
	"net/http"
)

// bootJSON is what the app begins with; src/boot.ts has the same shape.
type bootJSON struct {
	Account  bootAccount `json:"account"`
	User     bootUser    `json:"user"`
	Operator bool        `json:"operator"`
	// BaseURL is where programs send their requests; empty means at the
	// address that the browser sees.
	BaseURL string `json:"base_url"`
	Version string `json:"version"`
	Charts  string `json:"charts"`
	// First is the beginning of the list that the page shows, so that it is
	// there with the page. Without it the script asks.
	First *pageJSON `json:"first,omitempty"`
}

type bootAccount struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type bootUser struct {
	Email string  `json:"email"`
	Role  *string `json:"role"`
}

// appView is what the app's one page is rendered with.
type appView struct {
	Assets assets
	Theme  string
	Boot   bootJSON
}

// pageApp is every page of the app: which one, its script reads from the
// address.
func (s *server) pageApp(w http.ResponseWriter, r *http.Request, v *viewer) error {
	return s.render(w, http.StatusOK, "app", appView{
		Assets: s.assets,
		Theme:  theme(r),
		Boot: bootJSON{
			Account:  bootAccount{ID: v.account.GetId(), Name: v.account.GetName()},
			User:     bootUser{Email: v.user.GetEmail(), Role: roles.word(v.user.GetRole())},
			Operator: v.account.GetOperator(),
			BaseURL:  s.baseURL(),
			Version:  s.Version,
			Charts:   s.assets.Charts,
			First:    s.firstRequests(r, v),
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

// theme is the reader's choice of colours; empty leaves it to the browser.
func theme(r *http.Request) string {
	c, err := r.Cookie("theme")
	if err != nil || c.Value != "light" && c.Value != "dark" {
		return ""
	}
	return c.Value
}
