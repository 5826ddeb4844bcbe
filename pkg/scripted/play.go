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

var errDisconnected = errors.New("the client disconnected before the response ended")

// Play writes the response to w. It reports whether the client stayed connected until the end. With the
// ending Hang, Play returns when the client disconnects.
func (a Response) Play(w http.ResponseWriter, r *http.Request) (stayed bool) {
	return a.PlayUntil(w, r, nil, func() {})
}

// PlayUntil is Play with two additions: closing stop ends all pauses, and hung is called when the
// response starts to hang.
func (a Response) PlayUntil(w http.ResponseWriter, r *http.Request, stop <-chan struct{}, hung func()) (stayed bool) {
	return !errors.Is(a.play(w, r, hung, stop), errDisconnected)
}

// play returns errDisconnected if the client disconnected.
func (a Response) play(w http.ResponseWriter, r *http.Request, hung func(), stop <-chan struct{}) error {
	out := &writer{control: http.NewResponseController(w), ctx: r.Context(), stop: stop, to: w}
	begin := func() error { return a.writeHead(w, out) }
	if a.Verbatim {
		begin = out.hijackAndWatch
	}
	if err := begin(); err != nil {
		return err
	}
	for _, p := range a.Pieces {
		if err := out.writePiece(p); err != nil {
			return err
		}
	}
	if a.Ending == Hang {
		hung()
		return errors.Join(out.wait(nil), out.closeConnection(false))
	}
	if a.Ending != Whole || a.Verbatim {
		return out.closeConnection(a.Ending == Reset)
	}
	return nil
}

func (a Response) writeHead(w http.ResponseWriter, out *writer) error {
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
	if a.isOnePiece() {
		return nil // the head is sent with the body, so that no pause separates them
	}
	return out.flush()
}

// isOnePiece reports whether the whole response is available at once.
func (a Response) isOnePiece() bool {
	return a.Ending == Whole && len(a.Pieces) <= 1 && (len(a.Pieces) == 0 || a.Pieces[0].Wait == 0)
}

// writer writes pieces to a response. After a hijack, it writes them to the connection.
type writer struct {
	control *http.ResponseController
	ctx     context.Context
	stop    <-chan struct{}
	to      io.Writer
	conn    net.Conn
}

func (o *writer) writePiece(p Piece) error {
	if p.Wait > 0 {
		timer := time.NewTimer(p.Wait)
		defer timer.Stop()
		if err := o.wait(timer.C); err != nil {
			return err
		}
	}
	_, err := io.WriteString(o.to, p.Data)
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) && !errors.Is(err, http.ErrContentLength) {
		return errors.Join(errDisconnected, err)
	}
	return o.flush()
}

func (o *writer) flush() error {
	if o.conn != nil {
		return nil
	}
	if err := o.control.Flush(); err != nil {
		return errors.Join(errDisconnected, err)
	}
	return nil
}

// wait returns when over fires or stop is closed. It returns errDisconnected if the client disconnects.
func (o *writer) wait(over <-chan time.Time) error {
	select {
	case <-over:
	case <-o.stop:
	case <-o.ctx.Done():
		return errDisconnected
	}
	return nil
}

// hijackAndWatch takes over the connection from net/http. It also detects when the client disconnects,
// because net/http no longer does.
func (o *writer) hijackAndWatch() error {
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

// closeConnection closes the connection without completing the response.
func (o *writer) closeConnection(reset bool) error {
	if err := o.hijack(); err != nil {
		return err
	}
	if tcp, ok := o.conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	return o.conn.Close()
}
