package credential

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"sync"

	"github.com/a2alock/a2alock/internal/smallfile"
)

// A pair is a certificate with its key, parsed once for each content of its
// files.
type pair struct {
	mu        sync.Mutex
	cert, key []byte
	parsed    *tls.Certificate
}

// reader gives what the files hold now. A file that is being replaced may not
// fit the other one yet: then the pair that was is still good.
func (p *pair) reader(m MutualTLS, warn func(string)) func() (*tls.Certificate, error) {
	return func() (*tls.Certificate, error) {
		cert, _, err := smallfile.Read(m.CertFile, maxFile)
		if err != nil {
			return nil, &FieldError{"cert_file", "", err}
		}
		key, err := readFile(m.KeyFile, warn)
		if err != nil {
			return nil, &FieldError{"key_file", "", err}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.parsed != nil && bytes.Equal(p.cert, cert) && bytes.Equal(p.key, key) {
			return p.parsed, nil
		}
		parsed, err := tls.X509KeyPair(cert, key)
		switch {
		case err == nil:
			p.cert, p.key, p.parsed = cert, key, &parsed
		case p.parsed == nil:
			return nil, &FieldError{"cert_file", "", fmt.Errorf("%s with key_file %s: %w", m.CertFile, m.KeyFile, err)}
		}
		return p.parsed, nil
	}
}
