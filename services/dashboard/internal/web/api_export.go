package web

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/manifest"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// exportPageSize is the number of records held in memory at a time.
	exportPageSize = 500
	// exportPageTimeout is how long a client may take to read one page.
	exportPageTimeout = 30 * time.Second
	// exportAttempts is how often an export tries to read a page while the account
	// has no free slot for reads.
	exportAttempts = 10

	exportToHeader     = "X-Signalbox-Export-To"
	exportRowsHeader   = "X-Signalbox-Export-Rows"
	exportSHA256Header = "X-Signalbox-Export-Sha256"
	exportRootHeader   = "X-Signalbox-Export-Root"
)

// exportJob describes an export. It always has an upper time bound, so that the
// same export can be repeated.
type exportJob struct {
	query       record.Query
	format      manifest.Format
	queryString string
	first       record.Page
}

// apiExportRequests streams all matching records, newest first. It reads page by
// page, so that a slow client holds no transaction open. The HTTP trailer contains
// the number of rows and the checksums.
func (s *server) apiExportRequests(w http.ResponseWriter, r *http.Request, v *viewer) error {
	job, err := s.newExportJob(r, v, false)
	if err != nil {
		return err
	}
	setExportHeaders(w, "requests."+string(job.format), job)
	for _, name := range []string{exportRowsHeader, exportSHA256Header, exportRootHeader} {
		w.Header().Add("Trailer", name)
	}
	sums := job.newManifest(io.Discard)
	return s.streamExport(w, r, job, io.MultiWriter(w, sums), func() error {
		sum, err := sums.Close()
		w.Header().Set(exportRowsHeader, strconv.FormatInt(sum.Rows, 10))
		w.Header().Set(exportSHA256Header, sum.SHA256)
		w.Header().Set(exportRootHeader, sum.Root)
		return err
	})
}

// apiExportManifest streams the checksums of the export with the same query (the
// manifest). It requires the parameter "to", with the value that the export returned.
func (s *server) apiExportManifest(w http.ResponseWriter, r *http.Request, v *viewer) error {
	job, err := s.newExportJob(r, v, true)
	if err != nil {
		return err
	}
	setExportHeaders(w, "requests."+string(job.format)+".manifest", job)
	sums := job.newManifest(w)
	return s.streamExport(w, r, job, sums, func() error {
		_, err := sums.Close()
		return err
	})
}

// newExportJob parses the query and reads the first page, so that most errors
// occur before the response starts.
func (s *server) newExportJob(r *http.Request, v *viewer, requireTo bool) (*exportJob, error) {
	p, err := parseParams(r, "filter", "from", "to", "format")
	if err != nil {
		return nil, err
	}
	job := &exportJob{format: manifest.Format(p.Get("format"))}
	if job.format != manifest.CSV && job.format != manifest.NDJSON {
		return nil, invalidParam("format", "format must be csv or ndjson").With("allowed", []manifest.Format{manifest.CSV, manifest.NDJSON})
	}
	if requireTo && p.Get("to") == "" {
		return nil, invalidParam("to", "to is required; send the value that the export returned in the header "+exportToHeader)
	}
	if p.Get("to") == "" {
		p.Set("to", formatTime(time.Now().Truncate(time.Microsecond)))
	}
	if job.query, err = parseQuery(p, v.account.GetId()); err != nil {
		return nil, err
	}
	p.Set("to", formatTime(job.query.To))
	job.queryString = encodeGivenParams(p)
	job.first, err = s.readExportPage(r.Context(), job.query, nil)
	return job, err
}

func encodeGivenParams(p url.Values) string {
	given := url.Values{}
	for name := range p {
		if value := p.Get(name); value != "" {
			given.Set(name, value)
		}
	}
	return given.Encode()
}

func (j *exportJob) newManifest(out io.Writer) *manifest.Writer {
	return manifest.NewWriter(out, manifest.Summary{
		Format: j.format, Query: j.queryString, To: formatTime(j.query.To), MayGrow: time.Since(j.query.To) < manifest.SettlingTime,
	})
}

// streamExport writes the export to out and then calls end. An error after the
// start of the response can no longer be reported, so streamExport aborts the
// response.
func (s *server) streamExport(w http.ResponseWriter, r *http.Request, job *exportJob, out io.Writer, end func() error) error {
	err := s.writeExportPages(w, r, job, newExporter(job.format, out))
	if err == nil {
		err = end()
	}
	if err != nil {
		s.logFailure(r, err)
		abortResponse(w)
	}
	return nil
}

func (s *server) writeExportPages(w http.ResponseWriter, r *http.Request, job *exportJob, out exporter) error {
	control := http.NewResponseController(w)
	for page := job.first; ; {
		_ = control.SetWriteDeadline(time.Now().Add(exportPageTimeout)) // best effort: not every writer supports deadlines
		for i := range page.Items {
			if err := out.write(&page.Items[i]); err != nil {
				return err
			}
		}
		if err := out.flush(); err != nil || page.Next == nil {
			return err
		}
		_ = control.Flush()
		var err error
		if page, err = s.readPageWithRetry(r.Context(), job.query, page.Next); err != nil {
			return err
		}
	}
}

// readPageWithRetry tries several times to get a slot for reads. Otherwise a long
// export or replay would fail while the account runs other reads.
func (s *server) readPageWithRetry(ctx context.Context, q record.Query, after *record.Cursor) (page record.Page, err error) {
	for range exportAttempts {
		page, err = s.readExportPage(ctx, q, after)
		if !apperr.Is(err, apperr.ConcurrencyLimitExceeded) || ctx.Err() != nil {
			return page, err
		}
	}
	return page, err
}

func (s *server) readExportPage(ctx context.Context, q record.Query, after *record.Cursor) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.Ledger.Page(ctx, q, after, exportPageSize)
}

func setExportHeaders(w http.ResponseWriter, name string, job *exportJob) {
	kind := "application/x-ndjson"
	if job.format == manifest.CSV && name == "requests.csv" {
		kind = "text/csv; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set(exportToHeader, formatTime(job.query.To))
}

// abortResponse closes the connection before the response is complete, so that the
// client notices the error.
func abortResponse(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}
