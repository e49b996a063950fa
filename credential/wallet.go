package credential

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2alock/a2alock/netguard"
)

// A Wallet holds credentials by name. [New] makes one. Its fields are not
// changed after the first use; it is safe for concurrent use.
type Wallet struct {
	// Guard is the way to token servers; nil is a zero one. A loopback host in a
	// TokenURL is allowed, as a person wrote it.
	Guard *netguard.Guard
	// Warn is told, once for each file, of a secret that others may read; nil for
	// nobody.
	Warn func(name, text string)
	// UserAgent is sent to token servers; "" is "a2alock".
	UserAgent string
	// Timeout is for one token request; 0 is ten seconds.
	Timeout time.Duration

	list  []*entry // as configured
	guard func() *netguard.Guard

	mu     sync.Mutex
	warned map[string]bool
}

// An entry is a credential and what came of it so far.
type entry struct {
	Credential
	origins []string
	tokens  tokens // of ClientCredentials
	pair    pair   // of MutualTLS
}

// OriginError is the error of a request that a credential may not go with.
type OriginError struct {
	Name    string
	Origin  string // of the request; "" when it has none
	Origins []string
}

// Error names what would be allowed.
func (e *OriginError) Error() string {
	return fmt.Sprintf("credential %q does not go to %s: its origins are %s",
		e.Name, cmp.Or(e.Origin, "this URL"), strings.Join(e.Origins, ", "))
}

// New makes a wallet of list, whose values it does not read yet. The error
// joins every fault, each with the name of its credential.
func New(list []Credential) (*Wallet, error) {
	w := &Wallet{warned: map[string]bool{}}
	w.guard = sync.OnceValue(func() *netguard.Guard { return cmp.Or(w.Guard, new(netguard.Guard)) })
	var errs []error
	for _, c := range list {
		fault := func(err error) { errs = append(errs, fmt.Errorf("credential %q: %w", c.Name, err)) }
		e := &entry{Credential: c}
		if c.Name == "" {
			fault(errors.New("no name"))
		}
		if _, err := w.find(c.Name); err == nil {
			fault(errors.New("there are two of this name"))
		}
		if c.Kind == nil {
			fault(errors.New("of no kind"))
		} else if c.Err == nil {
			for _, err := range c.Kind.faults() {
				fault(err)
			}
		}
		var faults []error
		if e.origins, faults = e.Credential.origins(); c.Err == nil {
			for _, err := range faults {
				fault(err)
			}
		}
		w.list = append(w.list, e)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Wallet) find(name string) (*entry, error) {
	i := slices.IndexFunc(w.list, func(e *entry) bool { return e.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no credential is called %q", name)
	}
	return w.list[i], nil
}

// Goes reports whether the credential called name may be sent to u.
func (w *Wallet) Goes(name string, u *url.URL) bool {
	e, err := w.find(name)
	return err == nil && slices.Contains(e.origins, netguard.Origin(u))
}

// Identity is the one that requests with the credential called name are made
// as ([netguard.Guard.As]): its connections are its own, and a certificate is
// shown on them alone. "" is nobody.
func (w *Wallet) Identity(name string) (netguard.Identity, error) {
	if name == "" {
		return netguard.Identity{}, nil
	}
	e, err := w.find(name)
	if err != nil {
		return netguard.Identity{}, err
	}
	id := netguard.Identity{Name: name}
	m, ok := e.Kind.(MutualTLS)
	if !ok {
		return id, nil
	}
	id.Origins = slices.Clone(e.origins)
	if err := e.Err; err != nil {
		id.Certificate = func() (*tls.Certificate, error) { return nil, fmt.Errorf("credential %q: %w", name, err) }
		return id, nil
	}
	id.Certificate = e.pair.reader(m, func(text string) { w.warn(name, text) })
	return id, nil
}

// Apply puts the credential called name on req, which is about to be sent: it
// is what [netguard.Way.Credential] wants. ctx ends the waiting for a token. The error
// is an [*OriginError] where it may not go, a [*TokenError] where no token
// came, or about the value; req is unchanged then. A certificate is not put on a
// request: see [Wallet.Identity].
func (w *Wallet) Apply(ctx context.Context, name string, req *http.Request) error {
	e, err := w.find(name)
	if err != nil {
		return err
	}
	origin := netguard.Origin(req.URL)
	// A Host of its own would lead to another site behind the same address.
	elsewhere := req.Host != "" && !strings.EqualFold(req.Host, req.URL.Host)
	if origin == "" || req.URL.User != nil || req.URL.Opaque != "" || elsewhere || !slices.Contains(e.origins, origin) {
		return &OriginError{Name: name, Origin: origin, Origins: slices.Clone(e.origins)}
	}
	if err := w.put(ctx, e, req); err != nil {
		if _, ok := errors.AsType[*TokenError](err); ok {
			return err
		}
		return fmt.Errorf("credential %q: %w", name, err)
	}
	return nil
}

func (w *Wallet) put(ctx context.Context, e *entry, req *http.Request) error {
	if e.Err != nil {
		return e.Err
	}
	read := func(v Value) (string, error) { return v.read(e.Kind, func(text string) { w.warn(e.Name, text) }) }
	switch k := e.Kind.(type) {
	case Bearer:
		token, err := read(k.Token)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	case Basic:
		password, err := read(k.Password)
		if err != nil {
			return err
		}
		req.SetBasicAuth(k.User, password)
	case APIKey:
		key, err := read(k.Key)
		if err != nil {
			return err
		}
		return k.put(req, key)
	case ClientCredentials:
		token, err := w.token(ctx, e, k)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token.text())
	case MutualTLS:
	}
	return nil
}

// put leaves the rest of the query, and other cookies, byte for byte.
func (k APIKey) put(req *http.Request, key string) error {
	switch k.In {
	case InHeader:
		req.Header.Set(k.Name, key)
	case InCookie:
		pair := k.Name + "=" + key
		if old := req.Header.Values("Cookie"); len(old) > 0 {
			pair = strings.Join(old, "; ") + "; " + pair
		}
		req.Header.Set("Cookie", pair)
	case InQuery:
		if had := req.URL.Query()[k.Name]; len(had) == 1 && had[0] == key {
			return nil // a redirect led it along
		} else if len(had) > 0 {
			return fmt.Errorf("the URL has a parameter %q already", k.Name)
		}
		pair := url.QueryEscape(k.Name) + "=" + url.QueryEscape(key)
		if req.URL.RawQuery != "" {
			pair = req.URL.RawQuery + "&" + pair
		}
		req.URL.RawQuery = pair
	}
	return nil
}

// warn tells of one file once.
func (w *Wallet) warn(name, text string) {
	if w.Warn == nil {
		return
	}
	w.mu.Lock()
	told := w.warned[text]
	w.warned[text] = true
	w.mu.Unlock()
	if !told {
		w.Warn(name, text)
	}
}
