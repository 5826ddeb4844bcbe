package testenv

// Server is a running throw-away server, for programs that outlive a test.
type Server struct {
	URL string
	PID int
	// Stop ends it and removes what it kept.
	Stop func()
}

// StartPostgres starts a server with one empty database.
func StartPostgres() (*Server, error) {
	p, err := startPostgres()
	if err != nil {
		return nil, err
	}
	name, err := p.createDatabase()
	if err != nil {
		p.stop()
		return nil, err
	}
	return &Server{URL: p.url(name), PID: p.proc.cmd.Process.Pid, Stop: p.stop}, nil
}

// StartRedis starts a redis-server with args, as Redis does.
func StartRedis(args ...string) (*Server, error) {
	r, err := startRedis(args)
	if err != nil {
		return nil, err
	}
	return &Server{URL: r.url(), PID: r.proc.cmd.Process.Pid, Stop: r.stop}, nil
}
