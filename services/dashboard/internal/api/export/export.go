package export

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/manifest"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// exportPageTimeout is how long a client may take to read one page.
	exportPageTimeout = 30 * time.Second

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
func (s *API) apiExportRequests(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
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
func (s *API) apiExportManifest(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
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
func (s *API) newExportJob(r *http.Request, v *access.Viewer, requireTo bool) (*exportJob, error) {
	p, err := httpapi.ParseParams(r, "filter", "from", "to", "format")
	if err != nil {
		return nil, err
	}
	job := &exportJob{format: manifest.Format(p.Get("format"))}
	if job.format != manifest.CSV && job.format != manifest.NDJSON {
		return nil, httpapi.InvalidParam("format", "format must be csv or ndjson").With("allowed", []manifest.Format{manifest.CSV, manifest.NDJSON})
	}
	if requireTo && p.Get("to") == "" {
		return nil, httpapi.InvalidParam("to", "to is required; send the value that the export returned in the header "+exportToHeader)
	}
	if p.Get("to") == "" {
		p.Set("to", jsonvalue.FormatTime(time.Now().Truncate(time.Microsecond)))
	}
	if job.query, err = httpapi.ParseQuery(p, v.Account.GetId()); err != nil {
		return nil, err
	}
	p.Set("to", jsonvalue.FormatTime(job.query.To))
	job.queryString = encodeGivenParams(p)
	job.first, err = readlimit.ReadPage(r.Context(), s.Ledger, job.query, nil)
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
		Format: j.format, Query: j.queryString, To: jsonvalue.FormatTime(j.query.To), MayGrow: time.Since(j.query.To) < manifest.SettlingTime,
	})
}

// streamExport writes the export to out and then calls end. An error after the
// start of the response can no longer be reported, so streamExport aborts the
// response.
func (s *API) streamExport(w http.ResponseWriter, r *http.Request, job *exportJob, out io.Writer, end func() error) error {
	err := s.writeExportPages(w, r, job, newExporter(job.format, out))
	if err == nil {
		err = end()
	}
	if err != nil {
		httpapi.LogFailure(s.Log, r, err)
		httpapi.AbortResponse(w)
	}
	return nil
}

func (s *API) writeExportPages(w http.ResponseWriter, r *http.Request, job *exportJob, out exporter) error {
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
		if page, err = readlimit.ReadPageWithRetry(r.Context(), s.Ledger, job.query, page.Next); err != nil {
			return err
		}
	}
}

func setExportHeaders(w http.ResponseWriter, name string, job *exportJob) {
	kind := "application/x-ndjson"
	if job.format == manifest.CSV && name == "requests.csv" {
		kind = "text/csv; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set(exportToHeader, jsonvalue.FormatTime(job.query.To))
}
