package grpclink

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"google.golang.org/grpc/credentials"
)

// handshake is TLS whose error is kept as it is.
type handshake struct {
	conf   *tls.Config
	failed func(error)
}

// ClientHandshake makes a TLS connection of raw, which speaks HTTP/2.
func (h *handshake) ClientHandshake(ctx context.Context, _ string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conf := h.conf.Clone()
	conf.NextProtos = []string{"h2"}
	c := tls.Client(raw, conf)
	err := c.HandshakeContext(ctx)
	if err == nil && c.ConnectionState().NegotiatedProtocol != "h2" {
		err = errors.New("the server does not speak HTTP/2 over TLS")
	}
	if rec, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		err = fmt.Errorf("the server has no TLS at that port: %w", rec)
	}
	if err != nil {
		h.failed(err)
		_ = c.Close() // the handshake's error says more
		return nil, nil, err
	}
	return c, credentials.TLSInfo{
		State:          c.ConnectionState(),
		CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
	}, nil
}

// ServerHandshake is for servers.
func (*handshake) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.ErrUnsupported
}

// Info says that it is TLS.
func (*handshake) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

// Clone is h: nothing of it changes.
func (h *handshake) Clone() credentials.TransportCredentials { return h }

// OverrideServerName is not called, and is no way to another name.
func (*handshake) OverrideServerName(string) error { return errors.ErrUnsupported }
