// Package setup binds a2alock.yaml to the parts that judge: the command and the
// daemon read it in one way, and judge by it alike.
package setup

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/http/httpproxy"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/rpc"
)

// Judging are the values of a2alock.yaml by which a card is read and judged, for
// [config.Config.Require]. A push endpoint is none of them: it counts as none
// where its variable is not set, as in a CI that calls nobody.
var Judging = []string{
	"/client/interfaces", "/client/select", "/client/accepts", "/client/sends", "/client/aliases",
	"/client/extensions", "/client/streaming", "/client/delivery", "/client/credentials",
	"/credentials/*/origins", "/credentials/*/scopes", "/credentials/*/oauth2_client_credentials/scopes",
	"/limits", "/strict", "/network", "/policy",
}

// A Setup is a configuration and what it makes. Its fields are not changed after
// the first use; it is safe for concurrent use.
type Setup struct {
	Config *config.Config
	Policy diff.Policy
	// Warn is told, once for each file, of a secret that others than its owner may
	// read: of which credential, and what is wrong; nil for nobody.
	Warn func(credential, text string)

	opening   sync.Once
	wallet    *credential.Wallet
	walletErr error
}

// Load reads the file at path, or without a path the nearest one upwards from
// the working directory; the defaults where there is none. The error joins every
// fault, each with its place, those of the policy included.
func Load(path string) (*Setup, error) {
	if path == "" {
		var err error
		if path, err = config.Find("."); err != nil {
			return nil, err
		}
	}
	s := &Setup{Config: config.Default()}
	if path != "" {
		var err error
		if s.Config, err = config.Load(path); err != nil {
			return nil, err
		}
	}
	p := s.Config.Policy
	policy, err := diff.NewPolicy(p.Rules, p.TextPolicy)
	if err != nil {
		return nil, Faults(err, func(pointer string) string {
			return fmt.Sprintf("%s:%d: policy%s", path, s.Config.Line("/policy"+pointer), strings.ReplaceAll(pointer, "/", "."))
		})
	}
	if _, err := credential.New(s.Config.Credentials); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	policy.MaxLockAge, policy.MaxEvidenceAge = p.MaxLockAge, p.MaxEvidenceAge
	s.Policy = policy
	return s, nil
}

// Faults names the place of each fault that package diff found in a policy:
// where gives that of a pointer.
func Faults(err error, where func(pointer string) string) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	named := make([]error, len(all))
	for i, e := range all {
		named[i] = e
		if p, ok := errors.AsType[*diff.PolicyError](e); ok {
			named[i] = fmt.Errorf("%s: %s", where(p.Pointer), p.Msg)
		}
	}
	return errors.Join(named...)
}

// PolicyOf is the policy with the lock's own overrides. Its error names the
// faults by their places in the lock.
func (s *Setup) PolicyOf(l *lockfile.Lock) (diff.Policy, error) {
	policy, err := s.Policy.With(l.Policy)
	if err != nil {
		return policy, Faults(err, func(pointer string) string { return l.Path + ": /policy" + pointer })
	}
	return policy, nil
}

// CardOptions are the limits under which cards are read.
func (s *Setup) CardOptions() card.Options {
	l := s.Config.Limits
	return card.Options{Bytes: int(l.CardBytes), Depth: l.Depth, Skills: l.Skills, Strict: s.Config.Strict}
}

// Guard is the policy of the network, with the proxies of the environment. Each
// has connections of its own.
func (s *Setup) Guard() *netguard.Guard {
	n := s.Config.Network
	return &netguard.Guard{Allow: n.Allow, HTTP: n.HTTP, CAFiles: n.CAFiles, Proxy: httpproxy.FromEnvironment()}
}

// Wallet holds the credentials of the configuration: one for all who ask, since
// it keeps tokens.
func (s *Setup) Wallet() (*credential.Wallet, error) { return s.open("") }

// open makes the wallet, which goes by the name of userAgent, where there is none
// yet.
func (s *Setup) open(userAgent string) (*credential.Wallet, error) {
	s.opening.Do(func() {
		w, err := credential.New(s.Config.Credentials)
		if err != nil {
			s.walletErr = err
			return
		}
		w.Guard, w.Warn, w.UserAgent, w.Timeout = s.Guard(), s.Warn, userAgent, s.Config.Limits.Timeout
		s.wallet = w
	})
	return s.wallet, s.walletErr
}

// Fetcher makes a client for cards that goes by the name of userAgent. It knows
// the credentials of [Setup.Wallet], and asks for extended cards.
func (s *Setup) Fetcher(userAgent string) *fetch.Client {
	wallet, _ := s.open(userAgent) // Load has seen that it can be made
	guard, limits := s.Guard(), s.Config.Limits
	reader := &extended.Reader{
		Client:  &s.Config.Client,
		Options: s.CardOptions(),
		Calls:   rpc.Client{Guard: guard, UserAgent: userAgent, Bytes: limits.CardBytes, Timeout: limits.Timeout},
		Wallet:  wallet,
	}
	return &fetch.Client{
		Guard:     guard,
		Wallet:    wallet,
		Extend:    reader.Extend,
		Bytes:     limits.CardBytes,
		Timeout:   limits.Timeout,
		UserAgent: userAgent,
	}
}

// AsksAs reports whether cards are asked for as by o.
func (s *Setup) AsksAs(o *Setup) bool {
	a, b := s.Config, o.Config
	return s.WaitsAs(o) && reflect.DeepEqual(a.Network, b.Network) && a.Limits == b.Limits && a.Daemon.ContactURL == b.Daemon.ContactURL &&
		s.showsAs(o)
}

// showsAs reports whether agents are shown credentials as by o: the same ones,
// over interfaces that are chosen in the same way.
func (s *Setup) showsAs(o *Setup) bool {
	a, b := s.Config, o.Config
	same := func(x, y credential.Credential) bool { return x.Equal(&y) }
	return slices.EqualFunc(a.Credentials, b.Credentials, same) &&
		(len(a.Credentials) == 0 || a.Strict == b.Strict && reflect.DeepEqual(a.Client, b.Client))
}

// WaitsAs reports whether requests are held back as by o.
func (s *Setup) WaitsAs(o *Setup) bool {
	a, b := &s.Config.Daemon, &o.Config.Daemon
	return a.Flights == b.Flights && a.HostFlights == b.HostFlights && a.HostGap == b.HostGap && slices.Equal(a.OwnHosts, b.OwnHosts)
}
