package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what is to come. Nothing is measured
// by it.
const patience = time.Minute

// A process is a2alockd run: the test binary, started by that name.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer // see tether
	log   *logged
	ended chan struct{}
	addr  string // of the API, once it is up
}

// A logged is what a process has written so far.
type logged struct {
	mu    sync.Mutex
	text  bytes.Buffer
	moved chan struct{} // closed at the next write
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	close(l.moved)
	l.moved = make(chan struct{})
	return len(p), nil
}

func (l *logged) read() (string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String(), l.moved
}

func (l *logged) String() string { text, _ := l.read(); return text }

// begin starts a2alockd run in dir with env, and does not wait until it is up.
func begin(dir string, env []string, args ...string) (*process, error) {
	p := &process{log: &logged{moved: make(chan struct{})}, ended: make(chan struct{})}
	p.cmd = exec.Command("a2alockd", append([]string{"run"}, args...)...)
	p.cmd.Dir, p.cmd.Env = dir, append(env, tether+"=1")
	p.cmd.Stderr = p.log
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // ProcessState says it
		close(p.ended)
	}()
	return p, nil
}

// kill ends the process, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// says waits for a line of the log, and gives its submatches.
func (p *process) says(line *regexp.Regexp) ([]string, error) {
	for late, ended := time.After(patience), p.ended; ; {
		text, moved := p.log.read()
		if m := line.FindStringSubmatch(text); m != nil {
			return m, nil
		}
		if ended == nil {
			return nil, fmt.Errorf("a2alockd ended (%v) and did not log %q:\n%s", p.cmd.ProcessState, line, text)
		}
		select {
		case <-moved:
		case <-ended:
			ended = nil // read once more
		case <-late:
			return nil, fmt.Errorf("a2alockd did not log %q:\n%s", line, text)
		}
	}
}

// upLine is how a2alockd tells that it is up, as text and as JSON.
var upLine = regexp.MustCompile(`a2alockd is up.*addr"?[=:]"?([^" ]+)`)

// up waits until the API answers.
func (p *process) up() error {
	m, err := p.says(upLine)
	if err == nil {
		p.addr = m[1]
	}
	return err
}

// wait waits for the end, and gives the exit code, or the name of the signal.
func (p *process) wait() (string, error) {
	select {
	case <-p.ended:
	case <-time.After(patience):
		return "", fmt.Errorf("a2alockd did not end:\n%s", p.log)
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return status.Signal().String(), nil
	}
	return fmt.Sprint(p.cmd.ProcessState.ExitCode()), nil
}

// call makes a request of the API.
func (p *process) call(method, path, token, body string) (status int, answer string, err error) {
	req, err := http.NewRequest(method, "http://"+p.addr+"/"+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := api.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, string(data), err
}

// api keeps no connection, so that none is left when a daemon ends.
var api = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// start starts a2alockd for t, in dir, and waits until it is up.
func start(t *testing.T, dir string, env ...string) *process {
	t.Helper()
	p, err := begin(dir, append(os.Environ(), env...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	if err := p.up(); err != nil {
		t.Fatal(err)
	}
	return p
}

// poll asks until done, or the error that was last there.
func poll(try func() error) error {
	for late := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		err := try()
		if err == nil || time.Now().After(late) || errors.Is(err, errFatal) {
			return err
		}
	}
}

// errFatal is in an error that waiting does not mend.
var errFatal = errors.New("for good")
