package proxies

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/proxy"
)

// maxHeader is the greatest answer to CONNECT.
const maxHeader = 64 << 10

// A Dial connects to a proxy.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Tunnel is a connection to addr, a host:port, that the proxy via makes. via is
// in the form of [Proxies.For]; ctx bounds the making alone.
func Tunnel(ctx context.Context, dial Dial, via *url.URL, addr string) (net.Conn, error) {
	if via.Scheme != "http" {
		return socks(ctx, dial, via, addr)
	}
	conn, err := dial(ctx, "tcp", via.Host)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = connect(conn, addr, via.User)
	if !stop() {
		err = cmp.Or(context.Cause(ctx), err)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// connect is the CONNECT of HTTP/1.1 (RFC 9110 9.3.6).
func connect(conn net.Conn, addr string, user *url.Userinfo) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
		req.Header["Proxy-Authorization"] = req.Header["Authorization"]
		req.Header.Del("Authorization")
	}
	if err := req.Write(conn); err != nil {
		return err
	}
	br := bufio.NewReader(io.LimitReader(conn, maxHeader))
	res, err := http.ReadResponse(br, req)
	switch {
	case err != nil:
		return err
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	case br.Buffered() > 0:
		return errors.New("sent bytes that nobody asked for")
	}
	return nil
}

func socks(ctx context.Context, dial Dial, via *url.URL, addr string) (net.Conn, error) {
	var auth *proxy.Auth
	if via.User != nil {
		password, _ := via.User.Password()
		auth = &proxy.Auth{User: via.User.Username(), Password: password}
	}
	d, err := proxy.SOCKS5("tcp", via.Host, auth, dial)
	if err != nil {
		return nil, err
	}
	return d.(proxy.ContextDialer).DialContext(ctx, "tcp", addr)
}

// DialContext implements [proxy.ContextDialer].
func (d Dial) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return d(ctx, network, addr)
}

// Dial implements [proxy.Dialer].
func (d Dial) Dial(network, addr string) (net.Conn, error) {
	return d(context.Background(), network, addr)
}
