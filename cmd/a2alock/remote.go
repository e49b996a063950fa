package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/duration"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// A remote is the running daemon, as commands talk to it.
type remote struct {
	*app
	address   string // --daemon
	tokenFile string
}

// remoteTimeout is how long the daemon may take to answer.
const remoteTimeout = 30 * time.Second

// addRemote gives a command the flags that say where the daemon is.
func (a *app) addRemote(c *cobra.Command) *remote {
	r := &remote{app: a}
	flags := c.PersistentFlags()
	flags.Var((*filled)(&r.address), "daemon", "the `URL` of the daemon's API (default: daemon.listen of a2alock.yaml)")
	flags.Var((*filled)(&r.tokenFile), "token-file", "read the token from this `FILE` (default: $A2ALOCK_TOKEN)")
	_ = c.MarkPersistentFlagFilename("token-file")
	return r
}

// base is the URL of the API.
func (r *remote) base() (string, error) {
	if r.address != "" {
		u, err := url.Parse(r.address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return "", &exit{
				code: exitUsage, err: fmt.Errorf("--daemon %q: want a URL with http:// or https://", redact.URL(r.address)),
				hint: "--daemon " + suggested(r.address),
			}
		}
		return strings.TrimSuffix(strings.TrimSuffix(r.address, "/"), "/v1"), nil
	}
	cfg, err := r.config("/daemon/listen")
	if err != nil {
		return "", err
	}
	return "http://" + reachable(cmp.Or(cfg.Daemon.Listen, config.Default().Daemon.Listen)), nil
}

// suggested is the URL that an address without a scheme may have meant.
func suggested(address string) string {
	if host, port, err := net.SplitHostPort(address); err == nil && host != "" && !strings.ContainsAny(address, "/@") {
		return "http://" + net.JoinHostPort(host, port)
	}
	return "http://127.0.0.1:8437"
}

// reachable is where a client finds what listens at listen: at an address of
// its own where it listens at all.
func reachable(listen string) string {
	for _, all := range []string{"0.0.0.0:", "[::]:", ":"} {
		if port, ok := strings.CutPrefix(listen, all); ok {
			return "127.0.0.1:" + port
		}
	}
	return listen
}

// token is what the daemon knows us by; "": nothing.
func (r *remote) token() (string, error) {
	if r.tokenFile == "" {
		return strings.TrimSpace(os.Getenv("A2ALOCK_TOKEN")), nil
	}
	data, err := os.ReadFile(r.tokenFile)
	if err != nil {
		return "", usage(fmt.Errorf("--token-file: %w", err))
	}
	token := strings.TrimSpace(string(data))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", usage(fmt.Errorf("--token-file %s: want one token on one line", r.tokenFile))
	}
	return token, nil
}

// call asks the daemon, with a body where in is not nil, and decodes the answer
// into out where that is not nil. It gives the answer's bytes.
func (r *remote) call(ctx context.Context, method, path string, in, out any) ([]byte, error) {
	base, err := r.base()
	if err != nil {
		return nil, err
	}
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, remoteTimeout)
	defer cancel()
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return nil, usage(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "a2alock/"+version())
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, unanswered(base, err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return nil, unanswered(base, err)
	}
	if res.StatusCode >= 300 {
		return nil, refusedBy(base, res.StatusCode, data)
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			return nil, r.foreign(err)
		}
	}
	return data, nil
}

// all walks the pages of a list, and gives what is under key in them.
func (r *remote) all(ctx context.Context, path, key string, q url.Values) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	q.Set("limit", "500")
	for {
		var page map[string]json.RawMessage
		if _, err := r.call(ctx, http.MethodGet, path+"?"+q.Encode(), nil, &page); err != nil {
			return nil, err
		}
		var part []json.RawMessage
		var next string
		if err := errors.Join(json.Unmarshal(page[key], &part), json.Unmarshal(page["next"], &next)); err != nil {
			return nil, r.foreign(err)
		}
		if list = append(list, part...); next == "" {
			return list, nil
		}
		q.Set("after", next)
	}
}

// rows prints a table of what each of list says.
func rows[T any](r *remote, head string, list []json.RawMessage, cells func(T) []string) error {
	w := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, raw := range list {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return r.foreign(err)
		}
		row := cells(v)
		for i := range row {
			row[i] = report.Excerpt(row[i], 200)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// foreign is how a command ends that was answered by something else.
func (r *remote) foreign(err error) error {
	base, _ := r.base()
	return &exit{code: exitUndecided, err: fmt.Errorf("%s did not answer as a2alockd does: %w", redact.URL(base), err)}
}

// unanswered is how a command ends when nobody is there.
func unanswered(base string, err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return &exit{
		code: exitUndecided, err: fmt.Errorf("asking the daemon at %s: %w", redact.URL(base), err),
		hint: "a2alockd run starts it; --daemon URL says where it is",
	}
}

// refusedBy is how a command ends when the daemon says no.
func refusedBy(base string, code int, data []byte) error {
	var said struct{ Error string }
	if json.Unmarshal(data, &said) != nil || said.Error == "" {
		return &exit{code: exitUndecided, err: fmt.Errorf("%s answered %d, which a2alockd does not", redact.URL(base), code)}
	}
	e := &exit{code: exitFail, err: errors.New(said.Error)}
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		e.code, e.hint = exitUsage, "A2ALOCK_TOKEN or --token-file gives the token"
	case code == http.StatusNotFound && strings.HasPrefix(said.Error, "lock "):
		text, _, _ := strings.Cut(said.Error, "; GET ")
		e.err, e.hint = errors.New(text), "a2alock status --all lists the ids"
	case code == http.StatusNotFound && strings.HasPrefix(said.Error, "message "):
		text, _, _ := strings.Cut(said.Error, "; GET ")
		e.err, e.hint = errors.New(text), "a2alock outbox list --state all lists the ids"
	case code == http.StatusNotFound && strings.HasPrefix(said.Error, "silence "):
		e.hint = "a2alock silence list --all lists the ids"
	case code == http.StatusBadRequest:
		e.code = exitUsage
	case code >= 500:
		e.code = exitUndecided
	}
	return e
}

// printJSON prints what the daemon answered, or whoever stands in its place.
func (r *remote) printJSON(data []byte) error {
	if err := report.WriteJSON(r.stdout, json.RawMessage(data)); err != nil {
		return r.foreign(err)
	}
	return nil
}

// lock is the path of the API for a lock that a person names by its id, or by
// its file.
func (r *remote) lock(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", usage(errors.New("the name of the lock is empty (is a variable not set?)"))
	}
	if filepath.Base(name) == name && !strings.HasSuffix(name, lockfile.Suffix) {
		return "/v1/locks/" + url.PathEscape(name), nil
	}
	ids, err := r.locksAt(ctx, name)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", &exit{
			code: exitFail, err: fmt.Errorf("%s: the daemon watches no lock of that path", name),
			hint: "a2alock status --all lists the ids; the name of the file, or its id, does where the daemon has it in another folder",
		}
	case len(ids) > 1:
		return "", usage(fmt.Errorf("%s may be any of the locks %s: name one by its id", name, strings.Join(ids, ", ")))
	}
	return "/v1/locks/" + url.PathEscape(ids[0]), nil
}

// locksAt are the ids of the locks that the file may be: that of its full path,
// or where the daemon sees files elsewhere, those whose paths end like it.
func (r *remote) locksAt(ctx context.Context, file string) (ids []string, err error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return nil, usage(err)
	}
	for _, path := range []string{full, filepath.Clean(file)} {
		var found struct{ Locks []struct{ ID string } }
		q := url.Values{"path": {filepath.ToSlash(path)}}
		if _, err := r.call(ctx, http.MethodGet, "/v1/locks?"+q.Encode(), nil, &found); err != nil {
			return nil, err
		}
		for _, l := range found.Locks {
			ids = append(ids, l.ID)
		}
		if ids != nil {
			break
		}
	}
	return ids, nil
}

// change has the daemon do something to a lock, and hears no more than that it
// did.
func (r *remote) change(ctx context.Context, method, lock, what string, in any) error {
	path, err := r.lock(ctx, lock)
	if err != nil {
		return err
	}
	_, err = r.call(ctx, method, path+what, in, nil)
	return err
}

// An until is the value of --for: how long something holds.
type until struct{ time.Duration }

func (u *until) String() string {
	if u.Duration == 0 {
		return ""
	}
	return u.Duration.String()
}

// Type is what the help calls the value.
func (u *until) Type() string { return "duration" }

// Set takes a duration over 0.
func (u *until) Set(s string) error {
	d, err := duration.Parse(s)
	if err != nil {
		return err
	}
	if d <= 0 {
		return errors.New("want a duration over 0, such as 4h or 2d")
	}
	u.Duration = d
	return nil
}

// author is who speaks, by default the person at the terminal; "" where the
// system has no name for it.
func author() string {
	if name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME")); name != "" {
		return name
	}
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// addAuthor gives a command the flag that says who speaks.
func addAuthor(c *cobra.Command, who *string) {
	c.Flags().StringVar(who, "author", "", "who says so (default: $USER, $LOGNAME, or the system's name for you)")
}

// say tells a person what was done, apart from results.
func (r *remote) say(format string, args ...any) {
	fmt.Fprintf(r.stderr, "a2alock: %s\n", report.Line(fmt.Sprintf(format, args...)))
}
