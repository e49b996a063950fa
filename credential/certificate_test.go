package credential

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/netguard"
)

// certify writes a new certificate for name, and its new key, to the files of m.
func certify(t *testing.T, m MutualTLS, name string) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	renew(t, m, name, key)
	return key
}

// renew writes a new certificate of key.
func renew(t *testing.T, m MutualTLS, name string, key *ecdsa.PrivateKey) {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, m.CertFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	rewrite(t, m.KeyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
}

func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		_, _ = io.WriteString(w, who)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.Config.ErrorLog = quiet
	server.StartTLS()
	defer server.Close()
	dir := t.TempDir()
	files := func(name string) MutualTLS {
		return MutualTLS{CertFile: filepath.Join(dir, name+".crt"), KeyFile: filepath.Join(dir, name+".key")}
	}
	one, two := files("one"), files("two")
	certify(t, one, "one")
	certify(t, two, "two")
	w, err := New([]Credential{
		{Name: "one", Origins: []string{server.URL}, Kind: one},
		{Name: "two", Origins: []string{server.URL}, Kind: two},
		{Name: "elsewhere", Origins: []string{"https://b.example"}, Kind: one},
		{Name: "key", Origins: []string{server.URL}, Kind: Bearer{Token: Literal(canary)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	guard := &netguard.Guard{TLS: &tls.Config{RootCAs: roots}}
	defer guard.CloseIdle()
	says := func(name string) string {
		id, err := w.Identity(name)
		if err != nil {
			t.Fatal(err)
		}
		req := must(http.NewRequest(http.MethodGet, server.URL, nil))
		way := netguard.Way{}
		if name != "elsewhere" {
			way.Credential = w.Use(name).Apply
		}
		res, _, err := guard.Named(server.URL).As(id).Send(t.Context(), req, way)
		clean(t, err)
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		data, _ := io.ReadAll(res.Body)
		return string(data)
	}
	step := func(name, want string) {
		t.Helper()
		if got := says(name); !strings.Contains(got, want) {
			t.Errorf("as %s: %s, want %s", name, got, want)
		}
	}
	for range 3 {
		step("one", "one")
		step("two", "two")
		step("", "nobody")
		step("elsewhere", "nobody")
		step("key", "nobody")
	}
	// A new pair is shown on the next connection.
	key := certify(t, one, "one")
	for _, name := range []string{"one again", "one with the same key"} {
		renew(t, one, name, key)
		closeIdle(t, w, guard, server.URL)
		step("one", name)
	}
	// While one file is replaced, and the other not yet, the old pair is good.
	half := files("half")
	certify(t, half, "half")
	data, err := os.ReadFile(half.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, one.KeyFile, string(data))
	closeIdle(t, w, guard, server.URL)
	step("one", "one with the same key")
	if err := os.Remove(one.KeyFile); err != nil {
		t.Fatal(err)
	}
	closeIdle(t, w, guard, server.URL)
	step("one", "key_file: ")
}

// closeIdle makes the next request of each identity open a connection.
func closeIdle(t *testing.T, w *Wallet, guard *netguard.Guard, rawURL string) {
	t.Helper()
	guard.CloseIdle()
	for _, name := range []string{"one", "two"} {
		id, err := w.Identity(name)
		if err != nil {
			t.Fatal(err)
		}
		guard.Named(rawURL).As(id).CloseIdle()
	}
}

func TestCertificatesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	good := MutualTLS{CertFile: filepath.Join(dir, "crt"), KeyFile: filepath.Join(dir, "key")}
	certify(t, good, "one")
	other := MutualTLS{CertFile: filepath.Join(dir, "crt2"), KeyFile: filepath.Join(dir, "key2")}
	certify(t, other, "two")
	text, big := file(t, canary), file(t, strings.Repeat("a", maxFile+1))
	for _, tt := range []struct {
		m    MutualTLS
		want string
	}{
		{MutualTLS{CertFile: dir + "/none", KeyFile: good.KeyFile}, "cert_file: stat " + dir + "/none: no such file or directory"},
		{MutualTLS{CertFile: os.DevNull, KeyFile: good.KeyFile}, "cert_file: " + os.DevNull + ": no regular file"},
		{MutualTLS{CertFile: big, KeyFile: good.KeyFile}, "cert_file: " + big + ": over 65536 bytes"},
		{MutualTLS{CertFile: good.CertFile, KeyFile: dir + "/none"}, "key_file: stat " + dir + "/none: no such file or directory"},
		{MutualTLS{CertFile: good.CertFile, KeyFile: other.KeyFile}, fmt.Sprintf("cert_file: %s with key_file %s: tls: private key does not match public key", good.CertFile, other.KeyFile)},
		{MutualTLS{CertFile: good.CertFile, KeyFile: text}, fmt.Sprintf("cert_file: %s with key_file %s: tls: failed to find any PEM data in key input", good.CertFile, text)},
	} {
		w := wallet(t, Credential{Name: "one", Origins: []string{"https://a.example"}, Kind: tt.m})
		id, err := w.Identity("one")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := id.Certificate(); err == nil || err.Error() != tt.want {
			t.Errorf("error = %v, want %s", err, tt.want)
		}
		clean(t, err)
	}
}
