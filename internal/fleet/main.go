package fleet

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Main is a fleet as a command. It serves until SIGINT or SIGTERM, then prints
// its [Stats] as JSON. It exits with 1 on an error, 2 on a wrong flag.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c Config
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.Agents, "agents", 100, "serve `n` agents")
	flags.IntVar(&c.Hosts, "hosts", 64, "spread them over `n` addresses of 127.0.0.0/8")
	flags.IntVar(&c.Port, "port", 0, "listen on this `port` (default: a free one)")
	flags.DurationVar(&c.Latency, "latency", 0, "answer after this `duration`")
	flags.Float64Var(&c.Slow, "slow", 0, "`share` of agents that answer late")
	flags.DurationVar(&c.SlowBy, "slow-by", 2*time.Second, "how late, as a `duration`")
	flags.Float64Var(&c.Dead, "dead", 0, "`share` of hosts that accept and never answer")
	flags.Float64Var(&c.Drift, "drift", 0, "`share` of agents that change their cards")
	flags.Float64Var(&c.Lie, "lie", 0, "`share` of agents that change their cards under one ETag")
	flags.DurationVar(&c.DriftEvery, "drift-every", 10*time.Minute, "how often cards change, as a `duration`")
	flags.IntVar(&c.CardBytes, "card-bytes", 4096, "about how many `bytes` a card has")
	locks := flags.String("locks", "", "write locks and a2alock.yaml into this `folder`")
	schedule := flags.String("schedule", "@every 60s", "the `schedule` in a2alock.yaml")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := serve(ctx, c, *locks, *schedule, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "fleet: %v\n", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, c Config, locks, schedule string, stdout, stderr io.Writer) error {
	f, err := Start(c)
	if err != nil {
		return err
	}
	defer f.Close()
	if locks != "" {
		if err := f.WriteLocks(locks, schedule); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "fleet: %d agents on %d hosts, %s\n", f.config.Agents, f.config.Hosts, f.StatsURL())
	<-ctx.Done()
	encoder := json.NewEncoder(stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(f.Stats())
}
