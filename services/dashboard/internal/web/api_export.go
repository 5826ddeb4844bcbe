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
	// exportPage is how many records are in memory at a time.
	exportPage = 500
	// exportPatience is how long a reader may take for one such page.
	exportPatience = 30 * time.Second
	// exportTurns is how often an export asks for its turn.
	exportTurns = 10

	exportTo     = "X-Signalbox-Export-To"
	exportRows   = "X-Signalbox-Export-Rows"
	exportSHA256 = "X-Signalbox-Export-Sha256"
	exportRoot   = "X-Signalbox-Export-Root"
)

// exportJob is what is to be exported. It has an upper bound in any case, so
// that the same can be asked for again.
type exportJob struct {
	query  record.Query
	format manifest.Format
	asked  string
	first  record.Page
}

// apiExport streams every record the query finds, newest first. It reads page
// by page, so that a slow reader holds no transaction open. What the manifest
// says of the whole follows in the trailer.
func (s *server) apiExport(w http.ResponseWriter, r *http.Request, v *viewer) error {
	job, err := s.exportJob(r, v, false)
	if err != nil {
		return err
	}
	header(w, "requests."+string(job.format), job)
	for _, name := range []string{exportRows, exportSHA256, exportRoot} {
		w.Header().Add("Trailer", name)
	}
	sums := job.manifest(io.Discard)
	return s.stream(w, r, job, io.MultiWriter(w, sums), func() error {
		sum, err := sums.Close()
		w.Header().Set(exportRows, strconv.FormatInt(sum.Rows, 10))
		w.Header().Set(exportSHA256, sum.SHA256)
		w.Header().Set(exportRoot, sum.Root)
		return err
	})
}

// apiExportManifest streams the manifest of the export with the same query. It
// demands the upper bound that the export has named.
func (s *server) apiExportManifest(w http.ResponseWriter, r *http.Request, v *viewer) error {
	job, err := s.exportJob(r, v, true)
	if err != nil {
		return err
	}
	header(w, "requests."+string(job.format)+".manifest", job)
	sums := job.manifest(w)
	return s.stream(w, r, job, sums, func() error {
		_, err := sums.Close()
		return err
	})
}

// exportJob reads the query and the first page: before anything is written most
// errors can still be told.
func (s *server) exportJob(r *http.Request, v *viewer, bound bool) (*exportJob, error) {
	p, err := params(r, "filter", "from", "to", "format")
	if err != nil {
		return nil, err
	}
	job := &exportJob{format: manifest.Format(p.Get("format"))}
	if job.format != manifest.CSV && job.format != manifest.NDJSON {
		return nil, badParam("format", "format must be csv or ndjson").With("allowed", []manifest.Format{manifest.CSV, manifest.NDJSON})
	}
	if bound && p.Get("to") == "" {
		return nil, badParam("to", "to is needed: the one that the export has named in "+exportTo)
	}
	if p.Get("to") == "" {
		p.Set("to", timeText(time.Now().Truncate(time.Microsecond)))
	}
	if job.query, err = query(p, v.account.GetId()); err != nil {
		return nil, err
	}
	p.Set("to", timeText(job.query.To))
	job.asked = asked(p)
	job.first, err = s.exportPage(r.Context(), job.query, nil)
	return job, err
}

// asked is the query as an address has it, without what is not given.
func asked(p url.Values) string {
	given := url.Values{}
	for name := range p {
		if value := p.Get(name); value != "" {
			given.Set(name, value)
		}
	}
	return given.Encode()
}

func (j *exportJob) manifest(out io.Writer) *manifest.Writer {
	return manifest.NewWriter(out, manifest.Summary{
		Format: j.format, Query: j.asked, To: timeText(j.query.To), Open: time.Since(j.query.To) < manifest.Settling,
	})
}

// stream writes the export to out, and then ends it. After something was
// written, an error can only be shown by cutting the answer off.
func (s *server) stream(w http.ResponseWriter, r *http.Request, job *exportJob, out io.Writer, end func() error) error {
	err := s.export(w, r, job, newExporter(job.format, out))
	if err == nil {
		err = end()
	}
	if err != nil {
		s.logFailure(r, err)
		cut(w)
	}
	return nil
}

func (s *server) export(w http.ResponseWriter, r *http.Request, job *exportJob, out exporter) error {
	control := http.NewResponseController(w)
	for page := job.first; ; {
		_ = control.SetWriteDeadline(time.Now().Add(exportPatience)) // not every writer can
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
		if page, err = s.nextPage(r.Context(), job.query, page.Next); err != nil {
			return err
		}
	}
}

// nextPage waits longer for its turn than who has not begun yet.
func (s *server) nextPage(ctx context.Context, q record.Query, after *record.Cursor) (page record.Page, err error) {
	for range exportTurns {
		page, err = s.exportPage(ctx, q, after)
		if !apperr.Is(err, apperr.ConcurrencyLimitExceeded) || ctx.Err() != nil {
			return page, err
		}
	}
	return page, err
}

func (s *server) exportPage(ctx context.Context, q record.Query, after *record.Cursor) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.Ledger.Page(ctx, q, after, exportPage)
}

func header(w http.ResponseWriter, name string, job *exportJob) {
	kind := "application/x-ndjson"
	if job.format == manifest.CSV && name == "requests.csv" {
		kind = "text/csv; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set(exportTo, timeText(job.query.To))
}

// cut ends an answer in the middle in a way the reader notices: what was
// promised to follow cannot be written any more.
func cut(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}
