package agenttest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Main is an agent as a command, for testscript.Main and for scripts. It
// prints the agent's base URL as its first line, serves until it is told to
// end, and is steered through the paths under /control/ (PUT a card to
// /control/card, see control.go). It exits with 1 on an error, 2 on a wrong
// flag.
//
//	-addr HOST:PORT  listen there (default 127.0.0.1:0)
//	-card FILE       serve this card, http://agent.test in it being the agent
//	-shape NAME      serve this card of [Shapes]
//	-path PATH       serve the card there (default /.well-known/agent-card.json)
//	-grpc            serve gRPC too
//	-o FILE          write the base URL to FILE once the agent answers
//	-until EVENT     end when stdin closes ("stdin", the default) or on
//	                 SIGINT and SIGTERM alone ("signal")
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fakeagent", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "", "listen on `host:port`")
	file := flags.String("card", "", "serve the card in this `file`")
	shape := flags.String("shape", "", "serve the card of this `name`")
	path := flags.String("path", "", "serve the card at this `path`")
	grpc := flags.Bool("grpc", false, "serve gRPC too")
	out := flags.String("o", "", "write the base URL to this `file`")
	until := flags.String("until", "stdin", "end on `event`: stdin or signal")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *until != "stdin" && *until != "signal" {
		fmt.Fprintf(stderr, "fakeagent: -until %q: want stdin or signal\n", *until)
		return 2
	}
	card, err := cardFrom(*file, *shape)
	if err != nil {
		fmt.Fprintf(stderr, "fakeagent: %v\n", err)
		return 1
	}
	c := Config{Card: card, CardPath: *path, GRPC: *grpc, Addr: *addr}
	if err := serve(ctx, c, *out, *until == "stdin", stdin, stdout); err != nil {
		fmt.Fprintf(stderr, "fakeagent: %v\n", err)
		return 1
	}
	return 0
}

// cardFrom gives the maker of the first card; nil for the default one.
func cardFrom(file, shape string) (func(string) []byte, error) {
	switch {
	case file != "" && shape != "":
		return nil, errors.New("-card and -shape: want one of them")
	case file != "":
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return func(base string) []byte { return at(string(data), base) }, nil
	case shape != "":
		if _, err := shapes.Open("shapes/" + shape + ".json"); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("-shape %q: want one of %s", shape, strings.Join(Shapes(), ", "))
		}
		return func(base string) []byte { return Shape(shape, base) }, nil
	}
	return nil, nil
}

func serve(ctx context.Context, c Config, out string, untilEOF bool, stdin io.Reader, stdout io.Writer) error {
	a, err := Listen(c)
	if err != nil {
		return err
	}
	defer a.Close()
	if out != "" {
		if err := os.WriteFile(out, []byte(a.URL()+"\n"), 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintln(stdout, a.URL())
	if !untilEOF {
		<-ctx.Done()
		return nil
	}
	closed := make(chan struct{})
	go func() { // blocked in Read until the process ends, should ctx end first
		io.Copy(io.Discard, stdin)
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
	return nil
}
