package notice

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/netguard"
)

// CheckURL rejects URLs to which notices must not be sent; see netguard.CheckURL.
func CheckURL(address string, private bool) error {
	err := netguard.CheckURL(address, private)
	switch {
	case errors.Is(err, netguard.ErrNotPublic):
		return invalidURL("the webhook must have a public address")
	case err != nil:
		return invalidURL("the webhook must be an https URL without a user name, such as https://example.com/hook")
	}
	return nil
}

func invalidURL(message string) error {
	return apperr.New(apperr.InvalidRequest, message).With("param", "webhook_url")
}
