package scripted

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// errLeft is the end of an answer whose caller went away.
var errLeft = errors.New("the caller went away")

// Play writes the answer to one call of net/http, for those who serve answers
// of their own making, and reports whether the caller stayed to the end of it.
// A Hang lasts until the caller leaves.
func (a Answer) Play(w http.ResponseWriter, r *http.Request) (stayed bool) {
	return !errors.Is(a.play(w, r, func() {}, nil), errLeft)
}

// play writes the answer. hung is called when there is nothing more to come;
// stop ends all waiting. The error is errLeft for a caller that did not stay.
func (a Answer) play(w http.ResponseWriter, r *http.Request, hung func(), stop <-chan struct{}) error {
	out := &writer{control: http.NewResponseController(w), ctx: r.Context(), stop: stop, to: w}
	begin := func() error { return a.head(w, out) }
	if a.Verbatim {
		begin = out.takeOver
	}
	if err := begin(); err != nil {
		return err
	}
	for _, p := range a.Pieces {
		if err := out.piece(p); err != nil {
			return err
		}
	}
	if a.Ending == Hang {
		hung()
		return errors.Join(out.wait(nil), out.drop(false))
	}
	if a.Ending != Whole || a.Verbatim {
		return out.drop(a.Ending == Reset)
	}
	return nil
}

func (a Answer) head(w http.ResponseWriter, out *writer) error {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Status == 0 && len(a.Pieces) == 0 && a.Ending != Whole {
		return nil
	}
	if len(a.Pieces) <= 1 && a.Ending == Whole && w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.Body())))
	}
	w.WriteHeader(cmp.Or(a.Status, http.StatusOK))
	return out.flush()
}

// writer writes pieces to a response or, once hijacked, to its connection.
type writer struct {
	control *http.ResponseController
	ctx     context.Context
	stop    <-chan struct{}
	to      io.Writer
	conn    net.Conn
}

func (o *writer) piece(p Piece) error {
	if p.Wait > 0 {
		timer := time.NewTimer(p.Wait)
		defer timer.Stop()
		if err := o.wait(timer.C); err != nil {
			return err
		}
	}
	_, err := io.WriteString(o.to, p.Data)
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) && !errors.Is(err, http.ErrContentLength) {
		return errors.Join(errLeft, err)
	}
	return o.flush()
}

func (o *writer) flush() error {
	if o.conn != nil {
		return nil
	}
	if err := o.control.Flush(); err != nil {
		return errors.Join(errLeft, err)
	}
	return nil
}

// wait returns when it is over, when the caller leaves or when all stops.
func (o *writer) wait(over <-chan time.Time) error {
	select {
	case <-over:
	case <-o.stop:
	case <-o.ctx.Done():
		return errLeft
	}
	return nil
}

// takeOver takes the connection from net/http, which then no longer notices
// whether the caller stays.
func (o *writer) takeOver() error {
	if err := o.hijack(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(o.ctx)
	o.ctx = ctx
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, o.conn)
	}()
	return nil
}

func (o *writer) hijack() error {
	if o.conn != nil {
		return nil
	}
	conn, _, err := o.control.Hijack()
	if err != nil {
		return err
	}
	o.conn, o.to = conn, conn
	return nil
}

// drop ends the connection without ending the answer.
func (o *writer) drop(reset bool) error {
	if err := o.hijack(); err != nil {
		return err
	}
	if tcp, ok := o.conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	return o.conn.Close()
}
