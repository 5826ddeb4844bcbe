package apperr

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// domain marks our ErrorInfo, so that no other party's is taken for it.
const domain = "signalbox"

// Names in the metadata of our ErrorInfo.
const (
	detailsKey = "details"
	noRetryKey = "no_retry"
)

// ToGRPC makes err travel: code, message, details and delay cross, the cause
// does not. Any error that is not ours becomes an opaque internal one.
func ToGRPC(err error) error {
	if err == nil {
		return nil
	}
	e := From(err)
	// One stray byte in a message would cost the whole status on its way.
	st := status.New(e.Code.Spec().GRPC, strings.ToValidUTF8(e.Message, "\uFFFD"))
	info := &errdetails.ErrorInfo{Reason: string(e.Code), Domain: domain, Metadata: map[string]string{}}
	if e.NoRetry {
		info.Metadata[noRetryKey] = "true"
	}
	if len(e.Details) > 0 {
		// Details that cannot be encoded are a bug of whoever made them; the
		// error itself matters more.
		if b, err := json.Marshal(e.Details); err == nil {
			info.Metadata[detailsKey] = string(b)
		}
	}
	with, err := st.WithDetails(info)
	if err == nil && e.RetryAfter > 0 {
		with, err = with.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(e.RetryAfter)})
	}
	if err != nil {
		return st.Err()
	}
	return with.Err()
}

// FromGRPC rebuilds what ToGRPC sent; numbers in the details arrive as
// json.Number, so that amounts of money stay exact. An error that does not
// carry our ErrorInfo (a broken connection, a passed deadline) is returned as
// it is.
func FromGRPC(err error) error {
	st, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	var e *Error
	var delay time.Duration
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			e = fromInfo(d, st.Message())
		case *errdetails.RetryInfo:
			delay = d.GetRetryDelay().AsDuration()
		}
	}
	if e == nil {
		return err
	}
	e.RetryAfter = delay
	e.cause = errors.New("answered by a peer service")
	return e
}

func fromInfo(info *errdetails.ErrorInfo, message string) *Error {
	code := Code(info.GetReason())
	if info.GetDomain() != domain || !code.Known() {
		return nil
	}
	e := New(code, message)
	e.NoRetry = info.GetMetadata()[noRetryKey] != ""
	if raw := info.GetMetadata()[detailsKey]; raw != "" {
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		_ = d.Decode(&e.Details)
	}
	return e
}
