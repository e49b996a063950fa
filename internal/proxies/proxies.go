// Package proxies reads which proxies there are, and asks one for a tunnel.
package proxies

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/a2alock/a2alock/internal/hostname"
)

// ports are the schemes of proxies, and their ports where none is written.
var ports = map[string]uint16{"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}

// Proxies say which proxy takes a request. The zero value has none.
type Proxies struct {
	of  func(*url.URL) (*url.URL, error) // nil: none
	tls map[string]bool                  // by host:port, whether it is spoken to over TLS
}

// New reads a configuration; nil has no proxy. The error names every variable
// that cannot be read, and quotes none: there may be a password in it.
func New(conf *httpproxy.Config) (Proxies, error) {
	if conf == nil || conf.HTTPProxy == "" && conf.HTTPSProxy == "" {
		return Proxies{}, nil
	}
	p := Proxies{tls: map[string]bool{}}
	clean := *conf
	var errs []error
	for _, e := range []struct {
		name string
		text *string
	}{{"HTTP_PROXY", &clean.HTTPProxy}, {"HTTPS_PROXY", &clean.HTTPSProxy}} {
		if *e.text == "" {
			continue
		}
		u, overTLS, err := parse(*e.text)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.name, err))
			continue
		}
		p.tls[u.Host] = overTLS
		*e.text = u.String()
	}
	p.of = clean.ProxyFunc()
	return p, errors.Join(errs...)
}

// For is the proxy for a URL whose host is in the spelling of
// [hostname.Normalize]; nil for none, as for every loopback host. It is in the
// form in which [net/http.Transport] gets it, with its host and port: as an http
// one even if it speaks TLS, which whoever connects to it then does.
// The transport would show such a proxy the client certificate that is for the
// target, and trust the target's roots with it.
func (p Proxies) For(u *url.URL) (*url.URL, error) {
	if p.of == nil || hostname.IsLoopback(u.Hostname()) {
		return nil, nil
	}
	return p.of(u)
}

// Knows reports whether addr, a host:port, is that of a proxy, and whether that
// speaks TLS.
func (p Proxies) Knows(addr string) (overTLS, known bool) {
	overTLS, known = p.tls[addr]
	return overTLS, known
}

// parse reads a proxy as curl and httpproxy do.
func parse(text string) (u *url.URL, overTLS bool, err error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	// httpproxy takes one that it cannot read for none.
	u, err = url.Parse(text)
	bad := errors.New("want http://, https:// or socks5:// and a host")
	if err != nil {
		return nil, false, bad
	}
	port, known := ports[u.Scheme]
	if s := u.Port(); s != "" {
		n, err := strconv.ParseUint(s, 10, 16)
		known = known && err == nil && n > 0
		port = uint16(n)
	}
	host, err := hostname.Normalize(u.Hostname())
	if err != nil || !known {
		return nil, false, bad // what is wrong with it would be quoted
	}
	out := &url.URL{Scheme: u.Scheme, User: u.User, Host: net.JoinHostPort(host, strconv.Itoa(int(port)))}
	if u.Scheme == "https" {
		out.Scheme, overTLS = "http", true
	}
	return out, overTLS, nil
}
