package alerts

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// auditTimeout limits the wait for the audit log after a change was made.
const auditTimeout = 10 * time.Second

// record adds a change to the audit log of the account, unless nothing changed. The change is
// made already, so a failure is only logged.
func (s *API) record(r *http.Request, v *access.Viewer, action, subject string, before, after map[string]string) {
	if maps.Equal(before, after) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), auditTimeout)
	defer cancel()
	_, err := s.Accounts.RecordAlertChange(ctx, &keyauthv1.RecordAlertChangeRequest{
		Actor: v.Actor(), Action: action, Subject: subject, Before: before, After: after,
	})
	if err != nil {
		s.Log.Error("cannot add a change of an alert to the audit log", "request_id", httpapi.RequestID(r), "action", action, "id", subject, "error", err)
	}
}

// ruleFields returns what the audit log shows of a rule. Its channels have their names, because
// they may be deleted later, and their kinds and ids, because several can have the same name.
func ruleFields(r alert.Rule, channels []alert.Channel) map[string]string {
	var names []string
	for _, id := range r.Channels {
		for _, c := range channels {
			if c.ID == id {
				names = append(names, fmt.Sprintf("%s (%s %s)", c.Name, c.Kind, c.ID))
			}
		}
	}
	fields := map[string]string{
		"name": r.Name, "kind": string(r.Kind), "threshold": formatThreshold(r), "channels": strings.Join(names, ", "), "state": "off",
	}
	if r.Enabled {
		fields["state"] = "on"
	}
	if r.Window > 0 {
		fields["window"] = strconv.Itoa(int(r.Window/time.Minute)) + " minutes"
	}
	if r.MinRequests > 0 {
		fields["min_requests"] = strconv.FormatInt(r.MinRequests, 10)
	}
	return fields
}

// formatThreshold returns the exact threshold. The texts of messages are rounded.
func formatThreshold(r alert.Rule) string {
	spec, _ := r.Kind.Spec()
	exact := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch spec.Unit {
	case alert.Percent:
		return exact(r.Threshold) + " %"
	case alert.Milliseconds:
		return exact(r.Threshold) + " ms"
	case alert.NanoUSD:
		return "$" + exact(r.Threshold/1e9)
	case alert.Days:
		return exact(r.Threshold) + " days"
	}
	return ""
}

// channelFields returns what the audit log shows of a channel: no secret, and only the host
// of a URL, because many URLs contain a token.
func channelFields(c alert.Channel) map[string]string {
	fields := map[string]string{"name": c.Name, "kind": string(c.Kind), "address": c.MaskedAddress()}
	if q := c.Quiet; q.IsSet() {
		zone := q.Zone
		if zone == "" {
			zone = "UTC"
		}
		fields["quiet_hours"] = fmt.Sprintf("%02d:%02d to %02d:%02d %s", q.From/60, q.From%60, q.To/60, q.To%60, zone)
	}
	return fields
}

// changedChannelFields returns the fields of a changed channel. They show that the address
// changed even if its host did not.
func changedChannelFields(old, c alert.Channel) map[string]string {
	fields := channelFields(c)
	if c.Address != old.Address && fields["address"] == old.MaskedAddress() {
		fields["address"] += " (another path)"
	}
	return fields
}
