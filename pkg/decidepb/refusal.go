package decidepb

import (
	"encoding/json"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

var errUnknownCode = errors.New("the router rejected the request with an unknown error code")

// FromRefusal converts the error with which the engine rejected a request.
func FromRefusal(err error) *routerv1.Refusal {
	e := apperr.From(err)
	details, err := json.Marshal(e.Details)
	if err != nil || e.Details == nil {
		details = []byte("{}")
	}
	return &routerv1.Refusal{Code: string(e.Code), Message: validUTF8(e.Message), DetailsJson: string(details)}
}

// ToRefusal converts a refusal to an *apperr.Error. It returns another error if the
// router is newer and sent an error code that this version does not have.
func ToRefusal(r *routerv1.Refusal) error {
	e := apperr.New(apperr.Code(r.GetCode()), r.GetMessage())
	if !e.Code.IsKnown() {
		return errUnknownCode
	}
	_ = json.Unmarshal([]byte(r.GetDetailsJson()), &e.Details)
	return e
}
