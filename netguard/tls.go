package netguard

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/smallfile"
)

// An Identity is whom requests are made as. What it shows beside a certificate,
// a header say, is for [Way.Credential].
type Identity struct {
	Name string
	// Certificate is the client's, asked for when a server of one of Origins
	// wants one ("https://agent.corp.example"), and never presented to another;
	// nil for none. It is safe for concurrent use.
	Certificate func() (*tls.Certificate, error)
	Origins     []string
}

// As is a Guard that sends as id. No connection is shared with another
// identity: what a server made of a connection for one, it may still do for
// whoever uses it next. Calls with one name share one Guard, that of the first;
// an id without a name is nobody, and for that it is g itself.
func (g *Guard) As(id Identity) *Guard {
	if id.Name == "" || id.Name == g.identity.Name {
		return g
	}
	return g.child("as "+id.Name, func(c *Guard) { c.identity = id })
}

// TLSConfig is the configuration for a connection to origin, as [Origin] has
// it: TLS 1.2 at least, the roots of [Guard.CAFiles], and the certificate of the
// identity where it may go there. The caller sets the server's name. The error
// is about a file.
func (g *Guard) TLSConfig(origin string) (*tls.Config, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	own := g.own[origin]
	pem, err := own.read()
	if err != nil {
		return nil, err
	}
	return g.config(own, pem)
}

// ownTLS is what one origin has of its own.
type ownTLS struct {
	caFile      string
	certificate func() (*tls.Certificate, error)
}

func newOwnTLS(files map[string]string, id Identity) (map[string]ownTLS, error) {
	own := map[string]ownTLS{}
	var errs []error
	for _, s := range slices.Sorted(maps.Keys(files)) {
		origin, err := ParseOrigin(s)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("ca_file: %w", err))
		case !strings.HasPrefix(origin, "https:"):
			errs = append(errs, fmt.Errorf("ca_file: origin %q: plain http has no certificates", s))
		case own[origin].caFile != "":
			errs = append(errs, fmt.Errorf("ca_file: %q: two files for one origin", s))
		default:
			own[origin] = ownTLS{caFile: files[s]}
		}
	}
	if id.Certificate == nil {
		return own, errors.Join(errs...)
	}
	for _, s := range id.Origins {
		origin, err := ParseOrigin(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("certificate of %q: %w", id.Name, err))
			continue
		}
		own[origin] = ownTLS{caFile: own[origin].caFile, certificate: id.Certificate}
	}
	return own, errors.Join(errs...)
}

// maxRoots is the greatest file of roots: all that there are take a tenth of it.
const maxRoots = 4 << 20

// read is the PEM file; nil for none.
func (o ownTLS) read() ([]byte, error) {
	if o.caFile == "" {
		return nil, nil
	}
	pem, _, err := smallfile.Read(o.caFile, maxRoots)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	return pem, nil
}

// CheckRoots says why the file at path is none for [Guard.CAFiles].
func CheckRoots(path string) error {
	pem, _, err := smallfile.Read(path, maxRoots)
	if err == nil {
		_, err = roots(path, pem)
	}
	return err
}

func roots(path string, pem []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(bytes.Clone(pem)) {
		return nil, fmt.Errorf("%s: no certificate in PEM form", path)
	}
	return pool, nil
}

// config makes the configuration of one lane.
func (g *Guard) config(own ownTLS, pem []byte) (*tls.Config, error) {
	conf := g.baseTLS()
	if own.caFile != "" {
		var err error
		if conf.RootCAs, err = roots(own.caFile, pem); err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
	}
	if own.certificate != nil {
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return own.certificate() }
	}
	return conf, nil
}

func (g *Guard) baseTLS() *tls.Config {
	conf := &tls.Config{}
	if g.TLS != nil {
		conf = g.TLS.Clone()
	}
	conf.MinVersion = max(conf.MinVersion, tls.VersionTLS12)
	return conf
}
